package errmapgrpc

import (
	"errors"

	"github.com/errmap/errmap/errmap"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// FromError returns what an error says whose chain may hold an error of grpc-go,
// and nil for nil and for an error whose status is OK. An *errmap.Error in the
// chain is what it is. grpc-go does not tell whether a peer sent a status, so the
// error of one is neither Remote nor Local; what the client interceptors return
// is. Any other error is read by errmap.From.
func FromError(err error, opts ...errmap.DecodeOption) *errmap.Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*errmap.Error](err); ok {
		return e
	}
	var s interface{ GRPCStatus() *status.Status }
	if !errors.As(err, &s) {
		return errmap.From(err)
	}
	e := FromStatus(s.GRPCStatus(), opts...)
	if e == nil {
		return nil
	}
	return e.WithCause(err)
}

// FromStatus returns what a status of grpc-go says, and nil for nil and for OK.
func FromStatus(s *status.Status, opts ...errmap.DecodeOption) *errmap.Error {
	e, err := errmap.FromStatus(s.Proto(), opts...)
	if err != nil { // OK
		return nil
	}
	return e
}

// ToStatus returns e as a status of grpc-go, which is what a caller gets of it
// within the budget of gRPC's headers; nil, which is OK, for nil.
func ToStatus(e *errmap.Error, opts ...errmap.EncodeOption) *status.Status {
	if e == nil {
		return nil
	}
	return status.FromProto(e.StatusOn(errmap.WireGRPC, opts...))
}

// ToError returns e as an error whose GRPCStatus is ToStatus and which wraps e;
// nil for nil. A handler may return it. It asks not whose e is: what leaves a
// server goes through a Guard.
func ToError(e *errmap.Error, opts ...errmap.EncodeOption) error {
	if e == nil {
		return nil
	}
	return &statusError{e, ToStatus(e, opts...)}
}

// Recognize is the errmap.Recognizer of grpc-go's errors: one with a status that
// is not OK speaks, with the status alone.
func Recognize(link error) (e *errmap.Error, known bool) {
	s, ok := statusOf(link)
	if !ok {
		return nil, false
	}
	e = FromStatus(s)
	if e == nil {
		return nil, true
	}
	return e.WithCause(link), true
}

// recognizeStrictly is the errmap.Recognizer of WithStrict: no status speaks.
func recognizeStrictly(link error) (e *errmap.Error, known bool) {
	_, known = statusOf(link)
	return nil, known
}

// statusOf returns the status that one link of a chain has by itself. The errors
// of this package are left to the *errmap.Error in them.
func statusOf(link error) (s *status.Status, ok bool) {
	if _, ours := link.(*statusError); ours { // a link, not a chain
		return nil, false
	}
	has, ok := link.(interface{ GRPCStatus() *status.Status })
	if !ok {
		return nil, false
	}
	defer func() { // the method of a nil pointer may not survive
		if recover() != nil {
			s, ok = nil, true
		}
	}()
	return has.GRPCStatus(), true
}

// statusError is an *errmap.Error that grpc-go knows as one with a status.
type statusError struct {
	e      *errmap.Error
	status *status.Status
}

// Error returns what the *errmap.Error returns.
func (e *statusError) Error() string { return e.e.Error() }

// Unwrap returns the *errmap.Error.
func (e *statusError) Unwrap() error { return e.e }

// GRPCStatus returns the status that goes over the wire, or that came over it.
func (e *statusError) GRPCStatus() *status.Status { return e.status }

// Is tells whether target is an error of grpc-go of the same code and text, as
// grpc-go's own errors do.
func (e *statusError) Is(target error) bool {
	s, ok := statusOf(target)
	return ok && s.Code() != codes.OK && s.Code() == e.status.Code() && s.Message() == e.status.Message() &&
		len(s.Proto().GetDetails()) == len(e.status.Proto().GetDetails())
}
