package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
	"github.com/errmap/errmap/server/httpjson"
	"google.golang.org/protobuf/types/descriptorpb"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// cutter stands before an upstream and cuts each connection after that many bytes
// of answers.
type cutter struct {
	listener net.Listener
	upstream string
	after    atomic.Int64 // bytes that pass, and then it is cut
	passed   atomic.Int64 // bytes that passed on the connection that had most
	reset    atomic.Bool  // whether it is cut by a reset, or by an end
}

func newCutter(t *testing.T, upstream string) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{listener: l, upstream: strings.TrimPrefix(upstream, "http://")}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			down, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(down)
		}
	}()
	return c
}

func (c *cutter) pass(down net.Conn) {
	defer down.Close()
	up, err := net.Dial("tcp", c.upstream)
	if err != nil {
		return
	}
	defer up.Close()
	go func() {
		_, _ = io.Copy(up, down)
		_ = up.Close()
	}()
	n, _ := io.Copy(down, io.LimitReader(up, c.after.Load()))
	c.passed.Store(max(n, c.passed.Load()))
	if c.reset.Load() {
		_ = down.(*net.TCPConn).SetLinger(0)
	}
}

// An upstream that dies in the middle of an answer, wherever that is, is
// unavailable, and the next call works.
func TestFinding_P07_upstream_cut_anywhere(t *testing.T) {
	t.Parallel()
	for _, p := range []gateway.Protocol{gateway.ProtocolConnect, gateway.ProtocolGRPC, gateway.ProtocolGRPCWeb} {
		for version, serve := range map[string]func(*testing.T, http.Handler) string{"HTTP/1.1": serveHTTP1, "h2c": newServer} {
			if p == gateway.ProtocolGRPC && version == "HTTP/1.1" {
				continue
			}
			for kind, call := range map[string]func(context.Context, shopv1connect.CartClient) (int, error){
				"unary": func(ctx context.Context, c shopv1connect.CartClient) (int, error) {
					_, err := c.Get(ctx, &shopv1.GetRequest{Sku: "a sku that is not too short"})
					return 1, err
				},
				"failing": func(ctx context.Context, c shopv1connect.CartClient) (int, error) {
					_, err := c.Get(ctx, &shopv1.GetRequest{Sku: "a sku that is not too short", Qty: 1})
					return 0, err
				},
				"stream": watch,
			} {
				t.Run(fmt.Sprintf("%s/%s/%s", p, version, kind), func(t *testing.T) {
					t.Parallel()
					c := newCutter(t, serve(t, newEveryKind()))
					hc := gateway.NewHTTPClient()
					url := before(t, gateway.NewUpstream(hc, "http://"+c.listener.Addr().String(), p), gateway.WithLog(slog.New(slog.DiscardHandler)))
					cart := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(gateway.NewHTTPClient(), url, connecthttp.WithGRPC())))
					whole := func() error {
						c.after.Store(1 << 30)
						_, err := call(t.Context(), cart)
						hc.CloseIdleConnections()
						return err
					}
					want := fmt.Sprint(whole())
					size := int64(0)
					for range 500 { // until the connection is closed, after that which asks for the version
						if size = c.passed.Load(); size > 103 {
							break
						}
						time.Sleep(10 * time.Millisecond)
					}
					if size == 0 {
						t.Fatal("nothing passed")
					}
					seen := map[string]int{}
					for n := int64(0); n < size; n += 1 + size/60 {
						c.reset.Store(n%2 == 1)
						c.after.Store(n)
						ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
						_, err := call(ctx, cart)
						cancel()
						hc.CloseIdleConnections()
						if fmt.Sprint(err) == want { // all of it was there
							seen["whole"]++
							continue
						}
						seen[fmt.Sprint(err)]++
						if connect.CodeOf(err) != connect.CodeUnavailable {
							t.Errorf("cut after %d of %d bytes: %v", n, size, err)
						}
					}
					if got := fmt.Sprint(whole()); got != want {
						t.Errorf("the next call: %s, want %s", got, want)
					}
					t.Logf("of %d bytes: %v", size, seen)
				})
			}
		}
	}
}

func watch(ctx context.Context, c shopv1connect.CartClient) (count int, err error) {
	s, err := c.Watch(ctx, &shopv1.GetRequest{Sku: "A1", Qty: 3})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for {
		if _, err := s.Receive(); errors.Is(err, io.EOF) {
			return count, nil
		} else if err != nil {
			return count, err
		}
		count++
	}
}

