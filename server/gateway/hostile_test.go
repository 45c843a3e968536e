package gateway_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// letters is text without end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'm'
	}
	return len(p), nil
}

const (
	goodCall   = `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`
	goodAnswer = `{"jsonrpc":"2.0","id":1,"result":{"sku":"A1","qty":"1"}}`
)

// send posts a body and returns the status and the whole answer.
func send(t *testing.T, url, contentType string, body io.Reader) (int, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// nested is the bytes of a google.protobuf.Value that many lists deep, within the
// field of Everything.
func nested(depth int) string {
	var value []byte
	for range depth {
		list := append(binary.AppendUvarint([]byte{0x0a}, uint64(len(value))), value...)
		value = append(binary.AppendUvarint([]byte{0x32}, uint64(len(list))), list...)
	}
	return string(append(binary.AppendUvarint([]byte{0xa2, 0x01}, uint64(len(value))), value...))
}

// What a hostile caller sends ends at the gateway, in the documented error, and the
// next call works.
func TestGateway_hostileRequests(t *testing.T) {
	t.Parallel()
	url := mount(t, gateway.NewUpstream(gateway.InProcess(newGRPC()), "http://shop", gateway.ProtocolGRPC))
	echo := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Echo","params":` + params + `}`
	}
	const jsonType, protoType = "application/json", "application/proto"
	for _, test := range []struct {
		name, path, contentType string
		body                    io.Reader
		status                  int
		want                    string // how the answer begins
	}{
		{"100 MB", "/", jsonType, io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), io.LimitReader(letters{}, 100<<20)), 413, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the body is larger than 4194304 bytes"}}`},
		{"deep in a Value", "/", jsonType, strings.NewReader(echo(`{"value":` + strings.Repeat("[", 150_000) + strings.Repeat("]", 150_000) + `}`)), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the body nests more than 100 arrays and objects"}}`},
		{"a member twice", "/", jsonType, strings.NewReader(echo(`{"text":"a","text":"b"}`)), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"a member under both names", "/", jsonType, strings.NewReader(echo(`{"byName":{},"by_name":{}}`)), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"a key twice", "/", jsonType, strings.NewReader(echo(`{"byName":{"k":{},"k":{}}}`)), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"lone surrogates", "/", jsonType, strings.NewReader(echo(`{"text":"\ud800"}`)), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"no UTF-8", "/", jsonType, strings.NewReader(echo("{\"text\":\"\xff\"}")), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"300,000 elements", "/", jsonType, strings.NewReader(echo(`{"many":[` + strings.Repeat("1,", 299_999) + "1]}")), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"300,000 calls", "/", jsonType, strings.NewReader("[" + strings.Repeat("1,", 299_999) + "1]"), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the batch has 300000 elements, more than 1000"}}`},
		{"a million values", "/", jsonType, strings.NewReader(echo(`{"many":[` + strings.Repeat("1,", 999_999) + "1]}")), 413, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the body has more than 400000 values"}}`},
		{"deep in bytes", "/shop.v1.Cart/Echo", protoType, strings.NewReader(nested(6_000)), 400, `{"code":"invalid_argument"`},
		{"a length beyond the end", "/shop.v1.Cart/Echo", protoType, strings.NewReader("\x42\xff\xff\xff\xff\x07a"), 400, `{"code":"invalid_argument"`},
		{"text that is no UTF-8", "/shop.v1.Cart/Echo", protoType, strings.NewReader("\x42\x01\xff"), 400, `{"code":"invalid_argument"`},
		{"100 MB of bytes", "/shop.v1.Cart/Echo", protoType, io.LimitReader(letters{}, 100<<20), 429, `{"code":"resource_exhausted"`},
	} {
		start := time.Now()
		status, got, err := send(t, url+test.path, test.contentType, test.body)
		tooLarge := test.status == http.StatusRequestEntityTooLarge || test.status == http.StatusTooManyRequests
		// A client that still sends when the answer is there may see the connection
		// close before it reads.
		if err != nil && tooLarge {
			t.Logf("%s: %v", test.name, err)
		} else if err != nil || status != test.status || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %d %.300s %v, want %d %s", test.name, status, got, err, test.status, test.want)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: took %v", test.name, took)
		}
		if _, got, err := send(t, url, jsonType, strings.NewReader(goodCall)); err != nil || got != goodAnswer {
			t.Errorf("after %s: got %s %v, want that the next call works", test.name, got, err)
		}
	}
}

