package errmapconnect_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/adaptertest"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// overWire are the protocols that have one.
var overWire = map[string][]connecthttp.Option{
	"connect": nil,
	"grpc":    {connecthttp.WithGRPC()},
	"grpcweb": {connecthttp.WithGRPCWeb()},
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
					server := errmapconnect.NewServer()
					shopv1connect.RegisterCartHandler(server, cart{fail: func(context.Context) error {
						<-release
						return nil
					}})
					over, _ := overHTTP(opts...)(t, server)
					ctx, cancel := ending.Begin(t.Context())
					defer cancel()
					checkLocal(t, call(ctx, shopv1connect.NewCartClient(errmapconnect.NewClient(over))), ending.Code, ending.Err)
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
					over := connecthttp.NewTransport(client, "http://shop", opts...)
					err := call(t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
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
		slow := errmapconnect.NewServer()
		shopv1connect.RegisterCartHandler(slow, cart{fail: func(context.Context) error {
			<-release
			return nil
		}})
		over, _ := protocols["grpc"](t, slow)
		for name, client := range map[string]*connect.Client{"ours": errmapconnect.NewClient(over), "bare": connect.NewClient(over)} {
			upstream := shopv1connect.NewCartClient(client)
			logged := new(adaptertest.Journal)
			server := errmapconnect.NewServer(errmapconnect.WithGuard(logged.Guard()))
			shopv1connect.RegisterCartHandler(server, cart{fail: func(ctx context.Context) error {
				ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
				defer cancel()
				return fmt.Errorf("inventory: %w", methods["unary"](ctx, upstream))
			}})
			over, _ := protocols["connect"](t, server)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := methods["unary"](ctx, shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
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
			over := connecthttp.NewTransport(client, "http://shop", opts...)
			err := methods["unary"](ctx, shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
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
			over := connecthttp.NewTransport(client, "http://shop", opts...)
			err := methods["unary"](ctx, shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
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
		"errmap's":              errmap.NewCode(code.Code_CANCELLED, "canceled").WithCause(context.Canceled),
		"connect's":             connect.NewError(connect.CodeCanceled, "the order was canceled").WithCause(context.Canceled),
		"connect's of deadline": connect.NewError(connect.CodeDeadlineExceeded, "too late").WithCause(context.DeadlineExceeded),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(sent), nil, func(t *testing.T, err error, _ *adaptertest.Wire) {
				e, ok := errors.AsType[*errmap.Error](err)
				if !ok || !e.Remote() || e.Code() != code.Code_CANCELLED && e.Code() != code.Code_DEADLINE_EXCEEDED {
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
	for hop, protocol := range []string{"grpc", "connect", "in-process", "grpcweb", "json"} {
		server := errmapconnect.NewServer()
		shopv1connect.RegisterCartHandler(server, cart{fail: fail})
		over, _ := protocols[protocol](t, server)
		client := shopv1connect.NewCartClient(errmapconnect.NewClient(over))
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
