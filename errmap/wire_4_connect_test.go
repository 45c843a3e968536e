package errmap_test

import (
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
)

func TestWire_1_details_are_carried_untouched(t *testing.T) {
	runRows(t, []row{
		{rule: "bytes in order", from: "grpc", in: "grpc-status: 9\ngrpc-message: no stock\ngrpc-status-details-bin: " + vectorST9,
			to: "grpc", want: "grpc-status: 9\ngrpc-message: no stock\ngrpc-status-details-bin: " + vectorST9},
		{rule: "prefix of a type URL", from: "grpc", in: "grpc-status: 9\ngrpc-message: no stock\ngrpc-status-details-bin: " + vectorSTP,
			to: "grpc", want: "grpc-status: 9\ngrpc-message: no stock\ngrpc-status-details-bin: " + vectorSTP},
		{rule: "broken bytes", from: "grpc", in: "grpc-status: 9\ngrpc-message: m\ngrpc-status-details-bin: " + vectorSTM,
			to: "grpc", want: "grpc-status: 9\ngrpc-message: m\ngrpc-status-details-bin: " + vectorSTM},
		{rule: "unknown fields and duplicates", from: "connect",
			in: `{"code":"not_found","details":[{"type":"google.rpc.ErrorInfo","value":"` + vectorEIX + `"},{"type":"google.rpc.ErrorInfo","value":"` + vectorEIX + `"}]}`,
			to: "connect", want: `{"code":"not_found","details":[{"type":"google.rpc.ErrorInfo","value":"` + vectorEIX + `","debug":` + debugEI + `},{"type":"google.rpc.ErrorInfo","value":"` + vectorEIX + `","debug":` + debugEI + `}]}`},
	})
}

func TestWire_1_producing_attaches_each_type_once(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(code.Code_UNAVAILABLE, "m").
		WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(1)}).
		WithDetail(&errdetails.RequestInfo{RequestId: "r"}).
		WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(2)})
	if d := e.Details(); len(d) != 2 || d[0].Name() != "google.rpc.RetryInfo" {
		t.Fatal(describe(e))
	}
	if delay, ok := e.RetryDelay(); !ok || delay != 2 {
		t.Errorf("delay %v, %v", delay, ok)
	}
}

