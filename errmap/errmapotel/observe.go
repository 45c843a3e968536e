package errmapotel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/errmap/errmap/errmap"
)

// Observe counts the error of a call and adds it to the span that is in ctx, if one is
// recorded there. It is an errmap.Observer, for the option WithObserver of every adapter,
// mount and client: of each call it is to be told once, so where a mount stands before a
// Connect server give it to the one or to the other. To the interceptor of a Connect
// server it is given after otelconnect's, so that the span is there; the instrument of
// grpc-go's clients begins its span later than an interceptor runs, see GRPCHandler.
func (t *Telemetry) Observe(ctx context.Context, e errmap.Event) {
	t.count(ctx, e)
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(t.attrs(e.Sent, e.RequestID)...)
	}
}

func (t *Telemetry) count(ctx context.Context, e errmap.Event) {
	attrs := [5]attribute.KeyValue{
		CodeKey.String(e.Sent.Code().String()),
		SideKey.String(e.Side.String()),
		WireKey.String(wireName(e.Wire)),
	}
	known := attrs[:3]
	if domain, reason := e.Sent.Domain(), e.Sent.Reason(); reason != "" {
		if t.catalog.Find(domain, reason) == nil {
			domain, reason = other, other
		}
		known = append(known, DomainKey.String(domain), ReasonKey.String(reason))
	}
	t.errors.Add(ctx, 1, metric.WithAttributes(known...))
}

func wireName(w errmap.Wire) string {
	if w == 0 {
		return other
	}
	return w.String()
}
