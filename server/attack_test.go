package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

// allocated is how many bytes f allocates. Other tests must not run meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// batchOf is a batch of n requests with ids from 0.
func batchOf(n int, member string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, member)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func zipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

// Nothing is copied for each call of a batch that a small request has much of.
func TestFinding_A01_HeadersOfABatch(t *testing.T) {
	handler := newHandler(t, new(cart))
	for name, test := range map[string]struct{ headers, calls, status int }{
		"many headers":           {60_000, 400, http.StatusRequestHeaderFieldsTooLarge},
		"as many as are allowed": {120, 400, http.StatusOK},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(batchOf(test.calls, `"method":"shop.v1.Cart/Ping"`)))
		for i := range test.headers {
			r.Header[fmt.Sprintf("H%d", i)] = []string{""}
		}
		var got answer
		bytes := allocated(func() { got = send(t, handler, r) })
		if got.status != test.status || bytes > 16<<20 {
			t.Errorf("%s: status %d, %d bytes allocated", name, got.status, bytes)
		}
	}
}

// active is how many requests a handler has.
type active struct {
	http.Handler
	n atomic.Int64
}

func (a *active) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.n.Add(1)
	defer a.n.Add(-1)
	a.Handler.ServeHTTP(w, r)
}

var discovery = server.WithDiscovery("shop", "1")

// An answer that nobody reads ends with the time to write, and one that is read slowly
// comes whole.
func TestFinding_A02_UnreadAnswersEnd(t *testing.T) {
	t.Parallel()
	body := zipped(batchOf(1000, `"method":"rpc.discover"`))
	large := get("1", strings.Repeat("x", 1<<20))
	for name, headers := range map[string][2]string{
		"a batch":             {"Content-Encoding: gzip\r\n", body},
		"a batch, compressed": {"Content-Encoding: gzip\r\nAccept-Encoding: gzip\r\n", body},
		"a call":              {"", large},
		"a small answer":      {"", get("1", "A1")},
		"a refusal":           {"", `{}`},
	} {
		for _, read := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, read %t", name, read), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					h := &active{Handler: newHandler(t, new(cart), discovery)}
					listener := serve(t, h)
					conn, reader := dialed(t, listener, headers[0]+"Content-Length: "+length(headers[1])+"\r\n", headers[1])
					defer conn.Close()
					if !read {
						time.Sleep(time.Minute)
						synctest.Wait()
						if n := h.n.Load(); n > 0 {
							t.Errorf("%d requests are still answered", n)
						}
						return
					}
					response, err := http.ReadResponse(reader, nil)
					for err == nil {
						time.Sleep(time.Second)
						_, err = io.CopyN(io.Discard, response.Body, 2<<10)
					}
					if err != io.EOF {
						t.Errorf("a slow reader gets %v", err)
					}
				})
			})
		}
	}
}

// Beyond the budget a call is refused before it is made, with a delay, by its id.
func TestFinding_A02_Budget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		service := &cart{get: func(_ context.Context, r *shopv1.GetRequest) (*shopv1.GetResponse, error) {
			calls.Add(1)
			return &shopv1.GetResponse{Sku: strings.Repeat("x", int(r.GetQty()))}, nil
		}}
		listener := serve(t, newHandler(t, service))
		const mib = 1 << 20
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"qty":%d}}`, 8*mib)
		var unread []net.Conn
		for range 20 {
			conn, _ := dialed(t, listener, "Content-Length: "+length(body)+"\r\n", body)
			unread = append(unread, conn)
			synctest.Wait()
		}
		// Of 64 MiB, less is left than the next answer is likely to have.
		if n := calls.Load(); n != 7 {
			t.Errorf("%d calls were made", n)
		}
		call := func(body string) string {
			conn, reader := dialed(t, listener, "Content-Length: "+length(body)+"\r\n", body)
			defer conn.Close()
			response, err := http.ReadResponse(reader, nil)
			if err != nil {
				return err.Error()
			}
			text, _ := io.ReadAll(response.Body)
			return string(text)
		}
		const busy = `"error":{"code":-31429,"message":"too many answers wait for their callers","data":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s"}]}}`
		if got, want := call(get(`"a"`, "A1")), `{"jsonrpc":"2.0","id":"a",`+busy; got != want || calls.Load() != 7 {
			t.Errorf("got  %s\nwant %s, and no call (%d)", got, want, calls.Load())
		}
		if got, want := call("["+get("1", "A1")+`,{"jsonrpc":"2.0","id":2,"method":"shop.v1.Cart/Ping"}]`),
			`[{"jsonrpc":"2.0","id":1,`+busy+`,{"jsonrpc":"2.0","id":2,"result":{}}]`; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		for _, conn := range unread {
			_ = conn.Close()
		}
		synctest.Wait()
		if got := call(get("3", "A1")); !strings.Contains(got, `"id":3,"result"`) {
			t.Errorf("when all is given back: %s", got)
		}
	})
}

