package errmapconnectv1_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
)

// cart answers each method with what fail returns, after one message on the
// methods that stream to the client.
type cart struct {
	shopv1connectv1.UnimplementedCartHandler
	fail func(context.Context) error
}

func (c cart) Get(ctx context.Context, _ *connect.Request[shopv1.GetRequest]) (*connect.Response[shopv1.GetResponse], error) {
	if err := c.fail(ctx); err != nil {
		return nil, err
	}
	return connect.NewResponse(&shopv1.GetResponse{Sku: "A1"}), nil
}

func (c cart) Echo(ctx context.Context, _ *connect.Request[shopv1.Everything]) (*connect.Response[shopv1.Everything], error) {
	return nil, c.fail(ctx)
}

func (c cart) Watch(ctx context.Context, _ *connect.Request[shopv1.GetRequest], stream *connect.ServerStream[shopv1.GetResponse]) error {
	if err := stream.Send(&shopv1.GetResponse{Sku: "A1"}); err != nil {
		return err
	}
	return c.fail(ctx)
}

func (c cart) Fill(ctx context.Context, stream *connect.ClientStream[shopv1.GetRequest]) (*connect.Response[shopv1.GetResponse], error) {
	if !stream.Receive() {
		return nil, stream.Err()
	}
	if err := c.fail(ctx); err != nil {
		return nil, err
	}
	return connect.NewResponse(&shopv1.GetResponse{Sku: "A1"}), nil
}

func (c cart) Haggle(ctx context.Context, stream *connect.BidiStream[shopv1.GetRequest, shopv1.GetResponse]) error {
	if _, err := stream.Receive(); err != nil {
		return err
	}
	if err := stream.Send(&shopv1.GetResponse{Sku: "A1"}); err != nil {
		return err
	}
	return c.fail(ctx)
}

// protocols are the options of a client for each protocol.
var protocols = map[string][]connect.ClientOption{
	"connect": nil,
	"json":    {connect.WithProtoJSON()},
	"grpc":    {connect.WithGRPC()},
	"grpcweb": {connect.WithGRPCWeb()},
}

// methods calls each kind of method and returns the error that ends the call.
var methods = map[string]func(context.Context, shopv1connectv1.CartClient) error{
	"unary": func(ctx context.Context, c shopv1connectv1.CartClient) error {
		_, err := c.Get(ctx, connect.NewRequest(&shopv1.GetRequest{Sku: "A1"}))
		return err
	},
	"server stream": func(ctx context.Context, c shopv1connectv1.CartClient) error {
		stream, err := c.Watch(ctx, connect.NewRequest(&shopv1.GetRequest{Sku: "A1"}))
		if err != nil {
			return err
		}
		defer stream.Close()
		for stream.Receive() {
		}
		return stream.Err()
	},
	"client stream": func(ctx context.Context, c shopv1connectv1.CartClient) error {
		stream := c.Fill(ctx)
		if err := stream.Send(&shopv1.GetRequest{Sku: "A1"}); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		_, err := stream.CloseAndReceive()
		return err
	},
	"bidi stream": func(ctx context.Context, c shopv1connectv1.CartClient) error {
		stream := c.Haggle(ctx)
		defer stream.CloseRequest()
		if err := stream.Send(&shopv1.GetRequest{Sku: "A1"}); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for {
			if _, err := stream.Receive(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	},
}

// serve serves a cart in memory.
func serve(t *testing.T, fail func(context.Context) error, opts ...connect.HandlerOption) (*http.Client, *adaptertest.Wire) {
	mux := http.NewServeMux()
	mux.Handle(shopv1connectv1.NewCartHandler(cart{fail: fail}, opts...))
	client, w := adaptertest.Serve(t, mux)
	client.Transport = adaptertest.Resetting(client.Transport)
	return client, w
}

// everyCall runs a test for each protocol and each kind of method.
func everyCall(t *testing.T, fail func(context.Context) error, opts []errmapconnectv1.ServerOption, check func(*testing.T, error, *adaptertest.Wire)) {
	t.Helper()
	for protocol, over := range protocols {
		for method, call := range methods {
			t.Run(protocol+"/"+method, func(t *testing.T) {
				t.Parallel()
				client, w := serve(t, fail, errmapconnectv1.WithServer(opts...))
				err := call(t.Context(), shopv1connectv1.NewCartClient(client, "http://shop", append(over, errmapconnectv1.WithClient())...))
				check(t, err, w)
			})
		}
	}
}