// An answer that the HTTP of the upstream ends too early, but cleanly, or that its
// server resets, is one of an upstream that died, too.
func TestFinding_P07_upstream_ends_early(t *testing.T) {
	t.Parallel()
	const message = "\x00\x00\x00\x00\x04\x0a\x02A1"
	for name, test := range map[string]struct {
		protocol gateway.Protocol
		kind     string
		http2    bool
		end      func()
	}{
		"connect, a clean end":         {gateway.ProtocolConnect, "application/connect+proto", false, func() {}},
		"connect, a clean end, h2c":    {gateway.ProtocolConnect, "application/connect+proto", true, func() {}},
		"connect, a reset":             {gateway.ProtocolConnect, "application/connect+proto", false, abort},
		"connect, a reset of a stream": {gateway.ProtocolConnect, "application/connect+proto", true, abort},
		"grpc, a clean end":            {gateway.ProtocolGRPC, "application/grpc", true, func() {}},
		"grpc, a reset of a stream":    {gateway.ProtocolGRPC, "application/grpc", true, abort},
		"grpc-web, a clean end":        {gateway.ProtocolGRPCWeb, "application/grpc-web+proto", false, func() {}},
		"grpc-web, a clean end, h2c":   {gateway.ProtocolGRPCWeb, "application/grpc-web+proto", true, func() {}},
		"grpc-web, a reset":            {gateway.ProtocolGRPCWeb, "application/grpc-web+proto", false, abort},
	} {
		for _, part := range []string{message, message + message[:7], ""} {
			t.Run(fmt.Sprintf("%s/%d bytes", name, len(part)), func(t *testing.T) {
				t.Parallel()
				serve := serveHTTP1
				if test.http2 {
					serve = newServer
				}
				upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", test.kind)
					_, _ = io.WriteString(w, part)
					w.(http.Flusher).Flush()
					test.end()
				}))
				url := before(t, gateway.NewUpstream(nil, upstream, test.protocol), gateway.WithLog(slog.New(slog.DiscardHandler)))
				cart := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(gateway.NewHTTPClient(), url, connecthttp.WithGRPC())))
				if count, err := watch(t.Context(), cart); connect.CodeOf(err) != connect.CodeUnavailable || count != min(1, len(part)) {
					t.Errorf("%d messages, then %v", count, err)
				}
			})
		}
	}
}

func abort() { panic(http.ErrAbortHandler) }

// A handler of the same process that breaks off is an upstream that died, too.
func TestFinding_P07_handler_in_process_breaks_off(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"\x00\x00\x00\x00\x04\x0a\x02A1", "\x00\x00", ""} {
		u := gateway.NewUpstream(gateway.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/grpc")
			_, _ = io.WriteString(w, part)
			abort()
		})), "http://shop", gateway.ProtocolGRPC)
		url := before(t, u, gateway.WithLog(slog.New(slog.DiscardHandler)))
		cart := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(gateway.NewHTTPClient(), url, connecthttp.WithGRPC())))
		if _, err := watch(t.Context(), cart); connect.CodeOf(err) != connect.CodeUnavailable {
			t.Errorf("after %d bytes: %v", len(part), err)
		}
	}
}

