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
//	rpc := errmapconnect.NewServer()
//	shopv1connect.RegisterCartHandler(rpc, cart)
//	connecthttp.Mount(mux, rpc)
//
// A handler then returns the message itself, and only what was made for callers
// leaves: see [errmap.Guard].
//
// # Make clients with NewClient
//
// Every error of such a client is an [*errmap.Error]. One that the server sent is
// Remote, and errors.AsType finds the message that it says:
//
//	carts := shopv1connect.NewCartClient(errmapconnect.NewClient(transport))
//	_, err := carts.Get(ctx, req)
//	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
//		fmt.Println("sold out:", empty.GetSku())
//	}
//
// One of a call that failed without a word of the server is Local. Connect's own
// error stays reachable under both, so connect.CodeOf and errors.Is go on
// working.
//
// docs/interop.md lists what connect drops before this package sees it.
package errmapconnect
