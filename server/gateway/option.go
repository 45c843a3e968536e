package gateway

import (
	"log/slog"
	"slices"

	"github.com/errmap/errmap/errmap/errmapconnect"
)

// An Option changes what [New] makes.
type Option interface{ apply(*options) }

// WithServerOptions sets the options of the server that the gateway makes: its
// guard, its interceptors and how it writes errors.
func WithServerOptions(opts ...errmapconnect.ServerOption) Option {
	return option(func(o *options) { o.server = append(slices.Clip(o.server), opts...) })
}

// WithLogger sets where the gateway logs why calls did not reach the upstream, or
// why its answers could not be read, which the callers are not told. It writes a
// line a second at most, which counts the failures that got none. The default,
// also for nil, is slog.Default.
func WithLogger(l *slog.Logger) Option { return option(func(o *options) { o.log.logger = l }) }

type options struct {
	server []errmapconnect.ServerOption
	log    failureLog
}

type option func(*options)

func (f option) apply(o *options) { f(o) }
