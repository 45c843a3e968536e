// Package errmap makes one error out of a Protobuf message and keeps it the same
// error on every wire: google.rpc.Status, the Connect protocol, gRPC and
// gRPC-Web headers, HTTP+JSON after AIP-193, RFC 9457 problem details, and
// JSON-RPC 2.0 in three profiles.
//
// # An error is a message
//
// A message with the option (errmap.v1.error) is an error, and
// protoc-gen-errmap-go makes it a Go error:
//
//	message OrderNotFoundError {
//	  option (errmap.v1.error) = {code: NOT_FOUND message: "Order {order_id} not found"};
//	  string order_id = 1;
//	}
//
// A handler returns it, and a client finds it with errors.AsType, whatever wires
// lie between:
//
//	return nil, &ordersv1.OrderNotFoundError{OrderId: id}
//
//	if missing, ok := errors.AsType[*ordersv1.OrderNotFoundError](err); ok {
//		…
//	}
//
// The adapters errmapconnect, errmapconnectv1, errmapgrpc and errmaphttp do both
// conversions; errmapa2a and errmapmcp know the errors of those two protocols.
//
// # Error, the hub
//
// An [Error] holds a code, a message, an ordered list of details, and what a peer
// said that a google.rpc.Status cannot. [New] makes one of an annotated message,
// [NewCode] one without identity, [From] one of any Go error, and each wire has a
// pair of functions:
//
//	google.rpc.Status   Error.Status          FromStatus
//	Status as JSON      EncodeStatusJSON      DecodeStatusJSON
//	Connect             EncodeConnect         DecodeConnect
//	gRPC, gRPC-Web      EncodeGRPC            DecodeGRPC
//	HTTP+JSON           EncodeHTTP            DecodeHTTP
//	problem+json        EncodeProblem         DecodeProblem
//	JSON-RPC            EncodeJSONRPC         DecodeJSONRPC
//	JSON-RPC as a map   ToMap                 FromMap
//
// # What is guaranteed
//
// Encoders are total: every error becomes something that arrives. Decoders fail
// only where a body is of another kind and no HTTP status says what it was.
// Between them:
//
//	code, message                    the same on every wire
//	domain, reason, metadata         the same on every wire
//	details of linked types          the same message on every wire
//	details of other types           the same bytes, or the same JSON
//	numbers in JSON                  the same tokens
//	number, HTTP status and          written again on the wire that they came
//	members that a peer sent         on, and along for the ride on the others
//	cause, notes                     never on any wire
//
// What a wire cannot say rides along in a detail of type errmap.v1.Carried, only
// on errors that were received and only where it is needed. An encoder finds that
// out by reading its own output: it writes the first form that reads back as the
// same error. docs/wire.md has the rules and the table of what is lost.
//
// # What leaves a server
//
// A [Guard] decides what of a handler's error its caller may see: only what the
// program made for the caller. The adapters use one.
//
// # Catalogues and types
//
// Which errors and types are known is a [Catalog]: [Linked] unless an option says
// otherwise. There is no registry to fill.
package errmap
