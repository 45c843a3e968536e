package errmapconnect_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectinprocess"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

func TestWithObserver(t *testing.T) {
	t.Parallel()
	wires := map[string]errmap.Wire{"connect": errmap.WireConnect, "json": errmap.WireConnect, "grpc": errmap.WireGRPC, "grpcweb": errmap.WireGRPC, "in-process": errmap.WireStatus}
	names := map[string]string{"unary": "Get", "server stream": "Watch", "client stream": "Fill", "bidi stream": "Haggle"}
	for protocol, transport := range protocols {
		for method, call := range methods {
			for kind, fail := range map[string]func(context.Context) error{
				"error": adaptertest.Return(errors.New(adaptertest.Secret)), "panic": adaptertest.Hidden()["panic"], "nothing": adaptertest.Return(nil),
			} {
				t.Run(protocol+"/"+method+"/"+kind, func(t *testing.T) {
					t.Parallel()
					var here, there adaptertest.Events
					server := errmapconnect.NewServer(errmapconnect.WithGuard(adaptertest.Quiet()), errmapconnect.WithObserver(there.Observe))
					shopv1connect.RegisterCartHandler(server, cart{fail: fail})
					over, _ := transport(t, server)
					_ = call(t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(over, errmapconnect.WithObserver(here.Observe))))
					if kind == "nothing" {
						if events := append(here.Take(), there.Take()...); len(events) > 0 {
							t.Errorf("told of a call that did well: %+v", events)
						}
						return
					}
					adaptertest.CheckHiddenEvents(t, there.Take(), here.Take(), "/shop.v1.Cart/"+names[method], wires[protocol])
				})
			}
		}
	}
}

// A panic of an observer is not one of the call.
func TestWithObserver_panics(t *testing.T) {
	t.Parallel()
	bad := errmapconnect.WithObserver(func(context.Context, errmap.Event) { panic("x") })
	server := errmapconnect.NewServer(bad)
	shopv1connect.RegisterCartHandler(server, cart{fail: adaptertest.Return(error(adaptertest.StockEmpty()))})
	err := methods["unary"](t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(connectinprocess.New(server), bad)))
	adaptertest.CheckStockEmpty(t, err)
}

// Not parallel: it counts allocations.
func TestWithObserver_unset(t *testing.T) {
	allocs := func(opts ...errmapconnect.ServerOption) float64 {
		e := errmap.New(&shopv1.StockEmptyError{Sku: "A1"})
		serve := errmapconnect.ServerInterceptor(opts...)(func(context.Context, connect.Spec, connect.ServerStream) error { return e })
		return testing.AllocsPerRun(100, func() { _ = serve(context.Background(), connect.Spec{Procedure: "/s/M"}, nil) })
	}
	if without, unset := allocs(), allocs(errmapconnect.WithObserver(nil)); without != unset {
		t.Errorf("%v allocations, %v with an observer that is nil", without, unset)
	}
}

func ExampleWithObserver() {
	observe := errmapconnect.WithObserver(func(_ context.Context, e errmap.Event) {
		fmt.Println(e.Side, e.Procedure, e.Sent.Code(), e.Sent.Reason())
	})
	server := errmapconnect.NewServer(observe)
	shopv1connect.RegisterCartHandler(server, shop{})
	client := shopv1connect.NewCartClient(errmapconnect.NewClient(connectinprocess.New(server), observe))
	_, _ = client.Get(context.Background(), &shopv1.GetRequest{Sku: "A1"})
	// Output:
	// server /shop.v1.Cart/Get FAILED_PRECONDITION STOCK_EMPTY
	// client /shop.v1.Cart/Get FAILED_PRECONDITION STOCK_EMPTY
}
