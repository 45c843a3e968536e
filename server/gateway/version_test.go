package gateway_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
)

// everyKind is a service of Connect with each kind of stream.
type everyKind struct {
	shopv1connect.UnimplementedCartHandler
}

func (everyKind) Get(_ context.Context, r *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	if r.GetQty() > 0 {
		return nil, &shopv1.StockEmptyError{Sku: r.GetSku()}
	}
	return &shopv1.GetResponse{Sku: r.GetSku(), Qty: 1}, nil
}

func (everyKind) Watch(_ context.Context, r *shopv1.GetRequest, s shopv1connect.CartWatchServerStream) error {
	for i := range r.GetQty() {
		if err := s.Send(&shopv1.GetResponse{Sku: r.GetSku(), Qty: int64(i)}); err != nil {
			return err
		}
	}
	return &shopv1.StockEmptyError{Sku: r.GetSku()}
}

func (everyKind) Fill(_ context.Context, s shopv1connect.CartFillServerStream) (*shopv1.GetResponse, error) {
	total := int64(0)
	for {
		r, err := s.Receive()
		if errors.Is(err, io.EOF) {
			return &shopv1.GetResponse{Qty: total}, nil
		}
		if err != nil {
			return nil, err
		}
		total += int64(r.GetQty())
	}
}

func newEveryKind() http.Handler {
	s := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(s, everyKind{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, s, connecthttp.WithGRPC(), connecthttp.WithGRPCWeb())
	return mux
}

// serveHTTP1 serves as http.ListenAndServe does: over HTTP/1.1 alone.
func serveHTTP1(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String()
}

// before mounts a gateway before an upstream whose schema it has, and returns its
// address.
func before(t *testing.T, u *gateway.Upstream, opts ...gateway.Option) (url string) {
	t.Helper()
	schema, err := gateway.NewSchema(descriptorSet(t))
	if err != nil {
		t.Fatal(err)
	}
	g := gateway.New(u.Transport(), schema, opts...)
	mux := http.NewServeMux()
	if err := server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog())); err != nil {
		t.Fatal(err)
	}
	connecthttp.Mount(mux, g.Server(), connecthttp.WithGRPC(), connecthttp.WithGRPCWeb())
	return newServer(t, mux)
}

// A server of HTTP/1.1 is an upstream of Connect and of gRPC-Web, as one of h2c or
// TLS is: with calls of every kind that HTTP/1.1 has, good ones and failing ones.
func TestFinding_P05_versions_of_HTTP(t *testing.T) {
	t.Parallel()
	h2c := func(t *testing.T, h http.Handler) (string, *http.Client) { return newServer(t, h), nil }
	http1 := func(t *testing.T, h http.Handler) (string, *http.Client) { return serveHTTP1(t, h), nil }
	secure := func(http2 bool) func(t *testing.T, h http.Handler) (string, *http.Client) {
		return func(t *testing.T, h http.Handler) (string, *http.Client) {
			t.Helper()
			s := httptest.NewUnstartedServer(h)
			s.EnableHTTP2 = http2
			s.StartTLS()
			t.Cleanup(s.Close)
			return s.URL, s.Client()
		}
	}
	v1 := http.NewServeMux()
	v1.Handle(shopv1connectv1.NewCartHandler(connectShop{}))
	for name, serve := range map[string]func(*testing.T, http.Handler) (string, *http.Client){
		"HTTP/1.1": http1, "h2c": h2c, "TLS, HTTP/1.1": secure(false), "TLS, HTTP/2": secure(true),
	} {
		for _, p := range []gateway.Protocol{gateway.ProtocolConnect, gateway.ProtocolGRPCWeb} {
			t.Run(name+"/"+p.String(), func(t *testing.T) {
				t.Parallel()
				upstream, client := serve(t, newEveryKind())
				url := before(t, gateway.NewUpstream(client, upstream, p))
				for range 3 {
					if got, _ := post(t, url, goodCall); got != goodAnswer {
						t.Errorf("got %s", got)
					}
					got, _ := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1","qty":2}}`)
					if got != wantError {
						t.Errorf("got %s", got)
					}
				}
				c := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(gateway.NewHTTPClient(), url, connecthttp.WithGRPC())))
				checkStreams(t, c)
			})
			t.Run(name+"/"+p.String()+"/Connect v1", func(t *testing.T) {
				t.Parallel()
				upstream, client := serve(t, v1)
				url := before(t, gateway.NewUpstream(client, upstream, p))
				if got, _ := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`); got != wantError {
					t.Errorf("got %s", got)
				}
			})
		}
	}
}

func checkStreams(t *testing.T, c shopv1connect.CartClient) {
	t.Helper()
	watch, err := c.Watch(t.Context(), &shopv1.GetRequest{Sku: "A1", Qty: 2})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for {
		if _, err = watch.Receive(); err != nil {
			break
		}
		count++
	}
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); count != 2 || !ok || empty.GetSku() != "A1" {
		t.Errorf("watch: %d messages, then %v", count, err)
	}
	fill, err := c.Fill(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int32{1, 2, 3} {
		if err := fill.Send(&shopv1.GetRequest{Qty: n}); err != nil {
			t.Fatal(err)
		}
	}
	if sum, err := fill.CloseAndReceive(); err != nil || sum.GetQty() != 6 {
		t.Errorf("fill: %v %v", sum, err)
	}
}

// What HTTP/1.1 has not is told: a stream in both directions.
func TestFinding_P05_no_bidi_over_HTTP1(t *testing.T) {
	t.Parallel()
	for _, p := range []gateway.Protocol{gateway.ProtocolConnect, gateway.ProtocolGRPCWeb} {
		url := before(t, gateway.NewUpstream(nil, serveHTTP1(t, newEveryKind()), p))
		c := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(gateway.NewHTTPClient(), url, connecthttp.WithGRPC())))
		haggle, err := c.Haggle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_ = haggle.Send(&shopv1.GetRequest{Qty: 1})
		_, err = haggle.Receive()
		if connect.CodeOf(err) != connect.CodeUnimplemented || !strings.Contains(err.Error(), "HTTP/2") {
			t.Errorf("%s: %v", p, err)
		}
		_ = haggle.Close()
	}
}

// A server that takes the place of another may speak another version.
func TestFinding_P05_version_changes(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	url := before(t, gateway.NewUpstream(nil, "http://"+address, gateway.ProtocolConnect))
	for i, configure := range []func(*http.Protocols){
		func(p *http.Protocols) { p.SetHTTP1(true) },
		func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
		func(p *http.Protocols) { p.SetHTTP1(true) },
	} {
		if i > 0 {
			if l, err = net.Listen("tcp", address); err != nil {
				t.Fatal(err)
			}
		}
		s := &http.Server{Handler: newEveryKind(), Protocols: new(http.Protocols), ReadHeaderTimeout: time.Minute}
		configure(s.Protocols)
		go func() { _ = s.Serve(l) }()
		got := ""
		for range 3 { // the first call may be the one that shows it
			if got, _ = post(t, url, goodCall); got == goodAnswer {
				break
			}
		}
		if got != goodAnswer {
			t.Errorf("by %v: got %s", s.Protocols, got)
		}
		_ = s.Close()
	}
}
