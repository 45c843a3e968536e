// Package errmap makes one error out of a Protobuf message and keeps it the same
// error on every wire: google.rpc.Status, the Connect protocol, gRPC and
// gRPC-Web headers, HTTP+JSON after AIP-193, RFC 9457 problem details, and
// JSON-RPC 2.0 under profiles, of which four are built in and a program can make
// its own.
//
// # An error is a message
//
// A message with the option (errmap.v1.error) is an error, and
// protoc-gen-errmap-go makes it a Go error:
//
//	message StockEmptyError {
//	  option (errmap.v1.error) = {code: FAILED_PRECONDITION message: "No {sku} left"};
//	  string sku = 1;
//	}
//
// A handler returns it, and a client finds it with errors.AsType, whatever wires
// lie between:
//
//	return nil, &shopv1.StockEmptyError{Sku: sku}
//
//	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
//		fmt.Println("sold out:", empty.GetSku())
//	}
//
// The adapters errmapconnect, errmapconnectv1, errmapgrpc and errmaphttp do both
// conversions; errmapa2a and errmapmcp know the errors of those two protocols.
//
// # Error, the hub
//
// An [Error] holds a code, a message, an ordered list of details, and what a peer
// said that a google.rpc.Status cannot. [New] makes one of an annotated message,
// [NewCode] one without identity, [From] one of any Go error, [FromHTTPStatus] one
// of a response whose body says nothing, and each wire has a pair of functions:
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
//	number, HTTP status and          written again, in their place, on the wire that
//	members that a peer sent         they came on; carried on the others
//	what a wire can say              nothing added to it for errmap
//	parts beyond gRPC's budget       left out, the least needed first, with a note
//	cause, notes                     never on any wire
//
// What a wire cannot say is carried in a message of type errmap.v1.Carried, only on
// errors that were received and only where it is needed: the last detail on Connect,
// gRPC and JSON-RPC, a member "errmap" on HTTP+JSON. Which parts of an error a wire
// can say is decided from the error itself. docs/wire.md, version 1.0 of the
// contract, has the rules and the table of what is lost.
//
// # What leaves a server
//
// A [Guard] decides what of a handler's error its caller may see: only what the
// program made for the caller, without DebugInfo and without members that a peer
// sent unless it lets them out. The adapters use one. [Error.MarshalJSON] shows the
// same.
//
// # Logs
//
// [LogAttr] and [Error.LogValue] make attributes for log/slog, and the verb %+v
// writes the details, the notes and the cause of an error, a line each.
//
// # Catalogues and types
//
// Which errors and types are known is a [Catalog]: [Linked] unless an option says
// otherwise. There is no registry to fill.
package errmap
