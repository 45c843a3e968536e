package errmapgrpc_test

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
)

// shop sells nothing.
type shop struct {
	shopv1.UnimplementedCartServer
}

func (shop) Get(_ context.Context, req *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return nil, &shopv1.StockEmptyError{Sku: req.GetSku()}
}

func ExampleServerOptions() {
	server := grpc.NewServer(errmapgrpc.ServerOptions()...)
	shopv1.RegisterCartServer(server, shop{})
	listener := bufconn.Listen(1 << 16)
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()

	conn, err := grpc.NewClient("passthrough:///shop", append(errmapgrpc.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	_, err = shopv1.NewCartClient(conn).Get(context.Background(), &shopv1.GetRequest{Sku: "A1"})
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
	fmt.Println(status.Code(err))
	// Output:
	// sold out: A1
	// FailedPrecondition
}

func ExampleDialOptions() {
	// Nobody listens.
	conn, err := grpc.NewClient("passthrough:///shop", append(errmapgrpc.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return nil, errors.New("refused") }))...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	_, err = shopv1.NewCartClient(conn).Get(context.Background(), &shopv1.GetRequest{})
	if e, ok := errors.AsType[*errmap.Error](err); ok {
		fmt.Println(e.Code(), e.Local(), e.Retryable())
	}
	// Output:
	// UNAVAILABLE true true
}

func ExampleFromError() {
	e := errmapgrpc.FromError(fmt.Errorf("checkout: %w", status.Error(codes.NotFound, "no such cart")))
	fmt.Println(e.Code(), e.Message())
	// Output:
	// NOT_FOUND no such cart
}

func ExampleToStatus() {
	s := errmapgrpc.ToStatus(errmap.New(&shopv1.StockEmptyError{Sku: "A1"}))
	fmt.Println(s.Code(), s.Message())
	for _, detail := range s.Proto().GetDetails() {
		fmt.Println(detail.GetTypeUrl())
	}
	// Output:
	// FailedPrecondition No A1 left
	// type.googleapis.com/google.rpc.ErrorInfo
}
