// Package errmapgrpc carries errors through google.golang.org/grpc, unary and
// streaming.
//
// # Give every server the interceptors
//
// grpc-go sends the text of any error that a handler returns, that of a database
// driver too, and of an annotated message no more than that; a panic of a handler
// ends the process. [ServerOptions] install the interceptors that send what was
// made for callers, whole, and nothing else; see [errmap.Guard]:
//
//	server := grpc.NewServer(errmapgrpc.ServerOptions()...)
//
// A status error of grpc-go speaks, as it does without this package: one that a
// handler made looks like one that it received. One that came through the client
// interceptors of this package is known as received and stays hidden; [WithStrict]
// silences the others.
//
// # And every client too
//
//	conn, err := grpc.NewClient(target, append(errmapgrpc.DialOptions(), grpc.WithTransportCredentials(creds))...)
//	if err != nil {
//		return err
//	}
//	_, err = shopv1.NewCartClient(conn).Get(ctx, req)
//	if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok {
//		fmt.Println("sold out:", empty.GetSku())
//	}
//
// Every error of a call then holds an [*errmap.Error]: Remote where the server
// sent it, Local where the call failed without a word of the server. grpc-go's
// status.FromError and status.Code go on working on it.
//
// docs/interop.md lists what grpc-go drops before this package sees it.
package errmapgrpc
