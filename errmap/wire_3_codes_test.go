package errmap_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"

	"github.com/errmap/errmap/errmap"
)

// The table of section 3; marker tells whether the number alone does not say the
// code.
var codeRows = []struct {
	code    code.Code
	connect string
	http    int
	number  int
	marker  bool
}{
	{1, "canceled", 499, -31499, false},
	{2, "unknown", 500, -32603, true},
	{3, "invalid_argument", 400, -32602, false},
	{4, "deadline_exceeded", 504, -31504, false},
	{5, "not_found", 404, -31404, false},
	{6, "already_exists", 409, -31409, false},
	{7, "permission_denied", 403, -31403, false},
	{8, "resource_exhausted", 429, -31429, false},
	{9, "failed_precondition", 400, -31400, false},
	{10, "aborted", 409, -31409, true},
	{11, "out_of_range", 400, -32602, true},
	{12, "unimplemented", 501, -32601, false},
	{13, "internal", 500, -32603, false},
	{14, "unavailable", 503, -31503, false},
	{15, "data_loss", 500, -32603, true},
	{16, "unauthenticated", 401, -31401, false},
}

func TestWire_3_code_table(t *testing.T) {
	t.Parallel()
	for _, r := range codeRows {
		t.Run(r.connect, func(t *testing.T) {
			t.Parallel()
			e := errmap.NewCode(r.code, "m")
			marker := ""
			if r.marker {
				marker = fmt.Sprintf(`,"data":[{"@type":"type.googleapis.com/google.rpc.Status","code":%d}]`, r.code)
			}
			rpc := fmt.Sprintf(`{"code":%d,"message":"m"%s}`, r.number, marker)
			title := fmt.Sprintf("HTTP status %d", r.http)
			if text := http.StatusText(r.http); text != "" {
				title = text
			}
			for to, want := range map[string]string{
				"connect":         fmt.Sprintf(`{"code":"%s","message":"m"}`, r.connect),
				"grpc":            fmt.Sprintf("grpc-status: %d\ngrpc-message: m", r.code),
				"statusjson":      fmt.Sprintf(`{"code":%d,"message":"m"}`, r.code),
				"http":            fmt.Sprintf(`{"error":{"code":%d,"message":"m","status":"%s"}}`, r.http, r.code),
				"problem":         fmt.Sprintf(`{"type":"about:blank","title":"%s","status":%d,"detail":"m","code":"%s"}`, title, r.http, r.code),
				"jsonrpc/generic": rpc, "jsonrpc/a2a": rpc, "jsonrpc/mcp": rpc,
			} {
				got := encodeText(t, to, e)
				if got != want {
					t.Errorf("%s: got %s, want %s", to, got, want)
				}
				if back := decodeText(t, to, got, 0); back.Code() != r.code || back.Message() != "m" || back.Received() != nil {
					t.Errorf("%s: back as %s", to, describe(back))
				}
			}
			if errmap.HTTPStatus(r.code) != r.http || errmap.ConnectName(r.code) != r.connect {
				t.Errorf("HTTPStatus %d, ConnectName %s", errmap.HTTPStatus(r.code), errmap.ConnectName(r.code))
			}
			if status, _ := errmap.EncodeHTTP(e); status != r.http {
				t.Errorf("EncodeHTTP: %d", status)
			}
			if status, _ := errmap.EncodeProblem(e); status != r.http {
				t.Errorf("EncodeProblem: %d", status)
			}
		})
	}
}

func TestWire_3_numbers_backwards(t *testing.T) {
	t.Parallel()
	for number, want := range map[int]code.Code{
		-31400: 9, -31401: 16, -31403: 7, -31404: 5, -31409: 6, -31429: 8, -31499: 1, -31503: 14, -31504: 4,
		-32700: 3, -32600: 3, -32601: 12, -32602: 3, -32603: 13,
		-31500: 2, -31501: 2, -31000: 2, -32000: 2, -32099: 2, 1: 2, 4010: 2, 404: 2,
	} {
		for _, p := range []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP} {
			e, err := errmap.DecodeJSONRPC(fmt.Appendf(nil, `{"code":%d,"message":"m"}`, number), p)
			if err != nil || e.Code() != want {
				t.Errorf("%s %d: %v, %v, want %v", p, number, e, err, want)
			}
		}
	}
}

