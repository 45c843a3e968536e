package server

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectgzip"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/loglimit"
)

// The limits of a handler unless WithLimits says otherwise.
const (
	DefaultMaxRequestBytes  = 4 << 20
	DefaultMaxRequestValues = 400_000
	DefaultMaxResponseBytes = 16 << 20
	DefaultMaxDepth         = 100
	DefaultMaxBatchItems    = 1000
	DefaultBatchConcurrency = 16
	DefaultMaxCalls         = 1024
	DefaultMaxStreams       = 512
	DefaultMaxHeaders       = 128
	DefaultMaxHeldBytes     = 64 << 20
)

// The times of a handler unless WithTimes says otherwise.
const (
	DefaultReadTimeout  = 30 * time.Second
	DefaultWriteTimeout = 30 * time.Second
	DefaultKeepAlive    = 15 * time.Second
)

// DefaultPattern is where Mount puts the handler unless WithPattern says
// otherwise: the root path of a [net/http.ServeMux] and nothing below it.
const DefaultPattern = "/{$}"

// DefaultCompressMinBytes is the size from which answers are compressed unless
// WithCompressMinBytes says otherwise.
const DefaultCompressMinBytes = 1 << 10

// An Option changes what [Mount] and [NewHandler] make.
type Option interface{ apply(*options) }

// Limits bound what a handler takes on. A zero member means the default, a
// negative one no limit.
type Limits struct {
	// RequestBytes is the most bytes of a request body, after decompression.
	RequestBytes int
	// RequestValues is the most JSON values of a request, each element and each object
	// or array for itself: of two bytes, such as 0 and a comma, Protobuf may make a
	// message of a hundred. A body with more is refused with HTTP status 413.
	RequestValues int
	// ResponseBytes is the most bytes of a response before compression: of a
	// whole batch with its errors, or of one event of a stream. An error that
	// is larger goes out as code and message alone.
	ResponseBytes int
	// Depth is how deep the JSON of a request may nest.
	Depth int
	// BatchItems is the most elements of a batch.
	BatchItems int
	// BatchConcurrency is how many calls of one batch run at the same time.
	BatchConcurrency int
	// Calls is how many calls, rpc.discover among them and streams not, run at the same
	// time on the whole handler. A call beyond it is refused with UNAVAILABLE at once.
	Calls int
	// Streams is how many streams run at the same time on the whole handler. One
	// beyond it is refused with UNAVAILABLE at once.
	Streams int
	// Headers is the most header fields of a request, since each call of a batch has
	// a map of them. A request with more is refused with HTTP status 431.
	Headers int
	// HeldBytes is the most bytes that are held for callers on the whole handler: of
	// answers that were made and not yet taken, beyond 4 KiB each, of bodies that
	// came compressed, and about what is made of the values of a body. One connection may hold a quarter of it. The default is
	// DefaultMaxHeldBytes or four times ResponseBytes, whichever is more. A call for whose
	// answer, by the answers that its method had before, nothing is left is refused
	// with RESOURCE_EXHAUSTED and a delay before it is made. One whose answer turns out too
	// large afterwards says so, without a delay. Behind httpserver, all counts in the
	// budget of its WithMaxHeldBytes too.
	HeldBytes int
}

// Times bound how long a handler waits. A zero member means the default, a
// negative one no bound.
type Times struct {
	// Read is how long the body of a request may take to arrive, where the
	// [net/http.Server] has no ReadTimeout.
	Read time.Duration
	// Write is how long the peer may take to accept 16 KiB of an answer, or of an event
	// of a stream: one that reads slowly gets all, and the connection of one that does
	// not read ends. It stands in place of the server's WriteTimeout, which would end
	// every answer at that age.
	Write time.Duration
	// KeepAlive is how long a stream that has begun, by a message or by
	// SendHeaders, may be silent before a comment is sent.
	KeepAlive time.Duration
}

