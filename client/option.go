package client

import (
	"slices"
	"strings"
	"time"

	"github.com/errmap/errmap/errmap"
)

// The limits of a transport unless an option says otherwise.
const (
	// DefaultMaxResponse is the size of an answer, and of one event of a stream.
	DefaultMaxResponse = 4 << 20
	// DefaultMaxBatch is the most calls of one batch.
	DefaultMaxBatch = 100
)

// MethodNames makes the JSON-RPC method name of a procedure, which is a path such as
// "/shop.v1.CartService/GetCart".
type MethodNames func(procedure string) string

// SlashNames names a method "shop.v1.CartService/GetCart". It is the default.
func SlashNames(procedure string) string { return strings.TrimPrefix(procedure, "/") }

// DottedNames names a method "shop.v1.CartService.GetCart".
func DottedNames(procedure string) string {
	return strings.Replace(strings.TrimPrefix(procedure, "/"), "/", ".", 1)
}

// BareNames names a method "GetCart", as A2A does.
func BareNames(procedure string) string { return procedure[strings.LastIndexByte(procedure, '/')+1:] }

// An Option changes a transport.
type Option interface{ apply(*options) }

// WithProfile chooses the dialect of JSON-RPC in which errors are read. The
// default is errmap.ProfileGeneric.
func WithProfile(p errmap.Profile) Option { return option(func(o *options) { o.profile = p }) }

// WithMethodNames chooses how methods are named. The default is SlashNames.
func WithMethodNames(n MethodNames) Option { return option(func(o *options) { o.names = n }) }

// WithCatalog names the errors that are known, and the types inside messages.
// The default is errmap.Linked.
func WithCatalog(c *errmap.Catalog) Option { return option(func(o *options) { o.catalog = c }) }

// Limits bound what a transport takes. A zero member means the default.
type Limits struct {
	// ResponseBytes is the most bytes of an answer, and of one event of a stream, after
	// decompression.
	ResponseBytes int
}

// WithLimits bounds what the transport takes.
func WithLimits(l Limits) Option { return option(func(o *options) { o.maxResponse = l.ResponseBytes }) }

// WithBatching sends unary calls that begin within wait of each other as one
// batch, of at most max calls (0 means DefaultMaxBatch). Only calls with the same
// request headers share a batch. A2A and MCP servers may refuse batches: MCP
// does always.
func WithBatching(wait time.Duration, max int) Option {
	return option(func(o *options) {
		o.batchWait, o.batchMax = wait, max
		if max <= 0 {
			o.batchMax = DefaultMaxBatch
		}
	})
}

// WithDecoding sets how received errors are read, such as [errmap.WithLimits] and
// [errmap.WithTrustedDomains]. The catalogue is that of WithCatalog unless one of the
// options names another.
func WithDecoding(opts ...errmap.DecodeOption) Option {
	return option(func(o *options) { o.decoding = append(slices.Clip(o.decoding), opts...) })
}

// WithObserver has f told of each call that failed: see [errmap.Observer]. The
// default, and nil, is nobody.
func WithObserver(f errmap.Observer) Option { return option(func(o *options) { o.observer = f }) }

type options struct {
	observer    errmap.Observer
	profile     errmap.Profile
	names       MethodNames
	catalog     *errmap.Catalog
	decoding    []errmap.DecodeOption
	maxResponse int
	batchWait   time.Duration
	batchMax    int
}

type option func(*options)

func (f option) apply(o *options) { f(o) }

func newOptions(opts []Option) options {
	o := options{names: SlashNames, catalog: errmap.Linked(), maxResponse: DefaultMaxResponse}
	for _, opt := range opts {
		opt.apply(&o)
	}
	if o.maxResponse <= 0 {
		o.maxResponse = DefaultMaxResponse
	}
	return o
}
