package errmapotel_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"testing"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/otelconnect"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/errmap/errmapotel"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
)

// process is what one process has of OpenTelemetry.
type process struct {
	*errmapotel.Telemetry
	spans      *tracetest.InMemoryExporter
	tracers    *sdktrace.TracerProvider
	meters     *sdkmetric.MeterProvider
	reader     *sdkmetric.ManualReader
	propagator propagation.TextMapPropagator
}

func newProcess(t *testing.T, opts ...errmapotel.Option) *process {
	t.Helper()
	p := &process{spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader(), propagator: propagation.TraceContext{}}
	p.tracers = sdktrace.NewTracerProvider(sdktrace.WithSyncer(p.spans))
	p.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(p.reader))
	var err error
	p.Telemetry, err = errmapotel.New(append([]errmapotel.Option{
		errmapotel.WithTracerProvider(p.tracers), errmapotel.WithMeterProvider(p.meters), errmapotel.WithPropagator(p.propagator),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *process) otelconnect() []otelconnect.Option {
	return []otelconnect.Option{
		otelconnect.WithTracerProvider(p.tracers), otelconnect.WithMeterProvider(p.meters),
		otelconnect.WithPropagator(p.propagator), otelconnect.WithTrustRemote(),
	}
}

func (p *process) otelgrpc() []otelgrpc.Option {
	return []otelgrpc.Option{
		otelgrpc.WithTracerProvider(p.tracers), otelgrpc.WithMeterProvider(p.meters), otelgrpc.WithPropagators(p.propagator),
	}
}

// span returns the attributes of the only span that begin with any of the prefixes, as
// lines, and then its status.
func (p *process) span(t *testing.T, prefixes ...string) []string {
	t.Helper()
	spans := p.spans.GetSpans()
	if len(spans) != 1 {
		for _, s := range spans {
			t.Log(s.Name, s.SpanKind, s.Attributes)
		}
		t.Fatalf("%d spans, want one", len(spans))
	}
	return append(lines(spans[0].Attributes, prefixes), "status "+spans[0].Status.Code.String())
}

func lines(attrs []attribute.KeyValue, prefixes []string) []string {
	var all []string
	for _, a := range attrs {
		for _, prefix := range prefixes {
			if strings.HasPrefix(string(a.Key), prefix) {
				all = append(all, fmt.Sprintf("%s=%s", a.Key, a.Value.String()))
			}
		}
	}
	sort.Strings(all)
	return all
}

// counts returns the series of a sum as lines with their values, and of a histogram with
// how often it was recorded.
func (p *process) counts(t *testing.T, name string) []string {
	t.Helper()
	var got metricdata.ResourceMetrics
	if err := p.reader.Collect(context.Background(), &got); err != nil {
		t.Fatal(err)
	}
	var all []string
	add := func(set attribute.Set, n any) {
		all = append(all, fmt.Sprintf("%s: %v", strings.Join(lines(set.ToSlice(), []string{"rpc.", "errmap.", "error."}), " "), n))
	}
	for _, scope := range got.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, point := range data.DataPoints {
					if m.Name == name {
						add(point.Attributes, point.Value)
					}
				}
			case metricdata.Histogram[float64]:
				for _, point := range data.DataPoints {
					if m.Name == name {
						add(point.Attributes, point.Count)
					}
				}
			}
		}
	}
	sort.Strings(all)
	return all
}

type cart struct {
	shopv1connect.UnimplementedCartHandler
	fail func(context.Context) error
}

func (c cart) Get(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return &shopv1.GetResponse{}, c.fail(ctx)
}

func (c cart) Watch(ctx context.Context, _ *shopv1.GetRequest, _ shopv1connect.CartWatchServerStream) error {
	return c.fail(ctx)
}

// library has a method with a path of HTTP.
type library struct {
	libraryv1connect.UnimplementedLibraryHandler
	fail func(context.Context) error
}

func (l library) GetBook(ctx context.Context, _ *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	return &libraryv1.Book{}, l.fail(ctx)
}

type cartV1 struct {
	shopv1connectv1.UnimplementedCartHandler
	fail func(context.Context) error
}

func (c cartV1) Get(ctx context.Context, _ *connectv1.Request[shopv1.GetRequest]) (*connectv1.Response[shopv1.GetResponse], error) {
	return connectv1.NewResponse(&shopv1.GetResponse{}), c.fail(ctx)
}

type cartGRPC struct {
	shopv1.UnimplementedCartServer
	fail func(context.Context) error
}

func (c cartGRPC) Get(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return &shopv1.GetResponse{}, c.fail(ctx)
}

// quiet returns a guard that logs nothing.
func quiet() *errmap.Guard {
	return errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {}))
}

