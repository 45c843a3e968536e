package errmapconnectv1_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
)

// boxed is an error that embeds a message and may hold none, which panics then
// when it is asked what it is.
type boxed struct{ proto.Message }

func (*boxed) Error() string { return "boxed" }

func TestFromError_embeddedMessages(t *testing.T) {
	t.Parallel()
	e := errmapconnectv1.FromError(connect.NewError(connect.CodeNotFound, &boxed{}))
	if e.Code() != code.Code_NOT_FOUND || e.Message() != "boxed" || e.Reason() != "" {
		t.Errorf("got %v", e)
	}
}

func TestFromError(t *testing.T) {
	t.Parallel()
	inner := errmap.NewCode(code.Code_ABORTED, "inner")
	refused := errors.New("stream error: stream ID 1; CANCEL; received from peer")
	for name, test := range map[string]struct {
		err    error
		code   code.Code
		number int32
		text   string
		remote bool
		local  bool
	}{
		"connect's":               {connect.NewError(connect.CodeNotFound, errors.New("gone")), 5, 5, "gone", false, false},
		"received":                {connect.NewWireError(connect.CodeNotFound, errors.New("gone")), 5, 5, "gone", true, false},
		"wrapped":                 {fmt.Errorf("x: %w", connect.NewError(connect.CodeNotFound, errors.New("gone"))), 5, 5, "gone", false, false},
		"of a failed call":        {connect.NewError(connect.CodeCanceled, refused), 1, 1, refused.Error(), false, true},
		"of a received one":       {connect.NewError(connect.CodeNotFound, connect.NewWireError(connect.CodeAborted, errors.New("x"))), 5, 5, "aborted: x", false, true},
		"without text":            {connect.NewError(connect.CodeNotFound, nil), 5, 5, "", false, false},
		"without a code":          {connect.NewError(0, errors.New("gone")), 2, 2, "gone", false, false},
		"a private code":          {connect.NewError(42, errors.New("gone")), 2, 42, "gone", false, false},
		"a code out of range":     {connect.NewError(math.MaxUint32, errors.New("gone")), 2, 2, "gone", false, false},
		"no UTF-8":                {connect.NewError(connect.CodeNotFound, errors.New("caf\xe9")), 5, 5, "caf\uFFFD", false, false},
		"errmap's within":         {connect.NewError(connect.CodeNotFound, inner), 10, 10, "inner", false, false},
		"errmap's outside":        {inner.WithCause(connect.NewError(connect.CodeNotFound, errors.New("gone"))), 10, 10, "inner", false, false},
		"an annotated message":    {adaptertest.StockEmpty(), 9, 9, "No A1 é left", false, false},
		"annotated, in connect's": {connect.NewError(connect.CodeUnknown, adaptertest.StockEmpty()), 9, 9, "No A1 é left", false, false},
		"another error":           {errors.New("x"), 13, 13, "internal error", false, false},
		"nil pointer":             {(*connect.Error)(nil), 13, 13, "internal error", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := errmapconnectv1.FromError(test.err)
			if e.Code() != test.code || e.Number() != test.number || e.Message() != test.text || e.Remote() != test.remote || e.Local() != test.local {
				t.Errorf("got %v, number %d, remote %v, local %v", e, e.Number(), e.Remote(), e.Local())
			}
		})
	}
	if e := errmapconnectv1.FromError(nil); e != nil {
		t.Errorf("nil gives %v", e)
	}
}

func TestFromError_retryAfter(t *testing.T) {
	t.Parallel()
	c := connect.NewWireError(connect.CodeUnavailable, errors.New("busy"))
	c.Meta().Set("Retry-After", "7")
	if delay, ok := errmapconnectv1.FromError(c).RetryDelay(); !ok || delay != 7*time.Second {
		t.Errorf("delay %v, %v", delay, ok)
	}
}

// received returns what a peer gets of an error of connect.
func received(c *connect.Error) *connect.Error {
	r := connect.NewWireError(c.Code(), errors.New(c.Message()))
	for _, d := range c.Details() {
		r.AddDetail(d)
	}
	return r
}

func TestToError(t *testing.T) {
	t.Parallel()
	if c := errmapconnectv1.ToError(nil); c != nil {
		t.Errorf("nil gives %v", c)
	}
	for name, rich := range adaptertest.Rich(t) {
		e, _ := errors.AsType[*errmap.Error](rich)
		c := errmapconnectv1.ToError(e)
		if back := errmapconnectv1.FromError(fmt.Errorf("x: %w", c)); back != e {
			t.Errorf("%s: another error came back: %v", name, back)
		}
		// What a peer reads of it.
		adaptertest.CheckSame(t, e, errmapconnectv1.FromError(received(c)))
		detail, err := connect.NewErrorDetail(&errdetails.RequestInfo{RequestId: "7"})
		if err != nil {
			t.Fatal(err)
		}
		c.AddDetail(detail)
		if more := errmapconnectv1.FromError(c); len(more.Details()) != len(e.Details())+1 {
			t.Errorf("%s: %d details, want one more than %d", name, len(more.Details()), len(e.Details()))
		}
	}
}

