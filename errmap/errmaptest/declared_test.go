package errmaptest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmaptest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// recorder is a test that may fail.
type recorder struct {
	failures []string
	cleanup  []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanup = append(r.cleanup, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

type cart struct {
	shopv1connect.UnimplementedCartHandler
	failures *[]error
}

func (c cart) Get(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	err := (*c.failures)[0]
	*c.failures = (*c.failures)[1:]
	return &shopv1.GetResponse{}, err
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	undeclared := errmap.NewCode(code.Code_NOT_FOUND, "x").WithDetail(&errdetails.ErrorInfo{Domain: "other.example.com", Reason: "OTHER"})
	for name, test := range map[string]struct {
		services []string
		failures []error
		want     []string
	}{
		"kept":               {[]string{"shop.v1.Cart"}, []error{nil, &shopv1.StockEmptyError{}, errmap.NewCode(code.Code_NOT_FOUND, "x")}, nil},
		"undeclared":         {nil, []error{undeclared}, []string{"/shop.v1.Cart/Get returned other.example.com/OTHER, which it does not declare"}},
		"not provoked":       {[]string{"shop.v1.Cart"}, []error{nil}, []string{"no call of /shop.v1.Cart/Get provoked what it declares: shop.example.com/STOCK_EMPTY"}},
		"unknown service":    {[]string{"shop.v1.None"}, nil, []string{"service shop.v1.None is not linked into the test"}},
		"a message, no less": {[]string{"shop.v1.GetRequest"}, nil, []string{"service shop.v1.GetRequest is not linked into the test"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := new(recorder)
			rpc := errmapconnect.NewServer(errmapconnect.WithObserver(errmaptest.Declared(r, test.services...)))
			shopv1connect.RegisterCartHandler(rpc, cart{failures: &test.failures})
			mux := http.NewServeMux()
			connecthttp.Mount(mux, rpc)
			s := httptest.NewServer(mux)
			defer s.Close()
			c := shopv1connect.NewCartClient(connect.NewClient(connecthttp.NewTransport(s.Client(), s.URL)))
			for range len(test.failures) {
				_, _ = c.Get(t.Context(), &shopv1.GetRequest{})
			}
			for _, f := range r.cleanup {
				f()
			}
			for i := range r.failures {
				r.failures[i] = strings.TrimPrefix(r.failures[i], "errmaptest: ")
			}
			if diff := cmp.Diff(test.want, r.failures); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
