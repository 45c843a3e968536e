package errmap

import (
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/errmap/errmap/internal/wire"
)

// The limits of a decoder unless WithLimits says otherwise.
const (
	DefaultMaxBody    = 4 << 20
	DefaultMaxDetails = 1024
	DefaultMaxDepth   = 100
	DefaultMaxMessage = 1 << 20
)

// DefaultBudget is the room for an error in gRPC headers, in bytes, unless
// WithBudget says otherwise. It leaves a KiB of the commonest limit, 8 KiB for all
// headers, to the others.
const DefaultBudget = 7 << 10

// Limits bound what a decoder takes from foreign bytes. A zero member means
// the default; a negative one means no limit.
type Limits struct {
	// Body is the most bytes of a body; a larger one is a body of another
	// kind, so the error is the one that the transport's status says.
	Body int
	// Details is the most details; those after it are dropped with a note.
	Details int
	// Depth is how deep JSON may nest; a deeper body is one of another kind.
	Depth int
	// Message is the most bytes of the message; it is cut there, with a note.
	Message int
}

// An EncodeOption changes how an error is written.
type EncodeOption interface{ applyEncode(*encodeOptions) }

// A DecodeOption changes how an error is read.
type DecodeOption interface{ applyDecode(*decodeOptions) }

// An Option serves readers and writers.
type Option interface {
	EncodeOption
	DecodeOption
}

// WithCatalog names the errors and types that a reader or writer knows. The
// default is Linked, everything that is linked into the program; nil means
// the types of google.rpc and no errors.
func WithCatalog(c *Catalog) Option { return catalogOption{c} }

// WithoutCarried keeps errmap.v1.Carried out of what is written, for peers that
// render a whole google.rpc.Status through a strict ProtoJSON and know no such
// type. What only a Carried could say is then lost, with a note.
func WithoutCarried() EncodeOption {
	return encodeOption(func(o *encodeOptions) { o.WithoutCarried = true })
}

// WithBudget sets the room that the three gRPC headers may take, in bytes as HTTP/2
// counts them: name, value and 32 for each (RFC 9113 section 6.5.2). Zero means
// DefaultBudget, a negative number no limit. Set it where a proxy or a client has
// another limit.
func WithBudget(n int) EncodeOption {
	return encodeOption(func(o *encodeOptions) { o.Budget = n })
}

// WithNotes has f called for each part that an encoder drops, while the encoder
// runs. Without it, what the budget of gRPC's headers drops is logged to
// slog.Default.
func WithNotes(f func(note string)) EncodeOption {
	return encodeOption(func(o *encodeOptions) { o.Note = f })
}

// WithLimits bounds what a decoder takes.
func WithLimits(l Limits) DecodeOption {
	return decodeOption(func(o *decodeOptions) { o.limits = l })
}

// WithHTTPStatus tells a decoder the status of the response that it reads. A
// number that no response has, below 100 or above 999, is none.
func WithHTTPStatus(status int) DecodeOption {
	return decodeOption(func(o *decodeOptions) { o.HTTPStatus = status })
}

// WithHTTPHeader tells a decoder the header of the response that it reads, and
// the time at which it came: Retry-After becomes a RetryInfo detail where the
// error has none (RFC 9110 section 10.2.3).
func WithHTTPHeader(h http.Header, received time.Time) DecodeOption {
	return decodeOption(func(o *decodeOptions) { o.RetryAfter, o.Decoding.Received = h.Values("Retry-After"), received })
}

// WithTrustedDomains names the domains whose errors a reader believes of its peers: for
// errors.As, errors.Is, Fill, Reason, Domain, Metadata and Retryable an ErrorInfo of
// another domain is none. It stays a detail, and travels on. Without the option, and
// with no domain, all are believed.
//
// A program sets it where it acts on typed errors of a peer that it does not trust with
// those of others: whoever answers a call can write any domain and reason.
func WithTrustedDomains(domains ...string) DecodeOption {
	return decodeOption(func(o *decodeOptions) { o.trusted = slices.Clone(domains) })
}

// WithinStream tells DecodeConnect that the error stood in an end-of-stream
// message, where the HTTP status says nothing of it.
func WithinStream() DecodeOption {
	return decodeOption(func(o *decodeOptions) { o.Stream = true })
}

type encodeOptions struct {
	wire.Encoding
	catalog *Catalog
}

func (o *encodeOptions) encoding() *wire.Encoding { return &o.Encoding }

type decodeOptions struct {
	wire.Decoding
	catalog *Catalog
	limits  Limits
	trusted []string
}

type encodeOption func(*encodeOptions)

func (f encodeOption) applyEncode(o *encodeOptions) { f(o) }

type decodeOption func(*decodeOptions)

func (f decodeOption) applyDecode(o *decodeOptions) { f(o) }

type catalogOption struct{ catalog *Catalog }

func (c catalogOption) applyEncode(o *encodeOptions) { o.catalog = c.catalog }
func (c catalogOption) applyDecode(o *decodeOptions) { o.catalog = c.catalog }

// The options where none are given are made once, and never changed.
var (
	defaultEncodeOptions = sync.OnceValue(func() *encodeOptions { return applyEncodeOptions(nil) })
	defaultDecodeOptions = sync.OnceValue(func() *decodeOptions { return applyDecodeOptions(nil) })
)

func newEncodeOptions(opts []EncodeOption) *encodeOptions {
	if len(opts) == 0 {
		return defaultEncodeOptions()
	}
	return applyEncodeOptions(opts)
}

func newDecodeOptions(opts []DecodeOption) *decodeOptions {
	if len(opts) == 0 {
		return defaultDecodeOptions()
	}
	return applyDecodeOptions(opts)
}

func applyEncodeOptions(opts []EncodeOption) *encodeOptions {
	o := &encodeOptions{catalog: Linked()}
	for _, opt := range opts {
		opt.applyEncode(o)
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	o.Encoding.Catalog = o.catalog.schema()
	return o
}

func applyDecodeOptions(opts []DecodeOption) *decodeOptions {
	o := &decodeOptions{catalog: Linked()}
	for _, opt := range opts {
		opt.applyDecode(o)
	}
	if !wire.IsHTTPStatus(o.HTTPStatus) {
		o.HTTPStatus = 0
	}
	o.Limits = o.limits.wire()
	o.Decoding.Catalog = o.catalog.schema()
	return o
}

// wire returns the limits with each one set.
func (l Limits) wire() wire.Limits {
	set := func(n, fallback int) int {
		switch {
		case n == 0:
			return fallback
		case n < 0:
			return math.MaxInt
		}
		return n
	}
	return wire.Limits{
		Body: set(l.Body, DefaultMaxBody), Details: set(l.Details, DefaultMaxDetails),
		Depth: set(l.Depth, DefaultMaxDepth), Message: set(l.Message, DefaultMaxMessage),
	}
}
