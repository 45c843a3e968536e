// Package httpserver runs an [http.Server] that nobody holds up: each connection has
// deadlines that move with what is read and written, and shutting down lets the calls
// that run finish. It serves any handler, over HTTP/1.1 and HTTP/2 on one port, so
// gRPC too, with TLS or without:
//
//	listener, err := net.Listen("tcp", "localhost:8080")
//	if err != nil {
//		return err
//	}
//	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	return httpserver.Run(ctx, listener, handler)
//
// # What a peer may take its time for
//
//	| what                                   | how long by default                            |
//	|----------------------------------------|------------------------------------------------|
//	| a request's header, a TLS handshake    | 10 s                                           |
//	| a request's body                       | 30 s, and 1 s more for each 512 bytes          |
//	| to accept an answer                    | 30 s for each 16 KiB                           |
//	| a stream of requests that says nothing | 5 min in which nothing is answered, either     |
//	| a connection without a request         | 2 min                                          |
//
// A stream of requests is a body of gRPC or of Connect's streams over HTTP/2.
//
// # Shutting down
//
// When the context of [Run] ends, no connection is accepted any more, and what runs may
// finish. What still runs after Times.Drain is given up: its context ends, bodies that
// arrive are not waited for, and new requests on old connections are refused with HTTP
// status 503, which is UNAVAILABLE in every protocol. A handler with
// [errmap.WithShutdown] answers calls that are given up with UNAVAILABLE; close its
// channel in [WithGiveUp].
//
// [errmap.WithShutdown]: https://pkg.go.dev/github.com/errmap/errmap/errmap#WithShutdown
package httpserver
