package errmapconnect

import (
	"errors"
	"io"
	"math"
	"strings"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/cause"
	"google.golang.org/genproto/googleapis/rpc/code"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/types/known/anypb"
)

// FromError returns what an error says whose chain may hold a *connect.Error,
// and nil for nil. A *connect.Error that a peer sent becomes Remote, one that
// Connect made of a failed call Local; the error is its cause. An error that
// ToError made comes back as it was. Any other error is read by errmap.From.
//
// Of an error that a peer sent only code, message and details are read, never
// the causes that an in-process transport leaves in it.
func FromError(err error, opts ...errmap.DecodeOption) *errmap.Error {
	if err == nil {
		return nil
	}
	c, ok := errors.AsType[*connect.Error](err)
	if !ok || c == nil {
		return errmap.From(err)
	}
	if _, within := errors.AsType[*errmap.Error](c); !within {
		if _, outside := errors.AsType[*errmap.Error](err); outside {
			return errmap.From(err)
		}
	}
	if c.IsRemote() {
		return readRemote(c, opts)
	}
	if e, ok := original(c); ok {
		return e
	}
	e := read(c, opts).WithCause(err)
	if ofFailedCall(c) {
		return e.WithLocal()
	}
	return e
}

// ToError returns e as an error of Connect, its code, message and details those
// that a caller gets, and nil for nil. A handler may return it, and FromError
// gives e back. It asks not whose e is: what leaves a server goes through a
// Guard.
func ToError(e *errmap.Error, opts ...errmap.EncodeOption) *connect.Error {
	return encode(e, "", opts)
}

// Recognize is the errmap.Recognizer of Connect's errors: one that was made here
// speaks, one that a peer sent does not. Neither does one that Connect made of a
// failed call. That is told by its having the text of a network or context error
// that is its cause, or by its very words where a client of Connect without this
// package's interceptor got an answer of no RPC server, such as "503 Service
// Unavailable": text that the program wrote itself speaks otherwise, whatever its
// cause.
func Recognize(link error) (e *errmap.Error, known bool) {
	if m, ok := link.(mounted); ok { // a link, not a chain
		return m.e, true
	}
	c, ok := link.(*connect.Error)
	if !ok {
		return nil, false
	}
	if c == nil || c.IsRemote() {
		return nil, true
	}
	if e, ok := original(c); ok {
		return e, true
	}
	if ofFailedCall(c) {
		return nil, true
	}
	return read(c, nil).WithCause(c), true
}

// encoded is the cause of an error that encode made: what it was made of.
type encoded struct {
	e       *errmap.Error
	details int
}

func (c *encoded) Error() string { return c.e.Error() }
func (c *encoded) Unwrap() error { return c.e }

// original returns what an error of Connect was made of here, where nobody has
// added anything to it since.
func original(c *connect.Error) (*errmap.Error, bool) {
	made, ok := c.Unwrap().(*encoded) // a link: any change puts something before it
	if !ok || len(c.Details()) != made.details {
		return nil, false
	}
	return made.e, true
}

// read reads code, message and details.
func read(c *connect.Error, opts []errmap.DecodeOption) *errmap.Error {
	s := &statuspb.Status{Code: int32(code.Code_UNKNOWN), Message: c.Message()}
	if c.Code() <= math.MaxInt32 {
		s.Code = int32(c.Code())
	}
	for _, d := range c.Details() {
		if d == nil {
			continue
		}
		raw := errmap.NewRawDetail(d.Type, d.Value)
		s.Details = append(s.Details, &anypb.Any{TypeUrl: raw.TypeURL(), Value: d.Value})
	}
	e, err := errmap.FromStatus(s, opts...)
	if err != nil { // unreachable: the code is not 0
		return errmap.NewCode(code.Code_UNKNOWN, c.Message())
	}
	return e
}

func readRemote(c *connect.Error, opts []errmap.DecodeOption) *errmap.Error {
	return read(c, opts).WithRemote().WithCause(withoutCause(c))
}

// withoutCause returns an error without its causes. An in-process transport leaves
// those of the server in what it hands on, which nobody sent: a received
// "canceled" is not context.Canceled.
func withoutCause(c *connect.Error) *connect.Error {
	if c.Unwrap() == nil {
		return c
	}
	bare := connect.NewError(c.Code(), c.Message())
	for _, d := range c.Details() {
		bare = bare.WithDetail(d)
	}
	if c.IsRemote() {
		return bare.WithRemote()
	}
	return bare
}

// ofFailedCall tells whether Connect made an error of what the network or the
// context said, whose text it writes into the message, or of an answer that it could not
// use.
func ofFailedCall(c *connect.Error) bool {
	if c.Code() <= math.MaxInt32 && adapter.OfAnswer(code.Code(c.Code()), c.Message()) {
		return true
	}
	why := c.Unwrap()
	return why != nil && strings.Contains(c.Message(), why.Error()) && (cause.OfCall(why) || errors.Is(why, io.EOF))
}
