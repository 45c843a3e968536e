// Package conformance runs the conformance suite of Connect, gRPC and gRPC-Web
// (connectrpc.com/conformance) over servers and clients that have the interceptors
// of errmap installed, and the cases that JSON-RPC has a form for over the JSON-RPC
// client and server of errmap.
//
// It is a module of its own, so that what the suite needs never enters the go.mod
// of errmap. Package gen is what buf makes of the schema inside the suite's module.
package conformance
