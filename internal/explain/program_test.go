package explain_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/explain"
)

var now = time.Date(2026, 10, 21, 7, 27, 0, 0, time.UTC)

// told returns the one reading of a text, or the first.
func told(t *testing.T, text []byte) (*explain.Report, explain.Reading) {
	t.Helper()
	f, err := explain.Recognize(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := f.Report(errmap.Linked(), now)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.Readings[0]
}

// What programs printed of the errors of one server, each run for it: the files are
// their output.
func TestFinding_N06_programs(t *testing.T) {
	t.Parallel()
	const stock, gone = "No A1 é left", `No "A1" left`
	tests := []struct {
		file, source  string
		code, message string
		reason        string // where details are there
		private       int32
	}{
		{"curl-v-connect.txt", "curl 7.88.1 -sv", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"curl-v-connect-noisy.txt", "curl 7.88.1 -v, with its meter", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"curl-v-grpc.txt", "curl 7.88.1 -sv over HTTP/2, trailers alone", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"curl-v-grpc-stream.txt", "curl 7.88.1 -sv over HTTP/2, a stream", "FAILED_PRECONDITION", "No sku left", "STOCK_EMPTY", 0},
		{"curl-i-grpc.txt", "curl 7.88.1 -si over HTTP/2", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"curl-i-grpc-stream.txt", "curl 7.88.1 -si over HTTP/2, a stream", "FAILED_PRECONDITION", "No sku left", "STOCK_EMPTY", 0},
		{"curl-i-connect-stream.txt", "curl 7.88.1 -si, a Connect stream", "FAILED_PRECONDITION", "No sku left", "STOCK_EMPTY", 0},
		{"curl-connect-stream.bin", "curl 7.88.1 -s, a Connect stream", "FAILED_PRECONDITION", "No sku left", "STOCK_EMPTY", 0},
		{"curl-i-grpcweb-stream.bin", "curl 7.88.1 -si, a gRPC-Web stream", "FAILED_PRECONDITION", "No sku left", "STOCK_EMPTY", 0},
		{"curl-i-sse.txt", "curl 7.88.1 -siN, events of JSON-RPC", "FAILED_PRECONDITION", "No x left", "STOCK_EMPTY", 0},
		{"curl-sse.txt", "curl 7.88.1 -sN, events of JSON-RPC", "FAILED_PRECONDITION", "No x left", "STOCK_EMPTY", 0},
		{"curl-trace.txt", "curl 7.88.1 --trace-ascii -", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"curl-refused.txt", "curl 7.88.1, nobody there", "UNAVAILABLE", "curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server", "", 0},
		{"curl-f.txt", "curl 7.88.1 -f", "INVALID_ARGUMENT", "curl: (22) The requested URL returned error: 400", "", 0},
		{"grpcurl.txt", "grpcurl 1.9.4", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"grpcurl-v.txt", "grpcurl 1.9.4 -v", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"grpcurl-invalid.txt", "grpcurl 1.9.4", "INVALID_ARGUMENT", "The cart is invalid", "INVALID_CART", 0},
		{"grpcurl-private.txt", "grpcurl 1.9.4, a private number", "UNKNOWN", "private", "", 42},
		{"grpcurl-format-error.txt", "grpcurl 1.9.4 -format-error", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"grpcjs-inspect-stock.txt", "@grpc/grpc-js 1.14.7, console.log", "FAILED_PRECONDITION", stock, "", 0},
		{"grpcjs-string-private.txt", "@grpc/grpc-js 1.14.7, String, a private number", "UNKNOWN", "private", "", 42},
		{"grpcjs-refused.txt", "@grpc/grpc-js 1.14.7, nobody there", "UNAVAILABLE", "No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note:", "", 0},
		{"pino-stock.txt", "pino 10.4.0 with @grpc/grpc-js", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"winston-stock.txt", "winston 3.19.0 with @grpc/grpc-js", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"connectes-inspect-connect-stock.txt", "@connectrpc/connect 2.1.2, console.log", "FAILED_PRECONDITION", stock, "", 0},
		{"connectes-string-grpc-stock.txt", "@connectrpc/connect 2.1.2, String", "FAILED_PRECONDITION", stock, "", 0},
		{"grpcio-traceback-stock.txt", "grpcio 1.85.3, a traceback", "FAILED_PRECONDITION", stock, "", 0},
		{"grpcio-aio.txt", "grpcio 1.85.3, asyncio", "FAILED_PRECONDITION", stock, "", 0},
		{"apicore-traceback.txt", "google-api-core 2.44.0", "FAILED_PRECONDITION", stock, "", 0},
		{"grpcjava-stock-caused.txt", "grpc-java 1.85.1, a cause in a stack", "FAILED_PRECONDITION", stock, "", 0},
		{"grpcjava-stock-status.txt", "grpc-java 1.85.1, Status.toString", "FAILED_PRECONDITION", stock, "", 0},
		{"grpcjava-stock-trailers.txt", "grpc-java 1.85.1, Metadata.toString", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"grpcjava-stock-statusproto.txt", "grpc-java 1.85.1, StatusProto.fromThrowable", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"grpcgo-wrapped-stock.txt", "grpc-go 1.85.0, wrapped", "FAILED_PRECONDITION", stock, "", 0},
		{"grpcgo-slog-text-stock.txt", "grpc-go 1.85.0, log/slog as text", "FAILED_PRECONDITION", stock, "", 0},
		{"grpcgo-slog-json-private.txt", "grpc-go 1.85.0, log/slog as JSON", "UNKNOWN", "private", "", 42},
		{"grpcgo-prototext-stock.txt", "protobuf-go 1.36.12, prototext", "FAILED_PRECONDITION", stock, "STOCK_EMPTY", 0},
		{"grpcgo-proto-string-hidden.txt", "protobuf-go 1.36.12, String", "INTERNAL", "internal error", "", 0},
		{"connectgo2.txt", "connect-go 2.0.2", "FAILED_PRECONDITION", stock, "", 0},
		{"connectgo1-slog-text.txt", "connect-go 1.21.1, log/slog as text", "FAILED_PRECONDITION", stock, "", 0},
		{"connectgo1-wrapped.txt", "connect-go 1.21.1, wrapped and joined", "FAILED_PRECONDITION", stock, "", 0},
		{"connectgo1-refused.txt", "connect-go 1.21.1, nobody there", "UNAVAILABLE", "dial tcp 127.0.0.1:1: connect: connection refused", "", 0},
		{"zap-json.txt", "zap, production", "FAILED_PRECONDITION", gone, "", 0},
		{"zap-console.txt", "zap, development", "FAILED_PRECONDITION", gone, "", 0},
		{"zerolog-json.txt", "zerolog", "FAILED_PRECONDITION", gone, "", 0},
		{"zerolog-console.txt", "zerolog.ConsoleWriter, in colours", "FAILED_PRECONDITION", gone, "", 0},
		{"logrus-text.txt", "logrus", "FAILED_PRECONDITION", gone, "", 0},
		{"logrus-color.txt", "logrus, in colours", "FAILED_PRECONDITION", gone, "", 0},
		{"kit.txt", "go-kit/log", "FAILED_PRECONDITION", gone, "", 0},
		{"requests.txt", "requests 2.34.2, raise_for_status", "INVALID_ARGUMENT", "requests.exceptions.HTTPError: 400 Client Error: Bad Request for url: http://127.0.0.1:8080/shop.v1.Cart/Get?access_token=[redacted]", "", 0},
		{"httpx.txt", "httpx 0.28.1, raise_for_status", "INVALID_ARGUMENT", "httpx.HTTPStatusError: Client error '400 Bad Request' for url 'http://127.0.0.1:8080/shop.v1.Cart/Get?access_token=[redacted]'", "", 0},
		{"nginx-502.html", "nginx 1.22.1, a dead upstream", "UNAVAILABLE", "502 Bad Gateway", "", 0},
		{"nginx-404-i.txt", "nginx 1.22.1, curl -si", "NOT_FOUND", "404 Not Found", "", 0},
		{"nginx-413.html", "nginx 1.22.1, client_max_body_size", "FAILED_PRECONDITION", "413 Request Entity Too Large", "", 0},
	}
	files, err := filepath.Glob("testdata/programs/*")
	if err != nil || len(files) != len(tests) {
		t.Errorf("%d files for %d tests: %v", len(files), len(tests), err)
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata/programs", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			report, got := told(t, text)
			if got.Code != tt.code || got.Message != tt.message || got.Reason != tt.reason {
				t.Errorf("%s: %s %q %s, want %s %q %s", report.What, got.Code, got.Message, got.Reason, tt.code, tt.message, tt.reason)
			}
			if tt.private != 0 && got.Number != tt.private {
				t.Errorf("number %d, want %d", got.Number, tt.private)
			}
			if strings.HasPrefix(tt.source, "nginx") && !strings.Contains(report.What, "nginx") {
				t.Errorf("%q does not name the proxy", report.What)
			}
		})
	}
}
