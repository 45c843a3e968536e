package adopt_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"connectrpc.com/connect"

	"github.com/errmap/errmap/errmap/errmapconnectv1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connectv1"
)

type cartV1 struct {
	shopv1connectv1.UnimplementedCartHandler
	do func(context.Context) error
}

func (c cartV1) Get(ctx context.Context, _ *connect.Request[shopv1.GetRequest]) (*connect.Response[shopv1.GetResponse], error) {
	return nil, c.do(ctx)
}

func mountedV1(do func(context.Context) error, opts ...connect.HandlerOption) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(shopv1connectv1.NewCartHandler(cartV1{do: do}, opts...))
	return mux
}

func ofConnectV1() []failure {
	return slices.Concat(common, []failure{
		{name: "`connect.NewError(connect.CodeNotFound, errors.New(\"no cart 7\"))`", do: func(context.Context) error {
			return connect.NewError(connect.CodeNotFound, errors.New("no cart 7"))
		}},
		{name: "the same, wrapped by `fmt.Errorf(\"load: %w\", …)`", do: func(context.Context) error {
			return fmt.Errorf("load: %w", connect.NewError(connect.CodeNotFound, errors.New("no cart 7")))
		}},
		{name: "`connect.NewError(connect.CodeInvalidArgument, …)` over a typed error", do: func(context.Context) error {
			return connect.NewError(connect.CodeInvalidArgument, soldOut())
		}},
		{name: "the error of another service that it called", do: func(context.Context) error {
			return connect.NewWireError(connect.CodeNotFound, errors.New("no row 7 in table users"))
		}},
	})
}

func TestTable_connectV1(t *testing.T) {
	table(t, "connectv1", ofConnectV1(), func(t *testing.T, f failure, with bool) string {
		var opts []connect.HandlerOption
		if with {
			opts = append(opts, errmapconnectv1.WithServer())
		}
		return post(t, mountedV1(f.do, opts...), "/shop.v1.Cart/Get", f.timeout)
	})
}
