package httpserver

import (
	"crypto/tls"
	"log/slog"
	"slices"
	"time"
)

// The times of a server unless WithTimes says otherwise.
const (
	DefaultHeaderTime = 10 * time.Second
	DefaultReadTime   = 30 * time.Second
	DefaultWriteTime  = 30 * time.Second
	DefaultStreamTime = 5 * time.Minute
	DefaultIdleTime   = 2 * time.Minute
	DefaultDrainTime  = 20 * time.Second
)

// DefaultMaxHeaderBytes is how large the header of a request may be. net/http allows a
// few KiB more.
const DefaultMaxHeaderBytes = 64 << 10

// DefaultMaxHeldBytes is how many bytes are held for callers at the same time.
const DefaultMaxHeldBytes = 64 << 20

// DefaultMaxMessageValues is how many parts a message may have.
const DefaultMaxMessageValues = 400_000

// answerTime is how long what was given up may take to say so.
const answerTime = time.Second

// Times bound how long a server waits for its peers. A zero member means the default,
// a negative one no bound.
type Times struct {
	// Header is how long the header of a request may take to arrive.
	Header time.Duration
	// Read is how long the body of a request may take to arrive, beyond a second for
	// each 512 bytes of it.
	Read time.Duration
	// Write is how long the peer may take to accept 16 KiB of an answer, or its end.
	Write time.Duration
	// Stream is how long a stream of requests over HTTP/2 may be silent while nothing
	// is answered.
	Stream time.Duration
	// Idle is how long a connection may be without a request.
	Idle time.Duration
	// Drain is how long what runs may go on once Run is to end. Negative, it is given
	// up at once.
	Drain time.Duration
}

// An Option changes what [New] and [Run] make.
type Option interface{ apply(*options) }

// WithTimes bounds how long the server waits.
func WithTimes(t Times) Option { return option(func(o *options) { o.times = t }) }

// WithMaxHeaderBytes bounds the header of a request; larger ones are answered with HTTP
// status 431. Zero means DefaultMaxHeaderBytes.
func WithMaxHeaderBytes(n int) Option { return option(func(o *options) { o.headerBytes = n }) }

// WithMaxHeldBytes bounds the bytes that are held for callers at the same time, over all
// connections and mounts of the server: of answers that were made and are not taken yet,
// beyond 4 KiB each. One connection may hold a quarter of it. Zero means
// DefaultMaxHeldBytes, and a negative number no bound.
//
// A call for whose answer, by the answers that its path had before, nothing is left is
// refused with RESOURCE_EXHAUSTED and a delay of a second before its handler runs, in the
// protocol of the call. An answer that turns out too large afterwards is left out: its
// caller gets RESOURCE_EXHAUSTED without a delay, and a stream that had begun ends with
// it. The mounts of server and server/httpjson count by themselves, by JSON-RPC id and
// method; what they hold counts here too, beside their own Limits.HeldBytes, so that
// several mounts share this budget.
func WithMaxHeldBytes(n int) Option { return option(func(o *options) { o.heldBytes = n }) }

// WithMaxMessageValues bounds the parts of a message that [Codecs] read, each message,
// string and element in it for itself: of two bytes Protobuf may make a hundred. Zero means
// DefaultMaxMessageValues, and a negative number no bound.
func WithMaxMessageValues(n int) Option { return option(func(o *options) { o.messageValues = n }) }

// WithTLS has the server speak TLS, with HTTP/2 where the client can; c has a
// certificate or GetCertificate, and is not changed. The default, and nil, is to speak
// in clear.
func WithTLS(c *tls.Config) Option { return option(func(o *options) { o.tls = c }) }

// WithLog sets where net/http reports what goes wrong with connections, ten times a
// second and fifty at once; the default, and nil, is slog.Default.
func WithLog(l *slog.Logger) Option { return option(func(o *options) { o.log = l }) }

// WithDrain has f called when Run begins to drain, such as to tell by a health service
// that this server takes no more. It may be given several times, and must not block.
func WithDrain(f func()) Option {
	return option(func(o *options) { o.drain = append(slices.Clip(o.drain), f) })
}

// WithGiveUp has f called when what still runs is given up, before its context ends:
// once Times.Drain is over, and not at all where everything was finished by then. One
// would close the channel of an errmap.WithShutdown in it, so that calls that are given
// up are UNAVAILABLE. It may be given several times, and must not block.
func WithGiveUp(f func()) Option {
	return option(func(o *options) { o.giveUp = append(slices.Clip(o.giveUp), f) })
}

// WithOrigins lets pages of other origins in, such as "https://app.example.com": their
// requests are not refused, and their browsers are told so by CORS, with the methods of each
// route and the headers of every protocol here. Without it, what a page of another origin
// sends that could change anything is answered with HTTP status 403. An origin that is
// none is an error of [New], [Run] and [Protect].
func WithOrigins(origins ...string) Option {
	return option(func(o *options) { o.origins = append(slices.Clip(o.origins), origins...) })
}

// WithHosts names hosts that a server on a loopback address may be asked under, such as
// "api.example.com", besides localhost: those that a proxy before it passes on, or "*" for
// any. Others are answered with HTTP status 403, since a page whose name resolves to this
// machine could be asking (DNS rebinding). A server on other addresses takes any host.
func WithHosts(hosts ...string) Option {
	return option(func(o *options) { o.hosts = append(slices.Clip(o.hosts), hosts...) })
}

// WithCORSHeaders names headers of the application that pages of WithOrigins may send, and
// those that they may read, besides the ones of the protocols. Trailers of Connect's unary
// calls are headers with the prefix "Trailer-".
func WithCORSHeaders(request, response []string) Option {
	return option(func(o *options) {
		o.requestHeaders = append(slices.Clip(o.requestHeaders), request...)
		o.responseHeaders = append(slices.Clip(o.responseHeaders), response...)
	})
}

type options struct {
	origins, hosts                  []string
	requestHeaders, responseHeaders []string

	times         Times
	headerBytes   int
	heldBytes     int
	messageValues int
	tls           *tls.Config
	log           *slog.Logger
	drain, giveUp []func()
}

type option func(*options)

func (f option) apply(o *options) { f(o) }

func newOptions(opts []Option) *options {
	o := &options{headerBytes: DefaultMaxHeaderBytes}
	for _, opt := range opts {
		opt.apply(o)
	}
	set := func(d *time.Duration, fallback time.Duration) {
		if *d == 0 {
			*d = fallback
		}
		*d = max(*d, 0)
	}
	set(&o.times.Header, DefaultHeaderTime)
	set(&o.times.Read, DefaultReadTime)
	set(&o.times.Write, DefaultWriteTime)
	set(&o.times.Stream, DefaultStreamTime)
	set(&o.times.Idle, DefaultIdleTime)
	set(&o.times.Drain, DefaultDrainTime)
	if o.headerBytes == 0 {
		o.headerBytes = DefaultMaxHeaderBytes
	}
	if o.messageValues == 0 {
		o.messageValues = DefaultMaxMessageValues
	}
	if o.heldBytes == 0 {
		o.heldBytes = DefaultMaxHeldBytes
	}
	if o.log == nil {
		o.log = slog.Default()
	}
	return o
}
