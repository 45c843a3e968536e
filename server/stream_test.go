package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

const watchThree = `{"jsonrpc":"2.0","id":7,"method":"shop.v1.Cart/Watch","params":{"sku":"A1","qty":3}}`

const stockEmptyA1 = `{"code":4010,"message":"No A1 left","data":[` +
	`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}},` +
	`{"@type":"type.googleapis.com/google.rpc.Status","code":9}]}`

// watching sends n results and then returns err.
func watching(n int, err error) *cart {
	return &cart{watch: func(_ context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
		for i := range n {
			if err := stream.Send(&shopv1.GetResponse{Qty: int64(i + 1)}); err != nil {
				return err
			}
		}
		return err
	}}
}

func TestHandler_stream(t *testing.T) {
	t.Parallel()
	const one = `data: {"jsonrpc":"2.0","id":7,"result":{"qty":"1"}}` + "\n\n"
	const two = `data: {"jsonrpc":"2.0","id":7,"result":{"qty":"2"}}` + "\n\n"
	const failure = `{"jsonrpc":"2.0","id":7,"error":` + stockEmptyA1 + `}`
	const events, both, plain = "text/event-stream", "application/json, text/event-stream", "application/json"
	refused := `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found: shop.v1.Cart/Watch answers with a stream: call it alone, with an Accept that names text/event-stream"}}`
	tests := map[string]struct {
		service *cart
		body    string
		accept  string
		kind    string
		want    string
	}{
		"results":                   {watching(2, nil), watchThree, events, events, one + two},
		"nothing said about Accept": {watching(2, nil), watchThree, "", events, one + two},
		"no results":                {watching(0, nil), watchThree, both, events, ""},
		"an error after results":    {watching(2, stock("A1")), watchThree, both, events, one + two + "data: " + failure + "\n\n"},
		"an error first, of events": {watching(0, stock("A1")), watchThree, events, events, "data: " + failure + "\n\n"},
		"an error first, of both":   {watching(0, stock("A1")), watchThree, both, plain, failure},
		"an error first, of any":    {watching(0, stock("A1")), watchThree, "*/*", plain, failure},
		"events rather":             {watching(0, stock("A1")), watchThree, "text/*, application/json;q=0.5", events, "data: " + failure + "\n\n"},
		"not events":                {watching(1, nil), watchThree, "application/json", plain, refused},
		"events at no price":        {watching(1, nil), watchThree, "*/*, text/event-stream;q=0", plain, refused},
		"wrong params": {
			new(cart), strings.Replace(watchThree, `{"sku":"A1","qty":3}`, `"x"`, 1), both, plain,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params: params must be an object with the fields of shop.v1.GetRequest"}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var headers []string
			if test.accept != "" {
				headers = []string{"Accept", test.accept}
			}
			got := post(t, newHandler(t, test.service), test.body, headers...)
			if diff := cmp.Diff(test.want, got.body); diff != "" || got.status != http.StatusOK {
				t.Errorf("status %d (-want +got):\n%s", got.status, diff)
			}
			if kind := got.header.Get("Content-Type"); kind != test.kind {
				t.Errorf("content type %q, want %q", kind, test.kind)
			}
		})
	}
}

func TestField_106_a_streaming_method_through_JSON_RPC(t *testing.T) {
	t.Parallel()
	called := false
	service := watching(2, stock("A1"))
	inner := service.watch
	service.watch = func(ctx context.Context, request *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
		called = true
		return inner(ctx, request, stream)
	}
	handler := newHandler(t, service)
	for _, body := range []string{watchThree, "[" + watchThree + "]"} {
		if got := post(t, handler, body, "Accept", "application/json"); !strings.Contains(got.body, `"code":-32601`) || called {
			t.Errorf("got %s and called %t, want -32601 before any call", got.body, called)
		}
	}
	got := post(t, handler, watchThree, "Accept", "text/event-stream")
	want := `data: {"jsonrpc":"2.0","id":7,"result":{"qty":"1"}}` + "\n\n" +
		`data: {"jsonrpc":"2.0","id":7,"result":{"qty":"2"}}` + "\n\n" +
		`data: {"jsonrpc":"2.0","id":7,"error":` + stockEmptyA1 + `}` + "\n\n"
	if diff := cmp.Diff(want, got.body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestField_120_no_error_after_the_last_event(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	service := &cart{watch: func(ctx context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
		if err := stream.Send(&shopv1.GetResponse{Qty: 1}); err != nil {
			return err
		}
		cancel()
		return ctx.Err()
	}}
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(watchThree))
	got := send(t, newHandler(t, service), request, "Accept", "text/event-stream")
	if want := `data: {"jsonrpc":"2.0","id":7,"result":{"qty":"1"}}` + "\n\n"; got.body != want {
		t.Errorf("got %q, want %q and nothing after it", got.body, want)
	}
}

func TestHandler_streamAfterTheClientLeft(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var late error
	service := &cart{watch: func(_ context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
		cancel()
		late = stream.Send(&shopv1.GetResponse{Qty: 1})
		return late
	}}
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(watchThree))
	got := send(t, newHandler(t, service), request, "Accept", "text/event-stream")
	if got.body != "" || !errors.Is(late, context.Canceled) {
		t.Errorf("got %q and %v, want nothing written and a cancelled Send", got.body, late)
	}
}

