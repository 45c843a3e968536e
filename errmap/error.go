package errmap

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/schema"
	"github.com/errmap/errmap/internal/wire"
)

// Error is an error in the model of google.rpc.Status: a code, a message and
// details, and what else a peer said. It is immutable, so it may be shared and
// kept as a variable; the methods that begin with With return a changed copy.
// Every method accepts a nil receiver, which is no error.
//
// What an Error holds reaches the caller of a handler that returns it, on
// every wire, but for its cause and its notes, which never leave the program.
type Error struct {
	hub   hub.Error
	cause error
	// catalog is what it was read with, where it was; else it is that of all that is
	// linked.
	catalog *Catalog
	decoded bool
	// trusted are the domains whose errors are believed of it; nil for all.
	trusted []string
}

// trusts tells whether an ErrorInfo of a domain is believed.
func (e *Error) trusts(in schema.Info) bool {
	return len(e.trusted) == 0 || slices.Contains(e.trusted, string(in.Domain()))
}

// known returns the catalogue that the methods of e ask.
func (e *Error) known() *Catalog {
	if e.decoded {
		return e.catalog
	}
	return Linked()
}

// NewCode returns an error of a code and a developer-facing text, without
// identity. A number that is no google.rpc.Code is kept and reads as UNKNOWN;
// OK is no error, so NewCode returns nil for it. Text that is not UTF-8 is
// repaired with U+FFFD.
func NewCode(c code.Code, message string) *Error {
	if c == code.Code_OK {
		return nil
	}
	return &Error{hub: hub.Error{Number: int32(c), Message: jsontree.Clean(message)}}
}

// New returns the error that an annotated message says: its code, the text of
// its template and its details, as docs/wire.md section 2 tells. A nil
// interface gives nil, a nil message the error with no field set. A message
// without the (errmap.v1.error) option is a mistake in the program: New
// returns INTERNAL with the fixed text that hides it, and the cause says it.
func New(m proto.Message) *Error {
	if m == nil {
		return nil
	}
	md := schema.DescriptorOf(m)
	d, err := schema.DefinitionOf(md)
	switch {
	case md == nil:
		return hidden(fmt.Errorf("a %T without a message as an error: %w", m, err))
	case err != nil:
		return hidden(fmt.Errorf("%s as an error: %w", md.FullName(), err))
	}
	return instance(d, m)
}

// newError returns an error with room for one detail, which most have, in the same
// allocation.
func newError() *Error {
	made := new(struct {
		Error
		room [1]hub.Detail
	})
	made.hub.Details = made.room[:0]
	return &made.Error
}

// instance returns the error that an annotated message of the definition says.
func instance(d *schema.Definition, m proto.Message) *Error {
	e := newError()
	text, info, details, dropped := d.Encode(m)
	if details == nil {
		details = append(e.hub.Details, info)
	}
	e.hub.Number, e.hub.Message, e.hub.Details, e.cause = int32(d.Code()), text, details, asError(m)
	for _, s := range dropped {
		e.hub.Notes.Add("%s", s)
	}
	return e
}

// asError returns the message itself where it is an error: what the error was
// made of is its cause, whole.
func asError(m proto.Message) error {
	if err, ok := m.(error); ok && m.ProtoReflect().IsValid() {
		return err
	}
	return nil
}

// Code returns the code: UNKNOWN for a private number, OK for nil.
func (e *Error) Code() code.Code {
	switch {
	case e == nil:
		return code.Code_OK
	case !hub.Canonical(e.hub.Number):
		return code.Code_UNKNOWN
	}
	return code.Code(e.hub.Number)
}

// Number returns the number of the code as it was received or given: a private
// one too. It is 0 for nil.
func (e *Error) Number() int32 {
	if e == nil {
		return 0
	}
	return e.hub.Number
}

// Message returns the developer-facing text, "" for nil.
func (e *Error) Message() string {
	if e == nil {
		return ""
	}
	return e.hub.Message
}

// Error returns the code, the identity where there is one, and the message. It
// is for logs: no wire has it.
func (e *Error) Error() string {
	if e == nil {
		return "<nil>"
	}
	var b strings.Builder
	b.WriteString(e.Code().String())
	if in, ok := e.identity(); ok {
		b.WriteString(" " + string(in.Domain()) + "/" + string(in.Reason()))
	}
	if e.hub.Message != "" {
		b.WriteString(": " + e.hub.Message)
	}
	return b.String()
}

// Details returns the details in order; nil for none. Each is as it travelled.
func (e *Error) Details() []RawDetail {
	if e == nil || len(e.hub.Details) == 0 {
		return nil
	}
	out := make([]RawDetail, len(e.hub.Details))
	for i, d := range e.hub.Details {
		out[i] = RawDetail{d}
	}
	return out
}

// Received returns what each wire said that a google.rpc.Status cannot, in the
// order of Wire; nil for an error that was made here.
func (e *Error) Received() []Received {
	if e == nil || len(e.hub.Received) == 0 {
		return nil
	}
	out := make([]Received, len(e.hub.Received))
	for i := range e.hub.Received {
		out[i] = receivedOf(&e.hub.Received[i])
	}
	return out
}

// HTTPStatus returns the HTTP status that came with the error where it is not
// the one that the code stands for, else the latter; 0 for nil.
func (e *Error) HTTPStatus() int {
	if e == nil {
		return 0
	}
	for i := range e.hub.Received {
		if status := e.hub.Received[i].HTTPStatus; status != 0 {
			return status
		}
	}
	return wire.HTTPStatus(e.hub.Number)
}

// Notes returns what was dropped or repaired when the error was read or made,
// in words for people. They never leave the program.
func (e *Error) Notes() []string {
	if e == nil {
		return nil
	}
	return slices.Clone([]string(e.hub.Notes))
}

