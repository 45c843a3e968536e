package hub

import "bytes"

// Wire is a form in which an error arrives. Its numbers are those of
// errmap.v1.Wire.
type Wire int32

// The wires, in the order in which Error.Received lists them.
const (
	WireConnect Wire = 1 + iota
	WireGRPC
	WireStatus
	WireHTTP
	WireProblem
	WireJSONRPC
)

var wireNames = [...]string{WireConnect: "connect", WireGRPC: "grpc", WireStatus: "status", WireHTTP: "http", WireProblem: "problem", WireJSONRPC: "jsonrpc"}

// Known tells whether it is one of the wires.
func (w Wire) Known() bool { return w >= WireConnect && w <= WireJSONRPC }

// String returns the name of the wire, "unspecified" for one that is none.
func (w Wire) String() string {
	if !w.Known() {
		return "unspecified"
	}
	return wireNames[w]
}

// Received is what one wire said of an error and a google.rpc.Status cannot say.
type Received struct {
	Wire Wire
	// Number is the token of a JSON-RPC code, or in a Carried a private code; ""
	// for none.
	Number string
	// CodeText stood in the place of the code and names none.
	CodeText string
	// HTTPStatus is the status of the response; 0 for none.
	HTTPStatus int
	// Members is a compact JSON object, sorted by name; nil for none.
	Members []byte
	// UnknownFields are the fields of a google.rpc.Status that the schema does not
	// know, as they stood on the wire.
	UnknownFields []byte
}

// Empty tells whether the wire said nothing.
func (r *Received) Empty() bool {
	return r.Number == "" && r.CodeText == "" && r.HTTPStatus == 0 && len(r.Members) == 0 && len(r.UnknownFields) == 0
}

// Equal tells whether two wires are one and said the same.
func (r *Received) Equal(o *Received) bool {
	return r.Wire == o.Wire && r.Number == o.Number && r.CodeText == o.CodeText && r.HTTPStatus == o.HTTPStatus &&
		bytes.Equal(r.Members, o.Members) && bytes.Equal(r.UnknownFields, o.UnknownFields)
}
