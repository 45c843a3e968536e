package errmapa2a

import (
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
)

// A ServerOption changes ServerInterceptor.
type ServerOption interface{ applyServer(*adapter.Server) }

// A ClientOption changes ClientInterceptor.
type ClientOption interface{ applyClient(*adapter.Client) }

// An Option changes both sides.
type Option interface {
	ServerOption
	ClientOption
}

type serverOption func(*adapter.Server)

func (f serverOption) applyServer(o *adapter.Server) { f(o) }

// WithGuard sets the Guard that decides what leaves the server, and where the
// rest is logged. The default, also for nil, is that of errmap.NewGuard. Recognize
// is always added to it.
func WithGuard(g *errmap.Guard) ServerOption {
	return serverOption(func(o *adapter.Server) { o.Guard = g })
}

// WithObserver has f told of each call that failed: see errmap.Observer. The
// SDK does not tell which of its wires a call is on, so the Wire of an event is 0. The
// default, and nil, is nobody.
func WithObserver(f errmap.Observer) Option { return observer(f) }

type observer errmap.Observer

func (f observer) applyServer(o *adapter.Server) { o.Observer = errmap.Observer(f) }
func (f observer) applyClient(o *adapter.Client) { o.Observer = errmap.Observer(f) }
