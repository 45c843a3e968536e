package client_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// Trailers of a stream are those of HTTP, also after the event of an error.
func TestTransport_stream_trailers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		event   string
		hold    bool // the server keeps the stream open
		trailer string
	}{
		"good":            {`"result":{"sku":"A1"}`, false, "3"},
		"failed":          {`"error":{"code":7,"message":"m"}`, false, "3"},
		"failed, no end":  {`"error":{"code":7,"message":"m"}`, true, ""},
		"no JSON-RPC":     {`"x":1`, false, "3"},
		"another's event": {`"id":"other","result":{}`, false, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				_, after, _ := strings.Cut(string(body), `"id":`)
				id, _, _ := strings.Cut(after, ",")
				w.Header().Set("Content-Type", "text/event-stream")
				w.Header().Set(http.TrailerPrefix+"X-Sum", "3")
				_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":`+id+","+row.event+"}\n\n")
				w.(http.Flusher).Flush()
				if row.hold {
					<-r.Context().Done()
				}
			}))
			t.Cleanup(s.Close)
			ctx, info := connect.NewClientContext(t.Context())
			stream, err := cart(s.URL).Watch(ctx, &shopv1.GetRequest{})
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			start := time.Now()
			for err == nil {
				_, err = stream.Receive()
			}
			if e, ok := errors.AsType[*errmap.Error](err); ok == (name == "good") {
				t.Errorf("ended with %v", e)
			}
			if got := info.ResponseTrailer().Get("X-Sum"); got != row.trailer {
				t.Errorf("trailer %q, want %q", got, row.trailer)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("the end was awaited for %v", took)
			}
		})
	}
}
