package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

// soldOut is a service without stock.
type soldOut struct {
	shopv1connect.UnimplementedCartHandler
}

func (soldOut) Get(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return nil, errmap.New(&shopv1.StockEmptyError{Sku: request.GetSku()})
}

func Example() {
	rpc := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, soldOut{})

	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	if err := server.Mount(mux, rpc); err != nil {
		fmt.Println(err)
		return
	}

	call := func(path, body string) {
		request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, request)
		text, _ := io.ReadAll(recorder.Body)
		fmt.Printf("%d %s\n", recorder.Code, text)
	}
	call("/", `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`)
	call("/", `[{"jsonrpc":"2.0","id":2,"method":"shop.v1.Cart/Nope"},{"jsonrpc":"2.0","method":"shop.v1.Cart/Get"}]`)
	// Output:
	// 200 {"jsonrpc":"2.0","id":1,"error":{"code":4010,"message":"No A1 left","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}},{"@type":"type.googleapis.com/google.rpc.Status","code":9}]}}
	// 200 [{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: shop.v1.Cart/Nope"}}]
}

func ExampleMount_collision() {
	rpc := connect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, soldOut{})
	shopv1connect.RegisterOrdersHandler(rpc, shopv1connect.UnimplementedOrdersHandler{})

	fmt.Println(server.Mount(http.NewServeMux(), rpc, server.WithProfile(errmap.ProfileA2A)))
	// Output:
	// server: the method name "Get" is that of both /shop.v1.Cart/Get and /shop.v1.Orders/Get; choose other names with WithMethodNames
}
