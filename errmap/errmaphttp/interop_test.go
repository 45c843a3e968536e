package errmaphttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/adaptertest"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// The rows of docs/interop.md on net/http.

// Whether the timeout holds an *errmap.Error is chance, so nothing rests on it.
func TestTransport_timeoutOfTheClient(t *testing.T) {
	t.Parallel()
	client, _ := adaptertest.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	client.Transport = errmaphttp.NewTransport(client.Transport, errmaphttp.HTTPJSON)
	client.Timeout = 20 * time.Millisecond
	_, err := client.Get("http://shop/")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestReadError_mislabelledForNetHTTP(t *testing.T) {
	t.Parallel()
	client, _ := adaptertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":{"code":404,"status":"NOT_FOUND","message":"gone"}}`)
	}))
	for disabled, want := range map[bool]told{
		true:  {code.Code_NOT_FOUND, "gone", false},
		false: {code.Code_NOT_FOUND, "HTTP status 404 Not Found", true},
	} {
		client.Transport.(*http.Transport).DisableCompression = disabled
		resp, err := client.Get("http://shop/")
		if err != nil {
			t.Fatal(err)
		}
		if _, got := read(t, resp, errmaphttp.HTTPJSON); got != want {
			t.Errorf("compression disabled %v: got %+v", disabled, got)
		}
	}
}

func TestReadError_head(t *testing.T) {
	t.Parallel()
	client, _ := adaptertest.Serve(t, errmaphttp.Handle(func(http.ResponseWriter, *http.Request) error { return adaptertest.StockEmpty() }))
	resp, err := client.Head("http://shop/")
	if err != nil {
		t.Fatal(err)
	}
	e, got := read(t, resp, errmaphttp.HTTPJSON)
	if delay, ok := e.RetryDelay(); got.Code != code.Code_INVALID_ARGUMENT || !got.Local || !ok || delay != 2*time.Second {
		t.Errorf("got %+v with delay %v", got, delay)
	}
}