func TestWire_3_private_codes(t *testing.T) {
	t.Parallel()
	for _, n := range []int32{17, 42, 404, 2147483647, -1, -2147483648} {
		e, err := errmap.FromStatus(&statuspb.Status{Code: n, Message: "m"})
		if err != nil || e.Number() != n || e.Code() != code.Code_UNKNOWN {
			t.Fatalf("%d: %v, %v", n, e, err)
		}
		if got, want := encodeText(t, "statusjson", e), fmt.Sprintf(`{"code":%d,"message":"m"}`, n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if s := e.Status(); s.GetCode() != n || len(s.GetDetails()) != 0 {
			t.Errorf("status %v", s)
		}
		headers := encodeText(t, "grpc", e)
		if plain := fmt.Sprintf("grpc-status: %d\ngrpc-message: m", n); n > 0 && headers != plain {
			t.Errorf("got %q, want %q", headers, plain)
		}
		if n < 0 && !strings.HasPrefix(headers, "grpc-status: 2\n") {
			t.Errorf("got %q", headers)
		}
		if status, body := errmap.EncodeHTTP(e); status != 500 || !strings.Contains(string(body), `"code":500,"message":"m","status":"UNKNOWN"`) {
			t.Errorf("http %d %s", status, body)
		}
		if body := encodeText(t, "connect", e); !strings.HasPrefix(body, `{"code":"unknown","message":"m"`) {
			t.Errorf("connect %s", body)
		}
		for _, w := range allWires {
			if back, p := hop(t, e, w); back.Number() != n {
				t.Errorf("%s: %d became %d in %s", w.name, n, back.Number(), p)
			}
		}
	}
}

func TestWire_3_zero_is_never_an_error(t *testing.T) {
	t.Parallel()
	if e := errmap.NewCode(code.Code_OK, "m"); e != nil {
		t.Errorf("NewCode(OK) is %v", e)
	}
	for name, decode := range map[string]func() (*errmap.Error, error){
		"nil Status": func() (*errmap.Error, error) { return errmap.FromStatus(nil) },
		"Status of code 0 with details": func() (*errmap.Error, error) {
			return errmap.FromStatus(&statuspb.Status{Message: "m", Details: errmap.NewCode(5, "").WithRetryDelay(1).Status().GetDetails()})
		},
		"status as JSON":    func() (*errmap.Error, error) { return tryText(t, "statusjson", `{"code":0,"message":"m"}`, 0) },
		"status without it": func() (*errmap.Error, error) { return tryText(t, "statusjson", `{"message":"m"}`, 0) },
		"status named OK":   func() (*errmap.Error, error) { return tryText(t, "statusjson", `{"code":"OK"}`, 0) },
		"grpc": func() (*errmap.Error, error) {
			return tryText(t, "grpc", "grpc-status: 0\ngrpc-status-details-bin: "+vectorST5, 0)
		},
		"grpc with zeros": func() (*errmap.Error, error) { return tryText(t, "grpc", "grpc-status: 00", 0) },
		"empty object":    func() (*errmap.Error, error) { return tryText(t, "statusjson", `{}`, 0) },
	} {
		if e, err := decode(); e != nil || !errors.Is(err, errmap.ErrOK) {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
}

func TestWire_3_grpc_status_that_is_no_number(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"abc", "-1", "", "+5", " 5", "5 ", "1.0", "2147483648", "99999999999999999999", "0x5"} {
		e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {text}, "grpc-message": {"m"}})
		if err != nil || e.Code() != code.Code_UNKNOWN || e.Message() != "m" {
			t.Fatalf("%q: %v, %v", text, e, err)
		}
		if r := e.Received(); text != "" && (len(r) != 1 || r[0].CodeText != text) {
			t.Errorf("%q is kept as %v", text, r)
		}
		for _, w := range allWires {
			back, p := hop(t, e, w)
			if s := difference(e, back, exactly); s != "" {
				t.Errorf("%q, %s: %s in %s", text, w.name, s, p)
			}
		}
	}
	if e, err := tryText(t, "grpc", "grpc-status: 007", 0); err != nil || e.Code() != code.Code_PERMISSION_DENIED {
		t.Errorf("007: %v, %v", e, err)
	}
}

