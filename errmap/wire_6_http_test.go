package errmap_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/schema/schematest"
)

// teaSchema has errors that say everything that an option can.
const teaSchema = `
syntax = "proto3";
package tea.v1;
import "errmap/v1/error.proto";
option (errmap.v1.domain) = "tea.example.com";
message TeapotError {
  option (errmap.v1.error) = {
    code: FAILED_PRECONDITION
    title: "A teapot"
    http_status: 418
    jsonrpc_code: -32050
    problem_type: "https://tea.example.com/p/teapot"
  };
  string pot = 1;
}
message EmptyPotError {
  option (errmap.v1.error) = { code: NOT_FOUND jsonrpc_code: 7001 retryable: true };
}
message ZeroError {
  option (errmap.v1.error) = { code: NOT_FOUND jsonrpc_code: 0 http_status: 99 };
}
`

func teaCatalog(t testing.TB) *errmap.Catalog {
	t.Helper()
	return newCatalog(t, schematest.Compile(t, teaSchema))
}

// teaError is what a peer sends of an error of that schema.
func teaError(reason string) string {
	return fmt.Sprintf(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"%s","domain":"tea.example.com"}`, reason)
}

func TestWire_6_AIP193(t *testing.T) {
	tea := teaCatalog(t)
	const gone = `{"error":{"code":404,"message":"gone","status":"NOT_FOUND"}}`
	const teapot = `{"error":{"code":418,"message":"m","status":"FAILED_PRECONDITION","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TEAPOT","domain":"tea.example.com"}]}}`
	runRows(t, []row{
		{rule: "the form", from: "grpc", in: "grpc-status: 5\ngrpc-message: gone\ngrpc-status-details-bin: " + vectorST5, to: "http",
			want: `{"error":{"code":404,"message":"gone","status":"NOT_FOUND","details":[` + jsonEI + `]}}`},
		{rule: "no details member without details", from: "connect", in: `{"code":"not_found","message":"gone"}`, to: "http", want: gone},
		{rule: "http_status of the definition", from: "connect", in: `{"code":"failed_precondition","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"CgZURUFQT1QSD3RlYS5leGFtcGxlLmNvbQ"}]}`, to: "http", want: teapot, catalog: tea},
		{rule: "http_status is not kept as received", from: "http", in: teapot, status: 418, to: "http", want: teapot, catalog: tea},
		{rule: "inside an array", from: "http", in: "[" + gone + "]", to: "http", want: gone},
		{rule: "without the wrapper", from: "http", in: `{"code":404,"message":"gone","status":"NOT_FOUND"}`, to: "http", want: gone},
		{rule: "canonical number without a status", from: "http", in: `{"error":{"code":5,"message":"gone"}}`, to: "http", want: gone},
		{rule: "numeric string", from: "http", in: `{"error":{"code":"404","message":"gone"}}`, to: "http", want: gone},
		{rule: "string as error", from: "http", in: `{"error":"gone"}`, status: 404, to: "http", want: gone},
		{rule: "a known status name beats the number", from: "http", in: `{"error":{"code":404,"message":"m","status":"FAILED_PRECONDITION"}}`, to: "connect",
			want: `{"code":"failed_precondition","message":"m","details":[{"type":"errmap.v1.Carried","value":"CgUIBCCUAxoEsb+ZYg"}]}`},
		{rule: "the number in the body beats the transport", from: "http", in: `{"error":{"code":404,"message":"m"}}`, status: 400, to: "http", want: `{"error":{"code":404,"message":"m","status":"NOT_FOUND"}}`, note: "its body says 404, which stands"},
		{rule: "the transport where the body has no number", from: "http", in: `{"error":{"message":"m"}}`, status: 429, to: "http", want: `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}`},
		{rule: "an unknown name is kept and stands again", from: "http", in: `{"error":{"code":409,"status":"SHELF_FULL","message":"m"}}`, status: 409, to: "http", want: `{"error":{"code":409,"message":"m","status":"SHELF_FULL"}}`, note: "names no code"},
		{rule: "a received status is written again", from: "http", in: `{"error":{"code":422,"status":"INVALID_ARGUMENT","message":"m"}}`, status: 422, to: "http", want: `{"error":{"code":422,"message":"m","status":"INVALID_ARGUMENT"}}`},
		{rule: "the contradicting number of the body counts", from: "http", in: `{"error":{"code":422,"status":"INVALID_ARGUMENT","message":"m"}}`, status: 400, to: "http", want: `{"error":{"code":422,"message":"m","status":"INVALID_ARGUMENT"}}`, note: "which stands"},
		{rule: "metadata that is no string stays as it is", from: "http",
			in: `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d","metadata":{"n":1.0}}]}}`, to: "http",
			want: `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d","metadata":{"n":1.0}}]}}`},
		{rule: "the empty Any", from: "http", in: `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[{},` + jsonEI + `]}}`, to: "http", want: `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[{},` + jsonEI + `]}}`},
		{rule: "null is absent", from: "http", in: `{"error":{"code":404,"message":null,"status":"NOT_FOUND","details":null}}`, to: "http", want: `{"error":{"code":404,"message":"","status":"NOT_FOUND"}}`},
	})
}

