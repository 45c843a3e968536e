package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// endless is a body of one long string.
func endless(bytes int64) io.Reader {
	return io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), io.LimitReader(letters{}, bytes), strings.NewReader(`"}`))
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'm'
	}
	return len(p), nil
}

func TestHandler_hostileBodies(t *testing.T) {
	t.Parallel()
	listener := serve(t, newHandler(t, new(cart)))
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return listener.dial(), nil },
	}}
	defer client.CloseIdleConnections()
	call := func(body io.Reader) (int, string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://pipe/", body)
		if err != nil {
			return 0, "", err
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			return 0, "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return response.StatusCode, string(text), err
	}
	refused := func(number int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, number, text)
	}
	tests := []struct {
		name   string
		body   io.Reader
		status int
		want   string
	}{
		{"100 MB", endless(100 << 20), 413, refused(-32600, "Invalid Request: the body is larger than 4194304 bytes")},
		{"a million elements", strings.NewReader("[" + strings.Repeat("1,", 999_999) + "1]"), 413, refused(-32600, "Invalid Request: the body has more than 400000 values")},
		{"many elements", strings.NewReader("[" + strings.Repeat("1,", 399_000) + "1]"), 200, refused(-32600, "Invalid Request: the batch has 399001 elements, more than 1000")},
		{"four million brackets", strings.NewReader(strings.Repeat("[", 4_000_000)), 413, refused(-32600, "Invalid Request: the body has more than 400000 values")},
		{"many brackets", strings.NewReader(strings.Repeat("[", 399_000)), 200, refused(-32700, "Parse error: the body nests more than 100 arrays and objects")},
		{"many objects", strings.NewReader(strings.Repeat(`{"":`, 399_000)), 200, refused(-32700, "Parse error: the body nests more than 100 arrays and objects")},
		{"many members", strings.NewReader(`{"jsonrpc":"2.0"` + strings.Repeat(`,"":0`, 399_000) + `}`), 200, refused(-32600, "Invalid Request: there is no method")},
		{"a long number", strings.NewReader(`{"jsonrpc":"2.0","id":` + strings.Repeat("1", 4_000_000) + `,"jsonrpc":"2.0"}x`), 200, refused(-32700, "Parse error: invalid character 'x' at offset 4000039, expected the end")},
		{"a duplicate of each member", strings.NewReader(`{"id":1,"id":1,"jsonrpc":"2.0","jsonrpc":"2.0","method":"m","method":"m"}`), 200, refused(-32600, "Invalid Request: the member method stands twice")},
		{"lone surrogates", strings.NewReader(`{"jsonrpc":"2.0","method":"m","\ud800":"\udfff","id":["\ud800"]}`), 200, refused(-32600, "Invalid Request: the id is no string, number or null")},
	}
	for _, test := range tests {
		status, body, err := call(test.body)
		// A client that still sends when the answer is there may see the
		// connection close before it reads.
		if err != nil && test.status == http.StatusRequestEntityTooLarge {
			t.Logf("%s: %v", test.name, err)
		} else if err != nil || status != test.status || body != test.want {
			t.Errorf("%s: got %d %.300s %v, want %d %s", test.name, status, body, err, test.status, test.want)
		}
		if status, body, err := call(strings.NewReader(get("1", "A1"))); err != nil || status != http.StatusOK || body != got("1", "A1") {
			t.Errorf("after %s: got %d %s %v, want that the next call works", test.name, status, body, err)
		}
	}
}

func TestHandler_wrongLengths(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string]string{
		"a length that is too large": "Content-Length: 500\r\n",
		"a chunk that ends early":    "Transfer-Encoding: chunked\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				listener := serve(t, newHandler(t, new(cart)))
				conn, _ := dialed(t, listener, headers, "1f4\r\n"+get("1", "A1"))
				time.Sleep(time.Second)
				_ = conn.Close()
				conn, reader := dialed(t, listener, "Content-Length: "+length(get("2", "B2"))+"\r\n", get("2", "B2"))
				defer conn.Close()
				response, err := http.ReadResponse(reader, nil)
				if err != nil {
					t.Fatal(err)
				}
				if body, err := io.ReadAll(response.Body); err != nil || string(body) != got("2", "B2") {
					t.Errorf("the next call: got %s and %v", body, err)
				}
			})
		})
	}
}
