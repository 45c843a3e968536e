// The Go of README.md and docs/guide.md, run. TestSnippets holds those texts to
// these files.
package readme_test

import (
	"context"
	"errors"
	"fmt"
	"log"
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
	connecthttp.Mount(mux, rpc, connecthttp.WithGRPC(), connecthttp.WithGRPCWeb(), connecthttp.WithProtoJSON())
	if err := server.Mount(mux, rpc); err != nil { // JSON-RPC 2.0: POST /
		log.Fatal(err)
	}
	if err := httpjson.Mount(mux, rpc); err != nil { // HTTP+JSON, as google.api.http has it
		log.Fatal(err)
	}
	return mux
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
