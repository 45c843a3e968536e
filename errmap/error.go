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

	"github.com/errmap/errmap/internal/rpcjson"
	"github.com/errmap/errmap/internal/schema"
)

// Error is an error in the model of google.rpc.Status: a code, a message and
// details, and what else a peer said. It is immutable, so it may be shared and
// kept as a variable; the methods that begin with With return a changed copy.
// Every method accepts a nil receiver, which is no error.
//
// What an Error holds reaches the caller of a handler that returns it, on
// every wire, but for its cause and its notes, which never leave the program.
type Error struct {
	number   int32 // of google.rpc.Code; outside 1 to 16 it is private
	message  string
	details  []RawDetail
	received []Received // in the order of Wire, none empty
	decoded  bool       // read from a wire, so things may ride along
	remote   bool
	local    bool // a call failed here, and its peer said nothing of it
	// silent is set where the error stands for its cause, which is not for any
	// caller: a Guard hides and logs the cause.
	silent bool
	// forwarded is set where the program sends a peer's error on, on purpose.
	forwarded bool
	cause     error
	notes     notes
}

// NewCode returns an error of a code and a developer-facing text, without
// identity. A number that is no google.rpc.Code is kept and reads as UNKNOWN;
// OK is no error, so NewCode returns nil for it. Text that is not UTF-8 is
// repaired with U+FFFD.
func NewCode(c code.Code, message string) *Error {
	if c == code.Code_OK {
		return nil
	}
	return &Error{number: int32(c), message: schema.Repair(message)}
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
	d, err := DefinitionOf(md)
	switch {
	case md == nil:
		return hidden(fmt.Errorf("a %T without a message as an error: %w", m, err))
	case err != nil:
		return hidden(fmt.Errorf("%s as an error: %w", md.FullName(), err))
	}
	return d.instance(m)
}

// instance returns the error that an annotated message of the definition says.
func (d *Definition) instance(m proto.Message) *Error {
	text, info, details, dropped := d.schema().Encode(m)
	var e *Error
	if details == nil {
		e = withDetailOf(rawDetail(info))
	} else {
		e = &Error{details: make([]RawDetail, len(details))}
		for i := range details {
			e.details[i] = rawDetail(details[i])
		}
	}
	e.number, e.message, e.cause = int32(d.Code()), text, asError(m)
	for _, s := range dropped {
		e.notes.add("%s", s)
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
	case !canonical(e.number):
		return code.Code_UNKNOWN
	}
	return code.Code(e.number)
}

// Number returns the number of the code as it was received or given: a private
// one too. It is 0 for nil.
func (e *Error) Number() int32 {
	if e == nil {
		return 0
	}
	return e.number
}

// Message returns the developer-facing text, "" for nil.
func (e *Error) Message() string {
	if e == nil {
		return ""
	}
	return e.message
}

// Error returns the code, the identity where there is one, and the message. It
// is for logs: no wire has it.
func (e *Error) Error() string {
	if e == nil {
		return "<nil>"
	}
	var b strings.Builder
	b.WriteString(e.Code().String())
	if info := e.ErrorInfo(); info.GetReason() != "" {
		b.WriteString(" " + info.GetDomain() + "/" + info.GetReason())
	}
	if e.message != "" {
		b.WriteString(": " + e.message)
	}
	return b.String()
}

// Details returns the details in order; nil for none. Each is as it travelled.
func (e *Error) Details() []RawDetail {
	if e == nil {
		return nil
	}
	return slices.Clone(e.details)
}

// Received returns what each wire said that a google.rpc.Status cannot, in the
// order of Wire; nil for an error that was made here.
func (e *Error) Received() []Received {
	if e == nil || len(e.received) == 0 {
		return nil
	}
	out := make([]Received, len(e.received))
	for i, r := range e.received {
		out[i] = r.clone()
	}
	return out
}

// HTTPStatus returns the HTTP status that came with the error where it is not
// the one that the code stands for, else the latter; 0 for nil.
func (e *Error) HTTPStatus() int {
	if e == nil {
		return 0
	}
	for _, r := range e.received {
		if r.HTTPStatus != 0 {
			return r.HTTPStatus
		}
	}
	return row(e.number).http
}

// Notes returns what was dropped or repaired when the error was read or made,
// in words for people. They never leave the program.
func (e *Error) Notes() []string {
	if e == nil {
		return nil
	}
	return slices.Clone([]string(e.notes))
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
	return e.changed(func(c *Error) { c.message = schema.Repair(message) })
}

