package errmap

import (
	"bytes"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/hub"
)

// Wire is a form in which an error arrives.
type Wire int32

// The wires, in the order in which Error.Received lists them.
const (
	WireConnect = Wire(errmapv1.Wire_WIRE_CONNECT)
	WireGRPC    = Wire(errmapv1.Wire_WIRE_GRPC)
	WireStatus  = Wire(errmapv1.Wire_WIRE_STATUS)
	WireHTTP    = Wire(errmapv1.Wire_WIRE_HTTP)
	WireProblem = Wire(errmapv1.Wire_WIRE_PROBLEM)
	WireJSONRPC = Wire(errmapv1.Wire_WIRE_JSONRPC)
)

// String returns the name of the wire: "connect", "grpc", "status", "http",
// "problem" or "jsonrpc".
func (w Wire) String() string { return hub.Wire(w).String() }

// Received is what one wire said of an error and a google.rpc.Status cannot
// say. It holds no more than that: a number that the error has anyway is not
// kept. The two forms of HTTP+JSON share one HTTP status, which is kept under
// WireHTTP.
type Received struct {
	// Wire is the wire that said it.
	Wire Wire
	// Number is the token of a JSON-RPC code; "" for none.
	Number string
	// CodeText stood in the place of the code and names none.
	CodeText string
	// HTTPStatus is the status of the response; 0 for none.
	HTTPStatus int
	// Members is a JSON object of the members that are said nowhere else, nil
	// for none.
	Members []byte
	// UnknownFields are the fields of a google.rpc.Status that the schema does
	// not know, as they stood on the wire.
	UnknownFields []byte
}

func receivedOf(r *hub.Received) Received {
	return Received{
		Wire: Wire(r.Wire), Number: r.Number, CodeText: r.CodeText, HTTPStatus: r.HTTPStatus,
		Members: bytes.Clone(r.Members), UnknownFields: bytes.Clone(r.UnknownFields),
	}
}
