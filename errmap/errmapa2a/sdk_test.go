package errmapa2a_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/errordetails"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
)

const secret = "dial tcp 10.0.0.7:5432: user=app"

// outgoing is what the caller of an agent gets: the object, and what was logged.
func outgoing(t *testing.T, err error) (object string, reports []errmap.Report) {
	t.Helper()
	guard := errmap.NewGuard(
		errmap.WithRecognizer(errmapa2a.Recognize),
		errmap.WithHiddenMessage("internal error"),
		errmap.WithLog(func(_ context.Context, r errmap.Report) { reports = append(reports, r) }))
	out := guard.Outgoing(t.Context(), err)
	return string(errmap.EncodeJSONRPC(out, errmap.ProfileA2A)), reports
}

func TestRecognize_Sentinels(t *testing.T) {
	t.Parallel()
	for _, c := range constructors {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for name, err := range map[string]error{
				"bare":    c.sentinel,
				"wrapped": fmt.Errorf(secret+": %w", c.sentinel),
				"twice":   fmt.Errorf("%w: %w", fmt.Errorf("%w: "+secret, c.sentinel), errors.New(secret)),
				"joined":  errors.Join(errors.New(secret), c.sentinel),
				"error":   &a2a.Error{Err: fmt.Errorf("%w: "+secret, c.sentinel)},
			} {
				got, reports := outgoing(t, err)
				if strings.Contains(got, "10.0.0.7") {
					t.Errorf("%s: the text of a wrap is on the wire: %s", name, got)
				}
				if c.sentinel == a2a.ErrInternalError {
					if len(reports) != 1 || !strings.Contains(got, reports[0].ID) || !strings.HasPrefix(got, `{"code":-32603,"message":"internal error",`) {
						t.Errorf("%s: got %s, %d reports", name, got, len(reports))
					}
					continue
				}
				if want := string(errmap.EncodeJSONRPC(c.make(), errmap.ProfileA2A)); got != want || len(reports) > 0 {
					t.Errorf("%s: %d reports\ngot  %s\nwant %s", name, len(reports), got, want)
				}
			}
		})
	}
}

func TestRecognize_OtherSentinels(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{a2a.ErrUnauthenticated, `{"code":-31401,"message":"Unauthenticated"}`},
		{a2a.ErrUnauthorized, `{"code":-31403,"message":"Permission denied"}`},
	} {
		if got, _ := outgoing(t, fmt.Errorf("x: %w", test.err)); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	if got, reports := outgoing(t, a2a.ErrServerError); len(reports) != 1 || !strings.Contains(got, "-32603") {
		t.Errorf("ErrServerError: %s", got)
	}
}

