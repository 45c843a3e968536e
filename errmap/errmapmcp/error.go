package errmapmcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
)

// textPrefix begins the text of every error.
const textPrefix = "mcp client: "

// Error is the one error type of an MCP client. It has a kind, which is one of a
// closed set, a short machine-readable reason, and data: context for a program,
// which may be the server's own content. It is immutable and safe for concurrent
// use, and every method accepts a nil receiver, which is no error.
//
// Its text is the kind and the reason, never the data, the cause or anything
// that a peer wrote, through every verb of fmt, log/slog and encoding/json.
//
// It crosses the wires of errmap as the message of its kind in errmap.mcp.v1:
// what a handler's caller gets is the kind's code, its identity in [Domain], the
// reason and a delay. errors.As finds that message, and what a peer said in a
// JSON-RPC error: an [*errmap.Error], the annotated message of its ErrorInfo, or
// a [*jsonrpc.Error].
type Error struct {
	kind   Kind
	reason Reason
	// A closure, since fmt looks into structs, without asking their methods,
	// for a verb that does not fit.
	hidden func() *contents
}

// contents is what an error does not show.
type contents struct {
	data   map[string]any
	cause  error
	object []byte // the JSON-RPC error object
	delay  *time.Duration
	own    func() *errmap.Error
	peer   func() *errmap.Error // nil where the server answered with none
}

// New returns an error of a kind. It refuses, with an error, a kind that is not
// one of Kinds.
func New(kind Kind, reason Reason, opts ...ErrorOption) (*Error, error) {
	if !kind.known() {
		return nil, fmt.Errorf("errmapmcp: %s is not one of the kinds", kind)
	}
	return newError(kind, reason, opts...), nil
}

// Kind returns the kind, 0 for nil.
func (e *Error) Kind() Kind {
	if e == nil {
		return 0
	}
	return e.kind
}

// Reason returns the reason, "" for nil.
func (e *Error) Reason() Reason {
	if e == nil {
		return ""
	}
	return e.reason
}

// Code returns the google.rpc.Code of the kind, OK for nil.
func (e *Error) Code() code.Code { return e.Kind().Code() }

// Retryable tells whether the same request may succeed when it is made again: as
// the kind has it, but for a transport error that the same request brings about
// again, such as most statuses of 3xx and 4xx.
func (e *Error) Retryable() bool {
	if !e.Kind().Retryable() || e.reason == ReasonOrigin {
		return false
	}
	status, ok := e.reason.Number()
	if e.kind != KindTransport || !ok || e.reason.Token() != tokenHTTP {
		return true
	}
	switch status {
	case http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= 500
}

// RetryDelay returns how long the server, or the local limiter, wants the caller
// to wait: by a Retry-After header or, in a JSON-RPC error, a RetryInfo. It is
// false where neither said so.
func (e *Error) RetryDelay() (time.Duration, bool) {
	if e == nil {
		return 0, false
	}
	if delay := e.hidden().delay; delay != nil {
		return *delay, true
	}
	return e.Peer().RetryDelay()
}

// Cause returns the error behind e, nil where there is none. It may quote a peer.
func (e *Error) Cause() error {
	if e == nil {
		return nil
	}
	return e.hidden().cause
}

// RPCError returns a copy of the JSON-RPC error object that the server answered
// with, whole and as it stood; nil where it answered with none. Over transports
// that this package does not read the bytes of, it is what the SDK kept.
func (e *Error) RPCError() json.RawMessage {
	if e == nil {
		return nil
	}
	return cloneJSON(e.hidden().object)
}

// Peer returns the JSON-RPC error that the server answered with in the model of
// google.rpc.Status, read under the profile of the session's revision and marked as received; nil
// where it answered with none. [errmap.Forward] lets it pass through a proxy
// unchanged.
func (e *Error) Peer() *errmap.Error {
	if e == nil || e.hidden().peer == nil {
		return nil
	}
	return e.hidden().peer()
}

// Error returns the kind and the reason, of bounded length.
func (e *Error) Error() string {
	switch {
	case e == nil:
		return "<nil>"
	case e.reason == "":
		return textPrefix + e.kind.String()
	}
	return textPrefix + e.kind.String() + " (" + e.reason.String() + ")"
}

// Format writes the text of Error under every verb: %+v and %#v show no more.
func (e *Error) Format(f fmt.State, verb rune) {
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), e.Error())
}

// LogValue returns the kind and the reason as a group for log/slog, and the
// delay where there is one.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.StringValue("<nil>")
	}
	attrs := []slog.Attr{slog.String("kind", e.kind.String()), slog.String("reason", e.reason.String())}
	if d, ok := e.RetryDelay(); ok {
		attrs = append(attrs, slog.Duration("retry_delay", d))
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON returns the kind and the reason as a JSON object, null for nil.
func (e *Error) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	return json.Marshal(map[string]string{"kind": e.kind.String(), "reason": e.reason.String()})
}

