package errmapconnect_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

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
		"connect's":            {connect.NewError(connect.CodeNotFound, "gone"), 5, 5, "gone", false, false},
		"received":             {connect.NewError(connect.CodeNotFound, "gone").WithRemote(), 5, 5, "gone", true, false},
		"wrapped":              {fmt.Errorf("x: %w", connect.NewError(connect.CodeNotFound, "gone")), 5, 5, "gone", false, false},
		"of a failed call":     {connect.NewError(connect.CodeCanceled, refused.Error()).WithCause(refused), 1, 1, refused.Error(), false, true},
		"without a code":       {connect.NewError(0, "gone"), 2, 2, "gone", false, false},
		"a private code":       {connect.NewError(42, "gone"), 2, 42, "gone", false, false},
		"a code out of range":  {connect.NewError(math.MaxUint32, "gone"), 2, 2, "gone", false, false},
		"no UTF-8":             {connect.NewError(connect.CodeNotFound, "caf\xe9"), 5, 5, "caf\uFFFD", false, false},
		"errmap's as a cause":  {connect.NewError(connect.CodeNotFound, "gone").WithCause(inner), 5, 5, "gone", false, false},
		"errmap's outside":     {inner.WithCause(connect.NewError(connect.CodeNotFound, "gone")), 10, 10, "inner", false, false},
		"an annotated message": {adaptertest.StockEmpty(), 9, 9, "No A1 é left", false, false},
		"another error":        {errors.New("x"), 13, 13, "internal error", false, false},
		"nil pointer":          {(*connect.Error)(nil), 13, 13, "internal error", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := errmapconnect.FromError(test.err)
			if e.Code() != test.code || e.Number() != test.number || e.Message() != test.text || e.Remote() != test.remote || e.Local() != test.local {
				t.Errorf("got %v, number %d, remote %v, local %v", e, e.Number(), e.Remote(), e.Local())
			}
		})
	}
	if e := errmapconnect.FromError(nil); e != nil {
		t.Errorf("nil gives %v", e)
	}
}

func TestFromError_causes_of_received_errors(t *testing.T) {
	t.Parallel()
	c := connect.NewError(connect.CodeCanceled, "gone").WithCause(context.Canceled).WithDetail(&connect.ErrorDetail{Type: "a.B"}).WithRemote()
	e := errmapconnect.FromError(c)
	if errors.Is(e, context.Canceled) || len(e.Details()) != 1 {
		t.Errorf("got %v with %d details", e, len(e.Details()))
	}
	if bare, ok := errors.AsType[*connect.Error](e); !ok || !bare.IsRemote() || len(bare.Details()) != 1 {
		t.Errorf("connect's error is %v", bare)
	}
}

func TestToError(t *testing.T) {
	t.Parallel()
	if c := errmapconnect.ToError(nil); c != nil {
		t.Errorf("nil gives %v", c)
	}
	for name, rich := range adaptertest.Rich(t) {
		e, _ := errors.AsType[*errmap.Error](rich)
		c := errmapconnect.ToError(e)
		if back := errmapconnect.FromError(fmt.Errorf("x: %w", c)); back != e {
			t.Errorf("%s: another error came back: %v", name, back)
		}
		// What a peer reads of it.
		adaptertest.CheckSame(t, e, errmapconnect.FromError(c.WithRemote()))
		more := errmapconnect.FromError(c.WithDetail(&connect.ErrorDetail{Type: "a.B", Value: []byte{8, 1}}))
		if len(more.Details()) != len(e.Details())+1 {
			t.Errorf("%s: %d details, want one more than %d", name, len(more.Details()), len(e.Details()))
		}
	}
}

func TestToError_private_code(t *testing.T) {
	t.Parallel()
	c := errmapconnect.ToError(errmap.NewCode(42, "x"))
	if c.Code() != 42 || errmapconnect.FromError(c.WithRemote()).Number() != 42 {
		t.Errorf("got %v", c)
	}
}

func TestField_084_received_errors_can_be_made(t *testing.T) {
	t.Parallel()
	e := errmapconnect.FromError(errmapconnect.ToError(errmap.New(&shopv1.StockEmptyError{Sku: "A1"})).WithRemote())
	if got, ok := errors.AsType[*shopv1.StockEmptyError](error(e)); !ok || got.GetSku() != "A1" || !e.Remote() {
		t.Errorf("got %v", e)
	}
}