// WithDetail returns e with one more detail. A detail of that type that is
// already there is replaced, since AIP-193 attaches each type once. A message
// that cannot be marshalled changes nothing but the notes.
func (e *Error) WithDetail(m proto.Message) *Error {
	if m == nil {
		return e
	}
	return e.changed(func(c *Error) {
		d, err := detailOf(m)
		if err != nil {
			c.notes.add("detail %s left out: %v", m.ProtoReflect().Descriptor().FullName(), err)
			return
		}
		for i := range c.details {
			if c.details[i].Name() == d.Name() {
				c.details = slices.Clone(c.details)
				c.details[i] = d
				return
			}
		}
		c.details = append(slices.Clip(c.details), d)
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
	c := *e
	c.notes = slices.Clip(c.notes)
	change(&c)
	return &c
}

// ErrorInfo returns the google.rpc.ErrorInfo that identifies the error: the
// first whose domain Linked knows, else the first; nil where there is none.
func (e *Error) ErrorInfo() *errdetails.ErrorInfo {
	if e == nil {
		return nil
	}
	info, _ := e.identity(Linked(), Linked())
	return info
}

// Reason returns the reason of ErrorInfo, "" where there is none.
func (e *Error) Reason() string {
	if reason, _, ok := e.onlyInfo(); ok {
		return string(reason)
	}
	return e.ErrorInfo().GetReason()
}

// Domain returns the domain of ErrorInfo, "" where there is none.
func (e *Error) Domain() string {
	if _, domain, ok := e.onlyInfo(); ok {
		return string(domain)
	}
	return e.ErrorInfo().GetDomain()
}

func (e *Error) domainAndReason() (domain, reason string) {
	if reason, domain, ok := e.onlyInfo(); ok {
		return string(domain), string(reason)
	}
	info := e.ErrorInfo()
	return info.GetDomain(), info.GetReason()
}

// onlyInfo returns what ErrorInfo says without reading the rest of it, where e has
// at most one and it is plain.
func (e *Error) onlyInfo() (reason, domain []byte, ok bool) {
	if e == nil {
		return nil, nil, true
	}
	var only *RawDetail
	for i := range e.details {
		d := &e.details[i]
		if d.typeURL != typeErrorInfo && d.Name() != nameErrorInfo {
			continue
		}
		if only != nil || d.json != nil {
			return nil, nil, false
		}
		only = d
	}
	if only == nil {
		return nil, nil, true
	}
	return rpcjson.ErrorInfoFields(only.value)
}

// RetryDelay returns the delay of the first RetryInfo detail, not below 0.
func (e *Error) RetryDelay() (time.Duration, bool) {
	info, ok := Detail[*errdetails.RetryInfo](e)
	if !ok {
		return 0, false
	}
	return max(info.GetRetryDelay().AsDuration(), 0), true
}

// Retryable tells whether the same call may succeed when it is made again: what
// the definition of the error says, else whether a RetryInfo is there, else
// whether the code is UNAVAILABLE.
func (e *Error) Retryable() bool {
	if e == nil {
		return false
	}
	if info := e.ErrorInfo(); info != nil {
		if d := Linked().Find(info.GetDomain(), info.GetReason()); d != nil {
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
	name := m.ProtoReflect().Descriptor().FullName()
	for _, d := range e.details {
		if d.Name() != name {
			continue
		}
		value := d.value
		if d.json != nil {
			known, ok := knownPart(Linked(), d)
			if !ok {
				continue
			}
			value = known.value
		}
		if (proto.UnmarshalOptions{Resolver: Linked()}).Unmarshal(value, m) == nil {
			return true
		}
		proto.Reset(m)
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
	d, err := DefinitionOf(schema.DescriptorOf(m))
	if err != nil {
		return nil, false
	}
	return d.instance(m), true
}

// identity returns the first ErrorInfo whose domain is known, else the first,
// and its place; nil and -1 where there is none.
func (e *Error) identity(errors, types *Catalog) (*errdetails.ErrorInfo, int) {
	var first *errdetails.ErrorInfo
	place := -1
	for i, d := range e.details {
		info := errorInfo(types, d)
		if info == nil {
			continue
		}
		if errors.KnowsDomain(info.GetDomain()) {
			return info, i
		}
		if first == nil {
			first, place = info, i
		}
	}
	return first, place
}

// errorInfo reads a detail as an ErrorInfo; nil where it is none.
func errorInfo(c *Catalog, d RawDetail) *errdetails.ErrorInfo {
	if d.Name() != nameErrorInfo {
		return nil
	}
	value := d.value
	if d.json != nil {
		known, ok := knownPart(c, d)
		if !ok {
			return nil
		}
		value = known.value
	}
	info := new(errdetails.ErrorInfo)
	if proto.Unmarshal(value, info) != nil {
		return nil
	}
	return info
}
