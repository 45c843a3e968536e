// The Go of README.md and docs/guide.md, run. TestSnippets holds those texts to
// these files.
package readme_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
	"github.com/errmap/errmap/server/httpserver"
)

type cart struct {
	shopv1connect.UnimplementedCartHandler
}

func (cart) Get(ctx context.Context, req *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return nil, &shopv1.StockEmptyError{Sku: req.GetSku()}
}

func newHandler() http.Handler {
	rpc := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, cart{})

	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)                    // Connect, gRPC and gRPC-Web
	if err := server.Mount(mux, rpc); err != nil { // JSON-RPC 2.0: POST /
		log.Fatal(err)
	}
	if err := httpjson.Mount(mux, rpc); err != nil { // HTTP+JSON, as google.api.http has it
		log.Fatal(err)
	}
	return mux
}

func run(ctx context.Context, listener net.Listener) error {
	return httpserver.Run(ctx, listener, newHandler()) // HTTP/1.1 and HTTP/2, until ctx ends
}

func dial(url string) connect.Transport {
	h2 := &http.Transport{Protocols: new(http.Protocols)}
	h2.Protocols.SetUnencryptedHTTP2(true)
	return connecthttp.NewTransport(&http.Client{Transport: h2}, url, connecthttp.WithGRPC())
}

func buy(ctx context.Context, transport connect.Transport) error {
	carts := shopv1connect.NewCartClient(errmapconnect.NewClient(transport))
	_, err := carts.Get(ctx, &shopv1.GetRequest{Sku: "A1"})
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
	return err
}

func Example() {
	s := httptest.NewServer(newHandler())
	defer s.Close()
	for _, transport := range []connect.Transport{
		connecthttp.NewTransport(s.Client(), s.URL),
		connecthttp.NewTransport(s.Client(), s.URL, connecthttp.WithGRPCWeb()),
		client.New(s.Client(), s.URL), // JSON-RPC
	} {
		fmt.Println(buy(context.Background(), transport))
	}
	// Output:
	// sold out: A1
	// FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left
	// sold out: A1
	// FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left
	// sold out: A1
	// FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left
}

// gRPC in clear needs HTTP/2 on both sides.
func Example_withoutTLS() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() { _ = run(ctx, listener) }()
	fmt.Println(buy(context.Background(), dial("http://"+listener.Addr().String())))
	// Output:
	// sold out: A1
	// FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left
}
