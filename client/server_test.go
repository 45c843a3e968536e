package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/types/known/emptypb"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

type shop struct {
	shopv1connect.UnimplementedCartHandler
}

func (shop) Get(_ context.Context, r *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	if r.GetQty() > 1 {
		return nil, errmap.New(&shopv1.StockEmptyError{Sku: r.GetSku()}).WithRetryDelay(1500 * time.Millisecond)
	}
	return &shopv1.GetResponse{Sku: r.GetSku(), Qty: 1}, nil
}

func (shop) Watch(ctx context.Context, r *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
	for range r.GetQty() {
		if err := stream.Send(&shopv1.GetResponse{Sku: r.GetSku()}); err != nil {
			return err
		}
	}
	return &shopv1.StockEmptyError{Sku: r.GetSku()}
}

func (shop) Ping(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return nil, errors.New("dial tcp 10.0.0.7:5432: user=app")
}

// The generated client gets the handler's error, typed, through JSON-RPC.
func TestTransport_own_server(t *testing.T) {
	t.Parallel()
	rpc := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, shop{})
	mux := http.NewServeMux()
	if err := server.Mount(mux, rpc); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	for name, opts := range map[string][]client.Option{
		"single":  nil,
		"batched": {client.WithBatching(time.Millisecond, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shopv1connect.NewCartClient(errmapconnect.NewClient(client.New(nil, s.URL, opts...)))
			if m, err := c.Get(t.Context(), &shopv1.GetRequest{Sku: "A1"}); err != nil || m.GetQty() != 1 {
				t.Errorf("got %v, %v", m, err)
			}
			_, err := c.Get(t.Context(), &shopv1.GetRequest{Sku: "A1", Qty: 2})
			empty, ok := errors.AsType[*shopv1.StockEmptyError](err)
			if !ok || empty.GetSku() != "A1" || empty.GetRetry().GetRetryDelay().AsDuration() != 1500*time.Millisecond {
				t.Errorf("got %v from %v", empty, err)
			}
			//lint:ignore SA1019 the schema deprecates it to see what clients make of that
			_, err = c.Ping(t.Context(), &emptypb.Empty{})
			e, _ := errors.AsType[*errmap.Error](err)
			if e.Code() != code.Code_INTERNAL || !e.Remote() {
				t.Errorf("got %v", err)
			}
			stream, err := c.Watch(t.Context(), &shopv1.GetRequest{Sku: "A1", Qty: 2})
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			for {
				if _, err = stream.Receive(); err != nil {
					break
				}
				count++
			}
			if _, ok := errors.AsType[*shopv1.StockEmptyError](err); count != 2 || !ok || errors.Is(err, io.EOF) {
				t.Errorf("%d messages, then %v", count, err)
			}
			if _, err := c.Fill(t.Context()); connect.CodeOf(err) != connect.CodeUnimplemented {
				t.Errorf("client streaming: %v", err)
			}
		})
	}
}