func TestHandler_streamDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &cart{watch: func(ctx context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
			if err := stream.Send(&shopv1.GetResponse{Qty: 1}); err != nil {
				return err
			}
			<-ctx.Done()
			return stream.Send(&shopv1.GetResponse{Qty: 2})
		}}
		got := post(t, newHandler(t, service), watchThree, "Accept", "text/event-stream", "Connect-Timeout-Ms", "50")
		want := `data: {"jsonrpc":"2.0","id":7,"result":{"qty":"1"}}` + "\n\n" +
			`data: {"jsonrpc":"2.0","id":7,"error":{"code":-31504,"message":"deadline exceeded"}}` + "\n\n"
		if got.body != want {
			t.Errorf("got %q, want %q", got.body, want)
		}
	})
}

func TestHandler_streamShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		down := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(down); cancel() })
		service := &cart{watch: func(ctx context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
			if err := stream.Send(&shopv1.GetResponse{Qty: 1}); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(watchThree))
		got := send(t, newHandler(t, service, server.WithGuard(errmap.NewGuard(errmap.WithShutdown(down)))), request, "Accept", "text/event-stream")
		want := `data: {"jsonrpc":"2.0","id":7,"result":{"qty":"1"}}` + "\n\n" +
			`data: {"jsonrpc":"2.0","id":7,"error":{"code":-31503,"message":"the server is shutting down"}}` + "\n\n"
		if got.body != want {
			t.Errorf("got %q, want %q", got.body, want)
		}
	})
}

func TestHandler_streamKeepAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &cart{watch: func(_ context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
			time.Sleep(100 * time.Second) // no stream yet
			for range 2 {
				if err := stream.Send(&shopv1.GetResponse{Qty: 1}); err != nil {
					return err
				}
				time.Sleep(25 * time.Second)
			}
			return nil
		}}
		handler := newHandler(t, service, server.WithTimes(server.Times{KeepAlive: 10 * time.Second}))
		got := post(t, handler, watchThree, "Accept", "text/event-stream")
		event := `data: {"jsonrpc":"2.0","id":7,"result":{"qty":"1"}}` + "\n\n"
		if want := event + ":\n\n:\n\n" + event + ":\n\n:\n\n"; got.body != want {
			t.Errorf("got %q, want %q", got.body, want)
		}
	})
}

func TestHandler_streamHeaders(t *testing.T) {
	t.Parallel()
	service := &cart{watch: func(ctx context.Context, request *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
		info, _ := connect.CallInfoForServerContext(ctx)
		info.ResponseHeader().Set("X-Sku", "a")
		if request.GetQty() > 0 {
			if err := stream.SendHeaders(); err != nil {
				return err
			}
			info.ResponseHeader().Set("X-Late", "too late")
		}
		info.ResponseTrailer().Set("X-Sum", "3")
		return stock("A1")
	}}
	handler := newHandler(t, service)
	events := post(t, handler, watchThree, "Accept", "text/event-stream")
	if events.header.Get("X-Sku") != "a" || events.header.Get("X-Late") != "" || events.header.Get("Cache-Control") != "no-cache" {
		t.Errorf("the stream has the headers %v", events.header)
	}
	plain := post(t, handler, strings.Replace(watchThree, `"qty":3`, `"qty":0`, 1), "Accept", "*/*")
	if plain.header.Get("X-Sku") != "a" || plain.header.Get("Trailer-X-Sum") != "3" {
		t.Errorf("the plain error has the headers %v", plain.header)
	}
}

func TestHandler_streamNeedsAFlusher(t *testing.T) {
	t.Parallel()
	reports := new(reports)
	handler := newHandler(t, watching(2, nil), reports.options()...)
	recorder := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(watchThree))
	request.Header.Set("Content-Type", "application/json")
	handler.ServeHTTP(struct{ http.ResponseWriter }{recorder}, request)
	if len(reports.hidden) != 1 {
		t.Fatalf("%d reports, want 1", len(reports.hidden))
	}
	if want := `{"jsonrpc":"2.0","id":7,"error":` + hiddenAnswer(reports.hidden[0].ID) + `}`; recorder.Body.String() != want {
		t.Errorf("got %s, want %s", recorder.Body, want)
	}
}

// pipeListener accepts connections that need no socket.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l *pipeListener) dial() net.Conn {
	here, there := net.Pipe()
	l.conns <- there
	return here
}

// serve runs a real HTTP server over pipes until the test ends.
func serve(t *testing.T, handler http.Handler) *pipeListener {
	t.Helper()
	return serveWith(t, &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute})
}

func serveWith(t *testing.T, httpServer *http.Server) *pipeListener {
	t.Helper()
	listener := newPipeListener()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = httpServer.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = httpServer.Close()
		<-stopped
	})
	return listener
}

