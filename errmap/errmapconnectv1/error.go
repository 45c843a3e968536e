package errmapconnectv1

import (
	"errors"
	"math"
	"net/http"
	"time"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/cause"
	"google.golang.org/genproto/googleapis/rpc/code"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// FromError returns what an error says whose chain may hold a *connect.Error,
// and nil for nil. A *connect.Error that a peer sent becomes Remote, one that
// Connect made of a failed call Local; the error is its cause. An error that
// ToError made comes back as it was. Any other error is read by errmap.From.
//
// The headers in the Meta of an error stay behind, but for Retry-After, which
// becomes a RetryInfo detail where there is none.
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
	if isWireError(c) {
		return read(c, append(opts, ofMeta(c)...)).WithRemote().WithCause(c)
	}
	if e, ok := original(c); ok {
		return e
	}
	if holdsOurs(c.Unwrap()) {
		return errmap.From(err)
	}
	e := read(c, opts).WithCause(err)
	if ofElsewhere(c) {
		return e.WithLocal()
	}
	return e
}

// ToError returns e as an error of Connect, its code, text and details those that
// a caller gets, and nil for nil. A handler may return it, and FromError gives e
// back. It asks not whose e is: what leaves a server goes through a Guard.
func ToError(e *errmap.Error, opts ...errmap.EncodeOption) *connect.Error {
	return encode(e, errmap.WireStatus, opts)
}

// Recognize is the errmap.Recognizer of Connect's errors: one that was made here
// speaks, one that a peer sent does not. In Connect v1 the text of an error is
// that of the error which it wraps, so two more rules apply. Where that is an
// annotated message or an *errmap.Error, that is the error, with its own code.
// Where a peer sent it, or the network or a context made it, the text is not the
// program's, and is not for the caller. Neither is the text of a client of Connect
// without this package's option that got an answer of no RPC server, such as
// "503 Service Unavailable", which is told by its very words.
func Recognize(link error) (e *errmap.Error, known bool) {
	c, ok := link.(*connect.Error) // a link, not a chain
	if !ok {
		return nil, false
	}
	if c == nil || isWireError(c) {
		return nil, true
	}
	if e, ok := original(c); ok {
		return e, true
	}
	if holdsOurs(c.Unwrap()) {
		return nil, false
	}
	if ofElsewhere(c) {
		return nil, true
	}
	return read(c, nil).WithCause(c), true
}

// encoded is what an error that encode made wraps: its text and what it was made
// of.
type encoded struct {
	text    string
	e       *errmap.Error
	details int
}

func (c *encoded) Error() string { return c.text }
func (c *encoded) Unwrap() error { return c.e }

// original returns what encode made an error of Connect of, or what the error says
// where somebody has added a detail since.
func original(c *connect.Error) (*errmap.Error, bool) {
	made, ok := c.Unwrap().(*encoded) // a link: it must be the very next
	if !ok {
		return nil, false
	}
	if len(c.Details()) != made.details {
		return read(c, nil).WithCause(c), true
	}
	return made.e, true
}

func encode(e *errmap.Error, form errmap.Wire, opts []errmap.EncodeOption) *connect.Error {
	if e == nil {
		return nil
	}
	s := e.StatusOn(form, opts...)
	c := connect.NewError(connect.Code(s.GetCode()), &encoded{s.GetMessage(), e, len(s.GetDetails())})
	for _, d := range s.GetDetails() {
		if detail, err := connect.NewErrorDetail(d); err == nil { // an Any never fails
			c.AddDetail(detail)
		}
	}
	return c
}

// isWireError tells whether a peer sent the error itself, not one that it wraps.
func isWireError(c *connect.Error) bool { return connect.IsWireError(c) }

// holdsOurs tells whether an *errmap.Error or an annotated message is in what an
// error of Connect was made of: that is then the error, and a Guard knows it.
func holdsOurs(why error) bool {
	if _, ok := errors.AsType[*errmap.Error](why); ok {
		return true
	}
	var m proto.Message
	return errors.As(why, &m) && errmap.New(m).Reason() != "" // New hides what is not annotated
}

// ofElsewhere tells whether the text of an error is that of a peer, of the network
// or of a context, or is that of Connect about an answer that it could not use.
func ofElsewhere(c *connect.Error) bool {
	if connect.IsWireError(c.Unwrap()) || cause.OfCall(c.Unwrap()) {
		return true
	}
	for ok := true; ok && c != nil; c, ok = errors.AsType[*connect.Error](c.Unwrap()) {
		if c.Code() <= math.MaxInt32 && adapter.OfAnswer(code.Code(c.Code()), c.Message()) {
			return true
		}
	}
	return false
}

// read reads code, message and details.
func read(c *connect.Error, opts []errmap.DecodeOption) *errmap.Error {
	s := &statuspb.Status{Code: int32(code.Code_UNKNOWN), Message: c.Message()}
	if number := c.Code(); number != 0 && number <= math.MaxInt32 {
		s.Code = int32(number)
	}
	for _, d := range c.Details() {
		if d != nil {
			s.Details = append(s.Details, &anypb.Any{TypeUrl: errmap.NewRawDetail(d.Type(), nil).TypeURL(), Value: d.Bytes()})
		}
	}
	e, err := errmap.FromStatus(s, opts...)
	if err != nil { // unreachable: the code is not 0
		return errmap.NewCode(code.Code_UNKNOWN, c.Message())
	}
	return e
}

// ofMeta returns the options for reading what came with the headers of an error.
func ofMeta(c *connect.Error) []errmap.DecodeOption {
	if value := metaOf(c).Get("Retry-After"); value != "" {
		return []errmap.DecodeOption{errmap.WithHTTPHeader(http.Header{"Retry-After": {value}}, time.Now())}
	}
	return nil
}

// metaOf returns the headers of an error. Meta itself changes an error that has
// none, and programs return one error to many requests.
func metaOf(c *connect.Error) http.Header {
	copied := *c
	return copied.Meta()
}
