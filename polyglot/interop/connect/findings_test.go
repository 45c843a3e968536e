package connect_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
)

// A GET whose message is no base64 is its caller's mistake: no fault of the
// server, and nothing for its log.
func TestFinding_P10_get_without_base64(t *testing.T) {
	t.Parallel()
	log := new(bytes.Buffer)
	for _, query := range []string{"encoding=proto&base64=1&message=%25%25", "encoding=json&base64=1&message=!", "encoding=proto&base64=1&message=_"} {
		response, body := get(t, handlers(log)["v2"], query)
		if response.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"code":"invalid_argument"`) || strings.Contains(body, "RequestInfo") {
			t.Errorf("%s: HTTP %d, %s", query, response.StatusCode, body)
		}
	}
	if log.Len() > 0 {
		t.Errorf("logged: %s", log)
	}
}

// A gRPC-Web answer may have its status among the headers, and an empty frame of
// trailers all the same.
func TestFinding_P16_grpc_web_status_in_headers(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{"an empty frame": {0x80, 0, 0, 0, 0}, "no frame": nil} {
		a := answer{status: http.StatusOK, body: body, header: http.Header{
			"Content-Type": {"application/grpc-web+proto"}, "Grpc-Status": {"5"}, "Grpc-Message": {"gone"},
		}}
		for client, err := range a.calls(t, nil, connect.ProtocolNameGRPCWeb) {
			e, ok := errors.AsType[*errmap.Error](err)
			if !ok || e.Code() != code.Code_NOT_FOUND || e.Message() != "gone" || !e.Remote() {
				t.Errorf("%s, %s: %v", name, client, err)
			}
		}
	}
}

// Two statuses are never a success, whichever comes first.
func TestFinding_P17_two_statuses(t *testing.T) {
	t.Parallel()
	message := []byte{0, 0, 0, 0, 3, 0x0a, 1, 'a'}
	frame := func(text string) []byte {
		return append(append(bytes.Clone(message), 0x80, 0, 0, 0, byte(len(text))), text...)
	}
	header := func(kind string) http.Header { return http.Header{"Content-Type": {kind}} }
	for name, test := range map[string]struct {
		protocol string
		answer   answer
	}{
		"0 and 14":             {connect.ProtocolNameGRPC, answer{200, header("application/grpc+proto"), message, http.Header{"Grpc-Status": {"0", "14"}}}},
		"14 and 0":             {connect.ProtocolNameGRPC, answer{200, header("application/grpc+proto"), message, http.Header{"Grpc-Status": {"14", "0"}}}},
		"0 and 14 of gRPC-Web": {connect.ProtocolNameGRPCWeb, answer{200, header("application/grpc-web+proto"), frame("grpc-status: 0\r\ngrpc-status: 14\r\n"), nil}},
		"14 and 0 of gRPC-Web": {connect.ProtocolNameGRPCWeb, answer{200, header("application/grpc-web+proto"), frame("grpc-status: 14\r\ngrpc-status: 0\r\n"), nil}},
	} {
		for client, err := range test.answer.calls(t, nil, test.protocol) {
			e, ok := errors.AsType[*errmap.Error](err)
			if !ok || e.Code() == code.Code_OK {
				t.Errorf("%s, %s: %v", name, client, err)
			}
		}
	}
}

// What a handler said to caches of its answer does not hold for its error.
func TestFinding_P18_no_error_in_a_cache(t *testing.T) {
	t.Parallel()
	for name, h := range handlers(new(bytes.Buffer)) {
		response, body := get(t, h, "encoding=json&message=%22a%22")
		if response.StatusCode != http.StatusNotFound || response.Header.Get("Cache-Control") != "no-store" || response.Header.Get("ETag") != "" {
			t.Errorf("%s: HTTP %d, %v, %s", name, response.StatusCode, response.Header, body)
		}
		if response.Header.Get("X-Kept") != "yes" {
			t.Errorf("%s: what is not for caches is dropped: %v", name, response.Header)
		}
	}
}

// An answer in an encoding that nobody asked for has its status all the same.
func TestFinding_P29_encoding_that_nobody_asked_for(t *testing.T) {
	t.Parallel()
	a := answer{status: http.StatusNotFound, body: []byte("\x0b\x02\x80{}\x03"), header: http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}}}
	with := func(next http.RoundTripper) http.RoundTripper {
		return errmaphttp.NewTransport(next, errmaphttp.Connect)
	}
	for name, transport := range map[string]func(http.RoundTripper) http.RoundTripper{"without our transport": nil, "with it": with} {
		for client, err := range a.calls(t, transport, connect.ProtocolNameConnect) {
			if client == "v1" && transport == nil {
				continue // docs/interop.md: v1 tells nobody the status
			}
			e, ok := errors.AsType[*errmap.Error](err)
			if !ok || e.Code() != code.Code_UNIMPLEMENTED || !e.Local() {
				t.Errorf("%s, %s: %v", name, client, err)
			}
		}
	}
}
