package errmaptest

import (
	"errors"
	"fmt"

	"github.com/errmap/errmap/errmap"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

// An Option changes what Equate and Diff compare.
type Option interface{ apply(*options) }

type options struct {
	ignoreMessage bool
	received      bool
}

type option func(*options)

func (f option) apply(o *options) { f(o) }

// IgnoreMessage leaves the developer-facing text out of the comparison: it is
// no part of an error's identity, and may change at any time.
func IgnoreMessage() Option { return option(func(o *options) { o.ignoreMessage = true }) }

// CompareReceived compares what was received and a google.rpc.Status cannot say,
// too. It is for tests of proxies.
func CompareReceived() Option { return option(func(o *options) { o.received = true }) }

// Equate returns an option for go-cmp under which two *errmap.Error are equal
// that say the same: code, message and details, in order. Details of a linked
// type are compared as messages, others as the bytes or the JSON that they are;
// the prefix of a type URL does not count. Cause, notes and whether a peer sent
// the error do not count either. Nil equals nil alone.
func Equate(opts ...Option) cmp.Option {
	var o options
	for _, opt := range opts {
		opt.apply(&o)
	}
	return cmp.Options{
		cmp.Transformer("errmaptest.Equate", o.said),
		protocmp.Transform(),
	}
}

// Diff reports how two errors differ in what they say, "" where they do not.
// Either may be any error: an annotated message, an *errmap.Error, one that
// wraps either, or nil. An error that says nothing to a caller counts as the
// INTERNAL that one would get.
func Diff(want, got error, opts ...Option) string {
	w, g := errmap.From(want), errmap.From(got)
	return cmp.Diff(w, g, Equate(opts...))
}

// said is what an error says, in exported fields that a difference can name.
type said struct {
	Code     string
	Message  string
	Details  []any
	Received []errmap.Received
}

// bytesDetail is a detail whose type is not linked, or whose bytes do not parse.
type bytesDetail struct {
	Type  string
	Value []byte
}

// jsonDetail is a detail that is JSON without a binary form.
type jsonDetail struct{ JSON string }

func (o *options) said(e *errmap.Error) *said {
	if e == nil {
		return nil
	}
	s := &said{Code: e.Code().String()}
	if e.Number() != int32(e.Code()) {
		s.Code = fmt.Sprintf("%s (%d)", s.Code, e.Number())
	}
	if !o.ignoreMessage {
		s.Message = e.Message()
	}
	for _, d := range e.Details() {
		s.Details = append(s.Details, saidDetail(d))
	}
	if o.received {
		s.Received = e.Received()
	}
	return s
}

func saidDetail(d errmap.RawDetail) any {
	if text, ok := d.JSON(); ok {
		return jsonDetail{string(text)}
	}
	value, _ := d.Value()
	m, err := decode(d.TypeURL(), value)
	if err != nil {
		return bytesDetail{string(d.Name()), value}
	}
	return m
}

var errNoType = errors.New("no type URL")

// decode reads a message of a linked type.
func decode(typeURL string, value []byte) (proto.Message, error) {
	if typeURL == "" {
		return nil, errNoType
	}
	mt, err := errmap.Linked().FindMessageByURL(typeURL)
	if err != nil {
		return nil, err
	}
	m := mt.New().Interface()
	return m, proto.UnmarshalOptions{Resolver: errmap.Linked()}.Unmarshal(value, m)
}