func TestWire_6_members_and_elements_that_ride_along(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","errors":[{"domain":"global"}],"details":["text",`+jsonEI+`,5]},"id":7}`, 404)
	if d := e.Details(); len(d) != 3 || e.Reason() != "STOCK_EMPTY" {
		t.Fatal(describe(e))
	}
	if r := e.Received(); len(r) != 1 || string(r[0].Members) != `{"errors":[{"domain":"global"}],"id":7}` {
		t.Fatal(describe(e))
	}
	for _, to := range []string{"http", "problem", "statusjson"} {
		var body struct {
			Details []map[string]any
			Error   struct{ Details []map[string]any }
		}
		text := encodeText(t, to, e)
		unmarshal(t, text, &body)                                     // fails where an element is no object
		if n := len(body.Details) + len(body.Error.Details); n != 1 { // what has no type rides along
			t.Errorf("%s: %d elements in %s", to, n, text)
		}
	}
	for _, w := range allWires {
		back, p := hop(t, e, w)
		if s := difference(e, back, exactly); s != "" {
			t.Errorf("%s: %s in %s", w.name, s, p)
		}
	}
}

// A status that no error has, and that was received with one all the same, rides
// along: no answer has it.
func TestWire_6_statuses_of_no_error_are_not_written(t *testing.T) {
	t.Parallel()
	for _, status := range []int{100, 204, 302, 600, 999} {
		for _, from := range []string{"http", "problem"} {
			e, err := tryText(t, from, `{"error":{"message":"m"},"title":"m"}`, status)
			if err != nil || e.HTTPStatus() != status {
				t.Fatalf("%s %d: %s, %v", from, status, describe(e), err)
			}
			for _, to := range []string{"http", "problem"} {
				back, p := hop(t, e, wireNamed(t, to))
				if p.status != errmap.HTTPStatus(e.Code()) || back.HTTPStatus() != status {
					t.Errorf("%s %d to %s: %s", from, status, to, p)
				}
			}
		}
	}
}

