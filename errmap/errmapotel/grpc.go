package errmapotel

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/stats"

	"github.com/errmap/errmap/errmap/errmapgrpc"
)

// GRPCClientHandler returns otelgrpc's handler of a client with the error of each call
// added to the span that it begins, which no interceptor sees:
//
//	grpc.WithStatsHandler(telemetry.GRPCClientHandler(otelgrpc.NewClientHandler())),
//
// It adds to spans and counts nothing: give Observe to errmapgrpc.DialOptions too. A
// server does not need it, since the span is in the context of its interceptors.
func (t *Telemetry) GRPCClientHandler(instrument stats.Handler) stats.Handler {
	return grpcHandler{instrument, t}
}

type grpcHandler struct {
	stats.Handler
	t *Telemetry
}

// answered is the key in the context of a call for whether its server's trailers came.
type answered struct{}

func (h grpcHandler) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	return context.WithValue(h.Handler.TagRPC(ctx, info), answered{}, new(atomic.Bool))
}

func (h grpcHandler) HandleRPC(ctx context.Context, s stats.RPCStats) {
	peer, _ := ctx.Value(answered{}).(*atomic.Bool)
	switch s := s.(type) {
	case *stats.InTrailer:
		peer.Store(true)
	case *stats.End:
		if span := trace.SpanFromContext(ctx); s.Error != nil && span.IsRecording() {
			attrs := h.t.attrs(errmapgrpc.FromError(s.Error), "")
			if peer.Load() {
				attrs = append(attrs, OriginKey.String(originPeer))
			}
			span.SetAttributes(attrs...)
		}
	}
	h.Handler.HandleRPC(ctx, s)
}