// Bodies that came compressed count, too.
func TestFinding_A02_BodiesCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		service := &cart{get: func(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) {
			<-release
			return &shopv1.GetResponse{}, nil
		}}
		h := newHandler(t, service)
		body := zipped(get("1", strings.Repeat("x", 3<<20)))
		answers := make(chan string, 30)
		for range cap(answers) {
			go func() { answers <- post(t, h, body, "Content-Encoding", "gzip").body }()
		}
		synctest.Wait()
		close(release)
		made, refused := 0, 0
		for range cap(answers) {
			switch got := <-answers; {
			case strings.Contains(got, `"id":1,"result"`):
				made++
			case strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-31429,`):
				refused++
			default:
				t.Errorf("answer %s", got)
			}
		}
		if made < 4 || made > 21 {
			t.Errorf("%d made, %d refused: want as many as 64 MiB have room for", made, refused)
		}
	})
}

// rpc.discover is a call, and its document is there once.
func TestFinding_A02_Discover(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{})
	service := &cart{get: func(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		close(held)
		<-hold
		return &shopv1.GetResponse{}, nil
	}}
	h := newHandler(t, service, discovery, server.WithLimits(server.Limits{Calls: 1}))
	done := make(chan answer)
	go func() { done <- post(t, h, get("1", "A1")) }()
	<-held
	if got := post(t, h, `{"jsonrpc":"2.0","id":2,"method":"rpc.discover"}`); !strings.Contains(got.body, `"id":2,"error":{"code":-31503`) {
		t.Errorf("beside a call: %s", got.body)
	}
	close(hold)
	<-done
	one := post(t, h, `{"jsonrpc":"2.0","id":2,"method":"rpc.discover"}`).body
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(batchOf(1000, `"method":"rpc.discover"`)))
	r.Header.Set("Content-Type", "application/json")
	h = newHandler(t, service, discovery)
	w := &counting{ResponseWriter: httptest.NewRecorder()}
	if bytes := allocated(func() { h.ServeHTTP(w, r) }); bytes > 8<<20 || w.n < 900*len(one) {
		t.Errorf("%d bytes allocated for an answer of %d", bytes, w.n)
	}
}

// counting counts what is written.
type counting struct {
	http.ResponseWriter
	n int
}

func (c *counting) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

// What strangers have a server log is clipped, and limited in rate.
func TestFinding_A10_Log(t *testing.T) {
	var log lockedBuffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	h := newHandler(t, new(cart))
	body := zipped(`{"jsonrpc":"2.0","method":"` + strings.Repeat("\\u0007", 600_000) + `"}`)
	for range 10 {
		post(t, h, body, "Content-Encoding", "gzip")
	}
	if n := len(log.String()); n > 16<<10 {
		t.Errorf("%d bytes of log for %d bytes", n, 10*len(body))
	}
	small := "[" + strings.Repeat(`{"jsonrpc":"2.0","method":"nope"},`, 999) + `{"jsonrpc":"2.0","method":"nope"}]`
	for range 10 {
		post(t, h, small)
	}
	if lines := strings.Count(log.String(), "\n"); lines == 0 || lines > 100 {
		t.Errorf("%d lines of log", lines)
	}
}

// Streams leave room for calls.
func TestFinding_A11_Streams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var open, refused atomic.Int64
		service := &cart{watch: func(ctx context.Context, _ *shopv1.GetRequest, _ shopv1connect.CartWatchServerStream) error {
			open.Add(1)
			<-ctx.Done()
			return ctx.Err()
		}}
		h := newHandler(t, service)
		for range 1030 {
			go func() {
				r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(watchThree))
				if got := send(t, h, r, "Accept", "text/event-stream"); strings.Contains(got.body, `"id":7,"error":{"code":-31503,`) {
					refused.Add(1)
				}
			}()
		}
		synctest.Wait()
		if got := post(t, h, get("1", "A1")); !strings.Contains(got.body, `"id":1,"result"`) {
			t.Errorf("beside streams a call is %s", got.body)
		}
		if open.Load() != 512 || refused.Load() != 1030-512 {
			t.Errorf("%d streams are open, %d are refused", open.Load(), refused.Load())
		}
		cancel()
		synctest.Wait()
	})
}

// A client that knows params by position alone calls what needs none.
func TestFinding_P14_EmptyList(t *testing.T) {
	t.Parallel()
	h := newHandler(t, new(cart))
	for _, params := range []string{`[]`, "[ \t\r\n]"} {
		for method, want := range map[string]string{"Ping": `{}`, "Get": `{}`} {
			got := post(t, h, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/`+method+`","params":`+params+`}`)
			if got.body != `{"jsonrpc":"2.0","id":1,"result":`+want+`}` {
				t.Errorf("%s %s: %s", method, params, got.body)
			}
		}
	}
	for _, profile := range []errmap.Profile{errmap.ProfileA2A, errmap.ProfileMCP} {
		h := newHandler(t, new(cart), server.WithProfile(profile), server.WithMethodNames(server.SlashNames))
		if got := post(t, h, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Ping","params":[]}`); !strings.Contains(got.body, "-32602") {
			t.Errorf("%v, which has params by name alone: %s", profile, got.body)
		}
	}
}