// connectServer serves the cart over Connect, gRPC, JSON-RPC and HTTP+JSON.
// instruments stand before errmap's interceptor.
func connectServer(t *testing.T, p *process, guard *errmap.Guard, fail func(context.Context) error, instruments ...connect.ServerInterceptor) string {
	t.Helper()
	rpc := connect.NewServer(append(instruments,
		errmapconnect.ServerInterceptor(errmapconnect.WithGuard(guard), errmapconnect.WithObserver(p.Observe)))...)
	shopv1connect.RegisterCartHandler(rpc, cart{fail: fail})
	libraryv1connect.RegisterLibraryHandler(rpc, library{fail: fail})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	if err := server.Mount(mux, rpc, server.WithGuard(guard)); err != nil {
		t.Fatal(err)
	}
	if err := httpjson.Mount(mux, rpc, httpjson.WithGuard(guard)); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(mux)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// instrumented returns otelconnect's interceptor and this package's.
func instrumented(t *testing.T, p *process) []connect.ServerInterceptor {
	t.Helper()
	i, err := otelconnect.NewServerInterceptor(p.otelconnect()...)
	if err != nil {
		t.Fatal(err)
	}
	return []connect.ServerInterceptor{i, p.ServerInterceptor()}
}

func get(transport connect.Transport, interceptors ...connect.ClientInterceptor) func(context.Context) error {
	c := shopv1connect.NewCartClient(connect.NewClient(transport, interceptors...))
	return func(ctx context.Context) error {
		_, err := c.Get(ctx, &shopv1.GetRequest{Sku: "A1"})
		return err
	}
}

// A wire starts a server that fails and returns what calls it.
type wire func(t *testing.T, there, here *process, guard *errmap.Guard, fail func(context.Context) error) func(context.Context) error

func overConnect(protocol connecthttp.Option) wire {
	return func(t *testing.T, there, here *process, guard *errmap.Guard, fail func(context.Context) error) func(context.Context) error {
		url := connectServer(t, there, guard, fail, instrumented(t, there)...)
		i, err := otelconnect.NewClientInterceptor(here.otelconnect()...)
		if err != nil {
			t.Fatal(err)
		}
		opts := []connecthttp.Option{}
		if protocol != nil {
			opts = append(opts, protocol)
		}
		return get(connecthttp.NewTransport(h2c(), url, opts...), i, errmapconnect.ClientInterceptor(errmapconnect.WithObserver(here.Observe)))
	}
}

func h2c() *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: transport}
}

var wires = map[string]wire{
	"Connect":         overConnect(nil),
	"gRPC of Connect": overConnect(connecthttp.WithGRPC()),
	"Connect v1": func(t *testing.T, there, here *process, guard *errmap.Guard, fail func(context.Context) error) func(context.Context) error {
		i, err := otelconnect.NewInterceptor(there.otelconnect()...)
		if err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		mux.Handle(shopv1connectv1.NewCartHandler(cartV1{fail: fail}, connectv1.WithInterceptors(i),
			errmapconnectv1.WithServer(errmapconnectv1.WithGuard(guard), errmapconnectv1.WithObserver(there.Observe))))
		s := httptest.NewServer(mux)
		t.Cleanup(s.Close)
		if i, err = otelconnect.NewInterceptor(here.otelconnect()...); err != nil {
			t.Fatal(err)
		}
		c := shopv1connectv1.NewCartClient(s.Client(), s.URL, connectv1.WithInterceptors(i),
			errmapconnectv1.WithClient(errmapconnectv1.WithObserver(here.Observe)))
		return func(ctx context.Context) error {
			_, err := c.Get(ctx, connectv1.NewRequest(&shopv1.GetRequest{Sku: "A1"}))
			return err
		}
	},
	"grpc-go": func(t *testing.T, there, here *process, guard *errmap.Guard, fail func(context.Context) error) func(context.Context) error {
		s := grpc.NewServer(append(errmapgrpc.ServerOptions(errmapgrpc.WithGuard(guard), errmapgrpc.WithObserver(there.Observe)),
			grpc.StatsHandler(otelgrpc.NewServerHandler(there.otelgrpc()...)))...)
		shopv1.RegisterCartServer(s, cartGRPC{fail: fail})
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = s.Serve(listener) }()
		t.Cleanup(s.Stop)
		conn, err := grpc.NewClient(listener.Addr().String(), append(errmapgrpc.DialOptions(errmapgrpc.WithObserver(here.Observe)),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithStatsHandler(here.GRPCClientHandler(otelgrpc.NewClientHandler(here.otelgrpc()...))))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		c := shopv1.NewCartClient(conn)
		return func(ctx context.Context) error {
			_, err := c.Get(ctx, &shopv1.GetRequest{Sku: "A1"})
			return err
		}
	},
	"JSON-RPC": func(t *testing.T, there, here *process, guard *errmap.Guard, fail func(context.Context) error) func(context.Context) error {
		url := connectServer(t, there, guard, fail, there.ServerInterceptor())
		return get(client.New(nil, url, client.WithObserver(here.Observe)), here.ClientInterceptor())
	},
	"JSON-RPC with otelconnect": func(t *testing.T, there, here *process, guard *errmap.Guard, fail func(context.Context) error) func(context.Context) error {
		url := connectServer(t, there, guard, fail, instrumented(t, there)...)
		i, err := otelconnect.NewClientInterceptor(here.otelconnect()...)
		if err != nil {
			t.Fatal(err)
		}
		return get(client.New(nil, url, client.WithObserver(here.Observe)), i, here.ClientInterceptor())
	},
	"HTTP+JSON": func(t *testing.T, there, _ *process, guard *errmap.Guard, fail func(context.Context) error) func(context.Context) error {
		url := connectServer(t, there, guard, fail, there.ServerInterceptor())
		return func(ctx context.Context) error {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/shelves/1/books/2", nil)
			if err != nil {
				return err
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				return err
			}
			return resp.Body.Close()
		}
	},
}
