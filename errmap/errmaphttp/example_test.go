package errmaphttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

func ExampleHandle() {
	handler := errmaphttp.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return &shopv1.StockEmptyError{Sku: "A1"}
	})
	server := httptest.NewServer(handler)
	defer server.Close()

	resp, err := http.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.Status)
	fmt.Println(string(body))
	// Output:
	// 400 Bad Request
	// {"error":{"code":400,"message":"No A1 left","status":"FAILED_PRECONDITION","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}]}}
}

func ExampleWriteError() {
	r := httptest.NewRequest(http.MethodGet, "/carts/7", nil)
	r.Header.Set("Accept", "application/problem+json")
	w := httptest.NewRecorder()
	if err := errmaphttp.WriteError(w, r, &shopv1.StockEmptyError{}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(w.Header().Get("Content-Type"))
	fmt.Println(w.Body)
	// Output:
	// application/problem+json
	// {"type":"https://shop.example.com/errors/stock-empty","title":"The stock is empty","status":400,"detail":"The stock is empty","code":"FAILED_PRECONDITION","reason":"STOCK_EMPTY","domain":"shop.example.com","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com"}]}
}

func ExampleRecover() {
	guard := errmap.NewGuard() // logs the panic to slog.Default
	handler := errmaphttp.Recover(http.FileServer(http.Dir(".")), errmaphttp.WithGuard(guard))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/nothing", nil))
	fmt.Println(w.Code)
	// Output:
	// 404
}

func ExampleReadError() {
	resp := &http.Response{
		StatusCode: http.StatusTooManyRequests,
		Header:     http.Header{"Retry-After": {"7"}},
		Body:       io.NopCloser(strings.NewReader("slow down")),
	}
	err := errmaphttp.ReadError(resp, errmaphttp.HTTPJSON)
	if e, ok := errors.AsType[*errmap.Error](err); ok {
		delay, _ := e.RetryDelay()
		fmt.Println(e.Code(), delay, e.Local())
	}
	// Output:
	// RESOURCE_EXHAUSTED 7s true
}

func ExampleNewTransport() {
	server := httptest.NewServer(errmaphttp.Handle(func(http.ResponseWriter, *http.Request) error {
		return &shopv1.StockEmptyError{Sku: "A1"}
	}))
	defer server.Close()

	client := &http.Client{Transport: errmaphttp.NewTransport(nil, errmaphttp.HTTPJSON)}
	_, err := client.Get(server.URL)
	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
		fmt.Println("sold out:", empty.GetSku())
	}
	// Output:
	// sold out: A1
}
