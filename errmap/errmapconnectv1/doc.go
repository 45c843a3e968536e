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
//	path, handler := ordersv1connect.NewOrdersHandler(orders{}, errmapconnectv1.WithServer())
//
// # And every client the client interceptor
//
//	client := ordersv1connect.NewOrdersClient(http.DefaultClient, url, errmapconnectv1.WithClient())
//	_, err := client.Get(ctx, req)
//	if gone, ok := errors.AsType[*ordersv1.OrderNotFoundError](err); ok {
//		…
//	}
//
// Every error of a call is then an [*errmap.Error]: Remote where the server sent
// it, Local where the call failed without a word of the server. Connect's own
// error stays reachable under it.
//
// docs/interop.md lists what connect drops before this package sees it.
package errmapconnectv1
