package errmaphttp

import (
	"slices"

	"github.com/errmap/errmap/errmap"
)

// DefaultMaxBody is how many bytes of a response are read unless WithMaxBody says
// otherwise.
const DefaultMaxBody = errmap.DefaultMaxBody

// A WriteOption changes how errors are written.
type WriteOption interface{ applyWrite(*writeOptions) }

// A ReadOption changes how errors are read.
type ReadOption interface{ applyRead(*readOptions) }

type writeOptions struct {
	guard    *errmap.Guard
	encode   []errmap.EncodeOption
	problems bool
}

type readOptions struct {
	decode  []errmap.DecodeOption
	maxBody int
}

type writeOption func(*writeOptions)

func (f writeOption) applyWrite(o *writeOptions) { f(o) }

type readOption func(*readOptions)

func (f readOption) applyRead(o *readOptions) { f(o) }

// WithGuard sets the Guard that decides what leaves the server, and where the
// rest is logged. The default, also for nil, is that of errmap.NewGuard.
func WithGuard(g *errmap.Guard) WriteOption {
	return writeOption(func(o *writeOptions) { o.guard = g })
}

// WithEncodeOptions sets how errors are written, such as errmap.WithoutCarried.
func WithEncodeOptions(opts ...errmap.EncodeOption) WriteOption {
	return writeOption(func(o *writeOptions) { o.encode = append(slices.Clip(o.encode), opts...) })
}

// WithProblems prefers application/problem+json where the client has no
// preference between it and application/json. The default prefers AIP-193.
func WithProblems() WriteOption { return writeOption(func(o *writeOptions) { o.problems = true }) }

// WithDecodeOptions sets how errors are read, such as errmap.WithLimits and
// errmap.WithCatalog.
func WithDecodeOptions(opts ...errmap.DecodeOption) ReadOption {
	return readOption(func(o *readOptions) { o.decode = append(slices.Clip(o.decode), opts...) })
}

// WithMaxBody sets how many bytes of a response are read, before and after
// decompression. A longer body is one of another kind. Zero and less mean
// DefaultMaxBody.
func WithMaxBody(n int) ReadOption { return readOption(func(o *readOptions) { o.maxBody = n }) }

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
