// Package server puts JSON-RPC 2.0 over HTTP in front of a [connect.Server], as
// one more protocol beside those of connecthttp:
//
//	rpc := errmapconnect.NewServer()
//	shopv1connect.RegisterCartHandler(rpc, cart)
//
//	mux := http.NewServeMux()
//	connecthttp.Mount(mux, rpc)
//	err := server.Mount(mux, rpc, server.WithProfile(errmap.ProfileA2A)) // JSON-RPC at POST /
//
// [errmapconnect.NewServer] is what makes the errors of handlers arrive. Of a server of
// connect.NewServer every one is a bare "unknown" on Connect and gRPC.
//
// # What is on the wire
//
// A request is a POST of application/json to one path. Params are the ProtoJSON
// of the request message, by name; unknown members are ignored, null and no
// params are an empty message, scalars and arrays are -32602. (Under the generic profile
// the array [] is no params for a method that requires none.) The result is
// compact ProtoJSON. Ids are echoed as the token that they were.
//
// Unary methods are called one by one or in batches, whose calls run at the same
// time and are answered in order. A server-streaming method answers with
// server-sent events, each a whole response with the id of the request; a
// stream that fails ends with one event that has the error, and one that ends
// well just ends. Methods that stream requests are refused before any call.
//
// A notification is run and never answered.
//
// # Headers
//
// The headers of the request are those of [connect.CallInfo]. Response headers
// become headers, and trailers become headers with the prefix "Trailer-", as in
// unary calls of the Connect protocol, or real HTTP trailers after a stream. A
// batch has the headers of all its calls, in order. Connect-Timeout-Ms and
// Grpc-Timeout set a deadline; with both, the sooner one.
//
// # Errors
//
// What a handler returns goes through an [errmap.Guard] and out under the
// profile (docs/wire.md sections 7 and 10). What the transport itself refuses is
// one of the five errors of the standard, with a message that says what is
// wrong:
//
//	| number | when                                                              | HTTP |
//	|--------|-------------------------------------------------------------------|------|
//	| -32700 | the body is not JSON, or nests too deep                           | 200* |
//	| -32600 | it is no request, or a limit of the envelope is passed            | 200* |
//	| -32601 | no such method, or one whose streams JSON-RPC cannot carry        | 200* |
//	| -32602 | params are no such message                                        | 200  |
//	| -32600 | the body is larger than its limit                                 | 413  |
//	| -32600 | another method than POST                                          | 405  |
//	| -32600 | another content type, or an unknown content encoding              | 415  |
//	| -32600 | the body did not arrive in time                                   | 408  |
//	| -32600 | a page of another origin asks, or a host that is not allowed      | 403  |
//	| -32600 | there are more header fields than its limit                       | 431  |
//	| -31503 | there are too many calls, or streams, already                     | 200  |
//	| -31429 | too many bytes wait for callers: it says when to try again        | 200  |
//	| -31429 | the answer is larger than its limit                               | 200  |
//
// A star: under MCP the status is the one that [errmap.Profile.HTTPStatus] says.
//
// [errmapconnect.NewServer]: https://pkg.go.dev/github.com/errmap/errmap/errmap/errmapconnect#NewServer
package server