// Unwrap returns the message of the kind, which is what crosses wires, and the
// cause. The cause may quote a peer, so it is for errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e == nil {
		return nil
	}
	links := make([]error, 0, 2)
	if message, ok := kindMessage(e).(error); ok { // generated code makes it one
		links = append(links, message)
	}
	if cause := e.Cause(); cause != nil {
		links = append(links, cause)
	}
	return links
}

// Is tells whether target is the kind of e; an *Error of that kind, and of the
// same reason if it has one; a [*jsonrpc.Error] of the code that the server
// answered with; or anything that the errmap form of e, or of what the server
// answered, is.
func (e *Error) Is(target error) bool {
	if e == nil {
		return target == nil
	}
	switch t := target.(type) { // errors.Is unwraps: each link is asked by itself
	case Kind:
		return t == e.kind
	case *Error:
		return t != nil && t.kind == e.kind && (t.reason == "" || t.reason == e.reason)
	case *jsonrpc.Error:
		wire := e.wireError()
		return t != nil && wire != nil && wire.Code == t.Code
	}
	return e.own().Is(target) || e.Peer() != nil && e.Peer().Is(target)
}

// As sets a [*Kind]; an [**errmap.Error] to what the server answered, else to
// the error that e is on a wire; a [**jsonrpc.Error] to what the server
// answered; and a pointer to an annotated message that either is.
func (e *Error) As(target any) bool {
	if e == nil {
		return false
	}
	switch t := target.(type) {
	case *Kind:
		*t = e.kind
		return true
	case **errmap.Error:
		if *t = e.Peer(); *t == nil {
			*t = e.own()
		}
		return true
	case **jsonrpc.Error:
		wire := e.wireError()
		if wire != nil {
			*t = wire
		}
		return wire != nil
	}
	return e.own().As(target) || e.Peer().As(target)
}

// An ErrorOption adds to a new error.
type ErrorOption interface{ applyError(*Error) }

type errorOption func(*Error)

func (f errorOption) applyError(e *Error) { f(e) }

// WithCause gives the error a cause, which errors.Is and errors.As find and no
// text shows.
func WithCause(cause error) ErrorOption {
	return errorOption(func(e *Error) { e.hidden().cause = cause })
}

// WithRetryDelay says how long to wait before the request is made again. Only
// the kinds rate_limited and transport carry it over a wire.
func WithRetryDelay(d time.Duration) ErrorOption {
	return errorOption(func(e *Error) {
		d = max(d, 0)
		e.hidden().delay = &d
		e.hidden().data[DataRetryDelay] = d
	})
}

func newError(kind Kind, reason Reason, opts ...ErrorOption) *Error {
	hidden := &contents{data: map[string]any{}}
	e := &Error{kind, reason, func() *contents { return hidden }}
	for _, opt := range opts {
		opt.applyError(e)
	}
	hidden.own = sync.OnceValue(func() *errmap.Error { return errmap.New(kindMessage(e)) })
	return e
}

// as returns a copy of e that is of a kind, with more options.
func (e *Error) as(kind Kind, opts ...ErrorOption) *Error {
	c := newError(kind, e.reason)
	from, to := e.hidden(), c.hidden()
	to.cause, to.object, to.delay, to.peer = from.cause, from.object, from.delay, from.peer
	maps.Copy(to.data, from.data)
	for _, opt := range opts {
		opt.applyError(c)
	}
	return c
}

// own returns the error that e is on a wire.
func (e *Error) own() *errmap.Error { return e.hidden().own() }

// wireError returns what the server answered as the SDK has it.
func (e *Error) wireError() *jsonrpc.Error {
	object := e.hidden().object
	number, ok := rpcCode(object)
	if !ok {
		return nil
	}
	found, _ := members(object, "message", "data") // rpcCode has seen that it is one
	return &jsonrpc.Error{Code: number, Message: found["message"].text(), Data: json.RawMessage(found["data"])}
}

// kindMessage returns the message that says e on a wire.
func kindMessage(e *Error) proto.Message {
	m := kindTable()[e.kind].message.ProtoReflect().New()
	fields := m.Descriptor().Fields()
	if e.reason != "" {
		m.Set(fields.ByName("reason"), protoreflect.ValueOfString(e.reason.String()))
	}
	if delay, ok := e.RetryDelay(); ok && fields.ByName("retry") != nil {
		info := &errdetails.RetryInfo{RetryDelay: durationpb.New(delay)}
		m.Set(fields.ByName("retry"), protoreflect.ValueOfMessage(info.ProtoReflect()))
	}
	return m.Interface()
}

// inChain returns the outermost *Error in a chain, nil where there is none.
func inChain(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}
