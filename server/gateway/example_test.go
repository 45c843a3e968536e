package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
)

// JSON-RPC in front of a service of grpc-go, of which no code is linked: it could be
// anywhere else. Here it is in the same process.
func ExampleNew() {
	service := grpc.NewServer()
	shopv1.RegisterCartServer(service, shop{})
	reflection.Register(service)

	upstream := gateway.NewUpstream(gateway.InProcess(service), "http://shop", gateway.ProtocolGRPC)
	schema, err := upstream.Reflect(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	g := gateway.New(upstream.Transport(), schema)
	mux := http.NewServeMux()
	if err := server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog())); err != nil {
		fmt.Println(err)
		return
	}

	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Ping"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Body)
	// Output: {"jsonrpc":"2.0","id":1,"error":{"code":-31503,"message":"later"}}
}

// Only what a service wants travels to it.
func ExampleWithRequestHeaders() {
	travels := func(name string) bool { return name == "Authorization" || name == "Traceparent" }
	schema, err := gateway.NewSchema(shopSet())
	if err != nil {
		fmt.Println(err)
		return
	}
	upstream := gateway.NewUpstream(nil, "http://shop.internal:8080", gateway.ProtocolConnect)
	g := gateway.New(upstream.Transport(), schema, gateway.WithRequestHeaders(travels))
	for _, s := range schema.Services() {
		fmt.Println(s.FullName(), s.Methods().Len())
	}
	_ = g.Server() // to be mounted
	// Output:
	// shop.v1.Cart 6
	// shop.v1.Orders 1
}
