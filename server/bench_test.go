package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/server"
)

// discarding is a response writer that keeps nothing, so that a benchmark shows
// the handler alone.
type discarding struct{ header http.Header }

func (d *discarding) Header() http.Header         { return d.header }
func (d *discarding) Write(p []byte) (int, error) { return len(p), nil }
func (d *discarding) WriteHeader(int)             {}

// rewound is a body that can be read again.
type rewound struct{ strings.Reader }

func (r *rewound) Close() error { return nil }

func benchmarkPost(b *testing.B, handler http.Handler, path, body string) {
	b.Helper()
	source := new(rewound)
	request := httptest.NewRequest(http.MethodPost, path, source)
	request.ContentLength = int64(len(body))
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"*/*"}, "User-Agent": {"bench"}, "Accept-Encoding": {"gzip"},
	}
	writer := &discarding{header: make(http.Header)}
	b.ReportAllocs()
	for b.Loop() {
		source.Reset(body)
		request.Body = source
		clear(writer.header)
		handler.ServeHTTP(writer, request)
	}
}

func benchmarkCart() *cart {
	return &cart{get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		if request.GetQty() < 0 {
			return nil, stock(request.GetSku())
		}
		return &shopv1.GetResponse{Sku: request.GetSku(), Qty: 3}, nil
	}}
}

func BenchmarkHandler(b *testing.B) {
	rpc := connect.NewServer()
	registerCart(rpc, benchmarkCart())
	handler, err := server.NewHandler(rpc)
	if err != nil {
		b.Fatal(err)
	}
	good := `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`
	b.Run("good", func(b *testing.B) { benchmarkPost(b, handler, "/", good) })
	b.Run("failing", func(b *testing.B) {
		benchmarkPost(b, handler, "/", strings.Replace(good, `"sku":"A1"`, `"sku":"A1","qty":-1`, 1))
	})
	b.Run("batch of ten", func(b *testing.B) {
		var items []string
		for _, id := range strings.Split("0123456789", "") {
			items = append(items, strings.Replace(good, `"id":1`, `"id":`+id, 1))
		}
		benchmarkPost(b, handler, "/", "["+strings.Join(items, ",")+"]")
	})
}

// BenchmarkConnect is the Connect protocol's own JSON on the same server, the
// measure for BenchmarkHandler.
func BenchmarkConnect(b *testing.B) {
	rpc := connect.NewServer()
	registerCart(rpc, &cart{get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		if request.GetQty() < 0 {
			return nil, connect.NewError(connect.CodeFailedPrecondition, "No A1 left").WithDetail(&connect.ErrorDetail{
				Type: "google.rpc.ErrorInfo", Value: []byte("\n\vSTOCK_EMPTY\x12\x10shop.example.com\x1a\t\n\x03sku\x12\x02A1"),
			})
		}
		return &shopv1.GetResponse{Sku: request.GetSku(), Qty: 3}, nil
	}})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	b.Run("good", func(b *testing.B) { benchmarkPost(b, mux, "/shop.v1.Cart/Get", `{"sku":"A1"}`) })
	b.Run("failing", func(b *testing.B) { benchmarkPost(b, mux, "/shop.v1.Cart/Get", `{"sku":"A1","qty":-1}`) })
}

var _ io.ReadCloser = (*rewound)(nil)