func TestWire_6_problem(t *testing.T) {
	tea := teaCatalog(t)
	const teapot = `{"type":"https://tea.example.com/p/teapot","title":"A teapot","status":418,"detail":"m","code":"FAILED_PRECONDITION","reason":"TEAPOT","domain":"tea.example.com","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TEAPOT","domain":"tea.example.com"}]}`
	runRows(t, []row{
		{rule: "type from domain and reason", from: "grpc", in: "grpc-status: 5\ngrpc-message: gone\ngrpc-status-details-bin: " + vectorST5, to: "problem",
			want: `{"type":"https://shop.example.com/errors/stock-empty","title":"The stock is empty","status":404,"detail":"gone","code":"NOT_FOUND","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"},"details":[` + jsonEI + `]}`},
		{rule: "about blank with the phrase", from: "grpc", in: "grpc-status: 5", to: "problem", want: `{"type":"about:blank","title":"Not Found","status":404,"detail":"","code":"NOT_FOUND"}`},
		{rule: "about blank where the domain makes no URI", from: "http", in: `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"no host"}]}}`, to: "problem",
			want: `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND","reason":"R","domain":"no host","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"no host"}]}`},
		{rule: "no type is made for an error that the catalogue does not define", from: "http", in: `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"A_B","domain":"x.example.com"}]}}`, to: "problem",
			want: `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND","reason":"A_B","domain":"x.example.com","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"A_B","domain":"x.example.com"}]}`},
		{rule: "problem_type and http_status of the definition", from: "http", in: `{"error":{"code":418,"status":"FAILED_PRECONDITION","message":"m","details":[` + teaError("TEAPOT") + `]}}`, to: "problem", want: teapot, catalog: tea},
		{rule: "what a definition says is not kept as received", from: "problem", in: teapot, status: 418, to: "http", want: `{"error":{"code":418,"message":"m","status":"FAILED_PRECONDITION","details":[` + teaError("TEAPOT") + `]}}`, catalog: tea},
		{rule: "violations for people", from: "connect", in: `{"code":"invalid_argument","message":"m","details":[{"type":"google.rpc.BadRequest","value":"CgcKAWESAmIi"}]}`, to: "problem",
			want: `{"type":"about:blank","title":"Bad Request","status":400,"detail":"m","code":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a","description":"b\""}]}],"errors":[{"field":"a","detail":"b\""}]}`},
		{rule: "a type of the catalogue supplies identity and code", from: "problem", in: `{"type":"https://tea.example.com/p/teapot","title":"t","detail":"m"}`, to: "http", catalog: tea,
			want: `{"error":{"code":418,"message":"m","status":"FAILED_PRECONDITION","details":[` + teaError("TEAPOT") + `],"errmap":{"received":[{"wire":"WIRE_PROBLEM","members":"{\"title\":\"t\"}"}],"check":"sb+ZYhXo22AsLHvV"}}}`},
		{rule: "without a code the status says it", from: "problem", in: `{"title":"Not Found","status":404}`, to: "connect", want: `{"code":"not_found","message":"Not Found"}`},
		{rule: "message is title without detail", from: "problem", in: `{"type":"https://shop.example.com/errors/stock-empty","title":"The stock is empty","details":[` + jsonEI + `],"status":404,"code":"NOT_FOUND"}`, to: "statusjson", want: `{"code":5,"message":"The stock is empty","details":[` + jsonEI + `]}`},
		{rule: "reason domain and metadata without details", from: "problem", in: `{"type":"about:blank","title":"Not Found","status":404,"detail":"gone","code":"NOT_FOUND","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}`, to: "statusjson",
			want: `{"code":5,"message":"gone","details":[` + jsonEI + `]}`},
		{rule: "details beat reason", from: "problem", in: `{"type":"https://shop.example.com/errors/stock-empty","title":"The stock is empty","status":404,"detail":"gone","code":"NOT_FOUND","reason":"OTHER","domain":"shop.example.com","details":[` + jsonEI + `]}`, to: "statusjson",
			want: `{"code":5,"message":"gone","details":[` + jsonEI + `]}`, note: "details stand"},
		{rule: "the real status wins", from: "problem", in: `{"type":"about:blank","title":"Not Found","status":400,"detail":"m"}`, status: 404, to: "problem", want: `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND"}`, note: "which stands"},
		{rule: "type title and instance stand again", from: "problem", in: `{"type":"https://x.example.com/p","title":"T","status":404,"detail":"m","code":"NOT_FOUND","instance":"/a/1","balance":30.0}`, status: 404, to: "problem",
			want: `{"type":"https://x.example.com/p","title":"T","status":404,"detail":"m","code":"NOT_FOUND","balance":30.0,"instance":"/a/1"}`},
	})
}

