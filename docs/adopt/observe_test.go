package adopt_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	connectv2 "connectrpc.com/connect/v2"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmapgateway"
	"github.com/errmap/errmap/errmap/errmapgrpc"
)

// watch logs what a caller would get. One that has a request id would be hidden.
func watch(ctx context.Context, e errmap.Event) {
	slog.WarnContext(ctx, "errmap", "procedure", e.Procedure, "error", e.Err,
		"code", e.Sent.Code(), "reason", e.Sent.Reason(), "text", e.Sent.Message(), "hidden", e.RequestID != "")
}

// quiet decides what would leave, and logs nothing: watch does.
func quiet(recognize ...errmap.GuardOption) *errmap.Guard {
	return errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {})).With(recognize...)
}

// observe tells f what errmap would send, and sends what the handler returned.
func observe(f errmap.Observer) connectv2.ServerInterceptor {
	guard := quiet(errmap.WithRecognizer(errmapconnect.Recognize))
	return func(next connectv2.ServerFunc) connectv2.ServerFunc {
		return func(ctx context.Context, spec connectv2.Spec, stream connectv2.ServerStream) error {
			err := next(ctx, spec, stream)
			f.Observe(ctx, errmap.Event{Procedure: spec.Procedure, Err: err, Sent: guard.Outgoing(ctx, err)})
			return err
		}
	}
}

// byRoute has errmap decide for the procedures that on names, and observe for the others.
func byRoute(on func(procedure string) bool, f errmap.Observer) connectv2.ServerInterceptor {
	observed, decided := observe(f), errmapconnect.ServerInterceptor(errmapconnect.WithObserver(f))
	return func(next connectv2.ServerFunc) connectv2.ServerFunc {
		before, after := observed(next), decided(next)
		return func(ctx context.Context, spec connectv2.Spec, stream connectv2.ServerStream) error {
			if on(spec.Procedure) {
				return after(ctx, spec, stream)
			}
			return before(ctx, spec, stream)
		}
	}
}

func observeV1(f errmap.Observer) connect.UnaryInterceptorFunc {
	guard := quiet(errmap.WithRecognizer(errmapconnectv1.Recognize))
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			resp, err := next(ctx, req)
			f.Observe(ctx, errmap.Event{Procedure: req.Spec().Procedure, Err: err, Sent: guard.Outgoing(ctx, err)})
			return resp, err
		}
	}
}

func byRouteV1(on func(procedure string) bool, f errmap.Observer) connect.HandlerOption {
	return connect.WithConditionalHandlerOptions(func(spec connect.Spec) []connect.HandlerOption {
		if on(spec.Procedure) {
			return []connect.HandlerOption{errmapconnectv1.WithServer(errmapconnectv1.WithObserver(f))}
		}
		return []connect.HandlerOption{connect.WithInterceptors(observeV1(f))}
	})
}

func byRouteGRPC(on func(procedure string) bool, f errmap.Observer) grpc.UnaryServerInterceptor {
	guard := quiet(errmap.WithRecognizer(errmapgrpc.Recognize))
	after := errmapgrpc.UnaryServerInterceptor(errmapgrpc.WithObserver(f))
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		if on(info.FullMethod) {
			return after(ctx, req, info, handler)
		}
		resp, err := handler(ctx, req)
		f.Observe(ctx, errmap.Event{Procedure: info.FullMethod, Err: err, Sent: guard.Outgoing(ctx, err)})
		return resp, err
	}
}

func byRouteGateway(on func(pattern string) bool) runtime.ErrorHandlerFunc {
	after := errmapgateway.ErrorHandler()
	return func(ctx context.Context, mux *runtime.ServeMux, m runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error) {
		if pattern, _ := runtime.HTTPPathPattern(ctx); on(pattern) {
			after(ctx, mux, m, w, r, err)
			return
		}
		runtime.DefaultHTTPErrorHandler(ctx, mux, m, w, r, err)
	}
}

func observeTools(f errmap.Observer) mcp.Middleware {
	guard := quiet()
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			failed := err
			if r, ok := result.(*mcp.CallToolResult); ok && r != nil && err == nil {
				failed = r.GetError()
			}
			f.Observe(ctx, errmap.Event{Procedure: method, Err: failed, Sent: guard.Outgoing(ctx, failed)})
			return result, err
		}
	}
}

