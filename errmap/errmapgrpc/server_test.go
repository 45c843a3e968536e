package errmapgrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestServerOptions_typedErrors(t *testing.T) {
	t.Parallel()
	everyCall(t, adaptertest.Return(fmt.Errorf("save: %w", adaptertest.StockEmpty())), nil, func(t *testing.T, err error, w *adaptertest.Wire) {
		adaptertest.CheckStockEmpty(t, err)
		s, ok := status.FromError(err)
		if !ok || s.Code() != codes.FailedPrecondition || s.Message() != "No A1 é left" || len(s.Details()) != 2 {
			t.Errorf("grpc-go sees %v", s)
		}
		if status.Code(fmt.Errorf("call: %w", err)) != codes.FailedPrecondition {
			t.Error("grpc-go does not see the code through a wrap")
		}
		if bytes.Contains(w.Bytes(), []byte("save")) {
			t.Error("the text of the wrapper is on the wire")
		}
	})
}

func TestServerOptions_hidesErrors(t *testing.T) {
	t.Parallel()
	cases := adaptertest.Hidden()
	maps.Copy(cases, map[string]func(context.Context) error{
		"abort handler":   func(context.Context) error { panic(fmt.Errorf("%s: %w", adaptertest.Secret, http.ErrAbortHandler)) },
		"OK status":       adaptertest.Return(okError{}),
		"nil of a status": adaptertest.Return((*nilStatus)(nil)),
	})
	cases["panic that aborts"] = cases["abort handler"]
	delete(cases, "abort handler")
	for name, fail := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logged := new(adaptertest.Journal)
			opts := []errmapgrpc.ServerOption{errmapgrpc.WithGuard(logged.Guard())}
			everyCall(t, fail, opts, func(t *testing.T, err error, w *adaptertest.Wire) {
				adaptertest.CheckHidden(t, name, err, w, logged)
			})
		})
	}
}

// okError is an error that says it is none.
type okError struct{}

func (okError) Error() string              { return adaptertest.Secret }
func (okError) GRPCStatus() *status.Status { return status.New(codes.OK, "") }

// nilStatus does not survive its own nil.
type nilStatus struct{ text string }

func (n *nilStatus) Error() string              { return n.text }
func (n *nilStatus) GRPCStatus() *status.Status { return status.New(codes.NotFound, n.text) }

// upstream makes a handler that returns the error of a call of its own.
func upstream(t *testing.T, opts ...grpc.DialOption) func(context.Context) error {
	listener, _ := serve(t, adaptertest.Return(status.Error(codes.PermissionDenied, adaptertest.Secret)))
	client := dial(t, listener, opts...)
	return func(ctx context.Context) error {
		_, err := client.Get(ctx, &shopv1.GetRequest{})
		return fmt.Errorf("inventory: %w", err)
	}
}

func TestServerOptions_upstream(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dial   []grpc.DialOption
		strict bool
		hidden bool
	}{
		"through our client":         {clients["dial options"], false, true},
		"through our interceptors":   {clients["interceptors"], false, true},
		"through a bare client":      {nil, false, false},
		"through a bare one, strict": {nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logged := new(adaptertest.Journal)
			opts := []errmapgrpc.ServerOption{errmapgrpc.WithGuard(logged.Guard())}
			if test.strict {
				opts = append(opts, errmapgrpc.WithStrict())
			}
			everyCall(t, upstream(t, test.dial...), opts, func(t *testing.T, err error, w *adaptertest.Wire) {
				if test.hidden {
					adaptertest.CheckHidden(t, name, err, w, logged)
				} else if status.Convert(err).Message() != adaptertest.Secret {
					t.Errorf("got %v, want what grpc-go does", err)
				}
			})
		})
	}
}

func TestServerOptions_ownErrorsSpeak(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]error{
		"status":         status.Error(codes.NotFound, "no such cart"),
		"wrapped":        fmt.Errorf(adaptertest.Secret+": %w", status.Error(codes.NotFound, "no such cart")),
		"errmap's error": errmap.NewCode(code.Code_NOT_FOUND, "no such cart").WithCause(errors.New(adaptertest.Secret)),
		"forwarded":      errmap.Forward(errmap.NewCode(code.Code_NOT_FOUND, "no such cart").WithRemote()),
		"converted":      errmapgrpc.ToError(errmap.NewCode(code.Code_NOT_FOUND, "no such cart")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(fail), nil, func(t *testing.T, err error, w *adaptertest.Wire) {
				e, ok := errors.AsType[*errmap.Error](err)
				if !ok || e.Code() != code.Code_NOT_FOUND || e.Message() != "no such cart" || !e.Remote() {
					t.Fatalf("got %v", err)
				}
				if !errors.Is(err, status.Error(codes.NotFound, "no such cart")) {
					t.Error("errors.Is does not find grpc-go's own error")
				}
				adaptertest.CheckUntold(t, w)
			})
		})
	}
}

func TestServerOptions_contextOfTheRequest(t *testing.T) {
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
			unary := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
				ctx, cancel := test.end(ctx)
				defer cancel()
				return next(ctx, req)
			}
			stream := func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
				ctx, cancel := test.end(stream.Context())
				defer cancel()
				return next(srv, endedStream{stream, ctx})
			}
			opts := append([]grpc.ServerOption{grpc.UnaryInterceptor(unary), grpc.StreamInterceptor(stream)},
				errmapgrpc.ServerOptions(errmapgrpc.WithGuard(test.guard))...)
			listener, w := serve(t, func(ctx context.Context) error { return fmt.Errorf("%s: %w", adaptertest.Secret, ctx.Err()) }, opts...)
			for method, call := range methods {
				err := call(t.Context(), dial(t, listener, errmapgrpc.DialOptions()...))
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

type endedStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s endedStream) Context() context.Context { return s.ctx }

func TestServerOptions_budget(t *testing.T) {
	t.Parallel()
	large := errmap.NewCode(code.Code_ABORTED, "aborted").
		WithDetail(&errdetails.ErrorInfo{Reason: "CLASH", Domain: "shop.example.com"}).
		WithDetail(&errdetails.Help{Links: []*errdetails.Help_Link{{Description: string(bytes.Repeat([]byte("x"), 9000))}}})
	everyCall(t, adaptertest.Return(large), nil, func(t *testing.T, err error, _ *adaptertest.Wire) {
		e, _ := errors.AsType[*errmap.Error](err)
		if e.Reason() != "CLASH" || len(e.Details()) != 1 {
			t.Errorf("got %v with %d details", e, len(e.Details()))
		}
	})
}
