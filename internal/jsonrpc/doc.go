// Package jsonrpc reads and writes the envelopes of JSON-RPC 2.0: request and
// response objects, batches, and the server-sent events that carry them. It
// moves bytes only. Ids, params, results and errors stay the bytes that they
// were, as slices of the body that was read, so a number in them keeps its
// exact text. A body is parsed once, into a tree of jsontree that goes back to
// its pool when the envelopes are read.
//
// Where the standard leaves room, these are the choices:
//
//   - Member names match by exact case (section 4), members that section 4
//     does not name are ignored, and a member that it names standing twice makes
//     the object invalid: readers differ in which of the two counts.
//   - A request id is a string, a number or null (section 4), fractional or
//     not, and is echoed as the token that it was.
//   - "params": null counts as no params at all.
//   - A byte order mark, bytes that are not UTF-8, bytes after the value and
//     nesting beyond the limit are parse errors (RFC 8259 sections 8.1 and 9).
//     An escaped lone surrogate is allowed by RFC 8259 section 8.2 and stays.
//   - An empty array, and a batch beyond the limit, is one invalid request; an
//     element that is no object, an array included, is an invalid request of its
//     own (section 6).
//   - In a response, an error that is not null is the answer, whatever stands
//     beside it; else a result is, null included (section 5). The version is not
//     looked at, so the answers of version 1.0 can be read.
//
// Everything that reads has limits, and nothing here panics on foreign bytes.
package jsonrpc

// The errors that section 5.1 of the standard defines.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// Version is the value of the member "jsonrpc".
const Version = "2.0"
