package errmapconnectv1_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/internal/adaptertest"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// overWire are the protocols that have one.
var overWire = map[string][]connect.ClientOption{
	"connect": nil,
	"grpc":    {connect.WithGRPC()},
	"grpcweb": {connect.WithGRPCWeb()},
}

// newClient returns a client with the interceptor.
func newClient(client *http.Client, opts []connect.ClientOption) shopv1connectv1.CartClient {
	return shopv1connectv1.NewCartClient(client, "http://shop", append(opts, errmapconnectv1.WithClient())...)
}

// checkLocal tells whether an error is of a failed call, for connect too.
func checkLocal(t *testing.T, err error, want code.Code, is error) {
	t.Helper()
	adaptertest.CheckLocal(t, err, want, is)
	if connect.CodeOf(err) != connect.Code(want) {
		t.Errorf("CodeOf = %v", connect.CodeOf(err))
	}
}

func TestField_117_local_failures(t *testing.T) {
	t.Parallel()
	for name, ending := range adaptertest.Endings() {
		for protocol, opts := range overWire {
			for method, call := range methods {
				t.Run(name+"/"+protocol+"/"+method, func(t *testing.T) {
					t.Parallel()
					release := make(chan struct{})
					defer close(release)
					// The handler keeps still, so that the server cannot answer first.
					client, _ := serve(t, func(context.Context) error {
						<-release
						return nil
					}, errmapconnectv1.WithServer())
					ctx, cancel := ending.Begin(t.Context())
					defer cancel()
					checkLocal(t, call(ctx, newClient(client, opts)), ending.Code, ending.Err)
				})
			}
		}
	}
}

func TestField_052_server_not_reached(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dial error
		want code.Code
		is   error
	}{
		"refused": {&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}, code.Code_UNAVAILABLE, syscall.ECONNREFUSED},
		"no name": {&net.DNSError{Err: "no such host", Name: "shop"}, code.Code_UNAVAILABLE, nil},
	} {
		for protocol, opts := range overWire {
			for method, call := range methods {
				t.Run(name+"/"+protocol+"/"+method, func(t *testing.T) {
					t.Parallel()
					client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, test.dial }}}
					err := call(t.Context(), newClient(client, opts))
					checkLocal(t, err, test.want, test.is)
				})
			}
		}
	}
}

func TestField_041_deadlines(t *testing.T) {
	t.Parallel()
	t.Run("of a nested call are not those of the request", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		t.Cleanup(func() { close(release) })
		slow, _ := serve(t, func(context.Context) error {
			<-release
			return nil
		}, errmapconnectv1.WithServer())
		for name, upstream := range map[string]shopv1connectv1.CartClient{
			"ours": newClient(slow, nil), "bare": shopv1connectv1.NewCartClient(slow, "http://shop"),
		} {
			logged := new(adaptertest.Journal)
			client, _ := serve(t, func(ctx context.Context) error {
				ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
				defer cancel()
				return fmt.Errorf("inventory: %w", methods["unary"](ctx, upstream))
			}, errmapconnectv1.WithServer(errmapconnectv1.WithGuard(logged.Guard())))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := methods["unary"](ctx, newClient(client, nil))
			if e, ok := errors.AsType[*errmap.Error](err); !ok || e.Code() != code.Code_INTERNAL || logged.Len() != 1 {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
	t.Run("lapse before a reset of the server", func(t *testing.T) {
		t.Parallel()
		// The deadline has passed, but the context does not know yet.
		ctx := lapsed{t.Context()}
		reset := errors.New("stream error: stream ID 1; CANCEL; received from peer")
		client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, reset })}
		for _, opts := range overWire {
			err := methods["unary"](ctx, newClient(client, opts))
			checkLocal(t, err, code.Code_DEADLINE_EXCEEDED, context.DeadlineExceeded)
		}
	})
	t.Run("lapse while dialing", func(t *testing.T) {
		t.Parallel()
		client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, &net.OpError{Op: "dial", Err: ctx.Err()}
		}}}
		for _, opts := range overWire {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			err := methods["unary"](ctx, newClient(client, opts))
			checkLocal(t, err, code.Code_DEADLINE_EXCEEDED, context.DeadlineExceeded)
		}
	})
}

// lapsed is a context whose deadline has passed before its timer fired.
type lapsed struct{ context.Context }

func (lapsed) Deadline() (time.Time, bool) { return time.Now().Add(-time.Millisecond), true }

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestField_073_received_canceled_is_no_context_error(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]error{
		"errmap's":  errmap.NewCode(code.Code_CANCELLED, "canceled").WithCause(context.Canceled),
		"connect's": connect.NewError(connect.CodeCanceled, errors.New("the order was canceled")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(sent), nil, func(t *testing.T, err error, _ *adaptertest.Wire) {
				e, ok := errors.AsType[*errmap.Error](err)
				if !ok || !e.Remote() || e.Code() != code.Code_CANCELLED {
					t.Errorf("got %v", err)
				}
				if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
					t.Error("it is a context error")
				}
			})
		})
	}
}

func TestField_083_errors_do_not_grow_over_hops(t *testing.T) {
	t.Parallel()
	fail := adaptertest.Return(error(adaptertest.StockEmpty()))
	var err error
	for hop, protocol := range []string{"grpc", "connect", "grpcweb", "json"} {
		server, _ := serve(t, fail, errmapconnectv1.WithServer())
		client := newClient(server, protocols[protocol])
		call := methods["bidi stream"]
		if hop%2 == 0 {
			call = methods["unary"]
		}
		err = call(t.Context(), client)
		adaptertest.CheckStockEmpty(t, err)
		if e, _ := errors.AsType[*errmap.Error](err); len(e.Details()) != 2 {
			t.Errorf("hop %d: %d details", hop, len(e.Details()))
		}
		fail = func(ctx context.Context) error { return errmap.Forward(call(ctx, client)) }
	}
}
