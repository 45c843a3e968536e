package errmapgrpc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/internal/adaptertest"
)

func TestWithObserver(t *testing.T) {
	t.Parallel()
	names := map[string]string{"unary": "Get", "server stream": "Watch", "client stream": "Fill", "bidi stream": "Haggle"}
	for method, call := range methods {
		for kind, fail := range map[string]func(context.Context) error{
			"error": adaptertest.Return(errors.New(adaptertest.Secret)), "panic": adaptertest.Hidden()["panic"], "nothing": adaptertest.Return(nil),
		} {
			t.Run(method+"/"+kind, func(t *testing.T) {
				t.Parallel()
				var here, there adaptertest.Events
				listener, _ := serve(t, fail, errmapgrpc.ServerOptions(errmapgrpc.WithGuard(adaptertest.Quiet()), errmapgrpc.WithObserver(there.Observe))...)
				_ = call(t.Context(), dial(t, listener, errmapgrpc.DialOptions(errmapgrpc.WithObserver(here.Observe))...))
				if kind == "nothing" {
					if events := append(here.Take(), there.Take()...); len(events) > 0 {
						t.Errorf("told of a call that did well: %+v", events)
					}
					return
				}
				adaptertest.CheckHiddenEvents(t, there.Take(), here.Take(), "/shop.v1.Cart/"+names[method], errmap.WireGRPC)
			})
		}
	}
}
