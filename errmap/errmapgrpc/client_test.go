package errmapgrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// serveAnswer serves a raw HTTP answer in memory.
func serveAnswer(t *testing.T, answer adaptertest.Answer) *adaptertest.Listener {
	t.Helper()
	listener, _ := adaptertest.Listen()
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: answer, Protocols: &protocols}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener
}

// What grpc-go leaves of the answers is in docs/interop.md.
func TestDialOptions_answers(t *testing.T) {
	t.Parallel()
	cases := adaptertest.GRPC()
	for name, change := range map[string]func(*adaptertest.Told){
		"no number": func(w *adaptertest.Told) { *w = adaptertest.Told{Code: 2, Local: true} },
		"no base64": func(w *adaptertest.Told) { *w = adaptertest.Told{Code: 13, Local: true} },
		"a limit":   func(w *adaptertest.Told) { w.Types, w.Delay = nil, 0 },
	} {
		c := cases[name]
		change(&c.Want)
		cases[name] = c
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := dial(t, serveAnswer(t, test.Answer), errmapgrpc.DialOptions()...).Get(t.Context(), &shopv1.GetRequest{})
			got := adaptertest.Tell(t, err)
			if test.Want.Message == "" {
				got.Message = "" // the library's own text
			}
			if diff := cmp.Diff(test.Want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if _, ok := status.FromError(err); !ok {
				t.Error("grpc-go sees no status")
			}
		})
	}
}

func TestDialOptions_nothingLost(t *testing.T) {
	t.Parallel()
	for name, rich := range adaptertest.Rich(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(rich), []errmapgrpc.ServerOption{errmapgrpc.WithGuard(errmap.NewGuard(errmap.WithDebugInfo()))}, func(t *testing.T, err error, _ *adaptertest.Wire) {
				adaptertest.CheckSame(t, rich, err)
			})
		})
	}
}

func TestField_117_local_failures(t *testing.T) {
	t.Parallel()
	for name, ending := range adaptertest.Endings() {
		for installed, dialOptions := range clients {
			for method, call := range methods {
				t.Run(name+"/"+installed+"/"+method, func(t *testing.T) {
					t.Parallel()
					release := make(chan struct{})
					// The handler keeps still, so that the server cannot answer first.
					listener, _ := serve(t, func(context.Context) error {
						<-release
						return nil
					}, errmapgrpc.ServerOptions()...)
					t.Cleanup(func() { close(release) })
					ctx, cancel := ending.Begin(t.Context())
					defer cancel()
					err := call(ctx, dial(t, listener, dialOptions...))
					adaptertest.CheckLocal(t, err, ending.Code, ending.Err)
					if status.Code(err) != codes.Code(ending.Code) {
						t.Errorf("status.Code = %v", status.Code(err))
					}
				})
			}
		}
	}
}

func TestField_052_server_not_reached(t *testing.T) {
	t.Parallel()
	for installed, dialOptions := range clients {
		for method, call := range methods {
			t.Run(installed+"/"+method, func(t *testing.T) {
				t.Parallel()
				opts := append(dialOptions[:len(dialOptions):len(dialOptions)], grpc.WithTransportCredentials(insecure.NewCredentials()),
					grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
						return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
					}))
				conn, err := grpc.NewClient("passthrough:///shop", opts...)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = conn.Close() })
				adaptertest.CheckLocal(t, call(t.Context(), shopv1.NewCartClient(conn)), code.Code_UNAVAILABLE, nil)
			})
		}
	}
}

func TestField_041_deadline_of_a_nested_call(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	slow, _ := serve(t, func(context.Context) error {
		<-release
		return nil
	}, errmapgrpc.ServerOptions()...)
	t.Cleanup(func() { close(release) })
	upstream := dial(t, slow, errmapgrpc.DialOptions()...)
	logged := new(adaptertest.Journal)
	listener, _ := serve(t, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		return fmt.Errorf("inventory: %w", methods["unary"](ctx, upstream))
	}, errmapgrpc.ServerOptions(errmapgrpc.WithGuard(logged.Guard()))...)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := methods["unary"](ctx, dial(t, listener, errmapgrpc.DialOptions()...))
	if e, ok := errors.AsType[*errmap.Error](err); !ok || e.Code() != code.Code_INTERNAL || logged.Len() != 1 {
		t.Errorf("got %v", err)
	}
}

