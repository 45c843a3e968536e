package errmap_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
)

// Each of these is a fault that the contract or the core had, by its number, with
// others of its kind on other wires.

// X01: a member that a wire's standard does not name stands where it stood.
func TestFinding_X01_members_stand_again(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		wire, in string
		status   int
	}{
		{"connect", `{"code":"not_found","message":"m","trace":"t"}`, 404},
		{"connect", `{"code":"not_found","message":"m","details":[{"type":"acme.v9.Mystery","value":"CJYBEgF4","trace":["t"]}]}`, 404},
		{"connect", `{"code":"not_found","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"` + vectorEI + `","debug":` + debugEI + `,"trace":1.0}],"a":{"b":null}}`, 404},
		{"http", `{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED","errors":[{"domain":"usageLimits","reason":"accessNotConfigured"}]}}`, 403},
		{"http", `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + jsonEI + `],"trace":{"a":1.0,"b":[]}}}`, 404},
		{"statusjson", `{"code":5,"message":"m","trace":"t"}`, 0},
		{"problem", `{"type":"https://example.net/validation-error","title":"Your request is not valid.","status":422,"detail":"","code":"INVALID_ARGUMENT","errors":[{"detail":"must be a positive integer","pointer":"#/age"}]}`, 422},
		{"problem", `{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.1","title":"One or more validation errors occurred.","status":400,"detail":"","code":"INVALID_ARGUMENT","errors":{"Name":["The Name field is required."]}}`, 400},
		{"problem", `{"type":"https://example.com/probs/out-of-credit","title":"You do not have enough credit.","status":403,"detail":"m","code":"PERMISSION_DENIED","balance":30,"instance":"/account/12345/msgs/abc"}`, 403},
		{generic, `{"code":-32603,"message":"m","data":"boom","retryable":true}`, 0},
		{a2a, `{"code":-32603,"message":"m","data":{"exception":"ValueError"},"retryable":true}`, 0},
		{mcp, `{"code":-31404,"message":"m","retryable":true}`, 0},
		{mcp2025, `{"code":-31404,"message":"m","data":[1,2.0],"retryable":null}`, 0},
	} {
		e := decodeText(t, test.wire, test.in, test.status)
		got := encodeText(t, test.wire, e)
		if got != test.in {
			t.Errorf("%s: got %s\n\twant %s", test.wire, got, test.in)
		}
		for _, w := range allWires { // whatever it crosses, on its own wire it stands again
			back, p := hop(t, e, w)
			if again := encodeText(t, test.wire, back); again != got {
				t.Errorf("%s through %s: %s\n\tas %s", test.wire, w.name, again, p)
			}
		}
	}
	problem := `{"type":"https://example.net/validation-error","title":"Your request is not valid.","errors":[{"detail":"must be a positive integer","pointer":"#/age"}]}`
	got := encodeText(t, "problem", decodeText(t, "problem", problem, 422))
	if want := `{"type":"https://example.net/validation-error","title":"Your request is not valid.","status":422,"detail":"Your request is not valid.","code":"FAILED_PRECONDITION","errors":[{"detail":"must be a positive integer","pointer":"#/age"}]}`; got != want {
		t.Errorf("got %s", got)
	}
}

// X02: each member once: the first stands.
func TestFinding_X02_the_first_of_a_member_stands(t *testing.T) {
	const twice = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"A","domain":"d.example","reason":"B"}`
	const once = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"A","domain":"d.example"}`
	const deep = `{"@type":"type.googleapis.com/acme.v9.Mystery","list":[{"n":{"a":1,"a":2}}],"list":0}`
	const deepOnce = `{"@type":"type.googleapis.com/acme.v9.Mystery","list":[{"n":{"a":1}}]}`
	const inMap = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"A","metadata":{"a":"1","a":"2"}}`
	runRows(t, []row{
		{rule: "AIP-193 to a problem", from: "http", in: `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + twice + `]}}`, to: "problem", note: "twice",
			want: `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND","reason":"A","domain":"d.example","details":[` + once + `]}`},
		{rule: "the status form", from: "statusjson", in: `{"code":5,"message":"m","details":[` + twice + `]}`, to: "statusjson", want: `{"code":5,"message":"m","details":[` + once + `]}`, note: "twice"},
		{rule: "an element of data", from: generic, in: `{"code":-31404,"message":"m","data":[` + twice + `]}`, to: generic, want: `{"code":-31404,"message":"m","data":[` + once + `]}`, note: "twice"},
		{rule: "data itself", from: generic, in: `{"code":-31404,"message":"m","data":` + deep + `}`, to: generic, want: `{"code":-31404,"message":"m","data":[` + deepOnce + `]}`, note: "twice"},
		{rule: "at every depth", from: "http", in: `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[` + deep + `]}}`, to: "statusjson", want: `{"code":5,"message":"m","details":[` + deepOnce + `]}`, note: "twice"},
		{rule: "an entry of a map", from: "statusjson", in: `{"code":5,"message":"m","details":[` + inMap + `]}`, to: "statusjson", note: "twice",
			want: `{"code":5,"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"A","metadata":{"a":"1"}}]}`},
		{rule: "free-form data stays token by token", from: generic, in: `{"code":-31404,"message":"m","data":{"a":1,"a":2}}`, to: generic, want: `{"code":-31404,"message":"m","data":{"a":1,"a":2}}`},
		{rule: "what comes out of a Carried", from: "statusjson", in: `{"code":5,"message":"m","errmap":{"details":[{"json":` + quote(`{"@type":5,"a":1,"a":2}`) + `}],"check":"c4dfjA=="}}`, to: generic, note: anyNotes,
			not: `"a":2`},
	})
}

