package errmaphttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/adaptertest"
)

// A stream whose request is open when its context ends must not look finished to
// its server, nor wait for ever.
func TestTransport_resetsStreams(t *testing.T) {
	t.Parallel()
	seen := make(chan error, 1)
	client, _ := adaptertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		_, err := io.ReadAll(r.Body)
		seen <- err
	}))
	client.Transport = errmaphttp.NewTransport(client.Transport, errmaphttp.HTTPJSON)
	ctx, cancel := context.WithCancel(t.Context())
	open, write := io.Pipe()
	defer write.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://shop/", open)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cancel()
	if _, err := resp.Body.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("the client read on: %v", err)
	}
	if err := <-seen; err == nil {
		t.Error("the server took the request for whole")
	}
}

func TestHandle_abilitiesOfTheWriter(t *testing.T) {
	t.Parallel()
	// Over HTTP/1 a writer flushes, hijacks and reads from.
	server := httptest.NewServer(errmaphttp.Handle(func(w http.ResponseWriter, r *http.Request) error {
		switch r.URL.Path {
		case "/hijack":
			conn, rw, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return err
			}
			defer conn.Close()
			_, _ = rw.WriteString("HTTP/1.1 418 Mine\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			_ = rw.Flush()
			if err := errmaphttp.WriteError(w, r, errors.New("x")); !errors.Is(err, errmaphttp.ErrBegun) {
				t.Errorf("after a hijack: %v", err)
			}
			return nil
		case "/copy":
			if _, ok := w.(http.Flusher); !ok {
				t.Error("the writer does not flush")
			}
			// LimitReader hides WriteTo, so that io.Copy asks the writer.
			_, err := io.Copy(w, io.LimitReader(strings.NewReader("whole"), 100))
			return err
		}
		return errmaphttp.WriteError(wrapped{w}, r, adaptertest.StockEmpty())
	}))
	defer server.Close()
	for path, want := range map[string]string{"/hijack": "418 Mine", "/copy": "200 OK", "/": "400 Bad Request"} {
		resp, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.Status != want {
			t.Errorf("%s: %s, want %s", path, resp.Status, want)
		}
	}
}

// wrapped is the writer of another middleware.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestHandle_plainWriter(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	errmaphttp.Recover(errmaphttp.Handle(func(w http.ResponseWriter, _ *http.Request) error {
		if _, ok := w.(http.Flusher); ok {
			t.Error("the writer claims to flush")
		}
		if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("SetReadDeadline: %v", err)
		}
		return adaptertest.StockEmpty()
	})).ServeHTTP(bare{recorder}, httptest.NewRequest(http.MethodGet, "/", nil))
	if recorder.Code != http.StatusBadRequest {
		t.Errorf("HTTP %d", recorder.Code)
	}
}

// bare is a writer that can do nothing more than any must.
type bare struct{ w http.ResponseWriter }

func (b bare) Header() http.Header         { return b.w.Header() }
func (b bare) Write(p []byte) (int, error) { return b.w.Write(p) }
func (b bare) WriteHeader(status int)      { b.w.WriteHeader(status) }