func TestWire_6_problem_members_of_other_types_count_as_absent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in      string
		message string
		code    code.Code
	}{
		{`{"type":5,"title":"t","status":404}`, "t", code.Code_NOT_FOUND},
		{`{"title":["t"],"detail":"d","status":404}`, "d", code.Code_NOT_FOUND},
		{`{"title":"t","detail":{"d":1},"status":404}`, "t", code.Code_NOT_FOUND},
		{`{"title":"t","status":"404"}`, "t", code.Code_CANCELLED},
		{`{"title":"t","status":404.5}`, "t", code.Code_CANCELLED},
		{`{"title":"t","status":404,"code":5}`, "t", code.Code_NOT_FOUND},
		{`{"title":"t","status":404,"code":"SHELF_FULL"}`, "t", code.Code_NOT_FOUND},
		{`{"title":"t","status":404,"reason":1,"domain":[],"metadata":"m"}`, "t", code.Code_NOT_FOUND},
		{`{"title":"t","status":404,"details":{"@type":"x"}}`, "t", code.Code_NOT_FOUND},
	} {
		e := decodeText(t, "problem", test.in, 499)
		e2 := decodeText(t, "problem", test.in, 0)
		if e.Message() != test.message || len(e.Details()) != 0 || e2.Message() != test.message {
			t.Errorf("%s: %s", test.in, describe(e))
		}
		if e.Code() != code.Code_CANCELLED || e2.Code() != test.code && test.code != code.Code_CANCELLED {
			t.Errorf("%s: %s", test.in, describe(e2))
		}
		for _, w := range allWires {
			if back, p := hop(t, e, w); difference(e, back, exactly) != "" {
				t.Errorf("%s, %s: %s in %s", test.in, w.name, difference(e, back, exactly), p)
			}
		}
	}
}

func TestWire_6_retry_after(t *testing.T) {
	t.Parallel()
	for delay, want := range map[time.Duration]string{0: "0", 1: "1", 1500 * time.Millisecond: "2", 2 * time.Second: "2", time.Hour: "3600"} {
		e := errmap.NewCode(code.Code_UNAVAILABLE, "m").WithRetryDelay(delay)
		if got := e.RetryAfter(); got != want {
			t.Errorf("%v is written %q, want %q", delay, got, want)
		}
	}
	if got := errmap.NewCode(code.Code_UNAVAILABLE, "m").WithRetryDelay(-time.Second).RetryAfter(); got != "0" {
		t.Errorf("a negative delay is written %q", got)
	}
	negative := errmap.NewCode(code.Code_UNAVAILABLE, "m").WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(-time.Second)})
	if got := negative.RetryAfter(); got != "0" {
		t.Errorf("a negative RetryInfo is written %q", got)
	}
	if got := errmap.NewCode(code.Code_UNAVAILABLE, "m").RetryAfter(); got != "" {
		t.Errorf("no delay is written %q", got)
	}
	now := time.Date(2026, 10, 21, 7, 27, 30, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "0": 0, "007": 7 * time.Second, " 7 ": 7 * time.Second, "-3": 0,
		"Wed, 21 Oct 2026 07:28:00 GMT": 30 * time.Second, "Wed, 21 Oct 2026 07:27:00 GMT": 0,
		"Wednesday, 21-Oct-26 07:28:00 GMT": 30 * time.Second, "Wed Oct 21 07:28:00 2026": 30 * time.Second,
	} {
		for _, w := range []string{"http", "problem", "connect"} {
			e := decodeText(t, w, `{"error":{"message":"m"},"message":"m","title":"m"}`, 503, retryAfter(value, now))
			if delay, ok := e.RetryDelay(); !ok || delay != want {
				t.Errorf("%s: %q is %v, %v, want %v", w, value, delay, ok, want)
			}
		}
	}
	for _, value := range []string{"soon", "1.5", "1e3", ""} {
		e := decodeText(t, "http", `{"error":{"message":"m"}}`, 503, retryAfter(value, now))
		if _, ok := e.RetryDelay(); ok {
			t.Errorf("%q is a delay", value)
		}
	}
	e := decodeText(t, "http", `{"error":{"message":"m","details":[`+jsonRI+`]}}`, 503, retryAfter("7", now))
	if delay, ok := e.RetryDelay(); !ok || delay != 1500*time.Millisecond || len(e.Details()) != 1 {
		t.Errorf("RetryInfo does not win: %s", describe(e))
	}
	if e := decodeText(t, "http", "<html>", 429, retryAfter("7", now)); e.RetryAfter() != "7" {
		t.Errorf("a body of another kind has no delay: %s", describe(e))
	}
	if e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {"14"}}, errmap.WithHTTPHeader(http.Header{"Retry-After": {"7"}}, now)); err != nil || e.RetryAfter() != "7" {
		t.Errorf("%s, %v", describe(e), err)
	}
}

func retryAfter(value string, now time.Time) errmap.DecodeOption {
	return errmap.WithHTTPHeader(http.Header{"Retry-After": {value}}, now)
}

func unmarshal(t testing.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
