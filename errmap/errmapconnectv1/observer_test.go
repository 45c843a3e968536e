package errmapconnectv1_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
)

func TestWithObserver(t *testing.T) {
	t.Parallel()
	wires := map[string]errmap.Wire{"connect": errmap.WireConnect, "json": errmap.WireConnect, "grpc": errmap.WireGRPC, "grpcweb": errmap.WireGRPC}
	names := map[string]string{"unary": "Get", "server stream": "Watch", "client stream": "Fill", "bidi stream": "Haggle"}
	for protocol, over := range protocols {
		for method, call := range methods {
			for kind, fail := range map[string]func(context.Context) error{
				"error": adaptertest.Return(errors.New(adaptertest.Secret)), "panic": adaptertest.Hidden()["panic"], "nothing": adaptertest.Return(nil),
			} {
				t.Run(protocol+"/"+method+"/"+kind, func(t *testing.T) {
					t.Parallel()
					var here, there adaptertest.Events
					client, _ := serve(t, fail, errmapconnectv1.WithServer(errmapconnectv1.WithGuard(adaptertest.Quiet()), errmapconnectv1.WithObserver(there.Observe)))
					opts := append(over[:len(over):len(over)], errmapconnectv1.WithClient(errmapconnectv1.WithObserver(here.Observe)))
					_ = call(t.Context(), shopv1connectv1.NewCartClient(client, "http://shop", opts...))
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

func ExampleWithObserver() {
	observe := errmapconnectv1.WithObserver(func(_ context.Context, e errmap.Event) {
		fmt.Println(e.Side, e.Procedure, e.Sent.Code(), e.Sent.Reason())
	})
	mux := http.NewServeMux()
	mux.Handle(shopv1connectv1.NewCartHandler(cart{fail: adaptertest.Return(&shopv1.StockEmptyError{Sku: "A1"})}, errmapconnectv1.WithServer(observe)))
	server := httptest.NewServer(mux)
	defer server.Close()
	client := shopv1connectv1.NewCartClient(server.Client(), server.URL, errmapconnectv1.WithClient(observe))
	_, _ = client.Get(context.Background(), connect.NewRequest(&shopv1.GetRequest{Sku: "A1"}))
	// Output:
	// server /shop.v1.Cart/Get FAILED_PRECONDITION STOCK_EMPTY
	// client /shop.v1.Cart/Get FAILED_PRECONDITION STOCK_EMPTY
}
