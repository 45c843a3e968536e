package httpserver_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect/v2/connecthttp"

	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server/httpserver"
)

// few is a body of few bytes that unpacks to n times part.
func few(t *testing.T, begin string, n int, part, end string) io.Reader {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, begin+strings.Repeat(part, n)+end)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return &out
}

// echo holds its calls.
type echo struct {
	shopv1connect.UnimplementedCartHandler
	running chan struct{}
	release chan struct{}
}

func (e echo) Echo(context.Context, *shopv1.Everything) (*shopv1.Everything, error) {
	e.running <- struct{}{}
	<-e.release
	return new(shopv1.Everything), nil
}

// What is made of a message counts before it is made, until its call is over.
func TestFinding_A02_MessagesCount(t *testing.T) {
	t.Parallel()
	e := echo{running: make(chan struct{}, 100), release: make(chan struct{})}
	s := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(s, e)
	mux := http.NewServeMux()
	connecthttp.Mount(mux, s, connecthttp.WithCodecs(httpserver.Codecs()...))
	address, _ := serve(t, mux.ServeHTTP, httpserver.WithMaxHeldBytes(16<<20))
	call := func(kind string, body io.Reader) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/shop.v1.Cart/Echo", body)
		if err != nil {
			t.Error(err)
			return ""
		}
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Content-Encoding", "gzip")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return fmt.Sprint(response.StatusCode, " ", string(text), err)
	}
	json := func(n int) string { return call("application/json", few(t, `{"many":[`, n, `"",`, `""]}`)) }
	binary := func(n int) string { return call("application/proto", few(t, "", n, "\x5a\x00", "")) }
	for kind, of := range map[string]func(int) string{"json": json, "binary": binary} {
		if got := of(450_000); !strings.Contains(got, "the message has more than 400000 values") {
			t.Errorf("%s: %.300s", kind, got)
		}
	}
	if len(e.running) > 0 {
		t.Error("the handler was called")
	}
	var held sync.WaitGroup
	for i := range 4 {
		held.Go(func() {
			if got := []func(int) string{json, binary}[i%2](350_000); !strings.HasPrefix(got, "200 ") {
				t.Errorf("within the budget: %.300s", got)
			}
		})
		<-e.running
	}
	for kind, of := range map[string]func(int) string{"json": json, "binary": binary} {
		if got := of(350_000); !strings.Contains(got, `"code":"resource_exhausted"`) || !strings.Contains(got, `"type":"google.rpc.RetryInfo"`) {
			t.Errorf("beyond the budget, %s: %.300s", kind, got)
		}
	}
	close(e.release)
	held.Wait()
	for kind, of := range map[string]func(int) string{"json": json, "binary": binary} {
		if got := of(350_000); !strings.HasPrefix(got, "200 ") {
			t.Errorf("after they are over, %s: %.300s", kind, got)
		}
	}
}
