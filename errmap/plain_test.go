package errmap_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

// plainErrors are errors of many kinds, most of them plain.
func plainErrors() []*errmap.Error {
	task := errmap.New(&a2av1.TaskNotFoundError{TaskId: "t-1"})
	errs := []*errmap.Error{
		task,
		task.WithMessage("näch\u2028ste \"Zeile\"\n\x00"),
		task.WithRetryDelay(1500 * time.Millisecond),
		task.WithDetail(&errdetails.ErrorInfo{Reason: "OTHER", Domain: "shop.example.com"}),
		task.WithDetail(&errdetails.ErrorInfo{Reason: "OTHER", Domain: "a2a-protocol.org"}),
		errmap.New(&mcpv1.ResourceNotFoundError{Uri: "shop://a"}),
		errmap.New(&mcpv1.UnsupportedProtocolVersionError{Supported: []string{"1"}, Requested: "2"}),
		errmap.New(&mcpv1.HeaderMismatchError{}),
	}
	for c := range code.Code_name {
		if c == 0 {
			continue
		}
		bare := errmap.NewCode(code.Code(c), "m")
		errs = append(errs, bare, bare.WithMessage(""),
			bare.WithDetail(&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com", Metadata: map[string]string{"b": "2", "a": "1"}}),
			bare.WithDetail(&errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org"}),
			bare.WithDetail(&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "f", LocalizedMessage: &errdetails.LocalizedMessage{Locale: "de"}}}}).
				WithDetail(&errdetails.DebugInfo{StackEntries: []string{"a", "b"}}).
				WithDetail(&errdetails.Help{Links: []*errdetails.Help_Link{{Url: "u"}}}),
			bare.WithDetail(&errdetails.RetryInfo{}), bare.WithDetail(durationpb.New(time.Second)), bare.WithDetail(&a2av1.TaskNotFoundError{TaskId: "x"}))
	}
	return errs
}

// The short ways of plain.go say what the long ones do.
func TestPlain_encode(t *testing.T) {
	t.Parallel()
	short := 0
	for i, e := range plainErrors() {
		for _, p := range []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP} {
			want, wantNumber := errmap.SettledJSONRPC(e, p)
			got, number := errmap.AppendJSONRPC(nil, e, p)
			if string(got) != string(want) || number != wantNumber {
				t.Errorf("%d %s under %s:\n got %s\nwant %s", i, e, p, got, want)
			}
			if _, _, ok := errmap.PlainJSONRPC(e, p); ok {
				short++
			}
		}
		if diff := cmp.Diff(string(errmap.SettledConnect(e)), string(errmap.EncodeConnect(e))); diff != "" {
			t.Errorf("%d Connect: -long +short\n%s", i, diff)
		}
		wantStatus, want := errmap.SettledHTTP(e)
		if status, got := errmap.EncodeHTTP(e); status != wantStatus || string(got) != string(want) {
			t.Errorf("%d HTTP:\n got %d %s\nwant %d %s", i, status, got, wantStatus, want)
		}
		if diff := cmp.Diff(errmap.SettledGRPC(e), errmap.EncodeGRPC(e)); diff != "" {
			t.Errorf("%d gRPC: -long +short\n%s", i, diff)
		}
	}
	if short < 200 {
		t.Errorf("only %d errors went the short way", short)
	}
}

