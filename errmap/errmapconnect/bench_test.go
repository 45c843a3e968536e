package errmapconnect_test

import (
	"context"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectinprocess"
	"github.com/errmap/errmap/errmap/errmapconnect"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
)

func BenchmarkUnary(b *testing.B) {
	for name, fail := range map[string]error{
		"good":    nil,
		"failing": &shopv1.StockEmptyError{Sku: "A1"},
	} {
		handler := cart{fail: func(context.Context) error { return fail }}
		for kind, server := range map[string]*connect.Server{"bare": connect.NewServer(), "errmap": errmapconnect.NewServer()} {
			shopv1connect.RegisterCartHandler(server, handler)
			client := connect.NewClient(connectinprocess.New(server))
			if kind == "errmap" {
				client = errmapconnect.NewClient(connectinprocess.New(server))
			}
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.ReportAllocs()
				cart := shopv1connect.NewCartClient(client)
				req := &shopv1.GetRequest{Sku: "A1"}
				for b.Loop() {
					_, _ = cart.Get(b.Context(), req)
				}
			})
		}
	}
}
