// Package errmapconnect carries errors through connectrpc.com/connect/v2: over
// the Connect protocol, gRPC, gRPC-Web and in-process calls, unary and streaming.
//
// # Make servers with NewServer
//
// Connect sends the text of nothing but its own *connect.Error. An annotated
// message that a handler returns to a server made by connect.NewServer reaches
// its caller as the bare code "unknown", without message, reason or details, and
// nothing warns of it. So make servers with [NewServer], which installs
// [ServerInterceptor] outermost:
//
//	server := errmapconnect.NewServer()
//	ordersv1connect.RegisterOrdersHandler(server, orders{})
//	connecthttp.Mount(mux, server)
//
// A handler then returns the message itself, and only what was made for callers
// leaves: see [errmap.Guard].
//
// # Make clients with NewClient
//
// Every error of such a client is an [*errmap.Error]. One that the server sent is
// Remote, and errors.AsType finds the message that it says:
//
//	client := ordersv1connect.NewOrdersClient(errmapconnect.NewClient(transport))
//	_, err := client.Get(ctx, req)
//	if gone, ok := errors.AsType[*ordersv1.OrderNotFoundError](err); ok {
//		…
//	}
//
// One of a call that failed without a word of the server is Local. Connect's own
// error stays reachable under both, so connect.CodeOf and errors.Is go on
// working.
//
// docs/interop.md lists what connect drops before this package sees it.
package errmapconnect