// Dropped is the failure of a notification, which JSON-RPC answers with
// nothing.
type Dropped struct {
	// Method is the name that was called, as the peer wrote it up to 128 bytes; it may
	// be any text.
	Method string
	// Err is what a caller would have got.
	Err *errmap.Error
}

// WithProfile sets the dialect of JSON-RPC; the default is
// [errmap.ProfileGeneric]. It decides the numbers and data of errors, HTTP
// statuses, whether there are batches, and the default of WithMethodNames.
func WithProfile(p errmap.Profile) Option {
	return optionFunc(func(o *options) { o.profile = p })
}

// WithMethodNames sets the rule for method names; the default is [SlashNames],
// and [BareNames] under [errmap.ProfileA2A].
func WithMethodNames(rule MethodNames) Option {
	return optionFunc(func(o *options) { o.names = rule })
}

// WithPattern sets the pattern under which Mount registers the handler. The
// handler looks at no path, so it answers whatever the pattern matches.
func WithPattern(pattern string) Option {
	return optionFunc(func(o *options) { o.pattern = pattern })
}

// WithLimits bounds what the handler takes on.
func WithLimits(l Limits) Option {
	return optionFunc(func(o *options) { o.limits = l })
}

// WithTimes bounds how long the handler waits.
func WithTimes(t Times) Option {
	return optionFunc(func(o *options) { o.times = t })
}

// WithGuard sets the [errmap.Guard] that decides what leaves the server, and where
// the rest is logged. The default, also for nil, is that of [errmap.NewGuard]. It is
// always told to know the errors of Connect.
func WithGuard(g *errmap.Guard) Option {
	return optionFunc(func(o *options) { o.guard = g })
}

// WithObserver has f told of each call that failed, with the procedure where the
// method is known: see [errmap.Observer]. What is no call, such as JSON that cannot
// be read, is not told of. The default, and nil, is nobody.
func WithObserver(f errmap.Observer) Option {
	return optionFunc(func(o *options) { o.observer = f })
}

// WithCatalog names the errors and message types that the handler knows, for
// the data of errors, for google.protobuf.Any in params and results, and for
// the errors in the answer to rpc.discover. The default is what is linked into
// the program.
func WithCatalog(c *errmap.Catalog) Option {
	return optionFunc(func(o *options) { o.catalog = c })
}

// WithEncoding changes how errors are written, such as with
// [errmap.WithoutCarried].
func WithEncoding(opts ...errmap.EncodeOption) Option {
	return optionFunc(func(o *options) { o.encoding = append(slices.Clip(o.encoding), opts...) })
}

// WithKnownEnums refuses params in which an enum has a name that its schema does not
// have. The default ignores it, as an older server does with what a newer client says;
// A2A wants it refused.
func WithKnownEnums() Option {
	return optionFunc(func(o *options) { o.knownEnums = true })
}

// WithCompressors sets the content encodings that requests may have and that
// answers get where the client accepts them, the preferred first; the default
// is gzip. Without arguments there are none. Streams are never compressed.
func WithCompressors(compressors ...connect.Compressor) Option {
	return optionFunc(func(o *options) { o.compressors = slices.Clone(compressors) })
}

// WithCompressMinBytes sets the size from which answers are compressed.
func WithCompressMinBytes(n int) Option {
	return optionFunc(func(o *options) { o.compressMinBytes = n })
}

// WithNotificationLog has f called for each notification that fails, in the
// goroutine of the call. The default, and nil, logs to slog.Default, ten a second and
// fifty at once.
func WithNotificationLog(f func(context.Context, Dropped)) Option {
	return optionFunc(func(o *options) { o.dropped = f })
}

// WithDiscovery answers the method rpc.discover with an OpenRPC document of the
// registered methods, under that title and version. The default is not to: the
// document tells every caller the whole schema, comments included where the
// descriptors have them, and no interceptor stands before it.
func WithDiscovery(title, version string) Option {
	return optionFunc(func(o *options) { o.discovery = &apiInfo{Title: title, Version: version} })
}

