package errmapconnect_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/connect/v2/connectinprocess"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// cart answers each method with what fail returns, after one message on the
// methods that stream to the client.
type cart struct {
	shopv1connect.UnimplementedCartHandler
	fail func(context.Context) error
}

func (c cart) Get(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	if err := c.fail(ctx); err != nil {
		return nil, err
	}
	return &shopv1.GetResponse{Sku: "A1"}, nil
}

func (c cart) Watch(ctx context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
	if err := stream.Send(&shopv1.GetResponse{Sku: "A1"}); err != nil {
		return err
	}
	return c.fail(ctx)
}

func (c cart) Fill(ctx context.Context, stream shopv1connect.CartFillServerStream) (*shopv1.GetResponse, error) {
	if _, err := stream.Receive(); err != nil {
		return nil, err
	}
	if err := c.fail(ctx); err != nil {
		return nil, err
	}
	return &shopv1.GetResponse{Sku: "A1"}, nil
}

func (c cart) Haggle(ctx context.Context, stream shopv1connect.CartHaggleServerStream) error {
	if _, err := stream.Receive(); err != nil {
		return err
	}
	if err := stream.Send(&shopv1.GetResponse{Sku: "A1"}); err != nil {
		return err
	}
	return c.fail(ctx)
}

// protocols are the ways in which a client of Connect reaches a server.
var protocols = map[string]func(*testing.T, *connect.Server) (connect.Transport, *adaptertest.Wire){
	"connect": overHTTP(),
	"json":    overHTTP(connecthttp.WithProtoJSON()),
	"grpc":    overHTTP(connecthttp.WithGRPC()),
	"grpcweb": overHTTP(connecthttp.WithGRPCWeb()),
	"in-process": func(_ *testing.T, server *connect.Server) (connect.Transport, *adaptertest.Wire) {
		return connectinprocess.New(server), new(adaptertest.Wire)
	},
}

func overHTTP(opts ...connecthttp.Option) func(*testing.T, *connect.Server) (connect.Transport, *adaptertest.Wire) {
	return func(t *testing.T, server *connect.Server) (connect.Transport, *adaptertest.Wire) {
		mux := http.NewServeMux()
		connecthttp.Mount(mux, server)
		client, w := adaptertest.Serve(t, mux)
		client.Transport = adaptertest.Resetting(client.Transport)
		return connecthttp.NewTransport(client, "http://shop", opts...), w
	}
}

// methods calls each kind of method and returns the error that ends the call.
var methods = map[string]func(context.Context, shopv1connect.CartClient) error{
	"unary": func(ctx context.Context, c shopv1connect.CartClient) error {
		_, err := c.Get(ctx, &shopv1.GetRequest{Sku: "A1"})
		return err
	},
	"server stream": func(ctx context.Context, c shopv1connect.CartClient) error {
		stream, err := c.Watch(ctx, &shopv1.GetRequest{Sku: "A1"})
		if err != nil {
			return err
		}
		defer stream.Close()
		return drain(stream.Receive)
	},
	"client stream": func(ctx context.Context, c shopv1connect.CartClient) error {
		stream, err := c.Fill(ctx)
		if err != nil {
			return err
		}
		if err := stream.Send(&shopv1.GetRequest{Sku: "A1"}); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		_, err = stream.CloseAndReceive()
		return err
	},
	"bidi stream": func(ctx context.Context, c shopv1connect.CartClient) error {
		stream, err := c.Haggle(ctx)
		if err != nil {
			return err
		}
		defer stream.Close()
		if err := stream.Send(&shopv1.GetRequest{Sku: "A1"}); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return drain(stream.Receive)
	},
}

func drain(receive func() (*shopv1.GetResponse, error)) error {
	for {
		if _, err := receive(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// everyCall runs a test for each protocol and each kind of method.
func everyCall(t *testing.T, fail func(context.Context) error, opts []errmapconnect.ServerOption, check func(*testing.T, error, *adaptertest.Wire)) {
	t.Helper()
	for protocol, transport := range protocols {
		for method, call := range methods {
			t.Run(protocol+"/"+method, func(t *testing.T) {
				t.Parallel()
				server := errmapconnect.NewServer(opts...)
				shopv1connect.RegisterCartHandler(server, cart{fail: fail})
				over, w := transport(t, server)
				err := call(t.Context(), shopv1connect.NewCartClient(errmapconnect.NewClient(over)))
				check(t, err, w)
			})
		}
	}
}
