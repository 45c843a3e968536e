package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect/v2"

	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
)

// TestHandler_allocations pins what a call makes on the heap, its messages and
// what Connect makes included.
func TestHandler_allocations(t *testing.T) { //nolint:paralleltest // it counts allocations
	for name, row := range map[string]struct {
		rpc  *connect.Server
		body string
		most float64
	}{
		"good":             {connect.NewServer(), `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`, 11},
		"failing":          {connect.NewServer(), `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1","qty":-1}}`, 16},
		"good, guarded":    {errmapconnect.NewServer(), `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`, 11},
		"failing, guarded": {errmapconnect.NewServer(), `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1","qty":-1}}`, 16},
	} {
		registerCart(row.rpc, benchmarkCart())
		handler, err := server.NewHandler(row.rpc)
		if err != nil {
			t.Fatal(err)
		}
		source := new(rewound)
		request := httptest.NewRequest(http.MethodPost, "/", source)
		request.ContentLength = int64(len(row.body))
		request.Header = http.Header{"Content-Type": {"application/json"}}
		writer := &discarding{header: make(http.Header)}
		allocs := testing.AllocsPerRun(200, func() {
			source.Reset(row.body)
			request.Body = source
			clear(writer.header)
			handler.ServeHTTP(writer, request)
		})
		if allocs > row.most+lost {
			t.Errorf("%s: %v allocations, want at most %v", name, allocs, row.most+lost)
		}
	}
}