// WithOrigins lets pages of other origins in, such as "https://app.example.com". Without
// it, what a page of another origin sends is answered with HTTP status 403, and under
// [errmap.ProfileMCP] whatever names another Origin. Where the handler runs behind
// httpserver, that decides in its place, and tells browsers by CORS, which this does not.
// An origin that is none is an error of [Mount] and [NewHandler].
func WithOrigins(origins ...string) Option {
	return optionFunc(func(o *options) { o.origins = append(slices.Clip(o.origins), origins...) })
}

// WithHosts names hosts that a server on a loopback address may be asked under, such as
// "api.example.com", besides localhost; "*" is any. Others are answered with HTTP status
// 403, since a page whose name resolves to this machine could be asking (DNS rebinding).
// Behind httpserver, that decides in its place.
func WithHosts(hosts ...string) Option {
	return optionFunc(func(o *options) { o.hosts = append(slices.Clip(o.hosts), hosts...) })
}

type options struct {
	knownEnums       bool
	origins, hosts   []string
	profile          errmap.Profile
	names            MethodNames
	pattern          string
	limits           Limits
	times            Times
	guard            *errmap.Guard
	observer         errmap.Observer
	catalog          *errmap.Catalog
	encoding         []errmap.EncodeOption
	compressors      []connect.Compressor
	compressMinBytes int
	dropped          func(context.Context, Dropped)
	discovery        *apiInfo
}

type optionFunc func(*options)

func (f optionFunc) apply(o *options) { f(o) }

func newOptions(opts []Option) *options {
	o := &options{
		pattern:          DefaultPattern,
		compressors:      []connect.Compressor{connectgzip.New()},
		compressMinBytes: DefaultCompressMinBytes,
	}
	for _, opt := range opts {
		opt.apply(o)
	}
	o.limits, o.times = o.limits.withDefaults(), o.times.withDefaults()
	if o.names == nil {
		o.names = SlashNames
		if o.profile.BareMethods() {
			o.names = BareNames
		}
	}
	return o
}

func (l Limits) withDefaults() Limits {
	set := func(n *int, fallback int) {
		switch {
		case *n == 0:
			*n = fallback
		case *n < 0:
			*n = math.MaxInt / 2
		}
	}
	set(&l.RequestBytes, DefaultMaxRequestBytes)
	set(&l.RequestValues, DefaultMaxRequestValues)
	set(&l.ResponseBytes, DefaultMaxResponseBytes)
	set(&l.Depth, DefaultMaxDepth)
	set(&l.BatchItems, DefaultMaxBatchItems)
	set(&l.BatchConcurrency, DefaultBatchConcurrency)
	set(&l.Calls, DefaultMaxCalls)
	set(&l.Streams, DefaultMaxStreams)
	set(&l.Headers, DefaultMaxHeaders)
	set(&l.HeldBytes, max(DefaultMaxHeldBytes, 4*min(l.ResponseBytes, math.MaxInt/8)))
	return l
}

func (t Times) withDefaults() Times {
	set := func(d *time.Duration, fallback time.Duration) {
		if *d == 0 {
			*d = fallback
		}
	}
	set(&t.Read, DefaultReadTimeout)
	set(&t.Write, DefaultWriteTimeout)
	set(&t.KeepAlive, DefaultKeepAlive)
	return t
}

func (h *handler) logDropped(ctx context.Context, d Dropped) {
	missed, ok := h.log.Allow()
	if !ok {
		return
	}
	attrs := []slog.Attr{slog.String("method", d.Method), slog.String("error", loglimit.Clip(d.Err.Error()))}
	if missed > 0 {
		attrs = append(attrs, slog.Int64("not_logged", missed))
	}
	slog.LogAttrs(ctx, slog.LevelWarn, "a notification failed", attrs...)
}
