package httpjson_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
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
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server/httpjson"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
)

// shelf answers with books as large as they are asked for.
type shelf struct {
	libraryv1connect.UnimplementedLibraryHandler
	size    int
	calls   *atomic.Int64
	release chan struct{} // nil where nobody waits
}

func (s shelf) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	s.calls.Add(1)
	if r.GetName() == "leave" {
		runtime.Goexit()
	}
	return &libraryv1.Book{Name: r.GetName(), Title: strings.Repeat("x", s.size)}, nil
}

func (s shelf) MoveBook(_ context.Context, r *libraryv1.MoveBookRequest) (*libraryv1.Book, error) {
	s.calls.Add(1)
	if s.release != nil {
		<-s.release
	}
	return &libraryv1.Book{}, nil
}

func (s shelf) WatchBooks(ctx context.Context, _ *libraryv1.ListBooksRequest, stream libraryv1connect.LibraryWatchBooksServerStream) error {
	s.calls.Add(1)
	<-ctx.Done()
	return ctx.Err()
}

func answer(h http.Handler, r *http.Request) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func newShelf(t *testing.T, s shelf, opts ...httpjson.Option) http.Handler {
	t.Helper()
	rpc := errmapconnect.NewServer()
	libraryv1connect.RegisterLibraryHandler(rpc, s)
	h, err := httpjson.NewHandler(rpc, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// An answer that nobody reads ends with the time to write, one that is read slowly comes
// whole, and beyond the budget a call is refused before it is made.
func TestFinding_A02_UnreadAnswers(t *testing.T) { // not beside tests that measure memory
	synctest.Test(t, func(t *testing.T) {
		s := shelf{size: 8 << 20, calls: new(atomic.Int64)}
		listener := serveOverPipes(t, s)
		var unread []net.Conn
		for range 20 {
			conn := listener.dial()
			unread = append(unread, conn)
			send(t, conn, "GET /v1/books/1", "\r\n")
			synctest.Wait()
		}
		if n := s.calls.Load(); n != 7 {
			t.Errorf("%d calls were made: of 64 MiB, less is left than the next answer is likely to have", n)
		}
		conn := listener.dial()
		response, body := receive(t, send(t, conn, "GET /v1/books/1", "\r\n"))
		if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "1" || !strings.Contains(body, "RESOURCE_EXHAUSTED") || s.calls.Load() != 7 {
			t.Errorf("status %d, %v, %s", response.StatusCode, response.Header, body)
		}
		_ = conn.Close()
		time.Sleep(time.Minute)
		for i, conn := range unread {
			_ = conn.SetReadDeadline(time.Now().Add(time.Second))
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("connection %d is open: %v", i, err)
			}
		}
		conn = listener.dial()
		defer conn.Close()
		reader := send(t, conn, "GET /v1/books/1", "\r\n")
		response, err := http.ReadResponse(reader, nil)
		for err == nil {
			time.Sleep(time.Second)
			_, err = io.CopyN(io.Discard, response.Body, 2<<10)
		}
		if err != io.EOF {
			t.Errorf("a slow reader gets %v", err)
		}
	})
}

// Bodies that came compressed count, too.
func TestFinding_A02_BodiesCount(t *testing.T) { // not beside tests that measure memory
	synctest.Test(t, func(t *testing.T) {
		s := shelf{calls: new(atomic.Int64), release: make(chan struct{})}
		h := newShelf(t, s)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		fmt.Fprintf(w, `{"to":"%s"}`, strings.Repeat("x", 3<<20))
		_ = w.Close()
		var made, refused atomic.Int64
		for range 30 {
			go func() {
				r := httptest.NewRequest(http.MethodPost, "/v1/shelves/1/books/2:move", bytes.NewReader(packed.Bytes()))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Content-Encoding", "gzip")
				switch status, body := answer(h, r); status {
				case http.StatusOK:
					made.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
				default:
					t.Errorf("%d %s", status, body)
				}
			}()
		}
		synctest.Wait()
		close(s.release)
		synctest.Wait()
		if n := made.Load(); n < 4 || n > 21 || n+refused.Load() != 30 {
			t.Errorf("%d made, %d refused: want as many as 64 MiB have room for", n, refused.Load())
		}
	})
}

// Streams and calls have bounds, each of its own.
func TestFinding_A11_Streams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := shelf{calls: new(atomic.Int64), release: make(chan struct{})}
		h := newShelf(t, s)
		var refused atomic.Int64
		for range 1030 {
			for _, r := range []*http.Request{
				httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/shelves/1/books:watch", nil),
				httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/shelves/1/books/2:move", nil),
			} {
				go func() {
					if status, body := answer(h, r); status == http.StatusServiceUnavailable && strings.Contains(body, "too many") {
						refused.Add(1)
					}
				}()
			}
		}
		synctest.Wait()
		if s.calls.Load() != 512+1024 || refused.Load() != 2*1030-512-1024 {
			t.Errorf("%d run, %d are refused", s.calls.Load(), refused.Load())
		}
		close(s.release)
		synctest.Wait()
		if status, body := answer(h, httptest.NewRequest(http.MethodGet, "/v1/books/1", nil)); status != http.StatusOK {
			t.Errorf("beside streams a call is %d %s", status, body)
		}
		cancel()
		synctest.Wait()
	})
}

