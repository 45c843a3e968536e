package httpjson

import (
	"math"
	"slices"
	"time"

	"github.com/errmap/errmap/errmap"
)

// What a handler allows unless an option says otherwise.
const (
	DefaultMaxRequestBytes  = 4 << 20
	DefaultMaxRequestValues = 400_000
	DefaultReadTimeout      = 30 * time.Second
	DefaultWriteTimeout     = 30 * time.Second
	DefaultKeepAlive        = 15 * time.Second
	DefaultMaxCalls         = 1024
	DefaultMaxStreams       = 512
	DefaultMaxHeldBytes     = 64 << 20
)

// DefaultPattern is where Mount puts the handler unless WithPattern says
// otherwise: everything that no other pattern of the mux takes.
const DefaultPattern = "/"

// An Option changes what [Mount] and [NewHandler] make.
type Option interface{ apply(*options) }

// WithPattern sets the pattern under which Mount registers the handler.
func WithPattern(pattern string) Option { return option(func(o *options) { o.pattern = pattern }) }

// WithCatalog names the errors and message types that the handler knows. The
// default is what is linked into the program.
func WithCatalog(c *errmap.Catalog) Option { return option(func(o *options) { o.catalog = c }) }

// WithGuard sets the [errmap.Guard] that decides what leaves the server, and where
// the rest is logged. The default, also for nil, is that of [errmap.NewGuard]. It is
// always told to know the errors of Connect.
func WithGuard(g *errmap.Guard) Option { return option(func(o *options) { o.guard = g }) }

// WithObserver has f told of each call of a method that failed: see
// [errmap.Observer]. Its wire is [errmap.WireHTTP] whichever form the client wants.
// The default, and nil, is nobody.
func WithObserver(f errmap.Observer) Option { return option(func(o *options) { o.observer = f }) }

// WithEncoding changes how errors are written, such as with
// [errmap.WithoutCarried].
func WithEncoding(opts ...errmap.EncodeOption) Option {
	return option(func(o *options) { o.encoding = append(slices.Clip(o.encoding), opts...) })
}

// Limits bound what a handler takes on. A zero member means the default, a
// negative one no limit.
type Limits struct {
	// RequestBytes is the most bytes of a request body, after decompression.
	RequestBytes int
	// RequestValues is the most JSON values of a request body, each element and each
	// object or array for itself: of two bytes, such as 0 and a comma, Protobuf may make a
	// message of a hundred. A body with more is refused with HTTP status 413.
	RequestValues int
	// Calls is how many calls, streams not among them, run at the same time on the
	// whole handler. One beyond it is refused with UNAVAILABLE at once.
	Calls int
	// Streams is how many streams run at the same time on the whole handler. One
	// beyond it is refused with UNAVAILABLE at once.
	Streams int
	// HeldBytes is the most bytes that are held for callers on the whole handler: of
	// answers that were made and not yet taken, beyond 4 KiB each, of bodies that
	// came compressed, and about what is made of the values of a body. One connection may
	// hold a quarter of it, and one answer alone may be larger. A call for whose answer, by the answers that its method had before,
	// nothing is left is refused with RESOURCE_EXHAUSTED and a delay before it is made.
	// One whose answer turns out too large afterwards says so, without a delay. Behind
	// httpserver, all counts in the budget of its WithMaxHeldBytes too.
	HeldBytes int
}

// Times bound how long a handler waits. A zero member means the default, a negative
// one no bound.
type Times struct {
	// Read is how long the body of a request may take to arrive, where the
	// [net/http.Server] has no ReadTimeout.
	Read time.Duration
	// Write is how long the peer may take to accept 16 KiB of an answer, or of an event
	// of a stream: one that reads slowly gets all, and the connection of one that does
	// not read ends. It stands in place of the server's WriteTimeout, which would end
	// every answer at that age.
	Write time.Duration
	// KeepAlive is how long a stream may be silent before a comment is sent.
	KeepAlive time.Duration
}

// WithLimits bounds what the handler takes on.
func WithLimits(l Limits) Option { return option(func(o *options) { o.limits = l }) }

// WithTimes bounds how long the handler waits.
func WithTimes(t Times) Option { return option(func(o *options) { o.times = t }) }

// WithOrigins lets pages of other origins in, such as "https://app.example.com". Without
// it, what a page of another origin sends that could change anything is answered with HTTP
// status 403. Where the handler runs behind httpserver, that decides in its place, and
// tells browsers by CORS, which this does not. An origin that is none is an error of
// [Mount] and [NewHandler].
func WithOrigins(origins ...string) Option {
	return option(func(o *options) { o.origins = append(slices.Clip(o.origins), origins...) })
}

// WithHosts names hosts that a server on a loopback address may be asked under, such as
// "api.example.com", besides localhost; "*" is any. Others are answered with HTTP status
// 403, since a page whose name resolves to this machine could be asking (DNS rebinding).
// Behind httpserver, that decides in its place.
func WithHosts(hosts ...string) Option {
	return option(func(o *options) { o.hosts = append(slices.Clip(o.hosts), hosts...) })
}

type options struct {
	origins  []string
	hosts    []string
	pattern  string
	catalog  *errmap.Catalog
	guard    *errmap.Guard
	observer errmap.Observer
	encoding []errmap.EncodeOption
	limits   Limits
	times    Times
}

type option func(*options)

func (f option) apply(o *options) { f(o) }

func newOptions(opts []Option) options {
	o := options{pattern: DefaultPattern, catalog: errmap.Linked()}
	for _, opt := range opts {
		opt.apply(&o)
	}
	o.limits.RequestBytes = bound(o.limits.RequestBytes, DefaultMaxRequestBytes, math.MaxInt)
	o.limits.RequestBytes = min(o.limits.RequestBytes, math.MaxInt-1) // one byte more is read
	o.limits.RequestValues = bound(o.limits.RequestValues, DefaultMaxRequestValues, math.MaxInt)
	o.limits.Calls = bound(o.limits.Calls, DefaultMaxCalls, math.MaxInt)
	o.limits.Streams = bound(o.limits.Streams, DefaultMaxStreams, math.MaxInt)
	o.limits.HeldBytes = bound(o.limits.HeldBytes, DefaultMaxHeldBytes, math.MaxInt/2)
	fallback := func(d *time.Duration, t time.Duration) {
		if *d == 0 {
			*d = t
		}
	}
	fallback(&o.times.Read, DefaultReadTimeout)
	fallback(&o.times.Write, DefaultWriteTimeout)
	fallback(&o.times.KeepAlive, DefaultKeepAlive)
	return o
}

func bound(n, fallback, unbounded int) int {
	switch {
	case n == 0:
		return fallback
	case n < 0:
		return unbounded
	}
	return n
}
