package adopt_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// cart is a service that fails in one way.
type cart struct {
	shopv1connect.UnimplementedCartHandler
	do func(context.Context) error
}

func (c cart) Get(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return nil, c.do(ctx)
}

func mounted(rpc *connect.Server, do func(context.Context) error) http.Handler {
	shopv1connect.RegisterCartHandler(rpc, cart{do: do})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	return mux
}

func ofConnect() []failure {
	return slices.Concat(common, []failure{
		{name: "`connect.NewError(connect.CodeNotFound, \"no cart 7\")`", do: func(context.Context) error {
			return connect.NewError(connect.CodeNotFound, "no cart 7")
		}},
		{name: "the same, wrapped by `fmt.Errorf(\"load: %w\", …)`", do: func(context.Context) error {
			return fmt.Errorf("load: %w", connect.NewError(connect.CodeNotFound, "no cart 7"))
		}},
		{name: "`connect.NewError(connect.CodeInvalidArgument, \"bad\").WithCause(…)` over a typed error", do: func(context.Context) error {
			return connect.NewError(connect.CodeInvalidArgument, "bad").WithCause(soldOut())
		}},
		{name: "the error of another service that it called", do: func(context.Context) error {
			return connect.NewError(connect.CodeNotFound, "no row 7 in table users").WithRemote()
		}},
	})
}

func TestTable_connect(t *testing.T) {
	table(t, "connect", ofConnect(), func(t *testing.T, f failure, with bool) string {
		rpc := connect.NewServer()
		if with {
			rpc = connect.NewServer(errmapconnect.ServerInterceptor())
		}
		return post(t, mounted(rpc, f.do), "/shop.v1.Cart/Get", f.timeout)
	})
}
