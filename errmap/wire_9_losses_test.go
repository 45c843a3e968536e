package errmap_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/errmap/errmap/errmap"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

// Each line of the loss table: what goes, that no more than that goes, and that a
// note says so where the table does.
func TestWire_9_loss_table(t *testing.T) {
	runRows(t, []row{
		{rule: "a prefix through Connect", from: "grpc", in: "grpc-status: 9\ngrpc-message: no stock\ngrpc-status-details-bin: " + vectorSTP, to: "connect",
			want: `{"code":"failed_precondition","message":"no stock","details":[{"type":"google.rpc.ErrorInfo","value":"` + vectorEI + `","debug":` + debugEI + `}]}`},
		{rule: "a prefix is no reason for Carried", from: "grpc", in: "grpc-status: 9\ngrpc-message: no stock\ngrpc-status-details-bin: " + vectorSTP, to: "connect", not: "Carried"},
		{rule: "text that is not UTF-8", from: "http", in: "{\"error\":{\"code\":404,\"message\":\"caf\xe9\"}}", to: "grpc", want: "grpc-status: 5\ngrpc-message: caf%EF%BF%BD"},
		{rule: "duplicate members", from: "http", in: `{"error":{"code":404,"code":500,"message":"m","x":1,"x":2}}`, to: "http", not: `"x":2`, note: "stands twice"},
		{rule: "members that differ in case", from: "http", in: `{"error":{"code":404,"message":"m","Message":"n","STATUS":"INTERNAL"}}`, to: "http", want: `{"error":{"code":404,"message":"m","status":"NOT_FOUND"}}`, note: "only in case"},
		{rule: "a contradicted message", from: "grpc", in: "grpc-status: 5\ngrpc-message: other\ngrpc-status-details-bin: CAUSBGdvbmU", to: "grpc", want: "grpc-status: 5\ngrpc-message: gone", note: "which stands"},
		{rule: "a contradicted code", from: "grpc", in: "grpc-status: 9\ngrpc-message: m\ngrpc-status-details-bin: CAUSBGdvbmU", to: "grpc", want: "grpc-status: 9\ngrpc-message: m", note: "stands"},
		{rule: "a contradicted status", from: "problem", in: `{"type":"about:blank","title":"Not Found","status":500,"detail":"m"}`, status: 404, to: "problem", want: `{"type":"about:blank","title":"Not Found","status":404,"detail":"m","code":"NOT_FOUND"}`, note: "which stands"},
		{rule: "Connect debug", from: "connect", in: `{"code":"not_found","details":[{"type":"a.B","value":"AA","debug":{"x":1}}]}`, to: "connect", want: `{"code":"not_found","details":[{"type":"a.B","value":"AA"}]}`},
		{rule: "an undecodable value", from: "connect", in: `{"code":"not_found","details":[{"type":"a.B","value":"!"}]}`, to: "connect", want: `{"code":"not_found"}`, note: "not base64"},
		{rule: "a Connect detail that is no object", from: "connect", in: `{"code":"not_found","details":["x"]}`, to: "connect", want: `{"code":"not_found"}`, note: "it is no object"},
		{rule: "unparsable details", from: "grpc", in: "grpc-status: 5\ngrpc-message: m\ngrpc-status-details-bin: /w", to: "grpc", want: "grpc-status: 5\ngrpc-message: m", note: "dropped"},
		{rule: "a body of another kind", from: "http", in: "<html>", status: 404, to: "http", want: `{"error":{"code":404,"message":"HTTP status 404 Not Found","status":"NOT_FOUND"}}`, note: `it begins "<html>"`},
		{rule: "data that is an empty array", from: generic, in: `{"code":-31404,"message":"m","data":[]}`, to: generic, want: `{"code":-31404,"message":"m"}`},
		{rule: "a marker that says nothing new", from: generic, in: `{"code":-31404,"message":"m","data":[` + marker(5) + `]}`, to: generic, want: `{"code":-31404,"message":"m"}`},
		{rule: "-32042 under mcp", from: mcp, in: `{"code":-32042,"message":"m"}`, to: mcp, want: `{"code":-31400,"message":"m"}`},
		{rule: "the spelling of ProtoJSON", from: "http", in: `{"error":{"code":404,"status":"NOT_FOUND","message":"m","details":[{"domain":"d","@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","metadata":{"b":"2","a":"1"}},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retry_delay":"1.50s"}]}}`, to: "http",
			want: `{"error":{"code":404,"message":"m","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d","metadata":{"a":"1","b":"2"}},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}]}}`},
		{rule: "the JSON type of free-form data under a2a", from: a2a, in: `{"code":-32001,"message":"m","data":{"n":1}}`, to: generic,
			want: `{"code":-32001,"message":"m","data":[` + infoPrefix + `TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"n":"1"}},` + marker(5) + `]}`},
	})
}

