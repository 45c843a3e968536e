package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// answer is a server that answers each request with the same bytes, in which
// ID stands for the id of the request.
func answer(t *testing.T, status int, header map[string]string, body string) (url string, requests *[]string) {
	t.Helper()
	var mu sync.Mutex
	requests = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		mu.Lock()
		*requests = append(*requests, string(raw))
		mu.Unlock()
		for key, value := range header {
			w.Header().Set(key, value)
		}
		w.WriteHeader(status)
		id := "1"
		if _, after, ok := strings.Cut(string(raw), `"id":`); ok {
			id = after[:strings.IndexAny(after, ",}")]
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", id))
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func cart(url string, opts ...client.Option) shopv1connect.CartClient {
	return shopv1connect.NewCartClient(connect.NewClient(client.New(nil, url, opts...)))
}

func TestTransport_unary(t *testing.T) {
	t.Parallel()
	url, requests := answer(t, 200, map[string]string{"X-Shop": "7"}, `{"jsonrpc":"2.0","id":ID,"result":{"sku":"A1","qty":"9007199254740993"}}`)
	ctx, info := connect.NewClientContext(t.Context())
	got, err := cart(url).Get(ctx, &shopv1.GetRequest{Sku: "A1", Qty: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got.GetQty() != 9007199254740993 {
		t.Errorf("qty = %d", got.GetQty())
	}
	want := `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1","qty":2}}`
	if diff := cmp.Diff([]string{want}, *requests); diff != "" {
		t.Errorf("requests: -want +got\n%s", diff)
	}
	if info.ResponseHeader().Get("X-Shop") != "7" || info.Protocol != client.ProtocolName {
		t.Errorf("call info: %q %q", info.ResponseHeader().Get("X-Shop"), info.Protocol)
	}
}

// Each row is an answer of a server that somebody else wrote.
func TestTransport_answers(t *testing.T) {
	t.Parallel()
	const event = "text/event-stream"
	for name, row := range map[string]struct {
		status  int
		header  map[string]string
		body    string
		profile errmap.Profile
		code    code.Code
		message string
		local   bool
		not     string // what no text of the error may hold
		check   func(*testing.T, *errmap.Error)
	}{
		"typed error": {
			status: 200, body: `{"jsonrpc":"2.0","id":ID,"error":{"code":4010,"message":"No A1 left","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}]}}`,
			code: code.Code_FAILED_PRECONDITION, message: "No A1 left",
			check: func(t *testing.T, e *errmap.Error) {
				if typed, ok := errors.AsType[*shopv1.StockEmptyError](e); !ok || typed.GetSku() != "A1" {
					t.Errorf("typed error = %v", typed)
				}
			},
		},
		"error at a bad status": {status: 400, body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`, code: code.Code_INVALID_ARGUMENT, message: "no"},
		"foreign data is kept": {
			status: 200, body: `{"jsonrpc":"2.0","id":ID,"error":{"code":7,"message":"m","data":{"n":1.0}}}`, code: code.Code_UNKNOWN, message: "m",
			check: func(t *testing.T, e *errmap.Error) {
				if got := string(errmap.EncodeJSONRPC(e, errmap.ProfileGeneric)); got != `{"code":7,"message":"m","data":{"n":1.0}}` {
					t.Errorf("again: %s", got)
				}
			},
		},
		"more than an error": {
			status: 200, body: `{"jsonrpc":"2.0", "id":ID, "trace":"t1", "result":{"qty":"4711"}, "error":{"code":-31404,"message":"m"}, "error":{"code":-31403,"message":"n"}}`,
			code: code.Code_NOT_FOUND, message: "m",
			check: func(t *testing.T, e *errmap.Error) {
				if notes := strings.Join(e.Notes(), "\n"); !strings.Contains(notes, "4711") || !strings.Contains(notes, `"error" stands twice`) {
					t.Errorf("notes %s", notes)
				}
				if got := e.Received(); len(got) != 1 || string(got[0].Members) != `{"trace":"t1"}` {
					t.Errorf("received %v", got)
				}
			},
		},
		"a2a profile":              {status: 200, profile: errmap.ProfileA2A, body: `{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"Task not found"}}`, code: code.Code_NOT_FOUND, message: "Task not found"},
		"null id":                  {status: 200, body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}`, code: code.Code_INVALID_ARGUMENT, message: "bad"},
		"another id":               {status: 200, body: `{"jsonrpc":"2.0","id":77,"result":{}}`, code: code.Code_INTERNAL, message: "the answer bears the id of another call", local: true},
		"neither":                  {status: 200, body: `{"jsonrpc":"2.0","id":ID}`, code: code.Code_INTERNAL, message: "the answer is not JSON-RPC", local: true},
		"html at 200":              {status: 200, header: map[string]string{"Content-Type": "text/html"}, body: "<html>sign in 10.0.0.7</html>", code: code.Code_INTERNAL, message: "the answer is not JSON-RPC", local: true, not: "10.0.0.7"},
		"html at 502":              {status: 502, header: map[string]string{"Content-Type": "text/html"}, body: "<html>upstream 10.0.0.7</html>", code: code.Code_UNAVAILABLE, message: "HTTP status 502 Bad Gateway", local: true, not: "10.0.0.7"},
		"aip-193 of a proxy":       {status: 503, body: `{"error":{"code":503,"message":"down","status":"UNAVAILABLE"}}`, code: code.Code_UNAVAILABLE, message: "down", local: true},
		"version 1.0":              {status: 200, body: `{"id":ID,"result":null,"error":{"code":-32603,"message":"x"}}`, code: code.Code_INTERNAL, message: "x"},
		"forbidden by a proxy":     {status: 403, body: `{"message":"Forbidden"}`, code: code.Code_PERMISSION_DENIED, message: "Forbidden", local: true},
		"version 1.0 at 500":       {status: 500, body: `{"id":ID,"result":null,"error":{"code":-32602,"message":"x"}}`, code: code.Code_INVALID_ARGUMENT, message: "x"},
		"result of another type":   {status: 200, body: `{"jsonrpc":"2.0","id":ID,"result":{"qty":"many"}}`, code: code.Code_INTERNAL, message: "the result is not of the method's type", local: true},
		"JSON that ends early":     {status: 200, body: `{"jsonrpc":"2.0","id":ID,"resu`, code: code.Code_UNAVAILABLE, message: "the call broke off", local: true},
		"an error that ends early": {status: 404, body: `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602`, code: code.Code_UNAVAILABLE, message: "the call broke off", local: true},
		"json labelled as events":  {status: 200, header: map[string]string{"Content-Type": event}, body: `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"x"}}`, code: code.Code_INVALID_ARGUMENT, message: "x"},
		"stream without answer":    {status: 200, header: map[string]string{"Content-Type": event}, body: ": hello\n\n", code: code.Code_UNAVAILABLE, message: "the call broke off", local: true},
		"rate limit": {
			status: 429, header: map[string]string{"Retry-After": "7"}, body: "slow down", code: code.Code_UNAVAILABLE, message: "HTTP status 429 Too Many Requests", local: true,
			check: func(t *testing.T, e *errmap.Error) {
				if delay, ok := e.RetryDelay(); !ok || delay != 7*time.Second || e.HTTPStatus() != 429 {
					t.Errorf("delay %v %v, status %d", delay, ok, e.HTTPStatus())
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := answer(t, row.status, row.header, row.body)
			_, err := cart(url, client.WithProfile(row.profile)).Get(t.Context(), &shopv1.GetRequest{})
			e, ok := errors.AsType[*errmap.Error](err)
			if !ok {
				t.Fatalf("no *errmap.Error: %v", err)
			}
			if e.Code() != row.code || e.Message() != row.message || e.Local() != row.local || e.Remote() == row.local {
				t.Errorf("got %v %q local=%v remote=%v", e.Code(), e.Message(), e.Local(), e.Remote())
			}
			if c, ok := errors.AsType[*connect.Error](err); !ok || c.Code() != connect.Code(row.code) || c.IsRemote() == row.local {
				t.Errorf("connect error = %v", c)
			}
			if row.not != "" && strings.Contains(e.Message()+string(errmap.EncodeConnect(e))+string(errmap.EncodeJSONRPC(e, row.profile)), row.not) {
				t.Errorf("the body shows in %v", e)
			}
			if row.check != nil {
				row.check(t, e)
			}
		})
	}
}

func TestTransport_stream(t *testing.T) {
	t.Parallel()
	events := func(texts ...string) string {
		var b strings.Builder
		for _, text := range texts {
			b.WriteString("data: " + text + "\n\n")
		}
		return b.String()
	}
	one, two := `{"jsonrpc":"2.0","id":ID,"result":{"qty":"1"}}`, `{"jsonrpc":"2.0","id":ID,"result":{"qty":"2"}}`
	failed := `{"jsonrpc":"2.0","id":ID,"error":{"code":-31404,"message":"gone"}}`
	for name, row := range map[string]struct {
		content, body string
		want          []int64
		code          connect.Code // 0: a clean end
	}{
		"clean":            {"text/event-stream", events(one, two), []int64{1, 2}, 0},
		"error in the end": {"text/event-stream", events(one, two, failed), []int64{1, 2}, connect.CodeNotFound},
		"error as JSON":    {"application/json", failed, nil, connect.CodeNotFound},
		"cut in an event":  {"text/event-stream", events(one) + `data: {"jsonrpc":"2.0","id":ID,"res`, []int64{1}, connect.CodeUnavailable},
		"plain result":     {"application/json", one, nil, connect.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := answer(t, 200, map[string]string{"Content-Type": row.content}, row.body)
			stream, err := cart(url).Watch(t.Context(), &shopv1.GetRequest{})
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for {
				var m *shopv1.GetResponse
				if m, err = stream.Receive(); err != nil {
					break
				}
				got = append(got, m.GetQty())
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("messages: -want +got\n%s", diff)
			}
			if row.code == 0 && !errors.Is(err, io.EOF) || row.code != 0 && connect.CodeOf(err) != row.code {
				t.Errorf("the end is %v", err)
			}
		})
	}
}

// A connection that breaks inside a stream is never a clean end.
func TestTransport_stream_cut(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"qty\":\"1\"}}\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(s.Close)
	stream, err := cart(s.URL).Watch(t.Context(), &shopv1.GetRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := stream.Receive(); err != nil || m.GetQty() != 1 {
		t.Fatalf("first: %v %v", m, err)
	}
	if _, err := stream.Receive(); connect.CodeOf(err) != connect.CodeUnavailable || errors.Is(err, io.EOF) {
		t.Errorf("the end is %v", err)
	}
}

func TestTransport_local_failures(t *testing.T) {
	t.Parallel()
	blocked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(blocked.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + l.Addr().String()
	_ = l.Close()

	t.Run("canceled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		_, err := cart(blocked.URL).Get(ctx, &shopv1.GetRequest{})
		if !errors.Is(err, context.Canceled) || connect.CodeOf(err) != connect.CodeCanceled {
			t.Errorf("got %v", err)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := cart(blocked.URL).Get(ctx, &shopv1.GetRequest{})
		if !errors.Is(err, context.DeadlineExceeded) || connect.CodeOf(err) != connect.CodeDeadlineExceeded {
			t.Errorf("got %v", err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		_, err := cart(refused).Get(t.Context(), &shopv1.GetRequest{})
		e, _ := errors.AsType[*errmap.Error](err)
		if e.Code() != code.Code_UNAVAILABLE || !e.Local() || strings.Contains(e.Message(), "127.0.0.1") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("client streaming", func(t *testing.T) {
		t.Parallel()
		if _, err := cart(refused).Fill(t.Context()); connect.CodeOf(err) != connect.CodeUnimplemented {
			t.Errorf("got %v", err)
		}
	})
}

// TestField_105_batch_replies: a client pairs by id, whatever the order.
func TestField_105_batch_replies(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `[{"jsonrpc":"2.0","id":3,"result":{"qty":"3"}},{"jsonrpc":"2.0","id":1,"error":{"code":-31404,"message":"gone"}},{"jsonrpc":"2.0","id":3,"result":{"qty":"99"}}]`)
	}))
	t.Cleanup(s.Close)
	c := cart(s.URL, client.WithBatching(time.Hour, 3))
	got := make([]string, 0, 3)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			m, err := c.Get(t.Context(), &shopv1.GetRequest{})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				e, _ := errors.AsType[*errmap.Error](err)
				got = append(got, e.Message())
			} else {
				got = append(got, fmt.Sprint(m.GetQty()))
			}
		})
	}
	wg.Wait()
	want := map[string]bool{"gone": true, "3": true, "the batch was answered without this call": true}
	for _, text := range got {
		if !want[text] {
			t.Errorf("unexpected outcome %q", text)
		}
		delete(want, text)
	}
	if len(want) > 0 {
		t.Errorf("missing outcomes %v", want)
	}
}

func TestTransport_batching(t *testing.T) {
	t.Parallel()
	t.Run("null id answers all", func(t *testing.T) {
		t.Parallel()
		url, requests := answer(t, 200, nil, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}`)
		c := cart(url, client.WithBatching(time.Hour, 2))
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				_, err := c.Get(t.Context(), &shopv1.GetRequest{})
				if e, _ := errors.AsType[*errmap.Error](err); e.Message() != "no batches" {
					t.Errorf("got %v", err)
				}
			})
		}
		wg.Wait()
		if len(*requests) != 1 || !strings.HasPrefix((*requests)[0], "[{") {
			t.Errorf("requests %q", *requests)
		}
	})
	t.Run("one alone is no array", func(t *testing.T) {
		t.Parallel()
		url, requests := answer(t, 200, nil, `{"jsonrpc":"2.0","id":ID,"result":{}}`)
		if _, err := cart(url, client.WithBatching(time.Millisecond, 0)).Get(t.Context(), &shopv1.GetRequest{}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix((*requests)[0], "{") {
			t.Errorf("request %q", *requests)
		}
	})
	t.Run("a caller that leaves does not wait", func(t *testing.T) {
		t.Parallel()
		url, _ := answer(t, 200, nil, `{}`)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, err := cart(url, client.WithBatching(time.Hour, 5)).Get(ctx, &shopv1.GetRequest{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("one that left does not end the calls after it", func(t *testing.T) {
		t.Parallel()
		url, requests := answer(t, 200, nil, `{"jsonrpc":"2.0","id":ID,"result":{}}`)
		c := cart(url, client.WithBatching(200*time.Millisecond, 5))
		left, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := c.Get(left, &shopv1.GetRequest{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if _, err := c.Get(t.Context(), &shopv1.GetRequest{}); err != nil {
			t.Error(err)
		}
		if len(*requests) != 1 {
			t.Errorf("requests %q", *requests)
		}
	})
}