// What is wrong with params is told by the field, without its value.
func TestFinding_P24_NoValues(t *testing.T) {
	t.Parallel()
	h := newHandler(t, new(cart))
	got := post(t, h, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"qty":"hunter2"}}`)
	if !strings.Contains(got.body, "int32 field qty") || strings.Contains(got.body, "hunter2") {
		t.Errorf("answer %s", got.body)
	}
}

// A method that ends its goroutine ends nothing else.
func TestFinding_P28_Goexit(t *testing.T) {
	t.Parallel()
	leave := func(sku string) {
		if sku == "leave" {
			runtime.Goexit()
		}
	}
	service := &cart{
		get: func(_ context.Context, r *shopv1.GetRequest) (*shopv1.GetResponse, error) {
			leave(r.GetSku())
			return &shopv1.GetResponse{Sku: r.GetSku()}, nil
		},
		watch: func(_ context.Context, r *shopv1.GetRequest, s shopv1connect.CartWatchServerStream) error {
			if err := s.Send(&shopv1.GetResponse{Qty: 1}); err != nil {
				return err
			}
			leave(r.GetSku())
			return nil
		},
	}
	reports := new(reports)
	s := httptest.NewUnstartedServer(newHandler(t, service, reports.options()...))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	defer s.Close()
	items := make([]string, 100)
	for i := range items {
		items[i] = get(fmt.Sprint(i), map[bool]string{true: "leave", false: "A1"}[i%2 == 0])
	}
	for version, protocols := range map[string]func(*http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) },
		"HTTP/2":   func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		protocols(transport.Protocols)
		client := &http.Client{Transport: transport}
		call := func(body string) string {
			response, err := client.Post(s.URL, "application/json", strings.NewReader(body))
			if err != nil {
				return err.Error()
			}
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			return fmt.Sprint(string(text), err)
		}
		if got := call(get("1", "leave")); !strings.Contains(got, `"id":1,"error":{"code":-32603,"message":"internal error"`) || !strings.HasSuffix(got, "<nil>") {
			t.Errorf("%s: a call: %s", version, got)
		}
		if got := call("[" + strings.Join(items, ",") + "]"); strings.Count(got, `"code":-32603`) != 50 || strings.Count(got, `"result":{"sku":"A1"}`) != 50 {
			t.Errorf("%s: a batch: %s", version, got)
		}
		watch := `{"jsonrpc":"2.0","id":7,"method":"shop.v1.Cart/Watch","params":{"sku":"leave"}}`
		if got := call(watch); !strings.Contains(got, `"id":7,"result"`) || !strings.Contains(got, `"id":7,"error":{"code":-32603`) {
			t.Errorf("%s: a stream: %s", version, got)
		}
		transport.CloseIdleConnections()
	}
	if texts := reports.texts(); len(texts) != 2*52 || !strings.Contains(texts[0], "Goexit") {
		t.Errorf("%d reports, %q", len(texts), texts[:min(1, len(texts))])
	}
}

// Where an answer turns out to have no room, the caller learns that the call was made.
func TestFinding_A02_LeftOut(t *testing.T) {
	t.Parallel()
	service := &cart{get: func(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		return &shopv1.GetResponse{Sku: strings.Repeat("x", 1<<20)}, nil
	}}
	h := newHandler(t, service, server.WithLimits(server.Limits{HeldBytes: 1 << 20}))
	want := `{"jsonrpc":"2.0","id":1,"error":{"code":-31429,"message":"too many answers wait for their callers: the call was made, and its answer is left out"}}`
	if got := post(t, h, get("1", "A1")); got.body != want {
		t.Errorf("got %s", got.body)
	}
	if got := post(t, h, "["+get("1", "A1")+"]"); got.body != "["+want+"]" {
		t.Errorf("in a batch: %s", got.body)
	}
}

// What net/http sends after a stream is bounded as well, and its connection ends.
func TestFinding_A21_EndOfAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		listener := serve(t, newHandler(t, watching(1, nil)))
		conn, reader := dialed(t, listener, "Accept: text/event-stream\r\nContent-Length: "+length(watchThree)+"\r\n", watchThree)
		defer conn.Close()
		// All of the event, and nothing of what comes after it.
		for line := ""; !strings.HasPrefix(line, "data: "); {
			var err error
			if line, err = reader.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		rest, err := io.ReadAll(reader)
		if err != nil || strings.Contains(string(rest), "\r\n0\r\n") {
			t.Errorf("after a minute comes %q, %v", rest, err)
		}
	})
}
