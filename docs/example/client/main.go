// Command client asks the server for orders that it does not give, over each wire,
// and prints the errors.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmaphttp"

	ordersv1 "example.com/orders/gen/orders/v1"
	"example.com/orders/gen/orders/v1/ordersv1connect"
)

func main() {
	url := os.Args[1]
	for _, id := range []string{"8", "9"} {
		fmt.Println("connect:", tell(call(connecthttp.NewTransport(http.DefaultClient, url), id)))
		fmt.Println("grpc:   ", tell(call(connecthttp.NewTransport(http2(), url, connecthttp.WithGRPC()), id)))
		fmt.Println("jsonrpc:", tell(call(client.New(http.DefaultClient, url+"/"), id)))
		fmt.Println("http:   ", tell(get(url+"/v1/orders/"+id)))
	}
}

// call is the same for every transport of Connect.
func call(transport connect.Transport, id string) error {
	_, err := ordersv1connect.NewOrderServiceClient(errmapconnect.NewClient(transport)).
		GetOrder(context.Background(), &ordersv1.GetOrderRequest{OrderId: id})
	return err
}

func get(url string) error {
	httpClient := &http.Client{Transport: errmaphttp.NewTransport(nil, errmaphttp.HTTPJSON)}
	response, err := httpClient.Get(url)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func tell(err error) string {
	if locked, ok := errors.AsType[*ordersv1.OrderLockedError](err); ok {
		e := errmap.From(err)
		delay, _ := e.RetryDelay()
		return fmt.Sprintf("order %s is locked by %s at version %d, retry in %d ms (%s: %s)",
			locked.GetOrderId(), locked.GetHolder(), locked.GetVersion(), delay.Milliseconds(), e.Code(), e.Message())
	}
	if gone, ok := errors.AsType[*ordersv1.OrderNotFoundError](err); ok {
		e := errmap.From(err)
		return fmt.Sprintf("order %s is not there (%s: %s)", gone.GetOrderId(), e.Code(), e.Message())
	}
	return fmt.Sprintf("unexpected: %v", err)
}

// http2 is a client that speaks HTTP/2 without TLS, as gRPC does.
func http2() *http.Client {
	transport := &http.Transport{DialContext: new(net.Dialer).DialContext, Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: transport}
}