// An upstream that takes a call and says nothing holds it no longer than it may, on
// every protocol; a stream is its caller's.
func TestFinding_A12_call_without_answer(t *testing.T) {
	t.Parallel()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mute.Close() })
	stuck := newServer(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	for _, p := range []gateway.Protocol{gateway.ProtocolConnect, gateway.ProtocolGRPC, gateway.ProtocolGRPCWeb} {
		for name, upstream := range map[string]string{"mute": "http://" + mute.Addr().String(), "stuck": stuck} {
			t.Run(p.String()+"/"+name, func(t *testing.T) {
				t.Parallel()
				quiet := gateway.WithLog(slog.New(slog.DiscardHandler))
				url := before(t, gateway.NewUpstream(nil, upstream, p), quiet, gateway.WithTimeout(300*time.Millisecond))
				start := time.Now()
				got, _ := post(t, url, goodCall)
				if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-31504,"message":"the upstream did not answer in time"}}`; got != want || time.Since(start) > 5*time.Second {
					t.Errorf("after %v: %s, want %s", time.Since(start), got, want)
				}
				cart := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(gateway.NewHTTPClient(), url, connecthttp.WithGRPC())))
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := watch(ctx, cart); connect.CodeOf(err) != connect.CodeDeadlineExceeded {
					t.Errorf("the stream ended with %v", err)
				}
			})
		}
	}
}

// An answer that is whole and cannot be read is no upstream that died.
func TestFinding_P07_a_malformed_answer_stays_internal(t *testing.T) {
	t.Parallel()
	upstream := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/connect+proto")
		_, _ = io.WriteString(w, "\x00\x00\x00\x00\x04\x0a\x7fA1")
	}))
	url := before(t, gateway.NewUpstream(nil, upstream, gateway.ProtocolConnect), gateway.WithLog(slog.New(slog.DiscardHandler)))
	cart := shopv1connect.NewCartClient(errmapconnect.NewClient(connecthttp.NewTransport(gateway.NewHTTPClient(), url, connecthttp.WithGRPC())))
	if _, err := watch(t.Context(), cart); connect.CodeOf(err) != connect.CodeInternal {
		t.Errorf("got %v", err)
	}
}

// Whatever the caller speaks, an upstream that dies between two messages, or before
// the first, is unavailable to it.
func TestFinding_P07_told_on_every_front(t *testing.T) {
	t.Parallel()
	set := &descriptorpb.FileDescriptorSet{File: descriptorFiles(libraryv1.File_library_v1_library_proto)}
	schema, err := gateway.NewSchema(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, sent := range []string{"\x00\x00\x00\x00\x03\x0a\x01b", ""} {
		upstream := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/grpc")
			_, _ = io.WriteString(w, sent)
			w.(http.Flusher).Flush()
			abort()
		}))
		g := gateway.New(gateway.NewUpstream(nil, upstream, gateway.ProtocolGRPC).Transport(), schema, gateway.WithLog(slog.New(slog.DiscardHandler)))
		mux := http.NewServeMux()
		if err := server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog())); err != nil {
			t.Fatal(err)
		}
		if err := httpjson.Mount(mux, g.Server(), httpjson.WithCatalog(g.Catalog())); err != nil {
			t.Fatal(err)
		}
		connecthttp.Mount(mux, g.Server(), connecthttp.WithGRPC(), connecthttp.WithGRPCWeb(), connecthttp.WithProtoJSON())
		front := serveHTTP1(t, mux)
		for name, test := range map[string]struct{ method, path, kind, body, want string }{
			"JSON-RPC, a stream": {"POST", "/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/WatchBooks","params":{"parent":"shelves/1"}}`, `"error":{"code":-31503,`},
			"JSON-RPC":           {"POST", "/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/GetBook","params":{"name":"b"}}`, `"error":{"code":-31503,`},
			"Connect, a stream":  {"POST", "/library.v1.Library/WatchBooks", "application/connect+json", "\x00\x00\x00\x00\x02{}", `{"error":{"code":"unavailable"`},
			"Connect":            {"POST", "/library.v1.Library/GetBook", "application/json", `{}`, `{"code":"unavailable"`},
			"gRPC-Web, a stream": {"POST", "/library.v1.Library/WatchBooks", "application/grpc-web+json", "\x00\x00\x00\x00\x02{}", "grpc-status: 14"},
			"HTTP+JSON":          {"GET", "/v1/books/b", "application/json", "", `"status":"UNAVAILABLE"`},
			"HTTP+JSON, stream":  {"GET", "/v1/shelves/1/books:watch", "application/json", "", `"status":"UNAVAILABLE"`},
		} {
			r, err := http.NewRequestWithContext(t.Context(), test.method, front+test.path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", test.kind)
			r.Header.Set("Accept", "application/json, text/event-stream")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			text := strings.ToLower(string(got) + fmt.Sprint(response.Header))
			if err != nil || !strings.Contains(text, strings.ToLower(test.want)) && !strings.Contains(text, "grpc-status:[14]") {
				t.Errorf("%s after %d bytes: %s %q %v, want %s", name, len(sent), response.Status, got, err, test.want)
			}
		}
	}
}

// The deadline of a stream in both directions ends it, though the caller goes on
// sending and the upstream goes on saying nothing.
func TestFinding_A12_deadline_of_a_stream(t *testing.T) {
	t.Parallel()
	halted := make(chan struct{})
	t.Cleanup(func() { close(halted) })
	for _, p := range []gateway.Protocol{gateway.ProtocolConnect, gateway.ProtocolGRPC, gateway.ProtocolGRPCWeb} {
		t.Run(p.String(), func(t *testing.T) {
			upstream := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", map[gateway.Protocol]string{
					gateway.ProtocolConnect: "application/connect+proto", gateway.ProtocolGRPC: "application/grpc", gateway.ProtocolGRPCWeb: "application/grpc-web+proto",
				}[p])
				w.(http.Flusher).Flush()
				<-halted // whatever the caller's deadline says
			}))
			url := before(t, gateway.NewUpstream(nil, upstream, p), gateway.WithLog(slog.New(slog.DiscardHandler)))
			body, send := io.Pipe()
			defer send.Close()
			go func() { _, _ = io.WriteString(send, "\x00\x00\x00\x00\x04\x0a\x02A1") }()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/shop.v1.Cart/Haggle", body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/grpc")
			r.Header.Set("Te", "trailers")
			r.Header.Set("Grpc-Timeout", "300m")
			done := make(chan string, 1)
			go func() {
				response, err := gateway.NewHTTPClient().Do(r)
				if err != nil {
					done <- err.Error()
					return
				}
				defer response.Body.Close()
				_, _ = io.Copy(io.Discard, response.Body)
				done <- response.Trailer.Get("Grpc-Status")
			}()
			select {
			case got := <-done:
				if got != "4" {
					t.Errorf("got status %s", got)
				}
			case <-time.After(3 * time.Second):
				t.Error("it hangs")
			}
		})
	}
}
