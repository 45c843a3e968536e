package errmapmcp

import (
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// codeRejected is the code by which the SDK knows an error of a transport that
// concerns one message only and leaves the connection as it is.
const codeRejected = -32005

// fault carries an *Error up through the SDK, which compares what it is given
// with errors of its own by their JSON-RPC code: of a fault it sees none.
type fault struct{ e *Error }

// Error returns the text of the error.
func (f *fault) Error() string { return f.e.Error() }

// As lets errors.As find the error. It is not asked by errors.Is.
func (f *fault) As(target any) bool {
	t, ok := target.(**Error)
	if ok {
		*t = f.e
	}
	return ok
}

// rejection is a fault of one message.
type rejection struct{ fault }

// Unwrap returns the fault, and what tells the SDK that the connection lives.
func (r *rejection) Unwrap() []error {
	return []error{&r.fault, &jsonrpc.Error{Code: codeRejected}}
}