// FuzzPlain_encode holds the short encoders to the long ones, for details of any
// bytes.
func FuzzPlain_encode(f *testing.F) {
	for i, e := range plainErrors() {
		if details := e.Details(); len(details) > 0 {
			value, _ := details[0].Value()
			f.Add(e.Number(), e.Message(), uint8(i), details[0].TypeURL(), value, "google.rpc.RetryInfo", []byte("\x0a\x02\x08\x01"))
		}
	}
	f.Fuzz(func(t *testing.T, number int32, message string, profile uint8, firstURL string, first []byte, secondURL string, second []byte) {
		s := &status.Status{Code: number, Message: message, Details: []*anypb.Any{{TypeUrl: firstURL, Value: first}}}
		if secondURL != "" {
			s.Details = append(s.Details, &anypb.Any{TypeUrl: secondURL, Value: second})
		}
		e, err := errmap.FromStatus(s)
		if err != nil {
			return
		}
		p := []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP}[profile%3]
		want, wantNumber := errmap.SettledJSONRPC(e, p)
		if got, number := errmap.AppendJSONRPC(nil, e, p); string(got) != string(want) || number != wantNumber {
			t.Errorf("under %s:\n got %s\nwant %s", p, got, want)
		}
		if diff := cmp.Diff(string(errmap.SettledConnect(e)), string(errmap.EncodeConnect(e))); diff != "" {
			t.Errorf("Connect: -long +short\n%s", diff)
		}
		wantStatus, want := errmap.SettledHTTP(e)
		if status, got := errmap.EncodeHTTP(e); status != wantStatus || string(got) != string(want) {
			t.Errorf("HTTP:\n got %d %s\nwant %d %s", status, got, wantStatus, want)
		}
	})
}

// whole is all that an error holds, as text.
func whole(e *errmap.Error, err error) string {
	if err != nil {
		return "failed: " + err.Error()
	}
	text := fmt.Sprintf("%d %q %q\n", e.Number(), e.Message(), e.Notes())
	for _, d := range e.Details() {
		value, _ := d.Value()
		json, _ := d.JSON()
		text += fmt.Sprintf("%s %x %s\n", d.TypeURL(), value, json)
	}
	for _, r := range e.Received() {
		text += fmt.Sprintf("%+v\n", r)
	}
	return text
}

func compareDecoders(t *testing.T, body []byte) (short int) {
	t.Helper()
	for _, p := range []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP} {
		if e, ok := errmap.DecodeShortRPC(body, p); ok {
			short++
			if diff := cmp.Diff(whole(errmap.DecodeLongRPC(body, p)), whole(e, nil)); diff != "" {
				t.Errorf("%s under %s: -long +short\n%s", body, p, diff)
			}
		}
	}
	if e, ok := errmap.DecodeShortConnect(body); ok {
		short++
		if diff := cmp.Diff(whole(errmap.DecodeLongConnect(body)), whole(e, nil)); diff != "" {
			t.Errorf("%s: -long +short\n%s", body, diff)
		}
	}
	return short
}

// bodies are texts that the short decoders may take, or must not.
var bodies = []string{
	`{"code":-32001,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}`,
	`{"code":-32001,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org"}]}`,
	`{"code":-32001,"message":"m"}`,
	`{"message":"m","code":-31404}`,
	` { "code" : -31409 , "message" : "\ud83d\ude00" , "data" : [ { "@type" : "type.googleapis.com/google.rpc.Status" , "code" : 10 } ] } `,
	`{"code":7,"data":[{"@type":"x/google.rpc.RetryInfo","retryDelay":"1.5s"},{"@type":"type.googleapis.com/google.rpc.Status","code":10}]}`,
	`{"code":7,"data":[{"@type":"type.googleapis.com/google.rpc.Status","code":10},{"@type":"type.googleapis.com/google.rpc.RetryInfo"}]}`,
	`{"code":7,"data":[{"@type":"type.googleapis.com/google.rpc.Status","code":17}]}`,
	`{"code":9007199254740993,"message":"m"}`, `{"code":-9007199254740993,"message":"m"}`, `{"code":-9007199254740991}`, `{"code":9007199254740992}`, `{"code":007}`, `{"code":-0}`, `{"code":1.0}`, `{"code":1e3}`, `{"code":"5"}`, `{"code":1,"code":2}`, `{"code":1,}`, `{"code":1} x`,
	`{"code":-32602,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RESOURCE_NOT_FOUND","domain":"modelcontextprotocol.io"}]}`,
	`{"code":-32022,"data":[{"@type":"type.googleapis.com/google.rpc.RetryInfo"}]}`, `{"code":-32042}`, `{"code":-32002}`,
	`{"code":"not_found","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"CgFTEgV4LmNvbQ","debug":{"reason":["a",null,true,1,{}]}}]}`,
	`{"code":"not_found","details":[{"type":"acme.v9.Mystery","value":""},{"value":"CgFTEgV4LmNvbQ==","type":"t.example.com/google.rpc.ErrorInfo"}]}`,
	`{"code":"not_found","details":[{"type":"google.rpc.RetryInfo","value":"-_8"}]}`,
	`{"code":"not_found","details":[{"type":"google.rpc.RetryInfo","value":"CgFT\n"}]}`,
	`{"code":"not_found","details":[{"type":"google.rpc.RetryInfo"}]}`,
	`{"code":"not_found","details":[{"type":"errmap.v1.Carried","value":""}]}`,
	`{"code":"code_5"}`, `{"code":"ok"}`, `{"code":"canceled","message":null}`, `{"code":"canceled","details":[]}`, "{\"code\":\"canceled\",\"message\":\"\xff\"}",
	`{"code":"canceled","details":[{"type":"a","value":"","debug":01}]}`, `{"code":"canceled","details":[{"type":"a","value":"","debug":"\ud800"}]}`,
}

