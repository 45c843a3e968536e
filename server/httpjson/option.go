package httpjson

import (
	"math"
	"slices"
	"time"

	"github.com/errmap/errmap/errmap"
)

// What a handler allows unless an option says otherwise.
const (
	DefaultMaxRequestBytes = 4 << 20
	DefaultReadTimeout     = 30 * time.Second
	DefaultWriteTimeout    = 30 * time.Second
	DefaultKeepAlive       = 15 * time.Second
	DefaultMaxCalls        = 1024
	DefaultMaxStreams      = 512
	DefaultMaxHeldBytes    = 64 << 20
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

// WithErrorEncoding changes how errors are written, such as with
// [errmap.WithoutCarried].
func WithErrorEncoding(opts ...errmap.EncodeOption) Option {
	return option(func(o *options) { o.encoding = append(slices.Clip(o.encoding), opts...) })
}

// WithMaxRequestBytes bounds the body of a request, after decompression. Zero
// means DefaultMaxRequestBytes.
func WithMaxRequestBytes(n int64) Option {
	return option(func(o *options) { o.maxRequest = n })
}

// WithReadTimeout bounds how long the body of a request may take to arrive, where
// the [net/http.Server] has no ReadTimeout. Zero means DefaultReadTimeout, a
// negative time no bound.
func WithReadTimeout(d time.Duration) Option {
	return option(func(o *options) { o.readTimeout = d })
}

// WithWriteTimeout bounds how long the peer may take to accept 16 KiB of an answer, or of
// an event of a stream: one that reads slowly gets all, and the connection of one that does
// not read ends. It stands in place of the server's WriteTimeout, which would end every
// answer at that age. Zero means DefaultWriteTimeout, a negative time no bound.
func WithWriteTimeout(d time.Duration) Option {
	return option(func(o *options) { o.writeTimeout = d })
}

// WithKeepAlive sets how long a stream may be silent before a comment is sent.
// Zero means DefaultKeepAlive, a negative time sends none.
func WithKeepAlive(d time.Duration) Option { return option(func(o *options) { o.keepAlive = d }) }

// WithMaxCalls bounds how many calls, streams not among them, run at the same time on the
// whole handler. One beyond it is refused with UNAVAILABLE. Zero means DefaultMaxCalls, a
// negative number no bound.
func WithMaxCalls(n int) Option { return option(func(o *options) { o.maxCalls = n }) }

// WithMaxStreams bounds how many streams run at the same time on the whole handler. One
// beyond it is refused with UNAVAILABLE. Zero means DefaultMaxStreams, a negative number no
// bound.
func WithMaxStreams(n int) Option { return option(func(o *options) { o.maxStreams = n }) }

// WithMaxHeldBytes bounds what is held for callers on the whole handler: answers that were
// made and not yet taken, beyond 4 KiB each, and bodies that came compressed. One connection
// may hold a quarter of it, and one answer alone may be larger. A call for whose answer, by
// the answers that its method had before, nothing is left is refused with
// RESOURCE_EXHAUSTED and a delay before it is made. One whose answer turns out too large
// afterwards says so, without a delay. Zero means DefaultMaxHeldBytes, a negative number no
// bound.
func WithMaxHeldBytes(n int64) Option { return option(func(o *options) { o.maxHeld = n }) }

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
	origins      []string
	hosts        []string
	pattern      string
	catalog      *errmap.Catalog
	guard        *errmap.Guard
	observer     errmap.Observer
	encoding     []errmap.EncodeOption
	maxRequest   int64
	readTimeout  time.Duration
	writeTimeout time.Duration
	keepAlive    time.Duration
	maxCalls     int
	maxStreams   int
	maxHeld      int64
}

type option func(*options)

func (f option) apply(o *options) { f(o) }

func newOptions(opts []Option) options {
	o := options{pattern: DefaultPattern, catalog: errmap.Linked()}
	for _, opt := range opts {
		opt.apply(&o)
	}
	if o.maxRequest <= 0 {
		o.maxRequest = DefaultMaxRequestBytes
	}
	o.maxRequest = min(o.maxRequest, math.MaxInt64-1) // one byte more is read
	if o.readTimeout == 0 {
		o.readTimeout = DefaultReadTimeout
	}
	if o.writeTimeout == 0 {
		o.writeTimeout = DefaultWriteTimeout
	}
	if o.keepAlive == 0 {
		o.keepAlive = DefaultKeepAlive
	}
	o.maxCalls = bound(o.maxCalls, DefaultMaxCalls, math.MaxInt)
	o.maxStreams = bound(o.maxStreams, DefaultMaxStreams, math.MaxInt)
	o.maxHeld = bound(o.maxHeld, DefaultMaxHeldBytes, math.MaxInt64/2)
	return o
}

func bound[N int | int64](n, fallback, unbounded N) N {
	switch {
	case n == 0:
		return fallback
	case n < 0:
		return unbounded
	}
	return n
}
