package errmapotel

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/errmap/errmap/errmap"
)

// Log returns what errmap.WithLog wants: it logs what a Guard kept from a caller at the
// level ERROR, with the request id that the caller got, and with the trace and the span
// of the call, where there is one. The span has the request id too, so that each of the
// three finds the others. A nil logger means slog.Default.
func (t *Telemetry) Log(logger *slog.Logger) func(context.Context, errmap.Report) {
	return func(ctx context.Context, r errmap.Report) {
		l := logger
		if l == nil {
			l = slog.Default()
		}
		attrs := []slog.Attr{
			slog.String(string(RequestIDKey), r.ID),
			slog.String("rpc.method", r.Procedure),
			errmap.LogAttr(r.Err),
		}
		span := trace.SpanFromContext(ctx)
		if c := span.SpanContext(); c.IsValid() {
			attrs = append(attrs, slog.String("trace_id", c.TraceID().String()), slog.String("span_id", c.SpanID().String()))
		}
		if r.Stack != nil {
			attrs = append(attrs, slog.String("stack", string(r.Stack)))
		}
		if span.IsRecording() {
			span.SetAttributes(RequestIDKey.String(clip(r.ID)))
		}
		l.LogAttrs(ctx, slog.LevelError, "an error was kept from its caller", attrs...)
	}
}