func TestPlain_decode(t *testing.T) {
	t.Parallel()
	short := 0
	for _, body := range bodies {
		short += compareDecoders(t, []byte(body))
	}
	for _, e := range plainErrors() {
		for _, p := range []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP} {
			short += compareDecoders(t, errmap.EncodeJSONRPC(e, p))
		}
		short += compareDecoders(t, errmap.EncodeConnect(e))
	}
	if short < 500 {
		t.Errorf("only %d texts went the short way", short)
	}
}

func FuzzPlain_decode(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	for i, e := range plainErrors() {
		if i%7 == 0 {
			f.Add(errmap.EncodeJSONRPC(e, errmap.ProfileA2A))
			f.Add(errmap.EncodeConnect(e))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) { compareDecoders(t, body) })
}

// What an error costs is pinned where it is stable.
func TestPlain_allocations(t *testing.T) {
	e := errmap.NewCode(code.Code_NOT_FOUND, "Task not found").
		WithDetail(&errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org", Metadata: map[string]string{"taskId": "t-1", "attempt": "2"}})
	object, body := errmap.EncodeJSONRPC(e, errmap.ProfileA2A), errmap.EncodeConnect(e)
	m := &a2av1.TaskNotFoundError{TaskId: "t-1"}
	for _, row := range []struct {
		name string
		most float64
		run  func()
	}{
		{"error to JSON-RPC", 1, func() { errmap.EncodeJSONRPC(e, errmap.ProfileA2A) }},
		{"JSON-RPC to error, its reason read", 4, func() {
			e, _ := errmap.DecodeJSONRPC(object, errmap.ProfileA2A)
			_ = e.Reason()
		}},
		{"error to Connect", 1, func() { errmap.EncodeConnect(e) }},
		{"Connect to error", 3, func() { _, _ = errmap.DecodeConnect(body) }},
		{"error to gRPC", 2, func() { errmap.EncodeGRPC(e) }},
		{"message to JSON-RPC", 4, func() { errmap.EncodeJSONRPC(errmap.New(m), errmap.ProfileA2A) }},
		{"JSON-RPC to message", 6, func() {
			e, _ := errmap.DecodeJSONRPC(object, errmap.ProfileA2A)
			if typed, ok := errors.AsType[*a2av1.TaskNotFoundError](e); !ok || !proto.Equal(typed, m) {
				t.Fatal("no typed error")
			}
		}},
	} {
		if got := testing.AllocsPerRun(100, row.run); got > row.most {
			t.Errorf("%s: %v allocations, at most %v wanted", row.name, got, row.most)
		}
	}
}