func TestWire_3_http_to_code_on_Connect_gRPC_and_JSONRPC_calls(t *testing.T) {
	t.Parallel()
	for status := 100; status < 600; status++ {
		want := map[int]code.Code{400: 13, 401: 16, 403: 7, 404: 12, 429: 14, 502: 14, 503: 14, 504: 14}[status]
		if want == 0 {
			want = code.Code_UNKNOWN
		}
		if got := errmap.CodeFromConnectHTTP(status); got != want {
			t.Errorf("%d: %v, want %v", status, got, want)
		}
		if status/100 == 2 {
			continue
		}
		for _, from := range []string{"connect", "grpc", "jsonrpc/generic"} {
			e, err := tryText(t, from, "<html>no</html>", status)
			if from == "jsonrpc/generic" {
				e, err = errmap.DecodeJSONRPC([]byte("<html>no</html>"), errmap.ProfileGeneric, errmap.WithHTTPStatus(status))
			}
			if err != nil || e.Code() != want || e.HTTPStatus() != status && status != errmap.HTTPStatus(want) {
				t.Errorf("%s %d: %v, %v", from, status, e, err)
			}
		}
	}
}

func TestWire_3_http_to_code_on_HTTP_JSON_calls(t *testing.T) {
	t.Parallel()
	for status := 100; status < 600; status++ {
		want, ok := map[int]code.Code{400: 3, 401: 16, 403: 7, 404: 5, 409: 10, 429: 8, 499: 1, 501: 12, 502: 14, 503: 14, 504: 4}[status]
		switch {
		case ok:
		case status/100 == 4:
			want = code.Code_FAILED_PRECONDITION
		case status/100 == 5:
			want = code.Code_INTERNAL
		default:
			want = code.Code_UNKNOWN
		}
		if got := errmap.CodeFromHTTP(status); got != want {
			t.Errorf("%d: %v, want %v", status, got, want)
		}
		if status/100 == 2 {
			continue
		}
		for _, from := range []string{"http", "problem"} {
			if e, err := tryText(t, from, "<html>no</html>", status); err != nil || e.Code() != want {
				t.Errorf("%s %d: %v, %v", from, status, e, err)
			}
		}
	}
}

// Section 0: a body of another kind is the error that the status says, its first
// bytes in a note and never in the message; only without a status is it none.
func TestWire_0_bodies_of_another_kind(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"connect", "statusjson", "http", "problem", "jsonrpc/generic", "jsonrpc/a2a", "jsonrpc/mcp"} {
		for _, in := range []string{"", "<html>secret</html>", "5", `"x"`, "null", "[]", `{"x":1}`, "{", "{} x", "\ufeff{}", strings.Repeat("[", 101) + strings.Repeat("]", 101)} {
			wantFormError(t, from, in)
			if strings.HasPrefix(from, "jsonrpc") {
				continue
			}
			e, err := tryText(t, from, in, 502)
			if errors.Is(err, errmap.ErrOK) {
				continue
			}
			if err != nil || e.Code() == code.Code_OK || strings.Contains(e.Message(), "secret") || e.HTTPStatus() != 502 {
				t.Errorf("%s of %q: %s, %v", from, in, describe(e), err)
			}
			if in != "" && !strings.Contains(strings.Join(e.Notes(), ""), "it begins") {
				t.Errorf("%s of %q: notes %q", from, in, e.Notes())
			}
			if status, body := errmap.EncodeHTTP(e); strings.Contains(string(body), "secret") || status < 400 {
				t.Errorf("%s of %q goes out as %d %s", from, in, status, body)
			}
		}
	}
	if e, err := tryText(t, "grpc", "content-type: text/html", 0); e != nil || err == nil {
		t.Errorf("no grpc-status: %v, %v", e, err)
	}
	for _, status := range []int{200, 204} { // a success is no error, whatever its body looks like
		if e, err := tryText(t, "connect", "<html>", status); e != nil || err == nil {
			t.Errorf("%d: %v, %v", status, e, err)
		}
	}
}
