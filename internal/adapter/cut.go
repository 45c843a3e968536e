package adapter

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/cause"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// BrokeOff is the text of the error of a call whose transport was cut. What the
// libraries say of it names hosts and addresses.
const BrokeOff = "the call broke off"

// Cut returns the error of a call whose transport was cut, as cause.Cut tells; nil
// for any other. It is UNAVAILABLE and local (docs/wire.md section 3), unless the
// context of the call ended, which cuts transports, too.
func Cut(ctx context.Context, err error) *errmap.Error {
	if !cause.Cut(err) || Unfinished(err) {
		return nil
	}
	return NewCut(ctx, err)
}

// Unfinished tells whether Connect says of an answer that the server ended it as
// HTTP ends one, without all of it: inside a message, or with no status. That is a
// server that breaks its protocol, which the conformance suite wants to be INTERNAL
// or UNKNOWN. An end inside the five bytes before a message has the text of a
// transport that was cut there.
func Unfinished(err error) bool {
	text := err.Error()
	return strings.Contains(text, "protocol error: promised ") || strings.Contains(text, "protocol error: no Grpc-Status trailer") ||
		strings.HasSuffix(text, ": protocol error: "+io.ErrUnexpectedEOF.Error()) || text == "protocol error: "+io.ErrUnexpectedEOF.Error()
}

// NewCut is Cut for an error that is known to be of a cut transport.
func NewCut(ctx context.Context, err error) *errmap.Error {
	if ended := Ended(ctx); ended != nil {
		return OfContext(ended).WithCause(Join(err, ended))
	}
	return errmap.NewCode(code.Code_UNAVAILABLE, BrokeOff).WithCause(err).WithLocal()
}

// OfContext returns the local error of a call whose context ended; nil for an
// error that is none of a context.
func OfContext(err error) *errmap.Error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errmap.NewCode(code.Code_DEADLINE_EXCEEDED, "deadline exceeded").WithCause(err).WithLocal()
	case errors.Is(err, context.Canceled):
		return errmap.NewCode(code.Code_CANCELLED, "canceled").WithCause(err).WithLocal()
	}
	return nil
}

// Ended returns why the context of a call has ended; nil where it has not. A
// deadline counts even before its timer fires: the server's reset may come earlier.
func Ended(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case err != nil:
		return context.Canceled
	}
	return nil
}

// EndedWith returns why the context of a call has ended, where that is what a code
// says: a library makes no more than a code and a text of it, or sees a connection
// that broke off.
func EndedWith(ctx context.Context, ended code.Code) error {
	switch err := Ended(ctx); {
	case ended == code.Code_DEADLINE_EXCEEDED && errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case ended == code.Code_CANCELLED && errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled
	}
	return nil
}

// Join joins the error of a context to that of a call which it ended, where it is
// not in that.
func Join(err, of error) error {
	if of == nil || errors.Is(err, of) {
		return err
	}
	return errors.Join(err, of)
}

// Unreadable returns the error of an answer that Connect could not read, of which it
// says INVALID_ARGUMENT, as if it were the caller's fault; nil where text, which is
// Connect's, says anything else. What ends early was cut.
func Unreadable(ctx context.Context, text string, err error) *errmap.Error {
	for _, prefix := range []string{"unmarshal message: ", "unmarshal end stream message: ", "decompress: ", "get decompressor: "} {
		if !strings.HasPrefix(text, prefix) {
			continue
		}
		if strings.Contains(text, io.ErrUnexpectedEOF.Error()) || strings.Contains(text, "unexpected end of JSON input") {
			return NewCut(ctx, err)
		}
		return errmap.NewCode(code.Code_INTERNAL, "the answer cannot be read").WithCause(err).WithLocal()
	}
	return nil
}
