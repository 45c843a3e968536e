package adaptertest

import (
	"errors"
	"testing"

	"github.com/errmap/errmap/errmap"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// Rich returns errors that say more than a google.rpc.Status can, forwarded so
// that a server sends them, with what each is on a wire that says all of it.
func Rich(t testing.TB) map[string]error {
	t.Helper()
	rich := map[string]error{}
	add := func(name string, e *errmap.Error, err error) {
		if err != nil {
			t.Fatal(err)
		}
		rich[name] = errmap.Forward(e.WithRemote())
	}
	e, err := errmap.DecodeHTTP([]byte(`{"error":{"code":409,"status":"SHELF_FULL","message":"full é","trace":"abc","details":[` +
		`{"@type":"type.googleapis.com/acme.v9.Mystery","n":9007199254740993,"f":1.0},` +
		`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"max":5}},7]}}`))
	add("AIP-193", e, err)
	e, err = errmap.DecodeConnect([]byte(`{"code":"code_42","message":"m","hint":[1,2],"details":[{"type":"acme.v9.Mystery","value":"CJYBEgF4","note":"x"}]}`))
	add("a private code", e, err)
	e, err = errmap.DecodeJSONRPC([]byte(`{"code":-32001,"message":"Task not found","data":{"taskId":"t-1"}}`), errmap.ProfileGeneric)
	add("JSON-RPC", e, err)
	e, err = errmap.DecodeGRPC(map[string][]string{"grpc-status": {"9"}, "grpc-message": {"no stock"}, "grpc-status-details-bin": {StatusST9}})
	add("gRPC", e, err)
	e, err = errmap.DecodeProblem([]byte(`{"type":"https://shop.example.com/p/9","title":"Full","status":418,"detail":"full","instance":"/carts/7","balance":30}`))
	add("a problem", e, err)
	add("made here, then sent on", errmap.NewCode(code.Code_ABORTED, "x").WithDetail(&errdetails.ErrorInfo{Reason: "CLASH", Domain: "shop.example.com"}), nil)
	return rich
}

// CheckSame tells whether a client got all of a rich error.
func CheckSame(t *testing.T, want, got error) {
	t.Helper()
	w, ok := errors.AsType[*errmap.Error](want)
	if !ok {
		t.Fatal("no error was sent")
	}
	g, ok := errors.AsType[*errmap.Error](got)
	if !ok {
		t.Fatalf("got %v", got)
	}
	for form, encode := range map[string]func(*errmap.Error) string{
		"status":   func(e *errmap.Error) string { return string(errmap.EncodeStatusJSON(e)) },
		"AIP-193":  func(e *errmap.Error) string { _, b := errmap.EncodeHTTP(e); return string(b) },
		"problem":  func(e *errmap.Error) string { _, b := errmap.EncodeProblem(e); return string(b) },
		"connect":  func(e *errmap.Error) string { return string(errmap.EncodeConnect(e)) },
		"gRPC":     func(e *errmap.Error) string { return errmap.EncodeGRPC(e, errmap.WithBudget(-1)).String() },
		"JSON-RPC": func(e *errmap.Error) string { return string(errmap.EncodeJSONRPC(e, errmap.ProfileGeneric)) },
	} {
		if want, got := encode(w), encode(g); want != got {
			t.Errorf("as %s\n got %s\nwant %s", form, got, want)
		}
	}
}
