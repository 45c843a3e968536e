package errmapgrpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// cart answers each method with what fail returns, after one message on the
// methods that stream to the client.
type cart struct {
	shopv1.UnimplementedCartServer
	fail func(context.Context) error
}

func (c cart) Get(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	if err := c.fail(ctx); err != nil {
		return nil, err
	}
	return &shopv1.GetResponse{Sku: "A1"}, nil
}

func (c cart) Watch(_ *shopv1.GetRequest, stream grpc.ServerStreamingServer[shopv1.GetResponse]) error {
	if err := stream.Send(&shopv1.GetResponse{Sku: "A1"}); err != nil {
		return err
	}
	return c.fail(stream.Context())
}

func (c cart) Fill(stream grpc.ClientStreamingServer[shopv1.GetRequest, shopv1.GetResponse]) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	if err := c.fail(stream.Context()); err != nil {
		return err
	}
	return stream.SendAndClose(&shopv1.GetResponse{Sku: "A1"})
}

func (c cart) Haggle(stream grpc.BidiStreamingServer[shopv1.GetRequest, shopv1.GetResponse]) error {
	if _, err := stream.Recv(); err != nil {
		return err
	}
	if err := stream.Send(&shopv1.GetResponse{Sku: "A1"}); err != nil {
		return err
	}
	return c.fail(stream.Context())
}

// methods calls each kind of method and returns the error that ends the call.
var methods = map[string]func(context.Context, shopv1.CartClient) error{
	"unary": func(ctx context.Context, c shopv1.CartClient) error {
		_, err := c.Get(ctx, &shopv1.GetRequest{Sku: "A1"})
		return err
	},
	"server stream": func(ctx context.Context, c shopv1.CartClient) error {
		stream, err := c.Watch(ctx, &shopv1.GetRequest{Sku: "A1"})
		if err != nil {
			return err
		}
		return drain(stream.Recv)
	},
	"client stream": func(ctx context.Context, c shopv1.CartClient) error {
		stream, err := c.Fill(ctx)
		if err != nil {
			return err
		}
		if err := stream.Send(&shopv1.GetRequest{Sku: "A1"}); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		_, err = stream.CloseAndRecv()
		return err
	},
	"bidi stream": func(ctx context.Context, c shopv1.CartClient) error {
		stream, err := c.Haggle(ctx)
		if err != nil {
			return err
		}
		if err := stream.Send(&shopv1.GetRequest{Sku: "A1"}); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return drain(stream.Recv)
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

// serve serves a cart in memory.
func serve(t *testing.T, fail func(context.Context) error, opts ...grpc.ServerOption) (*adaptertest.Listener, *adaptertest.Wire) {
	listener, w := adaptertest.Listen()
	server := grpc.NewServer(opts...)
	shopv1.RegisterCartServer(server, cart{fail: fail})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener, w
}

// dial returns a client over a listener.
func dial(t *testing.T, listener *adaptertest.Listener, opts ...grpc.DialOption) shopv1.CartClient {
	t.Helper()
	opts = append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	conn, err := grpc.NewClient("passthrough:///shop", opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return shopv1.NewCartClient(conn)
}

// clients are the ways in which the interceptors are installed.
var clients = map[string][]grpc.DialOption{
	"dial options": errmapgrpc.DialOptions(),
	"interceptors": {
		grpc.WithChainUnaryInterceptor(errmapgrpc.UnaryClientInterceptor()),
		grpc.WithChainStreamInterceptor(errmapgrpc.StreamClientInterceptor()),
	},
}

// everyCall runs a test for each kind of client and of method.
func everyCall(t *testing.T, fail func(context.Context) error, opts []errmapgrpc.ServerOption, check func(*testing.T, error, *adaptertest.Wire)) {
	t.Helper()
	for name, dialOptions := range clients {
		for method, call := range methods {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				listener, w := serve(t, fail, errmapgrpc.ServerOptions(opts...)...)
				check(t, call(t.Context(), dial(t, listener, dialOptions...)), w)
			})
		}
	}
}
