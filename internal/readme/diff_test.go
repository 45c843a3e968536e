package readme_test

import (
	"net/http/httptest"
	"testing"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap/errmaptest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

func TestGet(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(newHandler())
	defer s.Close()
	err := buy(t.Context(), connecthttp.NewTransport(s.Client(), s.URL))
	if diff := errmaptest.Diff(&shopv1.StockEmptyError{Sku: "A1"}, err); diff != "" {
		t.Errorf("Get (-want +got):\n%s", diff)
	}
}
