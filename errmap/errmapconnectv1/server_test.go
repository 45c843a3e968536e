package errmapconnectv1_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
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
)

func TestServerInterceptor_typedErrors(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"wrapped":    fmt.Errorf("save: %w", adaptertest.StockEmpty()),
		"in connect": connect.NewError(connect.CodeUnknown, adaptertest.StockEmpty()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(err), nil, func(t *testing.T, err error, w *adaptertest.Wire) {
				adaptertest.CheckStockEmpty(t, err)
				if connect.CodeOf(err) != connect.CodeFailedPrecondition || !connect.IsWireError(err) {
					t.Errorf("connect sees %v", connect.CodeOf(err))
				}
				if bytes.Contains(w.Bytes(), []byte("save")) {
					t.Error("the text of the wrapper is on the wire")
				}
			})
		})
	}
}

func TestServerInterceptor_hidesErrors(t *testing.T) {
	t.Parallel()
	upstream := connect.NewWireError(connect.CodePermissionDenied, errors.New(adaptertest.Secret))
	upstream.Meta().Set("X-Host", adaptertest.Secret)
	refused := connect.NewError(connect.CodeUnavailable, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New(adaptertest.Secret)})
	refused.Meta().Set("X-Host", adaptertest.Secret)
	cases := adaptertest.Hidden()
	maps.Copy(cases, map[string]func(context.Context) error{
		"upstream":               adaptertest.Return(upstream),
		"wrapped upstream":       adaptertest.Return(fmt.Errorf("inventory: %w", upstream)),
		"upstream as connect's":  adaptertest.Return(connect.NewError(connect.CodeInternal, upstream)),
		"upstream read":          adaptertest.Return(errmapconnectv1.FromError(upstream)),
		"upstream read, wrapped": adaptertest.Return(connect.NewError(connect.CodeInternal, errmapconnectv1.FromError(upstream))),
		"refused":                adaptertest.Return(refused),
		"refused read":           adaptertest.Return(errmapconnectv1.FromError(refused)),
		"nil pointer of connect": adaptertest.Return((*connect.Error)(nil)),
	})
	for name, fail := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logged := new(adaptertest.Journal)
			opts := []errmapconnectv1.ServerOption{errmapconnectv1.WithGuard(logged.Guard())}
			everyCall(t, fail, opts, func(t *testing.T, err error, w *adaptertest.Wire) {
				adaptertest.CheckHidden(t, name, err, w, logged)
			})
		})
	}
}

func TestServerInterceptor_ownErrorsSpeak(t *testing.T) {
	t.Parallel()
	withDetail := errmapconnectv1.ToError(errmap.NewCode(code.Code_NOT_FOUND, "no such cart"))
	detail, err := connect.NewErrorDetail(&errdetails.ErrorInfo{Reason: "ADDED"})
	if err != nil {
		t.Fatal(err)
	}
	withDetail.AddDetail(detail)
	for name, fail := range map[string]error{
		"connect's error":         connect.NewError(connect.CodeNotFound, errors.New("no such cart")),
		"wrapped":                 fmt.Errorf(adaptertest.Secret+": %w", connect.NewError(connect.CodeNotFound, errors.New("no such cart"))),
		"errmap's error":          errmap.NewCode(code.Code_NOT_FOUND, "no such cart").WithCause(errors.New(adaptertest.Secret)),
		"forwarded":               errmap.Forward(errmap.NewCode(code.Code_NOT_FOUND, "no such cart").WithRemote()),
		"forwarded, in connect's": connect.NewError(connect.CodeUnknown, errmap.Forward(errmap.NewCode(code.Code_NOT_FOUND, "no such cart").WithRemote())),
		"converted":               errmapconnectv1.ToError(errmap.NewCode(code.Code_NOT_FOUND, "no such cart")),
		"with a detail":           withDetail,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(fail), nil, func(t *testing.T, err error, w *adaptertest.Wire) {
				e, ok := errors.AsType[*errmap.Error](err)
				if !ok || e.Code() != code.Code_NOT_FOUND || e.Message() != "no such cart" {
					t.Fatalf("got %v", err)
				}
				if (e.Reason() == "ADDED") != (name == "with a detail") {
					t.Errorf("reason %q", e.Reason())
				}
				adaptertest.CheckUntold(t, w)
			})
		})
	}
}

func TestServerInterceptor_meta(t *testing.T) {
	t.Parallel()
	own := connect.NewError(connect.CodeNotFound, errors.New("no such cart"))
	own.Meta().Set("X-Cart", "7")
	upstream := connect.NewWireError(connect.CodeNotFound, errors.New("no such cart"))
	upstream.Meta().Set("X-Cart", "7")
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"own goes along":                  {own, "7"},
		"upstream's stays behind":         {errmap.Forward(errmapconnectv1.FromError(upstream)), ""},
		"that of a mere cause stays, too": {errmap.NewCode(code.Code_ABORTED, "x").WithCause(own), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(test.err), nil, func(t *testing.T, err error, _ *adaptertest.Wire) {
				c, ok := errors.AsType[*connect.Error](err)
				if !ok || c.Meta().Get("X-Cart") != test.want {
					t.Errorf("got %v with %v", err, c.Meta())
				}
			})
		})
	}
}

