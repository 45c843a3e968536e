package gateway

import (
	"log/slog"
	"slices"
	"time"

	"github.com/errmap/errmap/errmap/errmapconnect"
)

// An Option changes what [New] makes.
type Option interface{ apply(*options) }

// WithServerOptions sets the options of the server that the gateway makes: its
// guard, its interceptors and how it writes errors. The guard lets
// google.rpc.DebugInfo and the members of the upstream's errors out, since the gateway
// stands for its upstream, unless an option names another.
func WithServerOptions(opts ...errmapconnect.ServerOption) Option {
	return option(func(o *options) { o.server = append(slices.Clip(o.server), opts...) })
}

// WithLog sets where the gateway logs why calls did not reach the upstream, or
// why its answers could not be read, which the callers are not told. It writes a
// line a second at most, which counts the failures that got none. The default,
// also for nil, is slog.Default.
func WithLog(l *slog.Logger) Option { return option(func(o *options) { o.log.logger = l }) }

// WithRequestHeaders sets which headers of a request are sent on to the upstream:
// those for whose names, in canonical form, travels is true. The default, also for
// nil, is [DefaultRequestHeaders]. It is not asked about headers that never are
// sent on: those of one connection (RFC 9110 section 7.6.1, with those that
// Connection names) and those of the protocol that the caller speaks. It is called
// by many goroutines at once. A program sets it where the upstream believes a
// header that clients must not write, or where it trusts a proxy before it:
//
//	gateway.WithRequestHeaders(func(name string) bool {
//		return name == "Authorization" || name == "Traceparent"
//	})
func WithRequestHeaders(travels func(name string) bool) Option {
	return option(func(o *options) {
		if o.travels = travels; travels == nil {
			o.travels = DefaultRequestHeaders
		}
	})
}

// DefaultTimeout is how long a call that is no stream may take unless WithTimeout says
// otherwise.
const DefaultTimeout = 5 * time.Minute

// WithTimeout sets how long the upstream may take for a call that is no stream, where
// the caller's deadline does not come first: an upstream that accepts calls and says
// nothing would hold all that come. The caller gets DEADLINE_EXCEEDED. Zero means
// DefaultTimeout, a negative duration none. A stream ends with its caller's deadline
// alone.
func WithTimeout(d time.Duration) Option {
	return option(func(o *options) {
		switch {
		case d == 0:
			d = DefaultTimeout
		case d < 0:
			d = 0
		}
		o.timeout = d
	})
}

type options struct {
	server  []errmapconnect.ServerOption
	log     failureLog
	travels func(string) bool
	timeout time.Duration
}

type option func(*options)

func (f option) apply(o *options) { f(o) }
