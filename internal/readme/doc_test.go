package readme_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"testing"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmapgateway"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/errmap/errmapmcp"
	"github.com/errmap/errmap/errmap/errmaptest"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
	"github.com/errmap/errmap/server/httpjson"
	"github.com/errmap/errmap/server/httpserver"
)

// The Go of doc comments and of pages that show a part of a program: it only has to
// compile. TestDocComments and TestBlocks hold those texts to it.
var _ = []any{
	docErrmap, docConnect, docConnectV1, docGRPC, docGateway, docHTTP, docServer, docHTTPJSON, docHTTPServer, docProxy, docHeaders, docClient, docMCP, docA2A, docTest,
	pageMCPClient, pageMCPServer, pageGateway, pageConnectV1, pageLog,
}

func docErrmap(err error, sku string) (*shopv1.GetResponse, error) {
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
	return nil, &shopv1.StockEmptyError{Sku: sku}
}

func docConnect(ctx context.Context, mux *http.ServeMux, cart shopv1connect.CartHandler, transport connect.Transport, listener net.Listener, req *shopv1.GetRequest) error {
	rpc := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, cart)
	connecthttp.Mount(mux, rpc)

	carts := shopv1connect.NewCartClient(errmapconnect.NewClient(transport))
	_, err := carts.Get(ctx, req)
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}

	connecthttp.Mount(mux, rpc)
	return httpserver.Run(ctx, listener, errmapconnect.TrailersOnly(mux))
}

func docConnectV1(ctx context.Context, mux *http.ServeMux, cart shopv1connectv1.CartHandler, url string) {
	req := connectv1.NewRequest(new(shopv1.GetRequest))
	mux.Handle(shopv1connectv1.NewCartHandler(cart, errmapconnectv1.WithServer()))
	carts := shopv1connectv1.NewCartClient(http.DefaultClient, url, errmapconnectv1.WithClient())
	_, err := carts.Get(ctx, req)
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
}

func pageConnectV1(mux *http.ServeMux, cart shopv1connectv1.CartHandler) {
	mux.Handle(shopv1connectv1.NewCartHandler(cart, errmapconnectv1.WithServer()))
}

func docGRPC(ctx context.Context, target string, creds credentials.TransportCredentials, req *shopv1.GetRequest) error {
	server := grpc.NewServer(errmapgrpc.ServerOptions()...)
	defer server.Stop()

	conn, err := grpc.NewClient(target, append(errmapgrpc.DialOptions(), grpc.WithTransportCredentials(creds))...)
	if err != nil {
		return err
	}
	_, err = shopv1.NewCartClient(conn).Get(ctx, req)
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
	return err
}

func docGateway(ctx context.Context, target string, creds credentials.TransportCredentials, register func(context.Context, *runtime.ServeMux, *grpc.ClientConn) error) error {
	conn, err := grpc.NewClient(target, append(errmapgrpc.DialOptions(), grpc.WithTransportCredentials(creds))...)
	if err != nil {
		return err
	}
	mux := runtime.NewServeMux(runtime.WithErrorHandler(errmapgateway.ErrorHandler()))
	return register(ctx, mux, conn) // a Register…Handler that protoc-gen-grpc-gateway wrote
}

func pageGateway() *runtime.ServeMux {
	mux := runtime.NewServeMux(runtime.WithErrorHandler(errmapgateway.ErrorHandler()))
	return mux
}

func docHTTP(mux *http.ServeMux, url string) {
	mux.Handle("GET /carts/{sku}", errmaphttp.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return &shopv1.StockEmptyError{Sku: r.PathValue("sku")}
	}))

	hc := &http.Client{Transport: errmaphttp.NewTransport(nil, errmaphttp.HTTPJSON)}
	_, err := hc.Get(url)
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
}

func docServer(cart shopv1connect.CartHandler) error {
	rpc := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, cart)

	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	err := server.Mount(mux, rpc, server.WithProfile(errmap.ProfileA2A)) // JSON-RPC at POST /
	return err
}

func docHTTPJSON(library libraryv1connect.LibraryHandler) error {
	rpc := errmapconnect.NewServer()
	libraryv1connect.RegisterLibraryHandler(rpc, library)

	mux := http.NewServeMux()
	err := httpjson.Mount(mux, rpc)
	return err
}

func docHTTPServer(ctx context.Context, handler http.Handler) error {
	listener, err := net.Listen("tcp", "localhost:8080")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return httpserver.Run(ctx, listener, handler)
}

func docProxy(ctx context.Context, mux *http.ServeMux) error {
	upstream := gateway.NewUpstream(nil, "http://shop.internal:8080", gateway.ProtocolGRPC)
	schema, err := upstream.Reflect(ctx)
	if err != nil {
		return err
	}
	g := gateway.New(upstream.Transport(), schema)
	return server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog()))
}

func docHeaders() gateway.Option {
	only :=
		gateway.WithRequestHeaders(func(name string) bool {
			return name == "Authorization" || name == "Traceparent"
		})
	return only
}

func docClient() *connect.Client {
	transport := client.New(http.DefaultClient, "https://agent.example.com/",
		client.WithProfile(errmap.ProfileA2A), client.WithMethodNames(client.BareNames))
	agent := errmapconnect.NewClient(transport) // for the constructor of a generated client
	return agent
}

func docMCP(ctx context.Context, url string) error {
	client := errmapmcp.NewClient(&mcp.Implementation{Name: "shop", Version: "1"}, nil,
		errmapmcp.WithMaxInFlight(8, 32), errmapmcp.WithMaxMessage(1<<20))
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return err
	}
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "order"})
	if e, ok := errors.AsType[*errmapmcp.Error](err); ok && e.Kind() == errmapmcp.KindRateLimited {
		delay, _ := e.RetryDelay()
		fmt.Println("again in", delay)
	}
	return err
}

func pageMCPClient(ctx context.Context, order any) error {
	client := errmapmcp.NewClient(&mcp.Implementation{Name: "shop", Version: "1.0"}, nil,
		errmapmcp.WithMaxInFlight(8, 32), errmapmcp.WithToolErrors())
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: "https://shop.example.com/mcp"}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "order", Arguments: order})
	if e, ok := errors.AsType[*errmapmcp.Error](err); ok && e.Kind() == errmapmcp.KindRateLimited {
		delay, _ := e.RetryDelay()
		return fmt.Errorf("try again in %s: %w", delay, err)
	}
	if stock, ok := errors.AsType[*shopv1.StockEmptyError](err); ok { // what the server answered with
		fmt.Println("sold out:", stock.GetSku())
	}
	fmt.Println(result)
	return err
}

// Order is what the tool of the page takes.
type Order struct{ Sku string }

func pageMCPServer() error {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1.0"}, nil)
	if err := errmapmcp.InstallServer(server); err != nil {
		return err // a code of ours is in the reserved range
	}
	errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, func(ctx context.Context, _ *mcp.CallToolRequest, in Order) (*mcp.CallToolResult, any, error) {
		return nil, nil, &shopv1.StockEmptyError{Sku: in.Sku}
	})
	return nil
}

func docA2A(id string) (any, error) {
	return nil, errmapa2a.TaskNotFound(map[string]any{"taskId": id})
}

func docTest(t *testing.T, err error) {
	if diff := errmaptest.Diff(&shopv1.StockEmptyError{Sku: "A1"}, err); diff != "" {
		t.Errorf("Get (-want +got):\n%s", diff)
	}
}

func pageLog(ctx context.Context, err error) {
	slog.ErrorContext(ctx, "charge failed", errmap.LogAttr(err))
}
