package errmapgrpc

import (
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
)

// A ServerOption changes ServerOptions and the server interceptors.
type ServerOption interface{ applyServer(*serverOptions) }

// A ClientOption changes DialOptions and the client interceptors.
type ClientOption interface{ applyClient(*clientOptions) }

// An Option changes both sides.
type Option interface {
	ServerOption
	ClientOption
}

type serverOptions struct {
	adapter.Server
	strict bool
}

type clientOptions struct{ adapter.Client }

type serverOption func(*serverOptions)

func (f serverOption) applyServer(o *serverOptions) { f(o) }

type clientOption func(*clientOptions)

func (f clientOption) applyClient(o *clientOptions) { f(o) }

// WithGuard sets the Guard that decides what leaves the server, and where the
// rest is logged. The default, also for nil, is that of errmap.NewGuard. Recognize
// is always added to it.
func WithGuard(g *errmap.Guard) ServerOption {
	return serverOption(func(o *serverOptions) { o.Guard = g })
}

// Strict silences the status errors of grpc-go: only annotated messages and
// *errmap.Error speak. Without it a handler that returns the error of a call of
// its own, made through a client without the interceptors of this package, sends
// its peer's error on.
func Strict() ServerOption { return serverOption(func(o *serverOptions) { o.strict = true }) }

// WithEncodeOptions sets how errors are written, such as errmap.WithBudget and
// errmap.WithoutCarried.
func WithEncodeOptions(opts ...errmap.EncodeOption) ServerOption {
	return serverOption(func(o *serverOptions) { o.AddEncoding(opts) })
}

// WithDecodeOptions sets how received errors are read, such as errmap.WithLimits
// and errmap.WithCatalog.
func WithDecodeOptions(opts ...errmap.DecodeOption) ClientOption {
	return clientOption(func(o *clientOptions) { o.AddDecoding(opts) })
}

// WithObserver has f told of each call that failed: see errmap.Observer. The
// default, and nil, is nobody.
func WithObserver(f errmap.Observer) Option { return observer(f) }

type observer errmap.Observer

func (f observer) applyServer(o *serverOptions) { o.Observer = errmap.Observer(f) }
func (f observer) applyClient(o *clientOptions) { o.Observer = errmap.Observer(f) }
