// Command server keeps orders, over Connect, gRPC, gRPC-Web, JSON-RPC (POST /) and
// HTTP+JSON on one port.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
	"github.com/errmap/errmap/server/httpserver"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	ordersv1 "example.com/orders/gen/orders/v1"
	"example.com/orders/gen/orders/v1/ordersv1connect"
)

// orders is the service. Its errors are the messages of the schema.
type orders struct {
	ordersv1connect.UnimplementedOrderServiceHandler
}

func (orders) GetOrder(_ context.Context, r *ordersv1.GetOrderRequest) (*ordersv1.GetOrderResponse, error) {
	switch r.GetOrderId() {
	case "7":
		return &ordersv1.GetOrderResponse{OrderId: "7", TotalCents: 1995}, nil
	case "8":
		return nil, &ordersv1.OrderLockedError{
			OrderId: "8",
			Holder:  "Zoë",
			Version: 9007199254740993,
			Retry:   &errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)},
		}
	}
	return nil, &ordersv1.OrderNotFoundError{OrderId: r.GetOrderId()}
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the `address` to listen on")
	flag.Parse()
	if err := serve(*addr); err != nil {
		log.Fatal(err)
	}
}

func serve(addr string) error {
	rpc := errmapconnect.NewServer()
	ordersv1connect.RegisterOrderServiceHandler(rpc, orders{})

	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	if err := server.Mount(mux, rpc); err != nil {
		return err
	}
	if err := httpjson.Mount(mux, rpc); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return httpserver.Run(ctx, listener, mux)
}