// Programs return one error to many requests.
func TestServerInterceptor_sharedErrors(t *testing.T) {
	t.Parallel()
	shared := connect.NewError(connect.CodeNotFound, errors.New("no such cart"))
	client, _ := serve(t, adaptertest.Return(shared), errmapconnectv1.WithServer())
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if err := methods["unary"](t.Context(), newClient(client, nil)); connect.CodeOf(err) != connect.CodeNotFound {
				t.Errorf("got %v", err)
			}
		})
	}
	calls.Wait() // the race detector tells the rest
}

func TestServerInterceptor_contextOfTheRequest(t *testing.T) {
	t.Parallel()
	shutdown := make(chan struct{})
	close(shutdown)
	canceled := func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, cancel
	}
	for name, test := range map[string]struct {
		end   func(context.Context) (context.Context, context.CancelFunc)
		guard *errmap.Guard
		want  code.Code
		text  string
	}{
		"deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Unix(0, 0))
		}, nil, code.Code_DEADLINE_EXCEEDED, "deadline exceeded"},
		"canceled": {canceled, nil, code.Code_CANCELLED, "canceled"},
		"shutdown": {canceled, errmap.NewGuard(errmap.WithShutdown(shutdown)), code.Code_UNAVAILABLE, "the server is shutting down"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, w := serve(t, func(ctx context.Context) error { return fmt.Errorf("%s: %w", adaptertest.Secret, ctx.Err()) },
				connect.WithInterceptors(ending{test.end}), errmapconnectv1.WithServer(errmapconnectv1.WithGuard(test.guard)))
			for method, call := range methods {
				err := call(t.Context(), shopv1connectv1.NewCartClient(client, "http://shop", connect.WithGRPC(), errmapconnectv1.WithClient()))
				e, ok := errors.AsType[*errmap.Error](err)
				if !ok || e.Code() != test.want || e.Message() != test.text || !e.Remote() {
					t.Errorf("%s: got %v", method, err)
				}
				if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: a received error is a context error", method)
				}
			}
			adaptertest.CheckUntold(t, w)
		})
	}
}

// ending ends the context of a request before its handler runs.
type ending struct {
	end func(context.Context) (context.Context, context.CancelFunc)
}

func (i ending) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		ctx, cancel := i.end(ctx)
		defer cancel()
		return next(ctx, req)
	}
}

func (i ending) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		ctx, cancel := i.end(ctx)
		defer cancel()
		return next(ctx, conn)
	}
}

func (ending) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func TestServerInterceptor_abortHandler(t *testing.T) {
	t.Parallel()
	logged := new(adaptertest.Journal)
	everyCall(t, func(context.Context) error { panic(http.ErrAbortHandler) }, []errmapconnectv1.ServerOption{errmapconnectv1.WithGuard(logged.Guard())},
		func(t *testing.T, err error, _ *adaptertest.Wire) {
			if e, ok := errors.AsType[*errmap.Error](err); !ok || !e.Local() {
				t.Errorf("got %v, want a failed call", err)
			}
			if logged.Len() != 0 {
				t.Error("an abort was logged as a panic")
			}
		})
}

func TestServerInterceptor_malformedRequest(t *testing.T) {
	t.Parallel()
	logged := new(adaptertest.Journal)
	client, _ := serve(t, adaptertest.Return(nil), errmapconnectv1.WithServer(errmapconnectv1.WithGuard(logged.Guard())))
	for contentType, procedure := range map[string]string{
		"application/json":         shopv1connectv1.CartGetProcedure,
		"application/connect+json": shopv1connectv1.CartFillProcedure,
	} {
		body := `{"sku":`
		if procedure == shopv1connectv1.CartFillProcedure {
			body = "\x00\x00\x00\x00\x07" + body
		}
		resp, err := client.Post("http://shop"+procedure, contentType, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		_, _ = text.ReadFrom(resp.Body)
		_ = resp.Body.Close()
		if !strings.Contains(text.String(), `"code":"invalid_argument"`) {
			t.Errorf("%s: %s", procedure, text.String())
		}
	}
	if logged.Len() != 0 {
		t.Error("a caller's mistake was logged as a fault of the program")
	}
}

func TestServerInterceptor_brokenProtocol(t *testing.T) {
	t.Parallel()
	logged := new(adaptertest.Journal)
	client, _ := serve(t, adaptertest.Return(nil), errmapconnectv1.WithServer(errmapconnectv1.WithGuard(logged.Guard())))
	const compressed = "\x01\x00\x00\x00\x02{}" // and no header says how
	resp, err := client.Post("http://shop"+shopv1connectv1.CartFillProcedure, "application/connect+json", strings.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	const want = "\x02\x00\x00\x00\x6d" + `{"error":{"code":"internal","message":"protocol error: sent compressed message without compression support"}}`
	if string(body) != want {
		t.Errorf("got %q", body)
	}
	if logged.Len() != 0 {
		t.Error("a caller's mistake was logged as a fault of the program")
	}
}

func TestServerInterceptor_notModified(t *testing.T) {
	t.Parallel()
	notModified := connect.NewNotModifiedError(http.Header{"Etag": {"7"}})
	client, _ := serve(t, adaptertest.Return(notModified), errmapconnectv1.WithServer())
	cart := shopv1connectv1.NewCartClient(client, "http://shop", connect.WithHTTPGet(), errmapconnectv1.WithClient())
	_, err := cart.Echo(t.Context(), connect.NewRequest(&shopv1.Everything{}))
	c, ok := errors.AsType[*connect.Error](err)
	if !connect.IsNotModifiedError(err) || !ok || c.Meta().Get("Etag") != "7" {
		t.Errorf("got %v", err)
	}
}
