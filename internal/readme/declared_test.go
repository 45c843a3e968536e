package readme_test

import (
	"context"
	"log"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmaptest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

// What docs/declared.md shows; errmap and errmaptest test what it does.
func TestDeclared(t *testing.T) {
	t.Parallel()
	{
		guard := errmap.NewGuard(errmap.WithUndeclared(errmap.LogUndeclared))
		server := errmapconnect.NewServer(errmapconnect.WithGuard(guard))
		_ = server
	}
	_ = func(t *testing.T) {
		rpc := errmapconnect.NewServer(errmapconnect.WithObserver(errmaptest.Declared(t, "shop.v1.Cart")))
		_ = rpc
	}
	_ = func(ctx context.Context, cart shopv1connect.CartClient) {
		_, err := cart.Get(ctx, &shopv1.GetRequest{Sku: "A1"})
		switch e := shopv1.AsCartGetError(err).(type) {
		case nil:
		case *shopv1.StockEmptyError:
			log.Printf("no %s left", e.GetSku())
		default: // any other error, such as one that a newer server declares
			log.Print(e)
		}
	}
}