// The binary form of a detail that crossed JSON, at a reader that does not link
// its type: it stays JSON, and is the message again where it is linked.
func TestWire_9_binary_form_at_a_reader_without_the_type(t *testing.T) {
	t.Parallel()
	tea := teaCatalog(t)
	s := errmap.NewCode(5, "m").Status()
	s.Details = []*anypb.Any{anyOf("type.googleapis.com/tea.v1.TeapotError", "\x0a\x01p")}
	e, err := errmap.FromStatus(s, errmap.WithCatalog(tea))
	if err != nil {
		t.Fatal(err)
	}
	body := encodeText(t, "http", e, errmap.WithCatalog(tea))
	stranger := decodeText(t, "http", body, 0, errmap.WithCatalog(nil))
	if text, ok := stranger.Details()[0].JSON(); !ok || string(text) != `{"@type":"type.googleapis.com/tea.v1.TeapotError","pot":"p"}` {
		t.Errorf("%s", describe(stranger))
	}
	headers := encodeText(t, "grpc", stranger, errmap.WithCatalog(nil))
	home := decodeText(t, "grpc", headers, 0, errmap.WithCatalog(tea))
	if value, ok := home.Details()[0].Value(); !ok || string(value) != "\x0a\x01p" {
		t.Errorf("%s", describe(home))
	}
}

func TestWire_9_over_budget_is_noted(t *testing.T) {
	t.Parallel()
	var notes []string
	errmap.EncodeGRPC(budgeted(t), errmap.WithBudget(100), errmap.WithNotes(func(s string) { notes = append(notes, s) }))
	all := strings.Join(notes, "\n")
	for _, want := range []string{"JSON received on the http wire dropped", "google.rpc.DebugInfo of", "google.rpc.Help of", "google.rpc.ResourceInfo of", "message of 600 bytes cut to", "google.rpc.RetryInfo of", "google.rpc.ErrorInfo of"} {
		if !strings.Contains(all, want) {
			t.Errorf("no note says %q:\n%s", want, all)
		}
	}
}

// What the header says beside a RetryInfo, or a second header, is in a note.
func TestWire_9_contradicted_delay_is_noted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 21, 7, 27, 30, 0, time.UTC)
	body := `{"error":{"code":503,"message":"m","status":"UNAVAILABLE","details":[` + jsonRI + `]}}` // 1.5 seconds
	for _, tt := range []struct {
		body   string
		values []string
		want   string
	}{
		{body, []string{"2"}, ""},
		{body, []string{"7"}, `"7" is not the delay`},
		{body, []string{"soon"}, `"soon" is neither`},
		{body, []string{"Wed, 21 Oct 2026 07:27:32 GMT"}, ""},
		{body, []string{"Wed, 21 Oct 2026 07:28:00 GMT"}, "is not the delay"},
		{`{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`, []string{"7", "8"}, `"8" stands beside`},
	} {
		e := decodeText(t, "http", tt.body, 503, errmap.WithHTTPHeader(http.Header{"Retry-After": tt.values}, now))
		if got := strings.Join(e.Notes(), "\n"); !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
			t.Errorf("%q: notes %q, want %q", tt.values, got, tt.want)
		}
	}
}

// A header under two spellings of its name has several values.
func TestWire_9_header_of_two_spellings(t *testing.T) {
	t.Parallel()
	e, err := errmap.DecodeGRPC(map[string][]string{"grpc-status": {"5"}, "Grpc-Status": {"7"}, "GRPC-MESSAGE": {"a"}, "grpc-message": {"b"}})
	if err != nil || len(e.Notes()) != 2 {
		t.Errorf("%s, %v, notes %q", describe(e), err, e.Notes())
	}
}

// Details that are not kept are counted, also where one of those before them is a
// Carried, which is none.
func TestWire_9_details_after_the_limit_are_noted(t *testing.T) {
	t.Parallel()
	s := &statuspb.Status{Code: 5, Details: []*anypb.Any{
		anyOf("type.googleapis.com/errmap.v1.Carried", ""), anyOf("a/b.C", "1"), anyOf("a/b.C", "2"), anyOf("a/b.C", "3"), anyOf("a/b.C", "4"),
	}}
	b, err := proto.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	headers := map[string][]string{"grpc-status": {"5"}, "grpc-status-details-bin": {base64.StdEncoding.EncodeToString(b)}}
	e, err := errmap.DecodeGRPC(headers, errmap.WithLimits(errmap.Limits{Details: 2}))
	if err != nil || len(e.Details()) != 2 || !strings.Contains(strings.Join(e.Notes(), "\n"), "2 details after the first 3 dropped") {
		t.Errorf("%s, %v, notes %q", describe(e), err, e.Notes())
	}
}

// A google.protobuf.Any that has more than a type URL and a value.
func TestWire_9_fields_of_an_any(t *testing.T) {
	t.Parallel()
	detail := anyOf("a/b.C", "1")
	detail.ProtoReflect().SetUnknown([]byte{0x1a, 0x01, 'x'})
	e, err := errmap.FromStatus(&statuspb.Status{Code: 5, Details: []*anypb.Any{detail}})
	if err != nil || !strings.Contains(strings.Join(e.Notes(), "\n"), "detail 0") {
		t.Errorf("%s, %v, notes %q", describe(e), err, e.Notes())
	}
}

// Unknown fields of a message that becomes metadata have no ProtoJSON.
func TestWire_9_unknown_fields_in_metadata_are_noted(t *testing.T) {
	t.Parallel()
	m := &mcpv1.MissingRequiredClientCapabilityError{RequiredCapabilities: &structpb.Struct{}}
	if notes := errmap.New(m).Notes(); len(notes) != 0 {
		t.Errorf("notes %q", notes)
	}
	m.RequiredCapabilities.ProtoReflect().SetUnknown([]byte{0x98, 0x06, 0x01})
	if notes := errmap.New(m).Notes(); len(notes) != 1 || !strings.Contains(notes[0], "does not know") {
		t.Errorf("notes %q", notes)
	}
}