func TestField_073_received_canceled_is_no_context_error(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]error{
		"errmap's":  errmap.NewCode(code.Code_CANCELLED, "context canceled").WithCause(context.Canceled),
		"grpc-go's": status.Error(codes.Canceled, "context canceled"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyCall(t, adaptertest.Return(sent), nil, func(t *testing.T, err error, _ *adaptertest.Wire) {
				if e, ok := errors.AsType[*errmap.Error](err); !ok || !e.Remote() || e.Code() != code.Code_CANCELLED {
					t.Errorf("got %v", err)
				}
				if errors.Is(err, context.Canceled) {
					t.Error("it is a context error")
				}
			})
		})
	}
}

func TestField_071_conversion_does_not_grow(t *testing.T) {
	t.Parallel()
	e, ok := errors.AsType[*errmap.Error](fmt.Errorf("ctx: %w", errmapgrpc.ToError(errmap.NewCode(code.Code_NOT_FOUND, "gone").WithRemote())))
	if !ok {
		t.Fatal("no error")
	}
	for range 3 {
		e = errmapgrpc.FromError(fmt.Errorf("ctx: %w", errmapgrpc.ToError(e)))
	}
	if e.Message() != "gone" {
		t.Errorf("message %q", e.Message())
	}
	bare := fmt.Errorf("ctx: %w", status.Error(codes.NotFound, "gone"))
	if e := errmapgrpc.FromError(bare); e.Message() != "gone" || e.Code() != code.Code_NOT_FOUND {
		t.Errorf("got %v", e)
	}
}

func TestField_083_errors_do_not_grow_over_hops(t *testing.T) {
	t.Parallel()
	fail := adaptertest.Return(error(adaptertest.StockEmpty()))
	for hop := range 4 {
		listener, _ := serve(t, fail, errmapgrpc.ServerOptions()...)
		client := dial(t, listener, errmapgrpc.DialOptions()...)
		call := methods["bidi stream"]
		if hop%2 == 0 {
			call = methods["unary"]
		}
		err := call(t.Context(), client)
		adaptertest.CheckStockEmpty(t, err)
		if e, _ := errors.AsType[*errmap.Error](err); len(e.Details()) != 2 {
			t.Errorf("hop %d: %d details", hop, len(e.Details()))
		}
		fail = func(ctx context.Context) error { return errmap.Forward(call(ctx, client)) }
	}
}

func TestField_032_OK_is_no_error(t *testing.T) {
	t.Parallel()
	if e := errmapgrpc.FromStatus(status.New(codes.OK, "m")); e != nil {
		t.Errorf("FromStatus: %v", e)
	}
	if e := errmapgrpc.FromError(okError{}); e != nil {
		t.Errorf("FromError: %v", e)
	}
	if err := errmapgrpc.ToError(nil); err != nil {
		t.Errorf("ToError: %v", err)
	}
	if s := errmapgrpc.ToStatus(nil); s.Code() != codes.OK {
		t.Errorf("ToStatus: %v", s)
	}
	if e := errmapgrpc.FromError(nil); e != nil {
		t.Errorf("FromError(nil): %v", e)
	}
}

func TestFromError_others(t *testing.T) {
	t.Parallel()
	if e := errmapgrpc.FromError(errors.New(adaptertest.Secret)); e.Code() != code.Code_INTERNAL || e.Message() != "internal error" {
		t.Errorf("got %v", e)
	}
	if e := errmapgrpc.FromError(adaptertest.StockEmpty()); e.Reason() != "STOCK_EMPTY" {
		t.Errorf("got %v", e)
	}
}

// Of several values the last counts for grpc-go.
func TestDialOptions_severalStatuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []string
		want   code.Code
	}{{[]string{"0", "5"}, 5}, {[]string{"5", "0"}, 0}} {
		listener, _ := adaptertest.Listen()
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		server := &http.Server{Protocols: &protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			_, _ = io.WriteString(w, "\x00\x00\x00\x00\x00")
			w.(http.Flusher).Flush()
			w.Header()[http.TrailerPrefix+"Grpc-Status"] = test.values
		})}
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(func() { _ = server.Close() })
		err := methods["unary"](t.Context(), dial(t, listener, errmapgrpc.DialOptions()...))
		if e, _ := errors.AsType[*errmap.Error](err); e.Code() != test.want {
			t.Errorf("%v: got %v", test.values, err)
		}
	}
}