// A body without a JSON content type is refused, also where it has none: that is what a
// page of another origin can send unasked.
func TestFinding_A08_ContentType(t *testing.T) {
	t.Parallel()
	s := shelf{calls: new(atomic.Int64)}
	h := newShelf(t, s)
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "*/*", "application/octet-stream"} {
		r := httptest.NewRequest(http.MethodPost, "/v1/shelves/1/books/2:move", strings.NewReader(`{"to":"x"}`))
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
		if status, _ := answer(h, r); status != http.StatusUnsupportedMediaType || s.calls.Load() > 0 {
			t.Errorf("%q: status %d", kind, status)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/shelves/1/books/2:move", nil)
	if status, body := answer(h, r); status != http.StatusOK {
		t.Errorf("no body: %d %s", status, body)
	}
}

// Pages of another origin are refused without httpserver, too.
func TestFinding_A08_Origins(t *testing.T) {
	t.Parallel()
	s := shelf{calls: new(atomic.Int64)}
	h := newShelf(t, s, httpjson.WithOrigins("https://app.example.com"))
	for origin, want := range map[string]int{"https://evil.example.com": http.StatusForbidden, "https://app.example.com": http.StatusOK} {
		r := httptest.NewRequest(http.MethodPost, "/v1/shelves/1/books/2:move", strings.NewReader(`{"to":"x"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if status, body := answer(h, r); status != want {
			t.Errorf("%s: %d %s", origin, status, body)
		}
	}
	rpc := errmapconnect.NewServer()
	if _, err := httpjson.NewHandler(rpc, httpjson.WithOrigins("app")); err == nil {
		t.Error("an origin that is none")
	}
}

// What is wrong with a body is told without its value.
func TestFinding_P24_NoValues(t *testing.T) {
	t.Parallel()
	h := newShelf(t, shelf{calls: new(atomic.Int64)})
	for path, body := range map[string]string{
		"/v1/shelves/1/books/2:move": `{"to":{"hunter2":1}}`,
		"/v1/shelves/1/books":        `{"pages":"hunter2"}`,
	} {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if status, got := answer(h, r); status != http.StatusBadRequest || strings.Contains(got, "hunter2") {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
	status, got := answer(h, httptest.NewRequest(http.MethodGet, "/v1/shelves/1/books?page_size=hunter2", nil))
	if status != http.StatusBadRequest || strings.Contains(got, "hunter2") {
		t.Errorf("a query: %d %s", status, got)
	}
}

// A method that ends its goroutine ends nothing else.
func TestFinding_P28_Goexit(t *testing.T) {
	t.Parallel()
	quiet := httpjson.WithGuard(errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {})))
	s := httptest.NewUnstartedServer(newShelf(t, shelf{calls: new(atomic.Int64)}, quiet))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	defer s.Close()
	for version, protocols := range map[string]func(*http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) },
		"HTTP/2":   func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		protocols(transport.Protocols)
		response, err := (&http.Client{Transport: transport}).Get(s.URL + "/v1/books/leave")
		if err != nil {
			t.Errorf("%s: %v", version, err)
			continue
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != http.StatusInternalServerError || !strings.Contains(string(body), "internal error") {
			t.Errorf("%s: %d %s %v", version, response.StatusCode, body, err)
		}
		transport.CloseIdleConnections()
	}
}