// WithNote returns e with one note more, its last. Adapters use it for what they drop
// or find beside an error; no wire carries notes. It is nil for nil.
func (e *Error) WithNote(note string) *Error {
	return e.changed(func(c *Error) { c.hub.Notes.Add("%s", jsontree.Clean(note)) })
}

// Unwrap returns the cause: nil where there is none.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// WithCause returns e with a cause, which errors.Is and errors.As find and no
// wire carries. Nil takes the cause away.
func (e *Error) WithCause(cause error) *Error {
	return e.changed(func(c *Error) { c.cause = cause })
}

// WithMessage returns e with another text.
func (e *Error) WithMessage(message string) *Error {
	return e.changed(func(c *Error) { c.hub.Message = jsontree.Clean(message) })
}

// WithDetail returns e with one more detail. A detail of that type that is
// already there is replaced, since AIP-193 attaches each type once. A message
// that cannot be marshalled changes nothing but the notes.
func (e *Error) WithDetail(m proto.Message) *Error {
	if m == nil {
		return e
	}
	return e.changed(func(c *Error) {
		d, err := schema.DetailOf(m)
		if err != nil {
			c.hub.Notes.Add("detail %s left out: %v", m.ProtoReflect().Descriptor().FullName(), err)
			return
		}
		name := d.Name()
		for i := range c.hub.Details {
			if c.hub.Details[i].Is(name) {
				c.hub.Details = slices.Clone(c.hub.Details)
				c.hub.Details[i] = d
				return
			}
		}
		c.hub.Details = append(c.hub.Details, d)
	})
}

// WithRetryDelay returns e with a RetryInfo detail: the caller may try again
// after that time. A negative delay is none to wait for, so it counts as 0.
func (e *Error) WithRetryDelay(d time.Duration) *Error {
	return e.WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(max(d, 0))})
}

func (e *Error) changed(change func(*Error)) *Error {
	if e == nil {
		return nil
	}
	c := newError()
	room := c.hub.Details
	*c = *e
	c.hub.Notes = slices.Clip(c.hub.Notes)
	if c.hub.Details = slices.Clip(c.hub.Details); len(c.hub.Details) == 0 {
		c.hub.Details = room
	}
	change(c)
	return c
}

// identity returns the ErrorInfo that identifies the error; false where there is none.
func (e *Error) identity() (in schema.Info, ok bool) {
	if e == nil {
		return in, false
	}
	return wire.Identity(e.hub.Details, e.known().schema(), e.trusts)
}

// ErrorInfo returns the google.rpc.ErrorInfo that identifies the error: the
// first whose domain is known, else the first; nil where there is none. One without
// a reason names no error.
func (e *Error) ErrorInfo() *errdetails.ErrorInfo {
	in, ok := e.identity()
	if !ok {
		return nil
	}
	return in.Message()
}

// Reason returns the reason of ErrorInfo, "" where there is none.
func (e *Error) Reason() string {
	in, _ := e.identity()
	return string(in.Reason())
}

// Domain returns the domain of ErrorInfo, "" where there is none.
func (e *Error) Domain() string {
	in, _ := e.identity()
	return string(in.Domain())
}

// Metadata returns a copy of the metadata of ErrorInfo; nil where there are none.
func (e *Error) Metadata() map[string]string {
	in, _ := e.identity()
	return in.Metadata()
}

// Retryable tells whether the same call may succeed when it is made again: what
// the definition of the error says, else whether a RetryInfo with a delay is there,
// else whether the code is UNAVAILABLE.
func (e *Error) Retryable() bool {
	if e == nil {
		return false
	}
	if in, ok := e.identity(); ok {
		if d := e.known().Find(string(in.Domain()), string(in.Reason())); d != nil {
			if retryable, known := d.Retryable(); known {
				return retryable
			}
		}
	}
	if _, ok := e.RetryDelay(); ok {
		return true
	}
	return e.Code() == code.Code_UNAVAILABLE
}

// Detail returns the first detail of a type that an error in the chain of err
// has and that can be read; false where there is none. A detail that is JSON is
// read as far as its type goes.
func Detail[T proto.Message](err error) (T, bool) {
	var zero T
	e, ok := find(err)
	if !ok {
		return zero, false
	}
	m := zero.ProtoReflect().New().Interface()
	if !e.detail(m) {
		return zero, false
	}
	return m.(T), true
}

// detail reads the first readable detail of m's type into m.
func (e *Error) detail(m proto.Message) bool {
	name, catalog := string(m.ProtoReflect().Descriptor().FullName()), e.known()
	for i := range e.hub.Details {
		d := &e.hub.Details[i]
		if !d.Is(name) {
			continue
		}
		if value, ok := wire.KnownPart(d, catalog.schema()); ok {
			if schema.UnmarshalProto(proto.UnmarshalOptions{Resolver: catalog}, value, m) == nil {
				return true
			}
			proto.Reset(m)
		}
	}
	return false
}

// find returns the first *Error in a chain or join of errors, or what the first
// annotated message in it says.
func find(err error) (*Error, bool) {
	if e, ok := err.(*Error); ok { // the common case, without the walk
		return e, e != nil
	}
	e := speakers(err, nil, true).e
	return e, e != nil
}

// annotatedLink returns the error that one link of a chain says where it is an
// annotated message.
func annotatedLink(link error) (*Error, bool) {
	m, ok := link.(proto.Message) // a link, not a chain
	if !ok {
		return nil, false
	}
	d, err := schema.DefinitionOf(schema.DescriptorOf(m))
	if err != nil {
		return nil, false
	}
	return instance(d, m), true
}
