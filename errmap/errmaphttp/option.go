package errmaphttp

import (
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
)

// DefaultMaxBody is how many bytes of a response are read unless WithMaxBody says
// otherwise.
const DefaultMaxBody = errmap.DefaultMaxBody

// A WriteOption changes how errors are written.
type WriteOption interface{ applyWrite(*writeOptions) }

// A ReadOption changes how errors are read.
type ReadOption interface{ applyRead(*readOptions) }

// An Option changes both.
type Option interface {
	WriteOption
	ReadOption
}

type writeOptions struct {
	adapter.Server
	problems bool
}

type readOptions struct {
	adapter.Client
	maxBody int
}

type writeOption func(*writeOptions)

func (f writeOption) applyWrite(o *writeOptions) { f(o) }

type readOption func(*readOptions)

func (f readOption) applyRead(o *readOptions) { f(o) }

// WithGuard sets the Guard that decides what leaves the server, and where the
// rest is logged. The default, also for nil, is that of errmap.NewGuard.
func WithGuard(g *errmap.Guard) WriteOption {
	return writeOption(func(o *writeOptions) { o.Guard = g })
}

// WithEncodeOptions sets how errors are written, such as errmap.WithoutCarried.
func WithEncodeOptions(opts ...errmap.EncodeOption) WriteOption {
	return writeOption(func(o *writeOptions) { o.AddEncoding(opts) })
}

// WithProblems prefers application/problem+json where the client has no
// preference between it and application/json. The default prefers AIP-193.
func WithProblems() WriteOption { return writeOption(func(o *writeOptions) { o.problems = true }) }

// WithDecodeOptions sets how errors are read, such as errmap.WithLimits and
// errmap.WithCatalog.
func WithDecodeOptions(opts ...errmap.DecodeOption) ReadOption {
	return readOption(func(o *readOptions) { o.AddDecoding(opts) })
}

// WithMaxBody sets how many bytes of a response are read, before and after
// decompression. A longer body is one of another kind. Zero and less mean
// DefaultMaxBody.
func WithMaxBody(n int) ReadOption { return readOption(func(o *readOptions) { o.maxBody = n }) }

// WithObserver has f told of each error that is written and, of the calls of a
// Transport, of each that is read: see errmap.Observer. Its procedure is the pattern
// of a handler, or method and path. The default, and nil, is nobody.
func WithObserver(f errmap.Observer) Option { return observer(f) }

type observer errmap.Observer

func (f observer) applyWrite(o *writeOptions) { o.Observer = errmap.Observer(f) }
func (f observer) applyRead(o *readOptions)   { o.Observer = errmap.Observer(f) }

func newWriteOptions(opts []WriteOption) *writeOptions {
	o := new(writeOptions)
	for _, opt := range opts {
		opt.applyWrite(o)
	}
	return o
}

func newReadOptions(opts []ReadOption) *readOptions {
	o := new(readOptions)
	for _, opt := range opts {
		opt.applyRead(o)
	}
	if o.maxBody <= 0 {
		o.maxBody = DefaultMaxBody
	}
	return o
}
