// Package gateway makes a [connect.Server] of a service that runs elsewhere, from
// its reflection or from a descriptor set, so that everything that mounts a
// server works in front of it: JSON-RPC, HTTP+JSON, Connect, gRPC and gRPC-Web.
//
//	upstream := gateway.NewUpstream(nil, "http://shop.internal:8080", gateway.ProtocolGRPC)
//	schema, err := upstream.Reflect(ctx)
//	if err != nil {
//		return err
//	}
//	g := gateway.New(upstream.Transport(), schema)
//	return server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog()))
//
// No code of the service is linked: messages are dynamic, and errors are read by
// the catalogue that the service's own schema makes. A schema names its errors
// in the (errmap.v1.errors) option of its methods, so reflection finds them where
// no file of a service imports them.
//
// # The schema
//
// What an upstream tells is bounded ([WithReflectionLimits]). A service that it cannot
// tell is left out, and [Schema.Unread] names it; the others are served. A program that
// runs for long asks again, compares by [Schema.Equal], and mounts a new Gateway.
//
// # Errors and headers
//
// An error of the upstream is forwarded whole: code, message, details of any type
// and what rides along. An error of the way to it is UNAVAILABLE, also where an
// answer breaks off in the middle, CANCELLED or DEADLINE_EXCEEDED, with a fixed text;
// its cause is logged ([WithLog]). Headers of the request are sent on, but for those
// that belong to one connection or one protocol and those of [DefaultRequestHeaders];
// headers of the upstream's answers stay behind.
//
// A service in the same process needs no socket: [InProcess] makes an http.Client
// of an http.Handler that speaks Connect, or of a *grpc.Server.
package gateway