// largeText is larger than any budget.
var largeText = strings.Repeat("y", 9000)

// within returns what a gRPC peer reads of an error that came as ProtoJSON of a
// Status.
func within(t *testing.T, message string, details ...proto.Message) *errmap.Error {
	t.Helper()
	e, err := errmap.FromStatus(&statuspb.Status{Code: 9, Message: message, Details: anys(t, details...)})
	if err != nil {
		t.Fatal(err)
	}
	h := errmap.EncodeGRPC(e, quiet)
	if n := len(h.String()); n > 7<<10 {
		t.Errorf("%d bytes", n)
	}
	back, err := errmap.DecodeGRPC(h.Map())
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func anys(t *testing.T, details ...proto.Message) (out []*anypb.Any) {
	t.Helper()
	for _, m := range details {
		a, err := anypb.New(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
	}
	return out
}

func info(reason string, metadata ...string) *errdetails.ErrorInfo {
	i := &errdetails.ErrorInfo{Reason: reason, Domain: "d.example"}
	for j := 0; j < len(metadata); j += 2 {
		if i.Metadata == nil {
			i.Metadata = map[string]string{}
		}
		i.Metadata[metadata[j]] = metadata[j+1]
	}
	return i
}

func TestFinding_X03_the_large_entry_goes(t *testing.T) {
	t.Parallel()
	for _, pair := range [][]proto.Message{
		{info("R", "sku", "A1"), info("S", "big", largeText)},
		{info("R", "big", largeText), info("S", "sku", "A1")},
		{info("R", "sku", "A1", "big", largeText), info("S")},
	} {
		e := within(t, "no stock", pair...)
		found := ""
		for _, d := range e.Details() {
			value, _ := d.Value()
			if strings.Contains(string(value), "\x0a\x03sku\x12\x02A1") {
				found = "sku"
			}
		}
		if len(e.Details()) != 2 || found == "" || e.Message() != "no stock" || e.Reason() != "R" {
			t.Errorf("%s", describe(e))
		}
	}
}

func TestFinding_X04_what_is_small_stays(t *testing.T) {
	t.Parallel()
	for _, details := range [][]proto.Message{
		{info("R", "big", largeText)},
		{info("R", "big", largeText), &errdetails.RequestInfo{RequestId: "r-1"}},
		{info("R"), &errdetails.RequestInfo{RequestId: "r-1"}, &errdetails.ResourceInfo{Description: largeText}},
	} {
		e := within(t, "no stock", details...)
		request, ok := errmap.Detail[*errdetails.RequestInfo](e)
		if e.Message() != "no stock" || e.Reason() != "R" || (len(details) > 1) != ok || request.GetRequestId() != "" && request.GetRequestId() != "r-1" {
			t.Errorf("%s", describe(e))
		}
	}
}

func TestFinding_X05_the_small_one_stays(t *testing.T) {
	t.Parallel()
	help := &errdetails.Help{Links: []*errdetails.Help_Link{{Description: largeText}}}
	localized := &errdetails.LocalizedMessage{Locale: "de", Message: "leer"}
	for _, details := range [][]proto.Message{{help, localized}, {localized, help}} {
		if e := within(t, "m", details...); len(e.Details()) != 1 || e.Details()[0].Name() != "google.rpc.LocalizedMessage" {
			t.Errorf("%s", describe(e))
		}
	}
	large, small := &errdetails.DebugInfo{Detail: largeText}, &errdetails.DebugInfo{Detail: "at x.go:1"}
	for _, details := range [][]proto.Message{{large, small}, {small, large}} {
		e := within(t, "m", details...)
		if debug, ok := errmap.Detail[*errdetails.DebugInfo](e); !ok || debug.GetDetail() != "at x.go:1" {
			t.Errorf("%s", describe(e))
		}
	}
}

func TestFinding_X06_as_many_as_fit(t *testing.T) {
	t.Parallel()
	var many []proto.Message
	for i := range 1000 {
		many = append(many, info(fmt.Sprintf("R%d", i)))
	}
	e := within(t, "m", many...)
	if len(e.Details()) < 50 || e.Reason() != "R0" || e.Message() != "m" {
		t.Errorf("%d details of reason %s", len(e.Details()), e.Reason())
	}
	for i, d := range e.Details()[:50] {
		if value, _ := d.Value(); !strings.Contains(string(value), fmt.Sprintf("R%d\x12", i)) {
			t.Errorf("detail %d is %q", i, value)
		}
	}
	many[0] = info("R0", "big", largeText)
	if e := within(t, largeText, many...); e.Reason() != "R0" || len(e.Details()) < 20 || len(e.Message()) < 1024 {
		t.Errorf("%d details of reason %s, message of %d bytes", len(e.Details()), e.Reason(), len(e.Message()))
	}
}

// X07: a plain element that its type cannot read is summed as the JSON that it is.
func TestFinding_X07_altered_elements(t *testing.T) {
	t.Parallel()
	const retry, reason = `"retryDelay":"2s"`, `"reason":"R"`
	e, err := errmap.FromStatus(&statuspb.Status{Code: 14, Message: "m", Details: []*anypb.Any{
		anyOf("type.googleapis.com/google.rpc.RetryInfo", "\x0a\x02\x08\x02\x9a\x06\x02hi"), // with a field 99
		anyOf("type.googleapis.com/google.rpc.ErrorInfo", "\x0a\x01R\x12\x01d\x9a\x06\x02hi"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range allWires {
		if !w.json || w.name == "connect" { // whose details are bytes
			continue
		}
		p := w.encode(e)
		if !carries(p) || !strings.Contains(string(p.body), retry) || !strings.Contains(string(p.body), reason) {
			t.Fatalf("%s: %s", w.name, p)
		}
		for _, change := range [][2]string{
			{retry, `"retryDelay":60`}, {retry, `"retryDelay":"60"`}, {retry, `"retryDelay":{"seconds":60}`},
			{reason, `"reason":5`}, {reason, `"reason":["R"]`}, {reason, `"reason":"S"`}, {retry, `"retryDelay":"60s"`},
		} {
			body := strings.Replace(string(p.body), change[0], change[1], 1)
			if w.name == "problem" {
				body = strings.Replace(string(p.body), change[0]+"}", change[1]+"}", 1)
				if change[0] == reason { // the copy at the top comes first
					at := strings.LastIndex(string(p.body), reason)
					body = string(p.body[:at]) + change[1] + string(p.body[at+len(reason):])
				}
			}
			got, err := w.decode(packet{status: p.status, body: []byte(body)})
			if err != nil || !strings.Contains(strings.Join(got.Notes(), "\n"), "Carried dropped") {
				t.Errorf("%s, %s: %s, %v", w.name, change[1], describe(got), err)
			}
			for _, d := range got.Details() {
				if value, _ := d.Value(); strings.Contains(string(value), "hi") {
					t.Errorf("%s, %s: %s", w.name, change[1], describe(got))
				}
			}
		}
	}
}

// X08: beside an error object nothing counts.
func TestFinding_X08_beside_an_error_object(t *testing.T) {
	const login = `{"code":"unauthenticated","message":"Invalid login"`
	at := func(in string, rest string) row {
		return row{rule: in, from: "http", in: in, status: 401, to: "http", note: anyNotes,
			want: `{"error":{"code":401,"message":"Invalid login","status":"UNAUTHENTICATED"` + rest + `}}`}
	}
	runRows(t, []row{
		{rule: "code", from: "http", in: `{"error":{"message":"Invalid login"},"code":5}`, status: 401, to: "connect", want: login + `,"details":[{"type":"errmap.v1.Carried","value":"ChAIBCoMeyJjb2RlXzIiOjV9GgQgvSjb"}]}`, note: anyNotes},
		at(`{"error":{"message":"Invalid login"},"code":5}`, `,"code_2":5`),
		at(`{"error":{"message":"Invalid login"},"status":"NOT_FOUND"}`, `,"status_2":"NOT_FOUND"`),
		at(`{"error":{"message":"Invalid login"},"message":"m","trace":"t"}`, `,"message_2":"m","trace":"t"`),
		at(`{"error":{"message":"Invalid login","trace":1},"trace":2}`, `,"trace":1,"trace_2":2`),
		at(`{"error":{"message":"Invalid login"},"details":[`+jsonEI+`]}`, `,"details_2":[`+jsonEI+`]`),
		at(`{"error":{"id":7},"message":"Invalid login"}`, `,"error":{"id":7}`),
		at(`{"error":{},"message":"Invalid login","status":"UNAUTHENTICATED"}`, `,"error":{}`),
		at(`{"error":[1],"message":"Invalid login"}`, `,"error":[1]`),
	})
}

// X09: where error and message are both strings, message is the message.
func TestFinding_X09_error_beside_message(t *testing.T) {
	body := func(message, rest string) string {
		return `{"error":{"code":404,"message":"` + message + `","status":"NOT_FOUND"` + rest + `}}`
	}
	at := func(in, want string) row {
		return row{rule: in, from: "http", in: in, status: 404, to: "http", want: want, note: anyNotes}
	}
	runRows(t, []row{
		at(`{"statusCode":404,"message":"Cannot GET /x","error":"Not Found"}`, body("Cannot GET /x", `,"error":"Not Found","statusCode":404`)),
		at(`{"timestamp":"2026-01-01","status":404,"error":"Not Found","message":"No item 7","path":"/x"}`, body("No item 7", `,"error":"Not Found","path":"/x","timestamp":"2026-01-01","errmap":{"received":[{"wire":"WIRE_HTTP","members":"{\"status\":404}"}],"check":"4QrwDQ=="}`)), // a status is text here
		at(`{"error":"invalid_grant","error_description":"The code has expired."}`, body("The code has expired.", `,"error":"invalid_grant"`)),
		at(`{"error":"invalid_grant","error_description":"The code has expired.","message":"m"}`, body("The code has expired.", `,"error":"invalid_grant","message_2":"m"`)),
		at(`{"error":"Not allowed","error_description":"d"}`, body("Not allowed", `,"error_description":"d"`)),
		at(`{"error":"gone","details":[`+jsonEI+`],"code":404,"status":"NOT_FOUND"}`, body("gone", `,"details":[`+jsonEI+`]`)),
	})
}

// X10: nothing rides along that says nothing new.
func TestFinding_X10_what_says_nothing_new(t *testing.T) {
	t.Parallel()
	const known = `"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]`
	for _, test := range []struct {
		from, in string
		status   int
	}{
		{"http", `{"error":"not found","code":5,"message":"not found"}`, 404},
		{"http", `{"error":{"code":14,"message":"m","status":"UNAVAILABLE"}}`, 503},
		{"http", `{"error":{"code":"5","message":"m"}}`, 404},
		{"problem", `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND",` + known + `}`, 404},
		{"problem", `{"type":"about:blank","title":"Task not found","status":404,"detail":"m","code":"NOT_FOUND",` + known + `}`, 404},
		{"problem", `{"type":"about:blank","title":"Content Too Large","status":413,"detail":"m"}`, 413},
		{"problem", `{"type":"about:blank","title":"Payload Too Large","status":413,"detail":"m"}`, 413},
		{"problem", `{"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"m"}`, 422},
		{"problem", `{"type":"about:blank","title":"Requested Range Not Satisfiable","status":416,"detail":"m"}`, 416},
	} {
		e := decodeText(t, test.from, test.in, test.status)
		for _, r := range e.Received() {
			if r.HTTPStatus = 0; len(r.Members) > 0 || r.Number != "" || r.CodeText != "" {
				t.Errorf("%s: %s", test.in, describe(e))
			}
		}
		if p := wireNamed(t, test.from).encode(e); carries(p) {
			t.Errorf("%s: %s", test.in, p)
		}
	}
	// The message is no reason to drop a title.
	e := decodeText(t, "problem", `{"type":"https://x.example/p","title":"m","status":404,"detail":"m"}`, 404)
	if got := encodeText(t, "problem", e); !strings.Contains(got, `"title":"m"`) {
		t.Errorf("%s", got)
	}
}
