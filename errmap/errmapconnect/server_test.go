package errmapconnect_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

func TestNewServer_typedErrors(t *testing.T) {
	t.Parallel()
	everyCall(t, adaptertest.Return(fmt.Errorf("save: %w", adaptertest.StockEmpty())), nil, func(t *testing.T, err error, w *adaptertest.Wire) {
		adaptertest.CheckStockEmpty(t, err)
		if connect.CodeOf(err) != connect.CodeFailedPrecondition {
			t.Errorf("CodeOf = %v", connect.CodeOf(err))
		}
		if c, ok := errors.AsType[*connect.Error](err); !ok || !c.IsRemote() {
			t.Errorf("connect's error is %v", c)
		}
		if bytes.Contains(w.Bytes(), []byte("save")) {
			t.Error("the text of the wrapper is on the wire")
		}
	})
}

func TestServerInterceptor_hidesErrors(t *testing.T) {
	t.Parallel()
	upstream := connect.NewError(connect.CodePermissionDenied, adaptertest.Secret).WithRemote()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New(adaptertest.Secret)}
	cases := adaptertest.Hidden()
	maps.Copy(cases, map[string]func(context.Context) error{
		"upstream":               adaptertest.Return(upstream),
		"wrapped upstream":       adaptertest.Return(fmt.Errorf("inventory: %w", upstream)),
		"upstream read":          adaptertest.Return(errmapconnect.FromError(upstream)),
		"refused":                adaptertest.Return(connect.NewError(connect.CodeUnavailable, refused.Error()).WithCause(refused)),
		"refused read":           adaptertest.Return(errmapconnect.FromError(connect.NewError(connect.CodeUnavailable, refused.Error()).WithCause(refused))),
		"nil pointer of connect": adaptertest.Return((*connect.Error)(nil)),
	})
	for name, fail := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logged := new(adaptertest.Journal)
			opts := []errmapconnect.ServerOption{errmapconnect.WithGuard(logged.Guard())}
			everyCall(t, fail, opts, func(t *testing.T, err error, w *adaptertest.Wire) {
				adaptertest.CheckHidden(t, name, err, w, logged)
			})
		})
	}
}

func TestServerInterceptor_ownErrorsSpeak(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]error{
		"connect's error":      connect.NewError(connect.CodeNotFound, "no such cart"),
		"with a secret cause":  connect.NewError(connect.CodeNotFound, "no such cart").WithCause(errors.New(adaptertest.Secret)),
		"with a context cause": connect.NewError(connect.CodeNotFound, "no such cart").WithCause(context.DeadlineExceeded),
		"wrapped":              fmt.Errorf(adaptertest.Secret+": %w", connect.NewError(connect.CodeNotFound, "no such cart")),
		"errmap's error":       errmap.NewCode(code.Code_NOT_FOUND, "no such cart").WithCause(errors.New(adaptertest.Secret)),
		"forwarded":            errmap.Forward(errmap.NewCode(code.Code_NOT_FOUND, "no such cart").WithRemote()),
		"converted":            errmapconnect.ToError(errmap.NewCode(code.Code_NOT_FOUND, "no such cart")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(fail), nil, func(t *testing.T, err error, w *adaptertest.Wire) {
				e, ok := errors.AsType[*errmap.Error](err)
				if !ok || e.Code() != code.Code_NOT_FOUND || e.Message() != "no such cart" {
					t.Fatalf("got %v", err)
				}
				if bytes.Contains(w.Bytes(), []byte("10.0.0.7")) || strings.Contains(fmt.Sprint(err), adaptertest.Secret) {
					t.Error("a cause is on the wire")
				}
				if errors.Is(err, context.DeadlineExceeded) {
					t.Error("the cause of a received error came along")
				}
			})
		})
	}
}

func TestServerInterceptor_failedCallsForwarded(t *testing.T) {
	t.Parallel()
	failed := errmap.NewCode(code.Code_UNAVAILABLE, adaptertest.Secret).WithLocal()
	everyCall(t, adaptertest.Return(errmap.Forward(failed)), nil, func(t *testing.T, err error, w *adaptertest.Wire) {
		e, _ := errors.AsType[*errmap.Error](err)
		if e.Code() != code.Code_UNAVAILABLE || e.Message() != "unavailable" {
			t.Errorf("got %v", err)
		}
	})
}

func TestServerInterceptor_debugInfo(t *testing.T) {
	t.Parallel()
	invalid := &shopv1.InvalidCartError{
		Fields: &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "qty", Description: "too many"}}},
		Debug:  &errdetails.DebugInfo{Detail: adaptertest.Secret},
	}
	t.Run("stays", func(t *testing.T) {
		t.Parallel()
		everyCall(t, adaptertest.Return(invalid), nil, func(t *testing.T, err error, w *adaptertest.Wire) {
			got, ok := errors.AsType[*shopv1.InvalidCartError](err)
			if !ok || got.GetDebug() != nil || got.GetFields().GetFieldViolations()[0].GetField() != "qty" {
				t.Errorf("got %v", got)
			}
			if bytes.Contains(w.Bytes(), []byte("10.0.0.7")) {
				t.Error("DebugInfo is on the wire")
			}
		})
	})
	t.Run("leaves where the server says so", func(t *testing.T) {
		t.Parallel()
		opts := []errmapconnect.ServerOption{errmapconnect.WithGuard(errmap.NewGuard(errmap.WithDebugInfo()))}
		everyCall(t, adaptertest.Return(invalid), opts, func(t *testing.T, err error, _ *adaptertest.Wire) {
			if got, ok := errors.AsType[*shopv1.InvalidCartError](err); !ok || got.GetDebug().GetDetail() != adaptertest.Secret {
				t.Errorf("got %v", got)
			}
		})
	})
}