func TestRecognize_Error(t *testing.T) {
	t.Parallel()
	const structHead = `{"@type":"type.googleapis.com/google.protobuf.Struct","value":`
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"message", a2a.NewError(a2a.ErrTaskNotFound, "gone since noon"),
			`{"code":-32001,"message":"gone since noon","data":[` + info("TASK_NOT_FOUND", "") + `]}`},
		{"wrapped", fmt.Errorf(secret+": %w", a2a.NewError(fmt.Errorf("%w: "+secret, a2a.ErrTaskNotFound), "gone")),
			`{"code":-32001,"message":"gone","data":[` + info("TASK_NOT_FOUND", "") + `]}`},
		{"metadata", a2a.NewError(a2a.ErrTaskNotFound, "gone").WithErrorInfoMeta(map[string]string{"taskId": "t-1"}),
			`{"code":-32001,"message":"gone","data":[` + info("TASK_NOT_FOUND", `"taskId":"t-1"`) + `]}`},
		{"no message", a2a.NewError(a2a.ErrTaskNotFound, "").WithErrorInfoMeta(map[string]string{"taskId": "t-1"}),
			`{"code":-32001,"message":"Task not found","data":[` + info("TASK_NOT_FOUND", `"taskId":"t-1"`) + `]}`},
		{"details", a2a.NewError(a2a.ErrUnsupportedContentType, "no images").WithDetails(map[string]any{"mediaType": "image/png", "n": 2}),
			`{"code":-32005,"message":"no images","data":[` + info("CONTENT_TYPE_NOT_SUPPORTED", "") + `,` + structHead + `{"mediaType":"image/png","n":2}}]}`},
		{"typed details", a2a.NewError(a2a.ErrInvalidParams, "bad").WithTypedDetails(errordetails.NewTyped("type.googleapis.com/google.rpc.BadRequest",
			map[string]any{"fieldViolations": []any{map[string]any{"field": "id"}}})),
			`{"code":-32602,"message":"bad","data":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"id"}]}]}`},
		{"unlinked type", a2a.NewError(a2a.ErrTaskNotFound, "gone").WithTypedDetails(errordetails.NewTyped("type.googleapis.com/acme.v9.Mystery",
			map[string]any{"n": json.Number("9007199254740993")})),
			`{"code":-32001,"message":"gone","data":[` + info("TASK_NOT_FOUND", "") + `,{"@type":"type.googleapis.com/acme.v9.Mystery","n":9007199254740993}]}`},
		{"standard with metadata", a2a.NewError(a2a.ErrInvalidParams, "bad").WithErrorInfoMeta(map[string]string{"field": "id"}),
			`{"code":-32602,"message":"bad","data":[` + structHead + `{"field":"id"}}]}`},
		{"standard with info", func() error { e := a2a.NewError(a2a.ErrInvalidRequest, "bad"); e.ErrorInfo(); return e }(),
			`{"code":-32600,"message":"bad"}`},
		{"other domain", a2a.NewError(a2a.ErrTaskNotFound, "gone").WithTypedDetails(errordetails.NewErrorInfo("CART_EMPTY", "shop.example.com", nil)),
			`{"code":-32001,"message":"gone","data":[` + info("TASK_NOT_FOUND", "") + `,{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CART_EMPTY","domain":"shop.example.com"}]}`},
		{"no sentinel", a2a.NewError(errors.New(secret), "the agent is tired"), `{"code":-32603,"message":"the agent is tired"}`},
		{"nothing inside", a2a.NewError(nil, "the agent is tired"), `{"code":-32603,"message":"the agent is tired"}`},
		{"internal", a2a.NewError(a2a.ErrInternalError, "the agent is tired"), `{"code":-32603,"message":"the agent is tired"}`},
		{"around an annotated message", a2a.NewError(&a2av1.TaskNotCancelableError{TaskId: "t-1"}, "too late").WithDetails(map[string]any{"a": "b"}),
			`{"code":-32002,"message":"too late","data":[` + info("TASK_NOT_CANCELABLE", `"taskId":"t-1"`) + `,` + structHead + `{"a":"b"}}]}`},
		{"around an error", a2a.NewError(errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, "slow down"), ""), `{"code":-31429,"message":"slow down"}`},
		{"around an error with a text", a2a.NewError(errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, "slow down"), "later"), `{"code":-31429,"message":"later"}`},
		{"repeated by the SDK's client", a2a.NewError(a2a.ErrTaskNotFound, "gone").WithDetails(map[string]any{"a": "b"}).
			WithTypedDetails(errordetails.NewFromStruct(map[string]any{"a": "b"})),
			`{"code":-32001,"message":"gone","data":[` + info("TASK_NOT_FOUND", "") + `,` + structHead + `{"a":"b"}}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, reports := outgoing(t, test.err)
			if got != test.want || len(reports) > 0 {
				t.Errorf("%d reports\ngot  %s\nwant %s", len(reports), got, test.want)
			}
		})
	}
}

func info(reason, metadata string) string {
	s := `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"` + reason + `","domain":"a2a-protocol.org"`
	if metadata != "" {
		s += `,"metadata":{` + metadata + `}`
	}
	return s + `}`
}

// TestRecognize_Silent holds what does not speak, and that nil pointers and
// errors that cannot be compared do no harm.
func TestRecognize_Silent(t *testing.T) {
	t.Parallel()
	var none *a2a.Error
	for name, err := range map[string]error{
		"no message":      a2a.NewError(errors.New(secret), ""),
		"nil":             none,
		"wrapped nil":     fmt.Errorf(secret+": %w", none),
		"uncomparable":    uncomparable{secret},
		"embedding none":  &boxed{},
		"around a remote": a2a.NewError(errmap.NewCode(code.Code_NOT_FOUND, secret).WithRemote(), "text"),
	} {
		got, reports := outgoing(t, err)
		if strings.Contains(got, "10.0.0.7") || len(reports) != 1 {
			t.Errorf("%s: got %s, %d reports", name, got, len(reports))
		}
	}
}

// boxed is an error that embeds a message and may hold none, which panics then
// when it is asked what it is.
type boxed struct{ proto.Message }

func (*boxed) Error() string { return secret }

type uncomparable []string

func (u uncomparable) Error() string { return u[0] }

func TestFromError(t *testing.T) {
	t.Parallel()
	if e := errmapa2a.FromError(nil); e != nil {
		t.Errorf("FromError(nil) = %v", e)
	}
	wrapped := fmt.Errorf("asking: %w", a2a.ErrTaskNotFound)
	e := errmapa2a.FromError(wrapped)
	if e.Reason() != "TASK_NOT_FOUND" || !errors.Is(e, wrapped) || !errors.Is(e, a2a.ErrTaskNotFound) || !errors.Is(e, errmapa2a.TaskNotFound()) {
		t.Errorf("got %v with cause %v", e, e.Unwrap())
	}
	joined := errors.Join(&a2av1.TaskNotCancelableError{TaskId: "t-1"}, a2a.ErrTaskNotFound)
	if e := errmapa2a.FromError(joined); e.Reason() != "TASK_NOT_CANCELABLE" {
		t.Errorf("got %v", e)
	}
	if e := errmapa2a.FromError(errors.Join(a2a.ErrTaskNotFound, &a2av1.TaskNotCancelableError{})); e.Reason() != "TASK_NOT_FOUND" {
		t.Errorf("got %v", e)
	}
	if e := errmapa2a.FromError(errors.New(secret)); e.Code() != code.Code_INTERNAL || e.Message() != "internal error" {
		t.Errorf("got %v", e)
	}
	if e := errmapa2a.FromError(context.Canceled); e.Code() != code.Code_CANCELLED {
		t.Errorf("got %v", e)
	}
}

func TestSentinel(t *testing.T) {
	t.Parallel()
	for _, c := range constructors {
		for name, err := range map[string]error{
			"made":     c.make(),
			"wrapped":  fmt.Errorf("x: %w", c.make(map[string]any{"taskId": "t-1"})),
			"sentinel": fmt.Errorf("x: %w", c.sentinel),
			"SDK":      a2a.NewError(c.sentinel, "x"),
		} {
			if got := errmapa2a.Sentinel(err); got != c.sentinel {
				t.Errorf("%s, %s: got %v", c.name, name, got)
			}
		}
	}
	before, err := errmap.DecodeJSONRPC([]byte(`{"code":-32007,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",`+
		`"reason":"AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED","domain":"a2a-protocol.org"}]}`), errmap.ProfileA2A)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ err, want error }{
		"nil":                  {nil, nil},
		"the reason before 1":  {before, a2a.ErrExtendedCardNotConfigured},
		"unauthenticated":      {errmap.NewCode(code.Code_UNAUTHENTICATED, ""), a2a.ErrUnauthenticated},
		"permission denied":    {errmap.NewCode(code.Code_PERMISSION_DENIED, ""), a2a.ErrUnauthorized},
		"unimplemented":        {errmap.NewCode(code.Code_UNIMPLEMENTED, ""), a2a.ErrMethodNotFound},
		"not found by no task": {errmap.NewCode(code.Code_NOT_FOUND, "no such route"), nil},
		"failed precondition":  {errmap.NewCode(code.Code_FAILED_PRECONDITION, ""), nil},
		"another error":        {errors.New("x"), nil},
		"context":              {context.Canceled, nil},
	} {
		if got := errmapa2a.Sentinel(test.err); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

func TestToError(t *testing.T) {
	t.Parallel()
	if sdk := errmapa2a.ToError(nil); sdk != nil {
		t.Errorf("ToError(nil) = %v", sdk)
	}
	for _, c := range constructors {
		e := c.make(map[string]any{"taskId": "t-1"}).WithDetail(&errdetails.RequestInfo{RequestId: "r-1"})
		sdk := errmapa2a.ToError(fmt.Errorf("x: %w", e))
		if !errors.Is(sdk, c.sentinel) || sdk.Message != c.message || errmapa2a.Sentinel(sdk) != c.sentinel {
			t.Errorf("%s: got %v %q", c.name, sdk.Err, sdk.Message)
		}
		if own, ok := errors.AsType[*errmap.Error](sdk); !ok || own.Code() != c.code {
			t.Errorf("%s: no *errmap.Error in %v", c.name, sdk)
		}
	}
	sdk := errmapa2a.ToError(errmapa2a.TaskNotFound(map[string]any{"taskId": "t-1"}).WithDetail(&errdetails.RequestInfo{RequestId: "r-1"}))
	want := []*errordetails.Typed{
		{TypeURL: errordetails.ErrorInfoType, Value: map[string]any{"reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org", "metadata": map[string]any{"taskId": "t-1"}}},
		{TypeURL: "type.googleapis.com/google.rpc.RequestInfo", Value: map[string]any{"requestId": "r-1"}},
	}
	if diff := cmp.Diff(want, sdk.TypedDetails); diff != "" {
		t.Error(diff)
	}
	for name, test := range map[string]struct {
		e    *errmap.Error
		want map[string]any
	}{
		"object": {errmapa2a.InternalError(map[string]any{"a": "b"}), map[string]any{"a": "b"}},
		"text":   {errmapa2a.InternalError("boom"), map[string]any{"data": "boom"}},
		"array":  {errmapa2a.InternalError([]string{"a"}), map[string]any{"data": []any{"a"}}},
	} {
		if diff := cmp.Diff(test.want, errmapa2a.ToError(test.e).Details); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if sdk := errmapa2a.ToError(errmap.NewCode(code.Code_NOT_FOUND, "no such route")); !errors.Is(sdk, a2a.ErrServerError) || errors.Is(sdk, a2a.ErrTaskNotFound) {
		t.Errorf("NOT_FOUND without identity: %v", sdk.Err)
	}
}

// TestToError_ThereAndBack holds that the SDK's own type loses nothing on the way
// from and to it.
func TestToError_ThereAndBack(t *testing.T) {
	t.Parallel()
	for _, c := range constructors {
		for _, e := range []*errmap.Error{
			c.make(),
			c.make().WithMessage("another text"),
			c.make().WithDetail(&errdetails.RequestInfo{RequestId: "r-1"}),
			c.make(map[string]any{"@type": "type.googleapis.com/acme.v9.Mystery", "n": json.Number("9007199254740993")}),
			c.make("boom"),
			errmap.NewCode(code.Code_NOT_FOUND, "no such route"),
			errmap.NewCode(code.Code_ABORTED, "try again").WithDetail(&errdetails.ErrorInfo{Reason: "CART_LOCKED", Domain: "shop.example.com"}),
		} {
			want := errmap.EncodeJSONRPC(e, errmap.ProfileA2A)
			if got := errmap.EncodeJSONRPC(errmapa2a.FromError(errmapa2a.ToError(e)), errmap.ProfileA2A); !bytes.Equal(got, want) {
				t.Errorf("%s\ngot  %s\nwant %s", c.name, got, want)
			}
			more := errmapa2a.ToError(e).WithDetails(map[string]any{"more": "x"})
			back := errmapa2a.FromError(more)
			if !errors.Is(back, more) || back.Code() != e.Code() || back.Reason() != e.Reason() || back.Message() != e.Message() ||
				!strings.Contains(string(errmap.EncodeJSONRPC(back, errmap.ProfileA2A)), `{"more":"x"}`) {
				t.Errorf("%s with one more detail: %s", c.name, errmap.EncodeJSONRPC(back, errmap.ProfileA2A))
			}
			if got, reports := outgoing(t, errmapa2a.ToError(e.WithMessage(secret).WithRemote())); strings.Contains(got, "10.0.0.7") || len(reports) != 1 {
				t.Errorf("%s: a received error speaks: %s", c.name, got)
			}
		}
	}
}
