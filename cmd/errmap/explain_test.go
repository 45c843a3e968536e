package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/errmap/errmap/internal/translate"
	"github.com/google/go-cmp/cmp"
)

func TestRecognize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       translate.Form
	}{
		{"connect", `{"code":"not_found","message":"m"}`, translate.Connect},
		{"connect, unknown code", `{"code":"shelf_full"}`, translate.Connect},
		{"connect, details alone", `{"details":[]}`, translate.Connect},
		{"status", `{"code":5,"message":"m"}`, translate.Status},
		{"status, private number", `{"code":4001,"details":[{"@type":"x/y"}]}`, translate.Status},
		{"http", `{"error":{"code":404}}`, translate.HTTP},
		{"http, a string", `{"error":"boom"}`, translate.HTTP},
		{"http, in an array", `[{"error":{"code":404}}]`, translate.HTTP},
		{"http, without wrapper", `{"code":404,"message":"m"}`, translate.HTTP},
		{"http, name", `{"code":"404","status":"NOT_FOUND"}`, translate.HTTP},
		{"http, name alone", `{"status":"NOT_FOUND"}`, translate.HTTP},
		{"http, number and name", `{"code":5,"status":"NOT_FOUND"}`, translate.HTTP},
		{"problem", `{"type":"about:blank","title":"Not Found","status":404}`, translate.Problem},
		{"problem, instance", `{"instance":"/x"}`, translate.Problem},
		{"problem with a code", `{"title":"x","code":"NOT_FOUND"}`, translate.Problem},
		{"jsonrpc", `{"code":-32001,"message":"m"}`, translate.JSONRPC},
		{"jsonrpc, a small number with data", `{"code":7,"message":"m","data":1}`, translate.JSONRPC},
		{"jsonrpc, a large number", `{"code":4001,"message":"m"}`, translate.JSONRPC},
		{"jsonrpc, a number far too large", `{"code":1e999}`, translate.JSONRPC},
		{"jsonrpc response", ` {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, translate.JSONRPC},
		{"null is absent", `{"code":"not_found","status":null}`, translate.Connect},
		{"the first of duplicates", `{"code":"not_found","code":5}`, translate.Connect},
		{"grpc", "Grpc-Status: 5\r\ngrpc-message: m\r\n", translate.GRPC},
		{"grpc beside others", "content-type: application/grpc\ngrpc-status: 5", translate.GRPC},
		{"response, grpc", "HTTP/2 200\r\ncontent-type: application/grpc\r\ngrpc-status: 5\r\n\r\n", translate.GRPC},
		{"response, grpc without a status", "HTTP/2 502\r\ncontent-type: application/grpc+proto\r\n\r\n", translate.GRPC},
		{"response, problem", "HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json; charset=utf-8\r\n\r\n{}", translate.Problem},
		{"response, a2a", "HTTP/1.1 404 Not Found\nContent-Type: application/a2a+json\n\n{}", translate.HTTP},
		{"response, connect", "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n{\"code\":\"not_found\"}", translate.Connect},
		{"response after interim ones", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json\r\n\r\n{}", translate.Problem},
		{"response, other JSON", "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n{\"oops\":1}", translate.HTTP},
		{"response, a page", "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html>", translate.HTTP},
		{"response, nothing", "HTTP/1.1 503 Service Unavailable\r\n", translate.HTTP},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := recognize([]byte(tt.text))
			if err != nil || got.form != tt.want || got.why == "" {
				t.Errorf("got %q by %q, %v, want %q", got.form, got.why, err, tt.want)
			}
		})
	}
}

func TestRecognize_nothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "boom", "<html>", "{", "[", "[]", "[1]", "[{},{}]", "{}", `{"message":"m"}`, `{"code":null}`, "content-type: text/html", "HTTP/9", "rpc error: code = OK desc = m", "rpc error: code = Code(0) desc = m", "rpc error: code = Lost desc = m", "rpc error: code = Code(99999999999) desc = m"} {
		if got, err := recognize([]byte(text)); err == nil {
			t.Errorf("%q is %s by %s", text, got.form, got.why)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := runErrmap(t, `{"code":"not_found","message":"gone"}`, "explain")
	want := `This is an error of the Connect protocol (recognized by a code that is a name).

  What      NOT_FOUND: what was asked for does not exist, or the caller may not see it
  Message   gone
  Whose     nobody's in particular: it has no ErrorInfo, so the code is all there is to act on
  Retry     no: the same call fails again until something else changes

  On the other wires
    grpc, HTTP 200
      grpc-status: 5
      grpc-message: gone
    status
      {"code":5,"message":"gone"}
    http, HTTP 404
      {"error":{"code":404,"message":"gone","status":"NOT_FOUND"}}
    problem, HTTP 404
      {"type":"about:blank","title":"Not Found","status":404,"detail":"gone","code":"NOT_FOUND"}
    jsonrpc, every profile, HTTP 200
      {"code":-31404,"message":"gone"}
`
	if diff := cmp.Diff(want, stdout); diff != "" || stderr != "" || code != exitOK {
		t.Errorf("exit code %d, standard error %q, (-want +got):\n%s", code, stderr, diff)
	}
}

func TestExplain_words(t *testing.T) {
	t.Parallel()
	const rpc = "type.googleapis.com/google.rpc."
	tests := []struct {
		name, stdin, args string
		want              []string
		absent            string
	}{
		{
			name: "an error of A2A", stdin: `{"code":-32001,"message":"Task not found","data":{"taskId":"t-1"}}`,
			want: []string{
				"Under the profiles generic and mcp\n\n  What      UNKNOWN:",
				"  Details   JSON of no type: {\"taskId\":\"t-1\"}\n",
				"  Received  jsonrpc: the number was -32001\n",
				"Under the profile a2a\n\n  What      NOT_FOUND:",
				"  Whose     TASK_NOT_FOUND of a2a-protocol.org: Task not found\n            defined as errmap.a2a.v1.TaskNotFoundError\n",
				"  Fields    task_id = \"t-1\"\n",
				"    jsonrpc, a2a, HTTP 200\n      {\"code\":-32001,",
			},
		},
		{
			name: "one meaning", stdin: `{"code":-32700,"message":"m"}`,
			want: []string{"\nUnder every profile\n", "    jsonrpc, mcp, HTTP 400\n"},
		},
		{
			name: "the details of google.rpc", stdin: `{"code":8,"message":"m","details":[
				{"@type":"` + rpc + `RetryInfo","retryDelay":"1.5s"},
				{"@type":"` + rpc + `BadRequest","fieldViolations":[{"field":"qty","description":"must be above 0"}]},
				{"@type":"` + rpc + `QuotaFailure","violations":[{"subject":"project:p","description":"too many"},{"subject":"project:q","description":"too many"}]},
				{"@type":"` + rpc + `PreconditionFailure","violations":[{"type":"TOS","subject":"me","description":"not accepted"}]},
				{"@type":"` + rpc + `ResourceInfo","resourceType":"sku","resourceName":"A1","owner":"me"},
				{"@type":"` + rpc + `RequestInfo","requestId":"r-1","servingData":"s"},
				{"@type":"` + rpc + `Help","links":[{"description":"stock","url":"https://store.example.com"}]},
				{"@type":"` + rpc + `LocalizedMessage","locale":"de","message":"Ausverkauft"},
				{"@type":"` + rpc + `DebugInfo","detail":"boom","stackEntries":["main.go:7"]},
				{"@type":"` + rpc + `ErrorInfo","reason":"STOCK_EMPTY","domain":"store.example.com","metadata":{"sku":"A1"}},
				{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"},
				{}]}`,
			want: []string{`  Whose     STOCK_EMPTY of store.example.com, a domain that this program does not know
  Retry     yes, after 1.5s (RetryInfo)
  Details   RetryInfo: wait 1.5s before the next try
            BadRequest: 1 field of the request
              qty: must be above 0
            QuotaFailure: 2 quotas
              project:p: too many
              project:q: too many
            PreconditionFailure: 1 precondition
              TOS of me: not accepted
            ResourceInfo: sku A1
              owner: me
            RequestInfo: the request is r-1 in the server's log
              serving data: s
            Help: 1 link
              stock: https://store.example.com
            LocalizedMessage in de: Ausverkauft
            DebugInfo: boom
              main.go:7
            ErrorInfo: STOCK_EMPTY of store.example.com
              sku: A1
            google.protobuf.Duration: "1s"
            an empty detail
`},
		},
		{
			name: "what it cannot read", stdin: "grpc-status: 42\ngrpc-message: m\ngrpc-status-details-bin: CCoSAW0aLQojdHlwZS5nb29nbGVhcGlzLmNvbS9hY21lLnY5Lk15c3RlcnkSBgiWARIBeA",
			want: []string{"  What      UNKNOWN, private number 42: ", "  Details   acme.v9.Mystery: 6 bytes that this program cannot read\n"},
		},
		{
			name: "JSON that it cannot read", stdin: `{"error":{"code":404,"status":"SHELF_FULL","details":[{"@type":"x/acme.v9.Mystery","n":1}],"traceId":"t"}}`,
			want: []string{
				`  Details   acme.v9.Mystery, a type that this program does not read as it stands: {"@type":"x/acme.v9.Mystery","n":1}`,
				"  Received  http: in the place of the code stood \"SHELF_FULL\"\n            http: other members were {\"traceId\":\"t\"}\n",
				"  Notes     status \"SHELF_FULL\" names no code: NOT_FOUND\n",
				"  Message   (none)\n",
			},
		},
		{
			name: "a domain without that reason", stdin: `{"code":"not_found","details":[{"type":"google.rpc.ErrorInfo","value":"CgNORVcSEGEyYS1wcm90b2NvbC5vcmc"}]}`,
			want: []string{"  Whose     NEW of a2a-protocol.org, which that domain does not define here\n"},
		},
		{
			name: "a response", stdin: "HTTP/2 429\r\ncontent-type: application/json\r\nretry-after: 7\r\n\r\n{\"error\":{\"code\":429,\"message\":\"slow\",\"status\":\"RESOURCE_EXHAUSTED\"}}\n",
			want: []string{
				"This is an error of HTTP+JSON after AIP-193 (recognized by the member error around it), received with HTTP status 429.\n",
				"  Retry     yes, after 7s (RetryInfo)\n",
			},
		},
		{
			name: "a page with a status", stdin: "<html>", args: "--from connect --http-status 503",
			want: []string{"received with HTTP status 503.\n", "  What      UNAVAILABLE: ", "  Retry     yes, with growing pauses\n", `it begins "<html>"`},
		},
		{
			name: "a page with nothing but a status", stdin: "<html>", args: "--http-status 503",
			want: []string{"(recognized by the flag --http-status alone), received with HTTP status 503.\n", "  What      UNAVAILABLE: ", `it begins "<html>"`},
		},
		{
			name: "a log of gRPC", stdin: "10:02 WARN get: rpc error: code = NotFound desc = no 50% \"book\"\n10:03 INFO done",
			want: []string{"This is an error of gRPC (recognized by the words of gRPC in a log, which tell no details).\n", "  What      NOT_FOUND: ", "  Message   no 50% \"book\"\n"},
		},
		{name: "a log of gRPC, spelled like Go", stdin: "rpc error: code = Canceled desc = context canceled", want: []string{"  What      CANCELLED: "}},
		{name: "a log of gRPC, private number", stdin: "rpc error: code = Code(42) desc = m", want: []string{"  What      UNKNOWN, private number 42: "}},
		{
			name: "a status beside what was recognized", stdin: `{"code":"shelf_full"}`, args: "--http-status 404",
			want: []string{"  What      UNIMPLEMENTED: ", "the HTTP status was 404"},
		},
		{
			name: "text that would steer the terminal", stdin: `{"code":"aborted","message":"a\u001b[31mb\nc\u009b"}`,
			want: []string{`  Message   a\x1b[31mb\nc\u009b` + "\n", "begin again with the read"}, absent: "\x1b",
		},
		{
			name: "fields of a status", stdin: "grpc-status: 5\ngrpc-status-details-bin: CAWaBgJoaQ",
			want: []string{"  Received  grpc: the Status held 5 bytes of fields that are not known here\n"},
		},
		{name: "retry at once", stdin: `{"code":14,"details":[{"@type":"` + rpc + `RetryInfo","retryDelay":"0s"}]}`, want: []string{"yes, at once (RetryInfo)"}},
		{name: "a RetryInfo without a delay", stdin: `{"code":14,"details":[{"@type":"` + rpc + `RetryInfo"}]}`, want: []string{"yes, with growing pauses", "RetryInfo: no delay"}},
		{name: "retry of RESOURCE_EXHAUSTED", stdin: `{"code":8}`, want: []string{"perhaps later"}},
		{name: "retry of DEADLINE_EXCEEDED", stdin: `{"code":4}`, want: []string{"only if it does no harm"}},
		{name: "retry of UNAUTHENTICATED", stdin: `{"code":16}`, want: []string{"with fresh credentials"}},
		{name: "retry of INTERNAL", stdin: `{"code":13}`, want: []string{"nothing says that it would help"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runErrmap(t, tt.stdin, append([]string{"explain"}, strings.Fields(tt.args)...)...)
			if stderr != "" || code != exitOK {
				t.Fatalf("exit code %d, standard error %q", code, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("no %q in:\n%s", want, stdout)
				}
			}
			if tt.absent != "" && strings.Contains(stdout, tt.absent) {
				t.Errorf("%q in:\n%q", tt.absent, stdout)
			}
		})
	}
}

func TestExplain_date(t *testing.T) {
	t.Parallel()
	f, err := recognize([]byte("HTTP/1.1 503 Service Unavailable\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := f.explain(time.Date(2026, 10, 21, 7, 27, 0, 0, time.UTC))
	if want := "yes, after 1m0s (RetryInfo)"; err != nil || !strings.Contains(report, want) {
		t.Errorf("no %q in:\n%s%v", want, report, err)
	}
}

func TestExplain_misuse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stdin, args, want string
		code                    int
	}{
		{
			name: "unknown text", stdin: "boom", code: exitFailure,
			want: "errmap: this is no error in a form known here: want header lines with grpc-status, a whole HTTP response, or the JSON of connect, grpc, status, http, problem, jsonrpc (of another body tell the status: --http-status 503)\n",
		},
		{
			name: "unknown JSON", stdin: `{"a":1}`, code: exitFailure,
			want: "errmap: this JSON is no error in a form known here: it has none of code, error, type, title, detail and details (--from says which one it is meant to be)\n",
		},
		{name: "nothing", stdin: " \n", code: exitFailure, want: "errmap: standard input is empty: want the text of an error, such as from curl -si URL\n"},
		{name: "broken JSON", stdin: `{broken`, code: exitFailure, want: "errmap: this is invalid JSON: invalid character 'b' at start of value after offset 1\n"},
		{name: "JSON that ends", stdin: `{"code":"not_found"`, code: exitFailure, want: "errmap: this is invalid JSON: unexpected EOF after offset 19\n"},
		{name: "two values", stdin: `{"code":5} {}`, code: exitFailure, want: "errmap: this is invalid JSON: there is more after the first value\n"},
		{
			name: "a success", stdin: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"ok\":true}", code: exitFailure,
			want: "errmap: this is a success, and no error: an HTTP response with the status 200 and no error in it\n",
		},
		{
			name: "a success without JSON", stdin: "HTTP/1.1 204 No Content\r\n", code: exitFailure,
			want: "errmap: this is a success, and no error: an HTTP response with the status 204 and no error in it\n",
		},
		{
			name: "a result", stdin: `{"jsonrpc":"2.0","id":1,"result":null}`, code: exitFailure,
			want: "errmap: this is a success, and no error: a JSON-RPC response without the member error\n",
		},
		{
			name: "a result in spite of a status", stdin: `{"jsonrpc":"2.0","id":1,"result":{}}`, args: "--http-status 200", code: exitFailure,
			want: "errmap: this is a success, and no error: a JSON-RPC response without the member error\n",
		},
		{name: "no error", stdin: `{"code":0}`, code: exitFailure, want: "errmap: the code is OK, which is no error\n"},
		{
			name: "unknown form", args: "--from soap", code: exitUsage,
			want: "errmap: explain: unknown form \"soap\": want one of connect, grpc, status, http, problem, jsonrpc (see errmap explain --help)\n",
		},
		{
			name: "unknown flag", args: "--profile a2a", code: exitUsage,
			want: "errmap: explain: unknown flag --profile: the flags are --from, --http-status, --help (see errmap explain --help)\n",
		},
		{
			name: "no HTTP status", args: "--http-status 7", code: exitUsage,
			want: "errmap: explain: 7 is no HTTP status: want 100 to 999 (see errmap explain --help)\n",
		},
		{
			name: "an argument", args: "x", code: exitUsage,
			want: "errmap: explain: unexpected argument \"x\": the error comes from standard input (see errmap explain --help)\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runErrmap(t, tt.stdin, append([]string{"explain"}, strings.Fields(tt.args)...)...)
			if diff := cmp.Diff(tt.want, stderr); diff != "" || stdout != "" || code != tt.code {
				t.Errorf("exit code %d, want %d, standard output %q, (-want +got):\n%s", code, tt.code, stdout, diff)
			}
		})
	}
}

func TestExplain_broken_streams(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	if code := run(context.Background(), []string{"explain"}, iotest.ErrReader(errors.New("gone")), io.Discard, &stderr); code != exitFailure {
		t.Errorf("exit code %d", code)
	}
	if code := run(context.Background(), []string{"explain"}, strings.NewReader(`{"code":"aborted"}`), brokenWriter{}, &stderr); code != exitFailure {
		t.Errorf("exit code %d", code)
	}
	if want := "errmap: reading standard input: gone\nerrmap: the pipe is closed\n"; stderr.String() != want {
		t.Errorf("standard error %q, want %q", stderr.String(), want)
	}
}
