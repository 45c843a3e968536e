package server_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/server"
)

const getA1 = `{"jsonrpc":"2.0","id":7,"method":"shop.v1.Cart/Get","params":{"sku":"A1","qty":3}}`

// TestHandler_connection sends requests of all kinds over one connection, which is
// idle between them for longer than any deadline, and reads an answer to each.
func TestHandler_connection(t *testing.T) {
	t.Parallel()
	head := "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	whole := head + "Content-Length: " + length(getA1) + "\r\n\r\n" + getA1
	const answered = `{"jsonrpc":"2.0","id":7,"result":{"sku":"A1","qty":"3"}}`
	rows := []struct {
		name, request string
		status        int
		body          string
	}{
		{"whole", whole, 200, answered},
		{"chunked with trailers", head + "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n" + "5\r\n" + getA1[:5] + "\r\n4d\r\n" + getA1[5:] + "\r\n0\r\nX-Sum: 1\r\n\r\n", 200, answered},
		{"GET", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 405, "must be POST"},
		{"a body that nobody reads", strings.Replace(whole, "application/json", "text/plain", 1), 415, "content type"},
		{"a method without an answer", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 405, "must be POST"},
		{"no JSON", head + "Content-Length: 1\r\n\r\nx", 200, "Parse error"},
		{"no body", head + "Content-Length: 0\r\n\r\n", 200, "Parse error"},
		{"a timeout of the client", strings.Replace(whole, "Host", "Connect-Timeout-Ms: 5000\r\nHost", 1), 200, answered},
		{"a slow call", strings.Replace(whole, "A1", "B1", 1), 200, `"sku":"B1"`},
		{"expecting 100", strings.Replace(whole, "Host", "Expect: 100-continue\r\nHost", 1), 200, answered},
		{"the last one", strings.Replace(strings.Replace(whole, "HTTP/1.1", "HTTP/1.0", 1), "Host", "Connection: keep-alive\r\nHost", 1), 200, answered},
		{"after HTTP/1.0", whole, 200, answered},
	}
	synctest.Test(t, func(t *testing.T) {
		service := &cart{get: func(ctx context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
			if strings.HasPrefix(request.GetSku(), "B") {
				time.Sleep(time.Minute)
			}
			return &shopv1.GetResponse{Sku: request.GetSku(), Qty: int64(request.GetQty())}, ctx.Err()
		}}
		listener := serve(t, newHandler(t, service, server.WithTimes(server.Times{Read: time.Second, Write: time.Second})))
		conn := listener.dial()
		defer conn.Close()
		reader := bufio.NewReader(conn)
		check := func(name string, status int, body string) {
			response, err := http.ReadResponse(reader, nil)
			if err == nil && response.StatusCode == http.StatusContinue {
				response, err = http.ReadResponse(reader, nil)
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != status || !strings.Contains(string(got), body) {
				t.Errorf("%s: got %d %s, %v, want %d %s", name, response.StatusCode, got, err, status, body)
			}
		}
		for _, row := range rows {
			time.Sleep(10 * time.Second)
			go func() { _, _ = io.WriteString(conn, row.request) }()
			check(row.name, row.status, row.body)
		}
		// All of them at once.
		go func() { _, _ = io.WriteString(conn, strings.Repeat(whole, 3)) }()
		for range 3 {
			check("one behind the other", 200, answered)
		}
		// The first half comes in time, and so does the second.
		for range 2 {
			go func() { _, _ = io.WriteString(conn, whole[:len(whole)-20]) }()
			time.Sleep(900 * time.Millisecond)
			go func() { _, _ = io.WriteString(conn, whole[len(whole)-20:]) }()
			check("two halves", 200, answered)
		}
	})
}

// TestHandler_slowSenderOverHTTP2 bounds the body of one stream, and no other.
func TestHandler_slowSenderOverHTTP2(t *testing.T) {
	t.Parallel()
	listener := httptest.NewUnstartedServer(newHandler(t, new(cart), server.WithTimes(server.Times{Read: 200 * time.Millisecond})))
	listener.EnableHTTP2 = true
	listener.StartTLS()
	defer listener.Close()
	call := func(body io.Reader) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, listener.URL, body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := listener.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.ProtoMajor != 2 {
			t.Fatal(err, response.Proto)
		}
		return response.StatusCode, string(text)
	}
	for range 2 {
		body, end := io.Pipe()
		go func() { _, _ = io.WriteString(end, getA1[:10]) }()
		if status, text := call(body); status != http.StatusRequestTimeout {
			t.Errorf("a slow body: got %d %s, want 408", status, text)
		}
		_ = end.Close()
		if status, text := call(strings.NewReader(getA1)); status != http.StatusOK || !strings.Contains(text, "A1") {
			t.Errorf("the next one: got %d %s", status, text)
		}
	}
}