func TestField_033_code_of_nil(t *testing.T) {
	t.Parallel()
	var none *errmap.Error
	if errmapconnect.FromError(nil).Code() != code.Code_OK || none.Code() != code.Code_OK || errmapconnect.ToError(none) != nil {
		t.Error("nil is an error")
	}
	if e, known := errmapconnect.Recognize((*connect.Error)(nil)); e != nil || !known {
		t.Errorf("Recognize gives %v, %v", e, known)
	}
	if e, known := errmapconnect.Recognize(errors.New("x")); e != nil || known {
		t.Errorf("Recognize gives %v, %v", e, known)
	}
}

func TestWithEncoding(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(code.Code_ABORTED, "x").WithDetail(&errdetails.ErrorInfo{Reason: "CLASH", Domain: "shop.example.com"}).
		WithDetail(&errdetails.LocalizedMessage{Locale: "de", Message: "0123456789012345678901234567890123456789"})
	opts := []errmapconnect.ServerOption{errmapconnect.WithEncoding(errmap.WithBudget(230))}
	for protocol, want := range map[string]int{"grpc": 1, "grpcweb": 1, "connect": 2, "in-process": 2} {
		server := errmapconnect.NewServer(opts...)
		shopv1connect.RegisterCartHandler(server, cart{fail: adaptertest.Return(e)})
		over, _ := protocols[protocol](t, server)
		err := methods["unary"](t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
		got, _ := errors.AsType[*errmap.Error](err)
		if len(got.Details()) != want || got.Reason() != "CLASH" {
			t.Errorf("%s: %v with %d details, want %d", protocol, got, len(got.Details()), want)
		}
	}
}

func TestWithDecoding(t *testing.T) {
	t.Parallel()
	for protocol := range protocols {
		server := errmapconnect.NewServer()
		shopv1connect.RegisterCartHandler(server, cart{fail: adaptertest.Return(adaptertest.StockEmpty())})
		over, _ := protocols[protocol](t, server)
		var seen error
		spy := func(next connect.ClientFunc) connect.ClientFunc {
			return func(ctx context.Context, spec connect.Spec) (connect.ClientStream, error) {
				stream, err := next(ctx, spec)
				return spyStream{stream, &seen}, err
			}
		}
		client := errmapconnect.NewClient(over, errmapconnect.WithClientInterceptors(spy), errmapconnect.WithDecoding(errmap.WithLimits(errmap.Limits{Details: 1})))
		err := methods["unary"](t.Context(), shopv1connect.NewCartClient(client))
		if e, _ := errors.AsType[*errmap.Error](err); len(e.Details()) != 1 {
			t.Errorf("%s: %d details", protocol, len(e.Details()))
		}
		// In a process the causes of the server's error come along.
		if _, ok := errors.AsType[*errmap.Error](seen); ok && protocol != "in-process" || seen == nil {
			t.Errorf("%s: the inner interceptor saw %v", protocol, seen)
		}
	}
}

// spyStream keeps the error of Receive.
type spyStream struct {
	connect.ClientStream
	seen *error
}

func (s spyStream) Receive(msg any) error {
	*s.seen = s.ClientStream.Receive(msg)
	return *s.seen
}

func TestClientInterceptor_errorsOfOthers(t *testing.T) {
	t.Parallel()
	own := errors.New("no token")
	for name, test := range map[string]struct {
		err  error
		want code.Code
	}{
		"not connect's": {own, 0},
		"connect's":     {connect.NewError(connect.CodeUnauthenticated, "no token"), code.Code_UNAUTHENTICATED},
	} {
		refuse := func(connect.ClientFunc) connect.ClientFunc {
			return func(context.Context, connect.Spec) (connect.ClientStream, error) { return nil, test.err }
		}
		client := connect.NewClient(nothing{}, errmapconnect.ClientInterceptor(errmapconnect.WithClientInterceptors(refuse)))
		err := methods["unary"](t.Context(), shopv1connect.NewCartClient(client))
		e, ok := errors.AsType[*errmap.Error](err)
		if ok != (test.want != 0) || e.Code() != test.want || ok && !e.Local() || !errors.Is(err, test.err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// nothing is a transport that reaches nobody.
type nothing struct{}

func (nothing) NewClientStream(context.Context, connect.Spec) (connect.ClientStream, error) {
	return nil, context.Canceled
}
