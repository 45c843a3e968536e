package errmap

import (
	"context"
	"errors"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/internal/hub"
)

// hiddenText is all that a caller learns of an error that does not speak.
const hiddenText = "internal error"

// From returns what any Go error says in the model of google.rpc.Status. Nil,
// and a nil *Error inside an error, give nil.
//
// It looks through wraps and joins, depth first, for an *Error or an annotated
// message: the first one is the error, but for one that says no more than CANCELLED,
// which gives way to what comes after it; the text of what wraps it stays in the cause. Further ones in a join are counted in a note, since AIP-193
// attaches each type of detail once. A context error gives CANCELLED or
// DEADLINE_EXCEEDED. Any other error gives INTERNAL with a fixed text, and is
// the cause.
//
// From asks not whose the error is. What leaves a server goes through a Guard.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if found := speakers(err, nil, true); found.node != nil {
		if found.e == nil {
			return nil
		}
		return found.within(err)
	}
	switch {
	case is(err, context.DeadlineExceeded):
		return deadlineExceeded(err)
	case is(err, context.Canceled):
		return canceled(err)
	}
	return hidden(err)
}

// Forward marks the error that a peer sent, or that a call met here, as one that
// is for the caller too: a handler that returns it sends all of it on, with
// nothing of the headers that it came with; the text of a Local error, which may
// name addresses, stays behind. An error that grpc-go or Connect made is forwarded
// too, by handlers of any library; one in whose chain there is none of these, and no
// *Error, comes back as it is.
func Forward(err error) error {
	e, _ := as(err)
	if e == nil {
		if e = foreign(err).WithCause(err); e == nil {
			return err
		}
	}
	return e.changed(func(c *Error) { c.hub.Forwarded = true })
}

// speaker is an error in a chain that a caller may see; without a node there is
// none.
type speaker struct {
	node   error
	e      *Error
	others int // that speak too
}

// within returns the speaking error with the chain that it was found in as its
// cause.
func (s speaker) within(err error) *Error {
	if s.node == err && s.others == 0 {
		return s.e
	}
	return s.e.changed(func(c *Error) {
		if s.node != err {
			c.cause = err
		}
		if s.others > 0 {
			c.hub.Notes.Add("%d further errors of the join are not sent", s.others)
		}
	})
}

// A Recognizer tells a Guard about one link of an error chain that is of an RPC
// library: known is whether it is, and e what it says to the caller, nil where
// it does not speak. It is not asked about what it recognizes any deeper.
type Recognizer func(link error) (e *Error, known bool)

// speakers finds the first link that speaks, and how many more do. An error that
// a peer sent, or that a call met, speaks where it was forwarded, or to all where
// remote is set.
func speakers(err error, recognize []Recognizer, remote bool) (found speaker) {
	found.visit(err, recognize, remote)
	return found
}

// visit walks a tree of errors depth first, each before what it wraps, as
// errors.Is does.
func (s *speaker) visit(link error, recognize []Recognizer, remote bool) {
	if link == nil {
		return
	}
	e, known := spoken(link, recognize, remote)
	if e != nil {
		switch {
		case s.node == nil:
			s.node, s.e = link, e
		case s.e != nil && s.e.onlyCanceled() && !e.onlyCanceled():
			s.node, s.e = link, e // what ended the call says more than that it ended
			s.others++
		default:
			s.others++
		}
	} else if own, ok := link.(*Error); ok && own == nil && remote && s.node == nil { // a link, not a chain
		s.node = link
	}
	if known {
		return
	}
	several, one := unwrap(link)
	s.visit(one, recognize, remote)
	for _, inner := range several {
		s.visit(inner, recognize, remote)
	}
}

func spoken(link error, recognize []Recognizer, remote bool) (*Error, bool) {
	if e, ok := link.(*Error); ok { // a link, not a chain
		if e == nil || e.hub.Origin != hub.Made && e.hub.Origin != hub.Read && !e.hub.Forwarded && !remote {
			return nil, true
		}
		return e, true
	}
	for _, f := range recognize {
		if e, known := f(link); known {
			return e, true
		}
	}
	return annotatedLink(link)
}

// onlyCanceled tells whether an error says no more than that a call was canceled.
func (e *Error) onlyCanceled() bool {
	return e.hub.Number == int32(code.Code_CANCELLED) && len(e.hub.Details) == 0
}

// unwrap returns what an error wraps, one or several. A link that is a nil
// pointer, boxed, may panic: then it wraps nothing.
func unwrap(err error) (several []error, one error) {
	defer func() { _ = recover() }()
	switch wrapper := err.(type) {
	case interface{ Unwrap() error }:
		return nil, wrapper.Unwrap()
	case interface{ Unwrap() []error }:
		return wrapper.Unwrap(), nil
	}
	return nil, nil
}

// is is errors.Is, and false where a link of the chain panics.
func is(err, target error) (same bool) {
	defer func() { _ = recover() }()
	return errors.Is(err, target)
}

// as is errors.AsType, and false where a link of the chain panics.
func as(err error) (e *Error, ok bool) {
	defer func() { _ = recover() }()
	return errors.AsType[*Error](err)
}

// hidden returns the error that stands for one that is not for the caller.
func hidden(cause error) *Error {
	return &Error{hub: hub.Error{Number: int32(code.Code_INTERNAL), Message: hiddenText, Origin: hub.Hidden}, cause: cause}
}

func deadlineExceeded(cause error) *Error {
	return NewCode(code.Code_DEADLINE_EXCEEDED, "deadline exceeded").WithCause(cause)
}

func canceled(cause error) *Error {
	return NewCode(code.Code_CANCELLED, "canceled").WithCause(cause)
}
