package adapter

import (
	"encoding/base64"
	"errors"
	"io"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/cause"
	"github.com/errmap/errmap/internal/inputerror"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// OfRequest returns the error of reading a request, or of writing its answer, that
// Connect made and that says e. What Connect found wrong with the request is for its
// caller; the network's and the program's part in it is local.
func OfRequest(e *errmap.Error, err error) error {
	if own, ok := errors.AsType[*errmap.Error](err); ok {
		return own // of a codec of server/httpserver
	}
	e = e.WithCause(err)
	switch e.Code() {
	case code.Code_INVALID_ARGUMENT:
		return withoutValues(e)
	case code.Code_RESOURCE_EXHAUSTED, code.Code_UNIMPLEMENTED:
		return e
	case code.Code_UNKNOWN:
		if _, ok := errors.AsType[base64.CorruptInputError](err); ok { // the message of a GET
			return errmap.NewCode(code.Code_INVALID_ARGUMENT, "the message of the query is no base64").WithCause(err)
		}
	case code.Code_INTERNAL:
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return errmap.NewCode(code.Code_INVALID_ARGUMENT, "the request breaks off").WithCause(err)
		}
	case code.Code_CANCELLED:
		// The connection is gone, which the context may not know yet.
		if !cause.OfContext(err) {
			return errmap.NewCode(code.Code_CANCELLED, "canceled").WithCause(err)
		}
	case code.Code_DEADLINE_EXCEEDED:
		if !cause.OfContext(err) {
			return errmap.NewCode(code.Code_DEADLINE_EXCEEDED, "deadline exceeded").WithCause(err)
		}
	}
	return e.WithLocal()
}

// withoutValues returns an error of Connect without what protobuf repeats of a request
// that it cannot read, which may be a password in the wrong place.
func withoutValues(e *errmap.Error) error {
	before, after, ok := strings.Cut(e.Message(), "proto:")
	if !ok || !strings.HasPrefix(before, unmarshals) {
		return e
	}
	return e.WithMessage(unmarshals + inputerror.Reason(errors.New(after), 0))
}

// unmarshals begins the text of Connect about a message that it cannot read.
const unmarshals = "unmarshal message: "
