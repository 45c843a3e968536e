package errmap_test

import (
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/errmap/errmap/errmap"
)

// What is for debugging alone does not leave a server, wherever it hides.
func TestFinding_A16_DebugInfo_that_hides(t *testing.T) {
	t.Parallel()
	const secret = "at store.go:17"
	pack := func(m proto.Message) *anypb.Any {
		a, err := anypb.New(m)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	debug := &errdetails.DebugInfo{Detail: secret, StackEntries: []string{secret}}
	typed, err := structpb.NewStruct(map[string]any{"@type": "type.googleapis.com/google.rpc.DebugInfo", "detail": secret})
	if err != nil {
		t.Fatal(err)
	}
	list := structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStructValue(typed), structpb.NewStringValue("kept")}})
	for name, m := range map[string]proto.Message{
		"itself":               debug,
		"an Any":               pack(debug),
		"an Any in an Any":     pack(pack(debug)),
		"a Status":             &status.Status{Code: 5, Message: "kept", Details: []*anypb.Any{pack(debug), pack(&errdetails.ErrorInfo{Reason: "KEPT"})}},
		"a Status in a Status": &status.Status{Code: 5, Message: "kept", Details: []*anypb.Any{pack(&status.Status{Details: []*anypb.Any{pack(debug)}})}},
		"a Struct":             typed,
		"a list":               list,
	} {
		e := errmap.NewCode(5, "m").WithDetail(&errdetails.ErrorInfo{Reason: "R", Domain: "d.example.com", Metadata: map[string]string{"of": "google.rpc.DebugInfo"}}).WithDetail(m)
		sent := new(errmap.Guard).Outgoing(t.Context(), e)
		for _, w := range allWires {
			for _, d := range append(sent.Details(), errmap.RawDetail{}) {
				if value, _ := d.Value(); strings.Contains(string(value), secret) {
					t.Fatalf("%s, %s: %s", name, w.name, describe(sent))
				}
			}
			if out := w.encode(sent).String(); strings.Contains(out, secret) {
				t.Errorf("%s, %s: %s", name, w.name, out)
			}
		}
		if sent.Reason() != "R" || sent.Metadata()["of"] != "google.rpc.DebugInfo" {
			t.Errorf("%s: the ErrorInfo is gone: %s", name, describe(sent))
		}
		if whole := errmap.NewGuard(errmap.WithDebugInfo()).Outgoing(t.Context(), e); len(whole.Details()) != 2 {
			t.Errorf("%s: %s", name, describe(whole))
		}
		if kept := describe(sent); (strings.HasPrefix(name, "a Status") || name == "a list") && len(sent.Details()) != 2 {
			t.Errorf("%s: what stood beside is gone: %s", name, kept)
		}
	}
	for _, body := range []string{
		`{"code":-31404,"message":"m","data":[{"@type":"type.googleapis.com/acme.v9.Mystery","inner":{"@type":"type.googleapis.com/google.rpc.DebugInfo","detail":"at store.go:17"}}]}`,
		`{"code":-31404,"message":"m","data":{"a":[{"@type":"type.googleapis.com/google.rpc.\u0044ebugInfo","detail":"at store.go:17"}]}}`,
		`{"code":-31404,"message":"m","trace":"at store.go:17"}`,
	} {
		e := decodeText(t, "jsonrpc/generic", body, 0)
		sent := new(errmap.Guard).Outgoing(t.Context(), errmap.Forward(e.WithRemote()))
		for _, w := range allWires {
			if out := w.encode(sent).String(); strings.Contains(out, secret) {
				t.Errorf("%s: %s", w.name, out)
			}
		}
	}
}
