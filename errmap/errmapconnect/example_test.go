package errmapconnect_test

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectinprocess"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// shop sells nothing.
type shop struct {
	shopv1connect.UnimplementedCartHandler
}

func (shop) Get(_ context.Context, req *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return nil, &shopv1.StockEmptyError{Sku: req.GetSku()}
}

func ExampleNewServer() {
	server := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(server, shop{})

	// connecthttp.Mount(mux, server) would serve it over HTTP.
	transport := connectinprocess.New(server)
	client := shopv1connect.NewCartClient(errmapconnect.NewClient(transport))
	_, err := client.Get(context.Background(), &shopv1.GetRequest{Sku: "A1"})
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
	// Output:
	// sold out: A1
}

func ExampleNewClient() {
	server := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(server, shop{})
	client := shopv1connect.NewCartClient(errmapconnect.NewClient(connectinprocess.New(server)))

	_, err := client.Get(context.Background(), &shopv1.GetRequest{Sku: "A1"})
	if e, ok := errors.AsType[*errmap.Error](err); ok {
		fmt.Println(e.Code(), e.Reason(), e.Remote())
	}
	fmt.Println(connect.CodeOf(err))
	// Output:
	// FAILED_PRECONDITION STOCK_EMPTY true
	// failed_precondition
}

func ExampleFromError() {
	err := connect.NewError(connect.CodeNotFound, "no such cart")
	e := errmapconnect.FromError(fmt.Errorf("checkout: %w", err))
	fmt.Println(e.Code(), e.Message())
	// Output:
	// NOT_FOUND no such cart
}

func ExampleToError() {
	err := errmapconnect.ToError(errmap.New(&shopv1.StockEmptyError{Sku: "A1"}))
	fmt.Println(err)
	for _, detail := range err.Details() {
		fmt.Println(detail.Type)
	}
	// Output:
	// failed_precondition: No A1 left
	// google.rpc.ErrorInfo
}

func ExampleWithGuard() {
	guard := errmap.NewGuard(errmap.WithLog(func(_ context.Context, r errmap.Report) {
		fmt.Println("logged:", r.Err, r.ID != "")
	}))
	server := errmapconnect.NewServer(errmapconnect.WithGuard(guard))
	shopv1connect.RegisterCartHandler(server, cart{fail: func(context.Context) error {
		return errors.New("dial tcp 10.0.0.7:5432: refused")
	}})
	client := shopv1connect.NewCartClient(errmapconnect.NewClient(connectinprocess.New(server)))
	_, err := client.Get(context.Background(), &shopv1.GetRequest{})
	fmt.Println("caller:", err)
	// Output:
	// logged: dial tcp 10.0.0.7:5432: refused true
	// caller: INTERNAL: internal error
}
