package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect/v2"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// keeping is a response writer that keeps what it is given, as HTTP/2 does where a
// stream ends while it is sent, and fails or panics.
type keeping struct {
	discarding
	panics bool
	kept   []byte
}

func (k *keeping) Write(p []byte) (int, error) {
	k.kept = p
	if k.panics {
		panic(http.ErrAbortHandler)
	}
	return 0, errors.New("stream closed")
}

func TestHandler_buffersOfAFailedWrite(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, new(cart))
	for name, body := range map[string]string{"one": "%s", "batch": "[%s]"} {
		for _, panics := range []bool{false, true} {
			call := func(w http.ResponseWriter, sku string) {
				defer func() { _ = recover() }()
				text := fmt.Sprintf(body, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"`+sku+`"}}`)
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(text))
				request.Header.Set("Content-Type", "application/json")
				handler.ServeHTTP(w, request)
			}
			for range 20 {
				w := &keeping{discarding: discarding{make(http.Header)}, panics: panics}
				call(w, "mine")
				was := string(w.kept)
				for range 5 {
					call(&discarding{make(http.Header)}, "of another client")
				}
				if !strings.Contains(was, "mine") || string(w.kept) != was {
					t.Fatalf("%s, panics %t: what is still being sent became %s", name, panics, w.kept)
				}
			}
		}
	}
}

// The calls of a batch have one HTTP request, and headers of their own.
func TestHandler_headersOfTheCallsOfABatch(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	handler := newHandler(t, &cart{get: func(ctx context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		info, _ := connect.CallInfoForServerContext(ctx)
		info.RequestHeader().Add("X-Many", request.GetSku())
		both.Done()
		both.Wait()
		return &shopv1.GetResponse{Sku: strings.Join(info.RequestHeader().Values("X-Many"), ",")}, nil
	}})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(
		`[{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"a"}},{"jsonrpc":"2.0","id":2,"method":"shop.v1.Cart/Get","params":{"sku":"b"}}]`))
	request.Header["X-Many"] = append(make([]string, 0, 4), "1", "2", "3")
	got := send(t, handler, request)
	const want = `[{"jsonrpc":"2.0","id":1,"result":{"sku":"1,2,3,a"}},{"jsonrpc":"2.0","id":2,"result":{"sku":"1,2,3,b"}}]`
	if got.body != want {
		t.Errorf("got %s, want %s", got.body, want)
	}
}
