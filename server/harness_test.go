package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

// cart is a service whose methods a test fills in. Without that, Get answers
// with what it was asked and Watch counts down from qty.
type cart struct {
	shopv1connect.UnimplementedCartHandler
	get   func(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error)
	watch func(context.Context, *shopv1.GetRequest, shopv1connect.CartWatchServerStream) error
}

func (c *cart) Get(ctx context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	if c.get != nil {
		return c.get(ctx, request)
	}
	return &shopv1.GetResponse{Sku: request.GetSku(), Qty: int64(request.GetQty())}, nil
}

func (c *cart) Echo(_ context.Context, request *shopv1.Everything) (*shopv1.Everything, error) {
	return request, nil
}

func (c *cart) Ping(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (c *cart) Watch(ctx context.Context, request *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
	if c.watch != nil {
		return c.watch(ctx, request, stream)
	}
	for qty := request.GetQty(); qty > 0; qty-- {
		if err := stream.Send(&shopv1.GetResponse{Sku: request.GetSku(), Qty: int64(qty)}); err != nil {
			return err
		}
	}
	return nil
}

// reports collects what a guard kept from callers, and failed notifications.
type reports struct {
	mu      sync.Mutex
	hidden  []errmap.Report
	dropped []string
}

func (r *reports) options() []server.Option {
	return []server.Option{
		server.WithGuard(errmap.NewGuard(errmap.WithLog(func(_ context.Context, report errmap.Report) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.hidden = append(r.hidden, report)
		}))),
		server.WithNotificationLog(func(_ context.Context, dropped server.Dropped) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.dropped = append(r.dropped, fmt.Sprintf("%s: %v", dropped.Method, dropped.Err))
		}),
	}
}

// texts returns the texts of the errors that were kept from callers.
func (r *reports) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, report := range r.hidden {
		texts = append(texts, report.Err.Error())
	}
	return texts
}

func newHandler(t testing.TB, service *cart, opts ...server.Option) http.Handler {
	t.Helper()
	rpc := connect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, service)
	handler, err := server.NewHandler(rpc, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// answer is an HTTP response whose body was read.
type answer struct {
	status int
	header http.Header
	body   string
}

// post sends a body of application/json; headers are alternating names and
// values, and replace those.
func post(t testing.TB, handler http.Handler, body string, headers ...string) answer {
	t.Helper()
	return send(t, handler, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body)), headers...)
}

func send(t testing.TB, handler http.Handler, request *http.Request, headers ...string) answer {
	t.Helper()
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	response := recorder.Result()
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{status: response.StatusCode, header: response.Header, body: string(body)}
}

// stock is the error that the service itself defines.
func stock(sku string) error { return errmap.New(&shopv1.StockEmptyError{Sku: sku}) }

// driver is an error whose text must never reach a caller.
var errDriver = errors.New("dial tcp 10.0.0.7:5432: user=app")

func length(body string) string { return fmt.Sprint(len(body)) }

func registerCart(rpc *connect.Server, service *cart) {
	shopv1connect.RegisterCartHandler(rpc, service)
}
