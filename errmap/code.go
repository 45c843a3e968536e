package errmap

import (
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/internal/wire"
)

// CodeOf returns the code of what err says, as From has it: OK for nil, INTERNAL
// for an error that says nothing to a caller.
func CodeOf(err error) code.Code {
	if e, ok := find(err); ok {
		return e.Code()
	}
	return From(err).Code()
}

// HTTPStatus returns the HTTP status that c stands for on every HTTP wire: 404
// for NOT_FOUND, 499 for CANCELLED, and 500 for a number that is no code.
func HTTPStatus(c code.Code) int { return wire.HTTPStatus(int32(c)) }

// ConnectName returns the name of c in the Connect protocol, such as
// "not_found"; a number that is no code is "unknown".
func ConnectName(c code.Code) string { return wire.ConnectName(int32(c)) }

// CodeFromConnectHTTP returns the code that an HTTP status stands for on a
// Connect, gRPC or JSON-RPC call whose response has no readable error, after
// the table of the Connect protocol.
func CodeFromConnectHTTP(status int) code.Code { return wire.CodeFromConnectHTTP(status) }

// CodeFromHTTP returns the code that an HTTP status stands for on an HTTP+JSON
// call whose response does not say its code, after the comments of
// google.rpc.Code; 502 is UNAVAILABLE.
func CodeFromHTTP(status int) code.Code { return wire.CodeFromHTTP(status) }
