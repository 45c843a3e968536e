package errmapotel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapotel"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

// Any peer can name any identity, number and text.
func TestTelemetry_Observe_hostile(t *testing.T) {
	t.Parallel()
	p := newProcess(t, errmapotel.WithMessage(), errmapotel.WithMetadata("sku", "none"))
	long := strings.Repeat("é", 1<<16)
	for i := range 50 {
		ctx, span := p.tracers.Tracer("test").Start(t.Context(), "call")
		e := errmap.NewCode(code.Code_NOT_FOUND, long).WithDetail(&errdetails.ErrorInfo{
			Reason: fmt.Sprint("INVENTED_", i), Domain: fmt.Sprint(i, long), Metadata: map[string]string{"sku": "\xff\x00" + long, "secret": "s"},
		})
		p.Observe(ctx, errmap.Event{Wire: errmap.WireJSONRPC, Side: errmap.ClientSide, Sent: e})
		span.End()
	}
	want := []string{"errmap.code=NOT_FOUND errmap.domain=_OTHER errmap.reason=_OTHER errmap.side=client errmap.wire=jsonrpc: 50"}
	if diff := cmp.Diff(want, p.counts(t, "errmap.errors")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, span := range p.spans.GetSpans() {
		if len(span.Attributes) != 6 {
			t.Fatalf("attributes %v", span.Attributes)
		}
		for _, a := range span.Attributes {
			if s := a.Value.AsString(); len(s) > 255 || !utf8.ValidString(s) || a.Key == "errmap.metadata.secret" {
				t.Fatalf("%s has %d bytes: %.20q", a.Key, len(s), s)
			}
		}
	}
}

// A number that a peer invents is on the span of a call and no series of its own.
func TestTelemetry_ClientInterceptor_numbers(t *testing.T) {
	t.Parallel()
	there, here := newProcess(t), newProcess(t)
	n := 0
	url := connectServer(t, there, quiet(), func(context.Context) error {
		n++
		e, err := errmap.DecodeJSONRPC(fmt.Appendf(nil, `{"code":%d,"message":"x"}`, n), errmap.ProfileGeneric)
		if err != nil {
			return err
		}
		return errmap.Forward(e)
	}, there.ServerInterceptor())
	call := get(client.New(nil, url), here.ClientInterceptor())
	for range 5 {
		if err := call(t.Context()); err == nil {
			t.Fatal("no error")
		}
	}
	want := []string{"error.type=_OTHER rpc.method=shop.v1.Cart/Get rpc.response.status_code=_OTHER rpc.system.name=jsonrpc: 5"}
	for side, p := range map[string]*process{"server": there, "client": here} {
		if diff := cmp.Diff(want, p.counts(t, "rpc."+side+".call.duration")); diff != "" {
			t.Errorf("%s: -want +got\n%s", side, diff)
		}
	}
	if got := lines(here.spans.GetSpans()[4].Attributes, []string{"rpc.response"}); got[0] != "rpc.response.status_code=5" {
		t.Errorf("span has %v", got)
	}
}

func TestTelemetry_good(t *testing.T) {
	t.Parallel()
	there, here := newProcess(t), newProcess(t)
	url := connectServer(t, there, quiet(), func(context.Context) error { return nil }, there.ServerInterceptor())
	if err := get(client.New(nil, url), here.ClientInterceptor())(t.Context()); err != nil {
		t.Fatal(err)
	}
	for side, p := range map[string]*process{"server": there, "client": here} {
		want := []string{"rpc.method=shop.v1.Cart/Get", "rpc.system.name=jsonrpc", "status Unset"}
		if diff := cmp.Diff(want, p.span(t, "")); diff != "" {
			t.Errorf("%s: -want +got\n%s", side, diff)
		}
		if got := p.counts(t, "errmap.errors"); got != nil {
			t.Errorf("%s counts %v", side, got)
		}
	}
	// One trace over both.
	if child, parent := there.spans.GetSpans()[0], here.spans.GetSpans()[0]; child.Parent.SpanID() != parent.SpanContext.SpanID() ||
		child.SpanContext.TraceID() != parent.SpanContext.TraceID() {
		t.Errorf("the server's span is no child of the client's")
	}
}

func TestTelemetry_ServerInterceptor_ends(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(context.Context) error{
		"panic":  func(context.Context) error { panic("x") },
		"Goexit": func(context.Context) error { runtime.Goexit(); return nil },
	} {
		there := newProcess(t)
		url := connectServer(t, there, quiet(), fail, there.ServerInterceptor())
		if err := get(client.New(nil, url))(t.Context()); err == nil {
			t.Fatal("no error")
		}
		got := there.span(t, "rpc.response")
		if diff := cmp.Diff([]string{"rpc.response.status_code=-32603", "status Error"}, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestTelemetry_ClientInterceptor_stream(t *testing.T) {
	t.Parallel()
	there := newProcess(t)
	url := connectServer(t, there, quiet(), func(ctx context.Context) error {
		return &shopv1.StockEmptyError{}
	}, there.ServerInterceptor())
	for name, end := range map[string]func(*testing.T, shopv1connect.CartWatchClientStream){
		"received": func(t *testing.T, s shopv1connect.CartWatchClientStream) {
			if _, err := s.Receive(); err == nil || errors.Is(err, io.EOF) {
				t.Error("no error")
			}
		},
		"closed": func(*testing.T, shopv1connect.CartWatchClientStream) {},
	} {
		here := newProcess(t)
		c := shopv1connect.NewCartClient(connect.NewClient(client.New(nil, url), here.ClientInterceptor()))
		s, err := c.Watch(t.Context(), &shopv1.GetRequest{})
		if err != nil {
			t.Fatal(err)
		}
		end(t, s)
		_ = s.Close()
		here.span(t, "") // one, and ended
		if name == "received" {
			if got := here.span(t, "error.type"); got[0] != "error.type=4010" {
				t.Errorf("got %v", got)
			}
		}
	}
	// A context that ends while nobody reads ends the span too.
	here := newProcess(t)
	ctx, cancel := context.WithCancel(t.Context())
	c := shopv1connect.NewCartClient(connect.NewClient(client.New(nil, url), here.ClientInterceptor()))
	if _, err := c.Watch(ctx, &shopv1.GetRequest{}); err != nil {
		t.Fatal(err)
	}
	cancel()
	for len(here.spans.GetSpans()) == 0 {
		runtime.Gosched()
	}
	here.span(t, "")
}

// The id that a caller got, the log line and the trace find each other.
func TestTelemetry_Log(t *testing.T) {
	t.Parallel()
	there, here := newProcess(t), newProcess(t)
	var log bytes.Buffer
	guard := errmap.NewGuard(errmap.WithLog(there.Log(slog.New(slog.NewJSONHandler(&log, nil)))))
	url := connectServer(t, there, guard, func(context.Context) error { return errors.New("dial tcp 10.0.0.7") }, there.ServerInterceptor())
	err := get(client.New(nil, url, client.WithObserver(here.Observe)), here.ClientInterceptor())(t.Context())
	info, _ := errmap.Detail[*errdetails.RequestInfo](errmap.From(err))

	var line struct {
		ID    string `json:"errmap.request_id"`
		Trace string `json:"trace_id"`
		Span  string `json:"span_id"`
		Error string
		Call  string `json:"rpc.method"`
	}
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("%v in %s", err, log.String())
	}
	c := there.spans.GetSpans()[0].SpanContext
	want := []string{info.GetRequestId(), c.TraceID().String(), c.SpanID().String(), "dial tcp 10.0.0.7", "/shop.v1.Cart/Get"}
	if diff := cmp.Diff(want, []string{line.ID, line.Trace, line.Span, line.Error, line.Call}); diff != "" || info.GetRequestId() == "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, p := range []*process{there, here} {
		if diff := cmp.Diff("errmap.request_id="+info.GetRequestId(), p.span(t, "errmap.request_id")[0]); diff != "" {
			t.Errorf("span: -want +got\n%s", diff)
		}
	}
	// Without a span, and of a panic.
	log.Reset()
	there.Log(slog.New(slog.NewJSONHandler(&log, nil)))(t.Context(), errmap.Report{Err: errors.New("x"), Stack: []byte("goroutine 1")})
	if s := log.String(); !strings.Contains(s, `"stack":"goroutine 1"`) || strings.Contains(s, "trace_id") {
		t.Error(s)
	}
}

func TestAttrs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want []attribute.KeyValue
	}{
		"nil": {nil, nil},
		"typed": {fmt.Errorf("wrapped: %w", &shopv1.StockEmptyError{Sku: "A1"}), []attribute.KeyValue{
			errmapotel.CodeKey.String("FAILED_PRECONDITION"), errmapotel.DomainKey.String("shop.example.com"),
			errmapotel.ReasonKey.String("STOCK_EMPTY"), errmapotel.OriginKey.String("local"),
		}},
		"any": {errors.New("x"), []attribute.KeyValue{errmapotel.CodeKey.String("INTERNAL"), errmapotel.OriginKey.String("local")}},
	} {
		if diff := cmp.Diff(test.want, errmapotel.Attrs(test.err), cmp.Comparer(func(a, b attribute.KeyValue) bool { return a == b })); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// What this package adds to a call that does well: over JSON-RPC, where it begins a span,
// with OpenTelemetry's providers that do nothing, and over Connect, where it begins none.
func BenchmarkServerInterceptor(b *testing.B) {
	telemetry, err := errmapotel.New(errmapotel.WithTracerProvider(tracenoop.NewTracerProvider()), errmapotel.WithMeterProvider(metricnoop.NewMeterProvider()))
	if err != nil {
		b.Fatal(err)
	}
	for name, interceptors := range map[string][]connect.ServerInterceptor{"without": nil, "with": {telemetry.ServerInterceptor()}} {
		rpc := connect.NewServer(append(interceptors, errmapconnect.ServerInterceptor(errmapconnect.WithObserver(telemetry.Observe)))...)
		shopv1connect.RegisterCartHandler(rpc, cart{fail: func(context.Context) error { return nil }})
		mux := http.NewServeMux()
		connecthttp.Mount(mux, rpc)
		if err := server.Mount(mux, rpc); err != nil {
			b.Fatal(err)
		}
		for wire, call := range map[string]struct{ path, body string }{
			"JSON-RPC": {"/", `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`},
			"Connect":  {"/shop.v1.Cart/Get", `{"sku":"A1"}`},
		} {
			b.Run(wire+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, call.path, strings.NewReader(call.body))
					r.Header.Set("Content-Type", "application/json")
					w := httptest.NewRecorder()
					mux.ServeHTTP(w, r)
					if w.Code != http.StatusOK {
						b.Fatal(w.Code, w.Body)
					}
				}
			})
		}
	}
}
