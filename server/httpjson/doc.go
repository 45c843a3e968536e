// Package httpjson puts HTTP+JSON in front of a [connect.Server], after the
// google.api.http options of its methods (AIP-127, google/api/http.proto):
//
//	rpc := errmapconnect.NewServer()
//	libraryv1connect.RegisterLibraryHandler(rpc, library)
//
//	mux := http.NewServeMux()
//	err := httpjson.Mount(mux, rpc)
//
// # What is on the wire
//
// Path templates, with verbs and field paths, query parameters, body,
// response_body and additional_bindings work as http.proto says. A query
// parameter that names no field is ignored. Bodies are ProtoJSON; unknown members
// are ignored. A google.api.HttpBody is sent as it is.
//
// A server-streaming method answers with server-sent events, one message an
// event. Methods that stream requests have no binding. Request headers are those
// of [connect.CallInfo], response headers become headers, and trailers become
// headers with the prefix "Trailer-". Connect-Timeout-Ms and Grpc-Timeout set a
// deadline; with both, the sooner one. A message is application/json, or
// application/a2a+json for a client that names and prefers that in Accept.
//
// # Errors
//
// An error is the JSON of AIP-193, or application/problem+json for a client that
// prefers it in Accept, with Retry-After where there is a RetryInfo; so are an
// unknown route (404), another method (405), another content type (415), a body
// that is too large (413) or did not arrive in time (408), a page of another origin
// (403), too many calls or streams at the same time (503), too many bytes that wait for
// callers (429), and bad input (400), which is told without its value.
// What a handler returns goes through an [errmap.Guard]. In the middle of a stream
// an error is an event named "error" whose data is the AIP-193 body, and the last
// one.
package httpjson
