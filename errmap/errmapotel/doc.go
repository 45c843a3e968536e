// Package errmapotel tells OpenTelemetry which error a call failed with: its domain and
// reason beside the code, on spans, in a counter, and in logs.
//
// It is a module of its own, so that programs without OpenTelemetry do not need it.
//
//	telemetry, err := errmapotel.New()
//	if err != nil {
//		log.Fatal(err)
//	}
//	instrument, err := otelconnect.NewServerInterceptor()
//	if err != nil {
//		log.Fatal(err)
//	}
//	server := connect.NewServer(
//		instrument, // first: it begins the span that the others enrich
//		telemetry.ServerInterceptor(),
//		errmapconnect.ServerInterceptor(errmapconnect.WithObserver(telemetry.Observe)),
//	)
//
// # Spans
//
// Where otelconnect, otelgrpc or otelhttp has begun a span, [Telemetry.Observe] adds to
// it; it begins none. JSON-RPC and HTTP+JSON have no instrument of their own: for calls
// through the packages server, server/httpjson and client, [Telemetry.ServerInterceptor]
// and [Telemetry.ClientInterceptor] begin the span and measure the duration that the
// conventions for RPC describe, unless otelconnect does so already.
//
// An error adds these attributes to a span:
//
//	errmap.code        its google.rpc.Code, such as NOT_FOUND
//	errmap.domain      as its google.rpc.ErrorInfo says
//	errmap.reason      likewise
//	errmap.origin      "peer" for an error that another process sent, else "local"
//	errmap.request_id  of a google.rpc.RequestInfo; logs of a hidden error have it too
//
// Of a hidden error they say what its caller got, INTERNAL and the request id, and not
// what it was. Values that a peer can choose are at most 255 bytes of valid UTF-8.
//
// # The counter
//
// errmap.errors counts errors by errmap.domain, errmap.reason, errmap.code, errmap.side
// ("server", "client") and errmap.wire ("grpc", "connect", …). An identity that the
// catalogue does not define, which any peer can invent, is counted as "_OTHER": the
// number of series is bounded by the program and not by who calls it.
//
// Message and metadata are on neither unless [WithMessage] and [WithMetadata] say so,
// and never in the counter.
package errmapotel
