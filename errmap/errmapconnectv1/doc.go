// Package errmapconnectv1 carries errors through connectrpc.com/connect, version
// 1: over the Connect protocol, gRPC and gRPC-Web, unary and streaming.
//
// # Give every handler the server interceptor
//
// Connect v1 sends the text of any error that a handler returns, that of a
// database driver too, and of an annotated message no more than that. The
// interceptor sends what was made for callers, whole, and nothing else; see
// [errmap.Guard]:
//
//	mux.Handle(shopv1connectv1.NewCartHandler(cart, errmapconnectv1.WithServer()))
//
// # And every client the client interceptor
//
//	carts := shopv1connectv1.NewCartClient(http.DefaultClient, url, errmapconnectv1.WithClient())
//	_, err := carts.Get(ctx, req)
//	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
//		fmt.Println("sold out:", empty.GetSku())
//	}
//
// Every error of a call is then an [*errmap.Error]: Remote where the server sent
// it, Local where the call failed without a word of the server. Connect's own
// error stays reachable under it.
//
// docs/interop.md lists what connect drops before this package sees it.
package errmapconnectv1