// dialed sends one request on a connection of its own and returns the reader of
// what comes back.
func dialed(t *testing.T, listener *pipeListener, headers, body string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn := listener.dial()
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+headers+"\r\n"+body); err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

func TestHandler_streamTrailersOverHTTP(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &cart{watch: func(ctx context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
			info, _ := connect.CallInfoForServerContext(ctx)
			info.ResponseTrailer().Set("X-Sum", "3")
			return stream.Send(&shopv1.GetResponse{Qty: 3})
		}}
		listener := serve(t, newHandler(t, service))
		conn, reader := dialed(t, listener, "Accept: text/event-stream\r\nContent-Length: "+length(watchThree)+"\r\n", watchThree)
		defer conn.Close()
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if want := `data: {"jsonrpc":"2.0","id":7,"result":{"qty":"3"}}` + "\n\n"; string(body) != want {
			t.Errorf("got %q, want %q", body, want)
		}
		if got := response.Trailer.Get("X-Sum"); got != "3" {
			t.Errorf("the trailer is %q, want 3", got)
		}
	})
}

func TestHandler_vanishingClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 2)
		service := &cart{
			get: func(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
				<-ctx.Done()
				ended <- ctx.Err()
				return nil, ctx.Err()
			},
			watch: func(ctx context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
				if err := stream.Send(&shopv1.GetResponse{Qty: 3}); err != nil {
					return err
				}
				<-ctx.Done()
				ended <- ctx.Err()
				return ctx.Err()
			},
		}
		listener := serve(t, newHandler(t, service))
		for _, body := range []string{strings.Replace(watchThree, "Watch", "Get", 1), watchThree} {
			conn, reader := dialed(t, listener, "Content-Length: "+length(body)+"\r\n", body)
			if strings.Contains(body, "Watch") {
				if _, err := reader.ReadString('}'); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			_ = conn.Close()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v, want that it was cancelled", err)
			}
		}
	})
}

func TestHandler_slowSender(t *testing.T) {
	t.Parallel()
	for name, times := range map[string]struct{ handler, server time.Duration }{
		"the handler's own bound": {5 * time.Second, 0},
		"that of the server":      {time.Minute, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testSlowSender(t, times.handler, times.server)
		})
	}
}

func testSlowSender(t *testing.T, ofHandler, ofServer time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		handler := newHandler(t, new(cart), server.WithTimes(server.Times{Read: ofHandler}))
		listener := serveWith(t, &http.Server{Handler: handler, ReadTimeout: ofServer, ReadHeaderTimeout: time.Minute})
		start := time.Now()
		conn, reader := dialed(t, listener, "Content-Length: 100\r\n", `{"jsonrpc":`)
		defer conn.Close()
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the body did not arrive in time"}}`
		if response.StatusCode != http.StatusRequestTimeout || string(body) != want || !response.Close {
			t.Errorf("got %d %s and close %t, want 408, close and %s", response.StatusCode, body, response.Close, want)
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("took %v, want 5s", took)
		}
	})
}

// A body that nobody reads is read by net/http, before it answers.
func TestHandler_slowSenderIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		listener := serve(t, newHandler(t, new(cart), server.WithTimes(server.Times{Read: 5 * time.Second})))
		start := time.Now()
		conn, reader := dialed(t, listener, "Content-Encoding: unknown\r\nContent-Length: 100\r\n", `{"jsonrpc":`)
		defer conn.Close()
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); response.StatusCode != http.StatusUnsupportedMediaType || took > 5*time.Second {
			t.Errorf("got %d after %v, want 415 within 5s", response.StatusCode, took)
		}
	})
}

func TestHandler_slowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		service := &cart{watch: func(_ context.Context, _ *shopv1.GetRequest, stream shopv1connect.CartWatchServerStream) error {
			for {
				if err := stream.Send(&shopv1.GetResponse{Sku: strings.Repeat("x", 8000)}); err != nil {
					ended <- err
					return err
				}
			}
		}}
		listener := serve(t, newHandler(t, service, server.WithTimes(server.Times{Write: 5 * time.Second})))
		start := time.Now()
		conn, _ := dialed(t, listener, "Content-Length: "+length(watchThree)+"\r\n", watchThree)
		defer conn.Close()
		err := <-ended
		if took := time.Since(start); connect.CodeOf(err) != connect.CodeCanceled || took != 5*time.Second {
			t.Errorf("Send gave %v after %v, want canceled after 5s", err, took)
		}
	})
}

func TestHandler_deadlinesEndWithTheirRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		listener := serve(t, newHandler(t, new(cart), server.WithTimes(server.Times{Read: time.Second, Write: time.Second})))
		conn := listener.dial()
		defer conn.Close()
		reader := bufio.NewReader(conn)
		for _, body := range []string{watchThree, strings.Replace(watchThree, "Watch", "Get", 1), watchThree} {
			// The connection is idle for longer than either deadline.
			time.Sleep(10 * time.Second)
			if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "+length(body)+"\r\n\r\n"+body); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(reader, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(got), `"qty":"3"`) {
				t.Errorf("%s: got %s and %v", body, got, err)
			}
		}
	})
}
