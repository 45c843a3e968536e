package errmapconnect

import (
	"slices"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
)

// A ServerOption changes NewServer and ServerInterceptor.
type ServerOption interface{ applyServer(*serverOptions) }

// A ClientOption changes NewClient and ClientInterceptor.
type ClientOption interface{ applyClient(*clientOptions) }

// An Option changes both sides.
type Option interface {
	ServerOption
	ClientOption
}

type serverOptions struct {
	adapter.Server
	interceptors []connect.ServerInterceptor
}

type clientOptions struct {
	adapter.Client
	interceptors []connect.ClientInterceptor
}

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

// WithEncodeOptions sets how errors are written, such as errmap.WithBudget for
// the headers of gRPC and errmap.WithoutCarried.
func WithEncodeOptions(opts ...errmap.EncodeOption) ServerOption {
	return serverOption(func(o *serverOptions) { o.AddEncoding(opts) })
}

// WithServerInterceptors adds interceptors within the one of this package, the
// first outermost: they see what handlers return, and what they return or panic
// with themselves is guarded too.
func WithServerInterceptors(interceptors ...connect.ServerInterceptor) ServerOption {
	return serverOption(func(o *serverOptions) { o.interceptors = append(slices.Clip(o.interceptors), interceptors...) })
}

// WithDecodeOptions sets how received errors are read, such as errmap.WithLimits
// and errmap.WithCatalog.
func WithDecodeOptions(opts ...errmap.DecodeOption) ClientOption {
	return clientOption(func(o *clientOptions) { o.AddDecoding(opts) })
}

// WithClientInterceptors adds interceptors within the one of this package, the
// first outermost: they see the errors of Connect.
func WithClientInterceptors(interceptors ...connect.ClientInterceptor) ClientOption {
	return clientOption(func(o *clientOptions) { o.interceptors = append(slices.Clip(o.interceptors), interceptors...) })
}

// WithObserver has f told of each call that failed: see errmap.Observer. The
// default, and nil, is nobody.
func WithObserver(f errmap.Observer) Option { return observer(f) }

type observer errmap.Observer

func (f observer) applyServer(o *serverOptions) { o.Observer = errmap.Observer(f) }
func (f observer) applyClient(o *clientOptions) { o.Observer = errmap.Observer(f) }