// seen is an observer that remembers.
type seen struct {
	mu     sync.Mutex
	events []errmap.Event
}

func (s *seen) observe(ctx context.Context, e errmap.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	watch(ctx, e)
}

// last is what the last event says that a caller would get, as a cell of a table.
func (s *seen) last(t *testing.T, codeName func(code.Code) string) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.events) != 1 {
		t.Fatalf("%d events, want 1", len(s.events))
	}
	sent := s.events[0].Sent
	return ofStatus(sent.Status(), codeName(sent.Code()))
}

func never(string) bool  { return false }
func always(string) bool { return true }

// A service that is only observed answers as it did, byte for byte, and its observer is
// told what errmap would answer; switched on, it answers that. One that is switched off
// again is the first one.
func TestObserve(t *testing.T) {
	lower := func(c code.Code) string { return strings.ToLower(c.String()) }
	pascal := func(c code.Code) string { return codes.Code(c).String() }
	for _, stack := range []struct {
		name     string
		failures []failure
		codeName func(code.Code) string
		// call without errmap, and by route
		bare    func(t *testing.T, f failure) string
		byRoute func(t *testing.T, f failure, on func(string) bool, o errmap.Observer) string
	}{
		{"connect", ofConnect(), lower,
			func(t *testing.T, f failure) string {
				return post(t, mounted(connectv2.NewServer(), f.do), "/shop.v1.Cart/Get", f.timeout)
			},
			func(t *testing.T, f failure, on func(string) bool, o errmap.Observer) string {
				return post(t, mounted(connectv2.NewServer(byRoute(on, o)), f.do), "/shop.v1.Cart/Get", f.timeout)
			}},
		{"connect v1", ofConnectV1(), lower,
			func(t *testing.T, f failure) string {
				return post(t, mountedV1(f.do), "/shop.v1.Cart/Get", f.timeout)
			},
			func(t *testing.T, f failure, on func(string) bool, o errmap.Observer) string {
				return post(t, mountedV1(f.do, byRouteV1(on, o)), "/shop.v1.Cart/Get", f.timeout)
			}},
		{"grpc", ofGRPC(), pascal,
			func(t *testing.T, f failure) string { return overGRPC(t, f) },
			func(t *testing.T, f failure, on func(string) bool, o errmap.Observer) string {
				return overGRPC(t, f, grpc.ChainUnaryInterceptor(byRouteGRPC(on, o)))
			}},
	} {
		for _, f := range stack.failures {
			if f.name == panicked {
				continue // is the server's own as long as errmap is off
			}
			t.Run(fmt.Sprint(stack.name, " ", f.name), func(t *testing.T) {
				off, on := new(seen), new(seen)
				before, observed := stack.bare(t, f), stack.byRoute(t, f, never, off.observe)
				if observed != before {
					t.Errorf("observed it answers %s, before %s", observed, before)
				}
				after := stack.byRoute(t, f, always, on.observe)
				if told := off.last(t, stack.codeName); told != after {
					t.Errorf("the observer is told %s, and switched on it answers %s", told, after)
				}
				if told := on.last(t, stack.codeName); told != after {
					t.Errorf("switched on, the observer is told %s of %s", told, after)
				}
			})
		}
	}
}

func TestObserve_mcp(t *testing.T) {
	for _, f := range ofMCP() {
		if f.name == panicked {
			continue
		}
		events := new(seen)
		before, observed := overMCP(t, f, false), overMCP(t, f, false, observeTools(events.observe))
		if before != observed || len(events.events) != 1 {
			t.Errorf("%s: observed it answers %s, before %s; %d events", f.name, observed, before, len(events.events))
		}
	}
}

func TestByRoute_gateway(t *testing.T) {
	for _, on := range []bool{false, true} {
		mux := runtime.NewServeMux(runtime.WithErrorHandler(byRouteGateway(func(pattern string) bool { return on && pattern == "/v1/carts/{qty}" })))
		conn := dialed(t, "127.0.0.1:1")
		if err := register(mux, conn); err != nil {
			t.Fatal(err)
		}
		if got, want := get(t, mux, "/v1/carts/7"), `"status":"UNAVAILABLE"`; strings.Contains(got, want) != on {
			t.Errorf("switched %t it answers %s", on, got)
		}
	}
}