// What a hostile upstream answers ends at the gateway too.
func TestGateway_hostileAnswers(t *testing.T) {
	t.Parallel()
	const jsonType, protoType = "application/json", "application/proto"
	answer := func(code int, message string) string {
		return `{"jsonrpc":"2.0","id":1,"error":{"code":` + strconv.Itoa(code) + `,"message":"` + message + `"`
	}
	for name, test := range map[string]struct {
		status      int
		contentType string
		header      map[string]string
		body        func() io.Reader
		want        string // how the answer begins
	}{
		"a page at 200":                   {200, "text/html", nil, text("<html>10.0.0.7</html>"), answer(-31503, "the upstream cannot be reached")},
		"a page at 502":                   {502, "text/html", nil, text("<html>10.0.0.7</html>"), answer(-31503, "the upstream cannot be reached")},
		"100 MB":                          {200, protoType, nil, endless, answer(-31429, "the upstream's answer cannot be read")},
		"a page of 100 MB at 500":         {500, "text/html", nil, endless, answer(-31503, "the upstream cannot be reached")},
		"an error of 100 MB":              {404, jsonType, nil, endless, answer(-32601, "the upstream's answer cannot be read")},
		"no message":                      {200, protoType, nil, text("\x0a\x7fA1"), answer(-32603, "the upstream's answer cannot be read")},
		"an error that nests a million":   {404, jsonType, nil, text(`{"code":"not_found","message":"m","details":` + strings.Repeat("[", 1_000_000)), answer(-32601, "the upstream's answer cannot be read")},
		"an error with a million details": {404, jsonType, nil, text(`{"code":"not_found","message":"m","details":[` + strings.Repeat("{},", 999_999) + "{}]}"), answer(-31404, "m")},
		"a member twice":                  {404, jsonType, nil, text(`{"code":"not_found","code":"aborted","message":"m","message":"n"}`), answer(-31404, "m")},
		"a lone surrogate":                {404, jsonType, nil, text(`{"code":"not_found","message":"\ud800"}`), answer(-31404, "\ufffd")},
		"a length that is too large":      {200, protoType, map[string]string{"Content-Length": "500"}, text("\x0a\x02A1"), answer(-31503, "the call to the upstream broke off")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var hostile atomic.Bool
			hostile.Store(true)
			good := newConnect()
			upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !hostile.Load() {
					good.ServeHTTP(w, r)
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				for key, value := range test.header {
					w.Header().Set(key, value)
				}
				w.Header().Set("Content-Type", test.contentType)
				w.WriteHeader(test.status)
				_, _ = io.Copy(w, test.body())
			})
			schema, err := gateway.NewSchema(descriptorSet(t))
			if err != nil {
				t.Fatal(err)
			}
			s := newServer(t, upstream)
			g := gateway.New(gateway.NewUpstream(nil, s, gateway.ProtocolConnect).Transport(), schema)
			mux := http.NewServeMux()
			if err := server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog())); err != nil {
				t.Fatal(err)
			}
			url := newServer(t, mux)
			start := time.Now()
			_, got, err := send(t, url, jsonType, strings.NewReader(goodCall))
			if err != nil || !strings.HasPrefix(got, test.want) || strings.Contains(got, "10.0.0.7") {
				t.Errorf("got %.300s %v, want %s", got, err, test.want)
			}
			if took := time.Since(start); took > 30*time.Second || len(got) > 64<<10 {
				t.Errorf("took %v and %d bytes", took, len(got))
			}
			hostile.Store(false)
			if _, got, err := send(t, url, jsonType, strings.NewReader(goodCall)); err != nil || got != goodAnswer {
				t.Errorf("got %s %v, want that the next call works", got, err)
			}
		})
	}
}

// Trailers are bounded, so that details in them are not too many.
func TestGateway_hostileTrailers(t *testing.T) {
	t.Parallel()
	schema, err := gateway.NewSchema(descriptorSet(t))
	if err != nil {
		t.Fatal(err)
	}
	for details, want := range map[int]string{
		5_000:   `"message":"m"`,
		500_000: `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the upstream's answer cannot be read"}}`,
	} {
		status := "\x08\x05\x12\x01m" + strings.Repeat("\x1a\x00", details)
		upstream := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "5")
			w.Header().Set(http.TrailerPrefix+"Grpc-Message", "m")
			w.Header().Set(http.TrailerPrefix+"Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString([]byte(status)))
			w.(http.Flusher).Flush()
		}))
		g := gateway.New(gateway.NewUpstream(nil, upstream, gateway.ProtocolGRPC).Transport(), schema)
		mux := http.NewServeMux()
		if err := server.Mount(mux, g.Server()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, got, err := send(t, newServer(t, mux), "application/json", strings.NewReader(goodCall))
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%d details: got %.300s %v, want %s", details, got, err, want)
		}
		if took := time.Since(start); took > 30*time.Second || len(got) > 64<<10 {
			t.Errorf("%d details took %v and became %d bytes", details, took, len(got))
		}
	}
}

func text(s string) func() io.Reader { return func() io.Reader { return strings.NewReader(s) } }

func endless() io.Reader {
	return io.MultiReader(bytes.NewReader([]byte(`{"code":"not_found","message":"`)), io.LimitReader(letters{}, 100<<20))
}

// newServer serves a handler, HTTP/2 without TLS too, until the test ends.
func newServer(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// newConnect is a well-behaved upstream.
func newConnect() http.Handler {
	s := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(s, goodCart{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, s)
	return mux
}

type goodCart struct {
	shopv1connect.UnimplementedCartHandler
}

func (goodCart) Get(_ context.Context, r *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return &shopv1.GetResponse{Sku: r.GetSku(), Qty: 1}, nil
}