func TestToError_private_code(t *testing.T) {
	t.Parallel()
	c := errmapconnectv1.ToError(errmap.NewCode(42, "x"))
	if c.Code() != 42 || errmapconnectv1.FromError(received(c)).Number() != 42 {
		t.Errorf("got %v", c)
	}
}

func TestField_084_received_errors_can_be_made(t *testing.T) {
	t.Parallel()
	e := errmapconnectv1.FromError(received(errmapconnectv1.ToError(errmap.New(&shopv1.StockEmptyError{Sku: "A1"}))))
	if got, ok := errors.AsType[*shopv1.StockEmptyError](error(e)); !ok || got.GetSku() != "A1" || !e.Remote() {
		t.Errorf("got %v", e)
	}
}

func TestField_033_code_of_nil(t *testing.T) {
	t.Parallel()
	var none *errmap.Error
	if errmapconnectv1.FromError(nil).Code() != code.Code_OK || none.Code() != code.Code_OK || errmapconnectv1.ToError(none) != nil {
		t.Error("nil is an error")
	}
	if e, known := errmapconnectv1.Recognize((*connect.Error)(nil)); e != nil || !known {
		t.Errorf("Recognize gives %v, %v", e, known)
	}
	if e, known := errmapconnectv1.Recognize(errors.New("x")); e != nil || known {
		t.Errorf("Recognize gives %v, %v", e, known)
	}
}

func TestWithEncoding(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(code.Code_ABORTED, "x").WithDetail(&errdetails.ErrorInfo{Reason: "CLASH", Domain: "shop.example.com"}).
		WithDetail(&errdetails.LocalizedMessage{Locale: "de", Message: "0123456789012345678901234567890123456789"})
	opts := []errmapconnectv1.ServerOption{errmapconnectv1.WithEncoding(errmap.WithBudget(230))}
	for protocol, want := range map[string]int{"grpc": 1, "grpcweb": 1, "connect": 2} {
		client, _ := serve(t, adaptertest.Return(e), errmapconnectv1.WithServer(opts...))
		err := methods["unary"](t.Context(), newClient(client, protocols[protocol]))
		got, _ := errors.AsType[*errmap.Error](err)
		if len(got.Details()) != want || got.Reason() != "CLASH" {
			t.Errorf("%s: %v with %d details, want %d", protocol, got, len(got.Details()), want)
		}
	}
}

func TestWithDecoding(t *testing.T) {
	t.Parallel()
	for protocol, opts := range protocols {
		client, _ := serve(t, adaptertest.Return(adaptertest.StockEmpty()), errmapconnectv1.WithServer())
		limited := errmapconnectv1.WithClient(errmapconnectv1.WithDecoding(errmap.WithLimits(errmap.Limits{Details: 1})))
		for method, call := range methods {
			err := call(t.Context(), shopv1connectv1.NewCartClient(client, "http://shop", append(opts, limited)...))
			if e, _ := errors.AsType[*errmap.Error](err); len(e.Details()) != 1 {
				t.Errorf("%s, %s: %d details", protocol, method, len(e.Details()))
			}
		}
	}
}

// An interceptor on the wrong side does nothing.
func TestInterceptors_onTheOtherSide(t *testing.T) {
	t.Parallel()
	client, _ := serve(t, adaptertest.Return(connect.NewError(connect.CodeNotFound, errors.New("gone"))),
		connect.WithInterceptors(errmapconnectv1.ClientInterceptor()))
	for method, call := range methods {
		err := call(t.Context(), shopv1connectv1.NewCartClient(client, "http://shop", connect.WithInterceptors(errmapconnectv1.ServerInterceptor())))
		if c, ok := errors.AsType[*connect.Error](err); !ok || c.Message() != "gone" || !connect.IsWireError(err) {
			t.Errorf("%s: got %v", method, err)
		}
	}
}

func TestClientInterceptor_errorsOfOthers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want code.Code
	}{
		"not connect's": {errors.New("no token"), 0},
		"connect's":     {connect.NewError(connect.CodeUnauthenticated, errors.New("no token")), code.Code_UNAUTHENTICATED},
		"a context's":   {context.Canceled, code.Code_CANCELLED},
		"a deadline":    {context.DeadlineExceeded, code.Code_DEADLINE_EXCEEDED},
	} {
		refuse := connect.UnaryInterceptorFunc(func(connect.UnaryFunc) connect.UnaryFunc {
			return func(context.Context, connect.AnyRequest) (connect.AnyResponse, error) { return nil, test.err }
		})
		client := shopv1connectv1.NewCartClient(http.DefaultClient, "http://shop", errmapconnectv1.WithClient(), connect.WithInterceptors(refuse))
		err := methods["unary"](t.Context(), client)
		e, ok := errors.AsType[*errmap.Error](err)
		if ok != (test.want != 0) || e.Code() != test.want || ok && !e.Local() || !errors.Is(err, test.err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
