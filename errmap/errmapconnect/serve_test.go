package errmapconnect_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/connect/v2/connectinprocess"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"google.golang.org/grpc/test/bufconn"
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

// wire records all bytes that a server writes.
type wire struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *wire) bytes() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.buf.Bytes())
}

type recordedListener struct {
	net.Listener
	w *wire
}

func (l recordedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return recordedConn{c, l.w}, nil
}

type recordedConn struct {
	net.Conn
	w *wire
}

func (c recordedConn) Write(b []byte) (int, error) {
	c.w.mu.Lock()
	c.w.buf.Write(b)
	c.w.mu.Unlock()
	return c.Conn.Write(b)
}

// listen serves a handler in memory and returns a client that reaches it.
func listen(t *testing.T, handler http.Handler) (*http.Client, *wire) {
	t.Helper()
	listener, w := bufconn.Listen(1<<20), new(wire)
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: handler, Protocols: &protocols}
	go func() { _ = server.Serve(recordedListener{listener, w}) }()
	t.Cleanup(func() { _ = server.Close() })
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	transport := &http.Transport{
		Protocols:          &only,
		DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return listener.DialContext(ctx)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}, w
}

// protocols are the ways in which a client of Connect reaches a server.
var protocols = map[string]func(*testing.T, *connect.Server) (connect.Transport, *wire){
	"connect": overHTTP(),
	"json":    overHTTP(connecthttp.WithProtoJSON()),
	"grpc":    overHTTP(connecthttp.WithGRPC()),
	"grpcweb": overHTTP(connecthttp.WithGRPCWeb()),
	"in-process": func(_ *testing.T, server *connect.Server) (connect.Transport, *wire) {
		return connectinprocess.New(server), new(wire)
	},
}

func overHTTP(opts ...connecthttp.Option) func(*testing.T, *connect.Server) (connect.Transport, *wire) {
	return func(t *testing.T, server *connect.Server) (connect.Transport, *wire) {
		mux := http.NewServeMux()
		connecthttp.Mount(mux, server)
		client, w := listen(t, mux)
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
func everyCall(t *testing.T, fail func(context.Context) error, opts []errmapconnect.ServerOption, check func(*testing.T, error, *wire)) {
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

// returns answers with one error.
func returns(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

// journal keeps what a Guard logged.
type journal struct {
	mu      sync.Mutex
	reports []errmap.Report
}

func (j *journal) guard(opts ...errmap.GuardOption) *errmap.Guard {
	return errmap.NewGuard(append(opts, errmap.WithLog(func(_ context.Context, r errmap.Report) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.reports = append(j.reports, r)
	}))...)
}

// find returns the report with an id.
func (j *journal) find(id string) (errmap.Report, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.reports {
		if r.ID == id {
			return r, true
		}
	}
	return errmap.Report{}, false
}

func (j *journal) len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.reports)
}