func TestServerInterceptor_contextOfTheRequest(t *testing.T) {
	t.Parallel()
	// The handler outlives its deadline by what it returns, not by time: the
	// client's own deadline is far off, the server's context ends at once.
	ended := func(cause func(context.Context) (context.Context, context.CancelFunc)) connect.ServerInterceptor {
		return func(next connect.ServerFunc) connect.ServerFunc {
			return func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
				ctx, cancel := cause(ctx)
				defer cancel()
				return next(ctx, spec, stream)
			}
		}
	}
	expired := ended(func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithDeadline(ctx, time.Unix(0, 0))
	})
	canceled := ended(func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, cancel
	})
	shutdown := make(chan struct{})
	close(shutdown)
	for name, test := range map[string]struct {
		ctx   connect.ServerInterceptor
		guard *errmap.Guard
		want  code.Code
		text  string
	}{
		"deadline": {expired, nil, code.Code_DEADLINE_EXCEEDED, "deadline exceeded"},
		"canceled": {canceled, nil, code.Code_CANCELLED, "canceled"},
		"shutdown": {canceled, errmap.NewGuard(errmap.WithShutdown(shutdown)), code.Code_UNAVAILABLE, "the server is shutting down"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := connect.NewServer(test.ctx, errmapconnect.ServerInterceptor(errmapconnect.WithGuard(test.guard)))
			shopv1connect.RegisterCartHandler(server, cart{fail: func(ctx context.Context) error {
				return fmt.Errorf("%s: %w", adaptertest.Secret, ctx.Err())
			}})
			over, _ := protocols["grpc"](t, server)
			for method, call := range methods {
				err := call(t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
				e, ok := errors.AsType[*errmap.Error](err)
				if !ok || e.Code() != test.want || e.Message() != test.text || !e.Remote() {
					t.Errorf("%s: got %v", method, err)
				}
				if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: a received error is a context error", method)
				}
			}
		})
	}
}

func TestServerInterceptor_abortHandler(t *testing.T) {
	t.Parallel()
	logged := new(adaptertest.Journal)
	server := errmapconnect.NewServer(errmapconnect.WithGuard(logged.Guard()))
	shopv1connect.RegisterCartHandler(server, cart{fail: func(context.Context) error { panic(http.ErrAbortHandler) }})
	over, _ := protocols["grpc"](t, server)
	err := methods["unary"](t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
	if e, ok := errors.AsType[*errmap.Error](err); !ok || !e.Local() {
		t.Errorf("got %v, want a failed call", err)
	}
	if logged.Len() != 0 {
		t.Error("an abort was logged as a panic")
	}
}

func TestServerInterceptor_panicsOfInterceptors(t *testing.T) {
	t.Parallel()
	panics := func(connect.ServerFunc) connect.ServerFunc {
		return func(context.Context, connect.Spec, connect.ServerStream) error { panic(adaptertest.Secret) }
	}
	logged := new(adaptertest.Journal)
	opts := []errmapconnect.ServerOption{errmapconnect.WithServerInterceptors(panics), errmapconnect.WithGuard(logged.Guard())}
	everyCall(t, adaptertest.Return(nil), opts, func(t *testing.T, err error, w *adaptertest.Wire) {
		if e, ok := errors.AsType[*errmap.Error](err); !ok || e.Code() != code.Code_INTERNAL || bytes.Contains(w.Bytes(), []byte("10.0.0.7")) {
			t.Errorf("got %v", err)
		}
	})
}

func TestServerInterceptor_malformedRequest(t *testing.T) {
	t.Parallel()
	logged := new(adaptertest.Journal)
	server := errmapconnect.NewServer(errmapconnect.WithGuard(logged.Guard()))
	shopv1connect.RegisterCartHandler(server, cart{fail: adaptertest.Return(nil)})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, server, connecthttp.WithReadMaxBytes(64))
	client, _ := adaptertest.Serve(t, mux)
	for body, want := range map[string]int{
		`{"sku":`: http.StatusBadRequest,
		`{"sku":"` + strings.Repeat("A", 100) + `"}`: http.StatusTooManyRequests,
	} {
		resp, err := client.Post("http://shop"+shopv1connect.CartGetProcedure, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: HTTP %d, want %d", body, resp.StatusCode, want)
		}
	}
	if logged.Len() != 0 {
		t.Error("a caller's mistake was logged as a fault of the program")
	}
}

func TestServerInterceptor_notModified(t *testing.T) {
	t.Parallel()
	server := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(server, notModified{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, server)
	client, _ := adaptertest.Serve(t, mux)
	over := connecthttp.NewTransport(client, "http://shop", connecthttp.WithHTTPGet())
	_, err := shopv1connect.NewCartClient(errmapconnect.NewClient(over)).Echo(t.Context(), &shopv1.Everything{})
	if !connecthttp.IsNotModifiedError(err) {
		t.Errorf("got %v, want not modified", err)
	}
}

type notModified struct {
	shopv1connect.UnimplementedCartHandler
}

func (notModified) Echo(context.Context, *shopv1.Everything) (*shopv1.Everything, error) {
	return nil, connecthttp.NewNotModifiedError()
}
