package errmapconnectv1_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
)

// shop sells nothing.
type shop struct {
	shopv1connectv1.UnimplementedCartHandler
}

func (shop) Get(_ context.Context, req *connect.Request[shopv1.GetRequest]) (*connect.Response[shopv1.GetResponse], error) {
	return nil, &shopv1.StockEmptyError{Sku: req.Msg.GetSku()}
}

func ExampleWithServer() {
	mux := http.NewServeMux()
	mux.Handle(shopv1connectv1.NewCartHandler(shop{}, errmapconnectv1.WithServer()))
	server := httptest.NewServer(mux)
	defer server.Close()

	client := shopv1connectv1.NewCartClient(server.Client(), server.URL, errmapconnectv1.WithClient())
	_, err := client.Get(context.Background(), connect.NewRequest(&shopv1.GetRequest{Sku: "A1"}))
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
	// Output:
	// sold out: A1
}

func ExampleWithClient() {
	server := httptest.NewServer(http.NotFoundHandler()) // no RPC server at all
	defer server.Close()

	client := shopv1connectv1.NewCartClient(server.Client(), server.URL, errmapconnectv1.WithClient())
	_, err := client.Get(context.Background(), connect.NewRequest(&shopv1.GetRequest{}))
	if e, ok := errors.AsType[*errmap.Error](err); ok {
		fmt.Println(e.Code(), e.HTTPStatus(), e.Local())
	}
	// Output:
	// UNIMPLEMENTED 404 true
}

func ExampleFromError() {
	err := connect.NewError(connect.CodeNotFound, errors.New("no such cart"))
	e := errmapconnectv1.FromError(fmt.Errorf("checkout: %w", err))
	fmt.Println(e.Code(), e.Message())
	// Output:
	// NOT_FOUND no such cart
}

func ExampleToError() {
	err := errmapconnectv1.ToError(errmap.New(&shopv1.StockEmptyError{Sku: "A1"}))
	fmt.Println(err)
	for _, detail := range err.Details() {
		fmt.Println(detail.Type())
	}
	// Output:
	// failed_precondition: No A1 left
	// google.rpc.ErrorInfo
}
