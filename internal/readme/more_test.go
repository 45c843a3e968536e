package readme_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/errmap/errmaphttp"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server/httpserver"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func details(sku string) error {
	return errmap.New(&shopv1.StockEmptyError{Sku: sku}).
		WithRetryDelay(30 * time.Second).
		WithDetail(&errdetails.LocalizedMessage{Locale: "de-DE", Message: "Ausverkauft"}).
		WithCause(errors.New("warehouse 7 says 0")) // for errors.Is here; on no wire, and in no log
}

func without() error {
	return errmap.NewCode(code.Code_INVALID_ARGUMENT, "qty must be above 0")
}

func violations(qty int32) error {
	return errmap.New(&shopv1.InvalidCartError{Fields: &errdetails.BadRequest{
		FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "qty", Description: fmt.Sprintf("%d is not above 0", qty)}},
	}})
}

func inspect(err error) {
	e := errmap.From(err)
	fmt.Println(e.Code(), e.Domain(), e.Reason())
	if delay, ok := e.RetryDelay(); ok {
		fmt.Println("again in", delay)
	}
	if bad, ok := errmap.Detail[*errdetails.BadRequest](err); ok {
		for _, v := range bad.GetFieldViolations() {
			fmt.Println(v.GetField(), v.GetDescription())
		}
	}
	fmt.Println(errors.Is(err, &shopv1.StockEmptyError{})) // by domain and reason
}

func forward(ctx context.Context, upstream *connect.Client, spec connect.Spec, req *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	resp := new(shopv1.GetResponse)
	if err := upstream.CallUnary(ctx, spec, req, resp); err != nil {
		return nil, errmap.Forward(err)
	}
	return resp, nil
}

func guarded() *connect.Server {
	guard := errmap.NewGuard(errmap.WithLog(func(ctx context.Context, r errmap.Report) {
		fmt.Println(r.ID, r.Err)
	}))
	return errmapconnect.NewServer(errmapconnect.WithGuard(guard))
}

func overGRPC() (*grpc.Server, *grpc.ClientConn, error) {
	s := grpc.NewServer(errmapgrpc.ServerOptions()...)
	conn, err := grpc.NewClient("localhost:50051", append(errmapgrpc.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	return s, conn, err
}

func overHTTP() (http.Handler, *http.Client) {
	handler := errmaphttp.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return &shopv1.StockEmptyError{Sku: r.PathValue("sku")}
	})
	return handler, &http.Client{Transport: errmaphttp.NewTransport(nil, errmaphttp.HTTPJSON)}
}

func toAnAgent() connect.Transport {
	return client.New(http.DefaultClient, "https://agent.example.com/",
		client.WithProfile(errmap.ProfileA2A), client.WithMethodNames(client.BareNames))
}

func Example_a2a() {
	fmt.Println(errmapa2a.ToMap(errmapa2a.InternalError("boom")))
	// Output: map[code:-32603 data:boom message:Internal error]
}

func Example_details() {
	fmt.Println(details("A1"))
	inspect(details("A1"))
	inspect(violations(-1))
	fmt.Println(without())
	// Output:
	// FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left
	// FAILED_PRECONDITION shop.example.com STOCK_EMPTY
	// again in 30s
	// true
	// INVALID_ARGUMENT shop.example.com INVALID_CART
	// qty -1 is not above 0
	// false
	// INVALID_ARGUMENT: qty must be above 0
}

func Example_translate() {
	received := []byte(`{"code":-32001,"message":"Task not found","data":{"taskId":"t-1"}}`)
	e, err := errmap.DecodeJSONRPC(received, errmap.ProfileA2A)
	if err != nil {
		fmt.Println(err)
		return
	}
	status, body := errmap.EncodeHTTP(e)
	fmt.Println(status, string(body))
	// Output:
	// 404 {"error":{"code":404,"message":"Task not found","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-1"}}]}}
}

// The examples that need a peer only have to compile.
var _ = []any{forward, guarded, overGRPC, overHTTP, toAnAgent, underConnect, received, intercepted, weighed}

func underConnect() connect.Transport {
	hc := &http.Client{Transport: errmaphttp.NewTransport(nil, errmaphttp.Connect)}
	transport := connecthttp.NewTransport(hc, "https://shop.example.com")
	return transport
}

func received(hc *http.Client) shopv1connect.CartClient {
	transport := connecthttp.NewTransport(hc, "https://shop.example.com") // or connecthttp.WithGRPC(), or client.New for JSON-RPC
	carts := shopv1connect.NewCartClient(errmapconnect.NewClient(transport))
	return carts
}

func intercepted() *connect.Server {
	rpc := connect.NewServer(errmapconnect.ServerInterceptor())
	return rpc
}

func weighed(mux *http.ServeMux, rpc *connect.Server) {
	connecthttp.Mount(mux, rpc, connecthttp.WithCodecs(httpserver.Codecs()...))
}