func TestWire_1_identity_is_the_first_info_of_a_known_domain(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(code.Code_NOT_FOUND, "m").WithDetail(&errdetails.ErrorInfo{Reason: "SHELF_FULL", Domain: "gw.example.com"})
	if e.Reason() != "SHELF_FULL" || e.Domain() != "gw.example.com" {
		t.Errorf("%s/%s of one unknown domain", e.Domain(), e.Reason())
	}
	s := e.Status()
	s.Details = append(s.Details, errmap.NewCode(code.Code_NOT_FOUND, "").WithDetail(&errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org"}).Status().GetDetails()...)
	e, err := errmap.FromStatus(s)
	if err != nil || e.Reason() != "TASK_NOT_FOUND" || e.Domain() != "a2a-protocol.org" {
		t.Errorf("%s/%s, %v", e.Domain(), e.Reason(), err)
	}
	if got, want := encodeText(t, "jsonrpc/a2a", e), `{"code":-32001,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SHELF_FULL","domain":"gw.example.com"},{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestWire_4_connect(t *testing.T) {
	const status = "grpc-status: 5\ngrpc-message: gone"
	runRows(t, []row{
		{rule: "no details member without details", from: "grpc", in: status, to: "connect", want: `{"code":"not_found","message":"gone"}`},
		{rule: "no message member without a message", from: "grpc", in: "grpc-status: 5", to: "connect", want: `{"code":"not_found"}`},
		{rule: "bare name and unpadded value and debug", from: "grpc", in: status + "\ngrpc-status-details-bin: " + vectorST5, to: "connect",
			want: `{"code":"not_found","message":"gone","details":[{"type":"google.rpc.ErrorInfo","value":"` + vectorEI + `","debug":` + debugEI + `}]}`},
		{rule: "no debug for a type that is not linked", from: "connect", in: `{"code":"not_found","details":[{"type":"acme.v9.Mystery","value":"` + vectorMYS + `","debug":{"n":1}}]}`,
			to: "connect", want: `{"code":"not_found","details":[{"type":"acme.v9.Mystery","value":"` + vectorMYS + `"}]}`},
		{rule: "no debug for bytes that do not parse", from: "connect", in: `{"code":"not_found","details":[{"type":"google.rpc.ErrorInfo","value":"Cv8"}]}`,
			to: "connect", want: `{"code":"not_found","details":[{"type":"google.rpc.ErrorInfo","value":"Cv8"}]}`},
		{rule: "padded value", from: "connect", in: `{"code":"not_found","details":[{"type":"google.rpc.RetryInfo","value":"` + vectorRI + `=="}]}`, to: "http",
			want: `{"error":{"code":404,"message":"","status":"NOT_FOUND","details":[` + jsonRI + `]}}`},
		{rule: "value in the URL alphabet", from: "connect", in: `{"code":"unknown","details":[{"type":"x.Y","value":"-_8"}]}`, to: "connect",
			want: `{"code":"unknown","details":[{"type":"x.Y","value":"+/8"}]}`},
		{rule: "debug is never read", from: "connect", in: `{"code":"not_found","details":[{"type":"google.rpc.ErrorInfo","value":"` + vectorEI + `","debug":{"reason":"OTHER"}}]}`,
			to: "connect", want: `{"code":"not_found","details":[{"type":"google.rpc.ErrorInfo","value":"` + vectorEI + `","debug":` + debugEI + `}]}`},
		{rule: "each detail is read on its own", from: "connect", in: `{"code":"not_found","message":"m","details":[{"type":"a.B","value":"!"},5,{"type":"a.B"},{"value":"AA"},{"type":"a.C","value":"AA"}]}`,
			to: "connect", want: `{"code":"not_found","message":"m","details":[{"type":"a.C","value":"AA"}]}`, note: "detail 0 dropped: its value is not base64"},
		{rule: "type with a prefix", from: "connect", in: `{"code":"not_found","details":[{"type":"types.example.com/google.rpc.ErrorInfo","value":"` + vectorEI + `"}]}`,
			to: "grpc", want: "grpc-status: 5\ngrpc-status-details-bin: CAUaVAomdHlwZXMuZXhhbXBsZS5jb20vZ29vZ2xlLnJwYy5FcnJvckluZm8SKgoLU1RPQ0tfRU1QVFkSEHNob3AuZXhhbXBsZS5jb20aCQoDc2t1EgJBMQ"},
		{rule: "first of duplicates wins", from: "connect", in: `{"code":"not_found","code":"internal","message":"a","message":"b"}`, to: "connect", want: `{"code":"not_found","message":"a"}`, note: "stands twice"},
		{rule: "names match by exact case", from: "connect", in: `{"Code":"internal","code":"not_found","MESSAGE":"b","message":"a"}`, to: "connect", want: `{"code":"not_found","message":"a"}`, note: "only in case"},
		{rule: "lone surrogate", from: "connect", in: `{"code":"not_found","message":"a\ud800b"}`, to: "connect", want: `{"code":"not_found","message":"a�b"}`},
		{rule: "surrogate pair", from: "connect", in: `{"code":"not_found","message":"\ud83d\ude00"}`, to: "connect", want: `{"code":"not_found","message":"😀"}`},
		{rule: "text that is not UTF-8", from: "connect", in: "{\"code\":\"not_found\",\"message\":\"caf\xe9\"}", to: "connect", want: `{"code":"not_found","message":"caf�"}`},
		{rule: "code_N is the number", from: "connect", in: `{"code":"code_42","message":"m"}`, to: "grpc", want: "grpc-status: 42\ngrpc-message: m"},
		{rule: "http_status has no say", from: "jsonrpc/generic", in: `{"code":-31404,"message":"m"}`, to: "connect", want: `{"code":"not_found","message":"m"}`},
		{rule: "well known types in debug", from: "connect", in: `{"code":"unknown","details":[{"type":"google.protobuf.Duration","value":"CAE"},{"type":"google.protobuf.Empty","value":""},{"type":"google.protobuf.Struct","value":"CgsKAWESBhoEdGV4dA"}]}`,
			to: "connect", want: `{"code":"unknown","details":[{"type":"google.protobuf.Duration","value":"CAE","debug":"1s"},{"type":"google.protobuf.Empty","value":"","debug":{}},{"type":"google.protobuf.Struct","value":"CgsKAWESBhoEdGV4dA","debug":{"a":"text"}}]}`},
	})
}

func TestWire_4_code_that_is_none_falls_back_to_the_HTTP_status(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`{"message":"m"}`, `{"code":null,"message":"m"}`, `{"code":"ok","message":"m"}`, `{"code":"shelf_full","message":"m"}`, `{"code":5,"message":"m"}`, `{"code":"NOT_FOUND","message":"m"}`, `{"code":"code_0","message":"m"}`} {
		e := decodeText(t, "connect", in, 503)
		if e.Code() != code.Code_UNAVAILABLE || e.Message() != "m" {
			t.Errorf("%s: %s", in, describe(e))
		}
		if e := decodeText(t, "connect", in, 0); e.Code() != code.Code_UNKNOWN {
			t.Errorf("%s without a status: %s", in, describe(e))
		}
		e, err := errmap.DecodeConnect([]byte(in), errmap.WithHTTPStatus(503), errmap.WithinStream())
		if err != nil || e.Code() != code.Code_UNKNOWN {
			t.Errorf("%s in a stream: %v, %v", in, e, err)
		}
	}
	e := decodeText(t, "connect", `{"code":"shelf_full","message":"m"}`, 404)
	if r := e.Received(); len(r) != 1 || r[0].CodeText != "shelf_full" || r[0].HTTPStatus != 404 || e.Code() != code.Code_UNIMPLEMENTED {
		t.Errorf("%s", describe(e))
	}
}

func TestWire_4_members_not_named_ride_along(t *testing.T) {
	t.Parallel()
	e := decodeText(t, "connect", `{"code":"not_found","trace":{"id":9007199254740993},"message":"m","details":[{"type":"a.B","value":"AA","more":[1.0]}]}`, 404)
	if r := e.Received(); len(r) != 1 || string(r[0].Members) != `{"details":[{"more":[1.0]}],"trace":{"id":9007199254740993}}` {
		t.Fatalf("%s", describe(e))
	}
	for _, w := range allWires {
		back, p := hop(t, e, w)
		if s := difference(e, back, exactly); s != "" {
			t.Errorf("%s: %s in %s", w.name, s, p)
		}
	}
}

func TestWire_9_what_a_detail_says_twice_is_noted(t *testing.T) {
	t.Parallel()
	for name, detail := range map[string]string{
		"duplicate":  `{"type":"a.B","type":"a.C","value":"CgFh"}`,
		"case":       `{"type":"a.B","value":"CgFh","Value":""}`,
		"of another": `{"type":"a.B","value":"CgFh","x":1,"x":2}`,
	} {
		e, err := errmap.DecodeConnect([]byte(`{"code":"not_found","message":"m","details":[` + detail + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Details()) != 1 || e.Details()[0].Name() != "a.B" || len(e.Notes()) != 1 {
			t.Errorf("%s: %s, notes %q", name, describe(e), e.Notes())
		}
	}
}
