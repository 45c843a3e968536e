package errmapotel

import (
	"context"
	"errors"

	"connectrpc.com/connect/v2"
	"go.opentelemetry.io/otel/trace"
)

var errEnded = errors.New("the handler ended without returning")

// ServerInterceptor returns an interceptor that begins a span for each call that comes
// through JSON-RPC or HTTP+JSON, and measures rpc.server.call.duration, unless
// otelconnect's interceptor does both; other calls it leaves alone. Give it to
// connect.NewServer before errmapconnect's. The span is a child of one that an HTTP
// instrument has begun, else of the caller's, as the propagator reads it.
//
// Its rpc.response.status_code and error.type are the number on JSON-RPC, in the profile
// of WithProfile, and the code on HTTP+JSON. Its status is Error for the codes that the
// conventions name as faults of a server: UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED,
// INTERNAL, UNAVAILABLE, DATA_LOSS.
func (t *Telemetry) ServerInterceptor() connect.ServerInterceptor {
	return func(next connect.ServerFunc) connect.ServerFunc {
		return func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
			info, ok := connect.CallInfoForServerContext(ctx)
			if !ok || !uninstrumented(ctx, info.Protocol) {
				return next(ctx, spec, stream)
			}
			if !trace.SpanContextFromContext(ctx).IsValid() {
				ctx = t.propagator.Extract(ctx, carrier{info.RequestHeader()})
			}
			ctx, call := t.start(ctx, trace.SpanKindServer, spec, t.served)
			call.protocol = info.Protocol
			err := errEnded // by a panic, or by runtime.Goexit
			defer func() { call.end(err) }()
			err = next(ctx, spec, stream)
			return err
		}
	}
}
