package errmaptest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaptest"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	info := &errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "store.example.com", Metadata: map[string]string{"a": "1", "b": "2"}}
	known := errmap.NewCode(code.Code_NOT_FOUND, "m").WithDetail(info)
	decoded := func(t *testing.T, body string) *errmap.Error {
		t.Helper()
		e, err := errmap.DecodeConnect([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	// The entries of the map in the other order.
	reordered := decoded(t, `{"code":"not_found","message":"m","details":[{"type":"google.rpc.ErrorInfo","value":"CgtTVE9DS19FTVBUWRIRc3RvcmUuZXhhbXBsZS5jb20aBgoBYhIBMhoGCgFhEgEx"}]}`)
	tests := []struct {
		name      string
		want, got error
		opts      []errmaptest.Option
		equal     bool
	}{
		{name: "nil", equal: true},
		{name: "nil and an error", got: known},
		{name: "nil pointer and nil", want: (*errmap.Error)(nil), equal: true},
		{name: "the same", want: known, got: known, equal: true},
		{name: "wrapped", want: known, got: fmt.Errorf("get: %w", known), equal: true},
		{name: "another cause", want: known, got: known.WithCause(errors.New("x")), equal: true},
		{name: "sent by a peer", want: known, got: known.WithRemote(), equal: true},
		{name: "another encoding", want: known, got: reordered, equal: true},
		{name: "another code", want: known, got: errmap.NewCode(code.Code_ABORTED, "m").WithDetail(info)},
		{name: "another private number", want: errmap.NewCode(41, "m"), got: errmap.NewCode(42, "m")},
		{name: "another message", want: known, got: known.WithMessage("n")},
		{name: "another message ignored", want: known, got: known.WithMessage("n"), opts: []errmaptest.Option{errmaptest.IgnoreMessage()}, equal: true},
		{name: "another detail", want: known, got: known.WithDetail(&errdetails.ErrorInfo{Reason: "OTHER"})},
		{name: "one more detail", want: known, got: known.WithDetail(&errdetails.RequestInfo{RequestId: "r"})},
		{name: "an annotated message", want: &a2av1.TaskNotFoundError{TaskId: "t"}, got: errmap.New(&a2av1.TaskNotFoundError{TaskId: "t"}), equal: true},
		{name: "another field", want: &a2av1.TaskNotFoundError{TaskId: "t"}, got: &a2av1.TaskNotFoundError{TaskId: "u"}},
		{name: "a context error", want: errmap.NewCode(code.Code_CANCELLED, "canceled"), got: context.Canceled, equal: true},
		{name: "received is not compared", want: decoded(t, `{"code":"not_found","message":"m"}`), got: decoded(t, `{"code":"not_found","message":"m","x":1}`), equal: true},
		{
			name: "received is compared", want: decoded(t, `{"code":"not_found","message":"m"}`), got: decoded(t, `{"code":"not_found","message":"m","x":1}`),
			opts: []errmaptest.Option{errmaptest.CompareReceived()},
		},
		{
			name: "unlinked bytes", want: decoded(t, `{"code":"aborted","details":[{"type":"acme.v9.Mystery","value":"CAE"}]}`),
			got: decoded(t, `{"code":"aborted","details":[{"type":"acme.v9.Mystery","value":"CAI"}]}`),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := errmaptest.Diff(tt.want, tt.got, tt.opts...); (diff == "") != tt.equal {
				t.Errorf("equal should be %v, difference %q", tt.equal, diff)
			}
		})
	}
}

func TestDiff_JSON_details(t *testing.T) {
	t.Parallel()
	read := func(body string) *errmap.Error {
		e, err := errmap.DecodeJSONRPC([]byte(body), errmap.ProfileGeneric)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	a, b := read(`{"code":1,"message":"m","data":{"n":1}}`), read(`{"code":1,"message":"m","data":{"n":1.0}}`)
	if errmaptest.Diff(a, a) != "" || errmaptest.Diff(a, b) == "" {
		t.Error("JSON details are not compared by their text")
	}
}

func TestEquate_within_a_struct(t *testing.T) {
	t.Parallel()
	type result struct{ Err *errmap.Error }
	a := result{errmap.NewCode(code.Code_NOT_FOUND, "m")}
	b := result{errmap.NewCode(code.Code_NOT_FOUND, "m").WithCause(errors.New("x"))}
	if diff := cmp.Diff(a, b, errmaptest.Equate()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func ExampleDiff() {
	received := errmap.New(&a2av1.TaskNotFoundError{TaskId: "t-1"}).WithRemote()
	fmt.Printf("%q\n", errmaptest.Diff(&a2av1.TaskNotFoundError{TaskId: "t-1"}, received))
	// Output: ""
}
