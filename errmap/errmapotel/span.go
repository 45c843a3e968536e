package errmapotel

import (
	"context"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/otelconnect"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/rpcconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/errmap/errmap/errmap/errmapconnect"
)

// uninstrumented tells whether a call has a wire that has no instrument of its own, and
// otelconnect has not begun a span for it.
func uninstrumented(ctx context.Context, protocol string) bool {
	if protocol != errmapconnect.ProtocolNameJSONRPC && protocol != errmapconnect.ProtocolNameHTTPJSON {
		return false
	}
	_, instrumented := otelconnect.LabelerFromContext(ctx)
	return !instrumented
}

// recorder is what the instruments of the two sides have in common.
type recorder interface {
	Record(ctx context.Context, seconds float64, system rpcconv.SystemNameAttr, attrs ...attribute.KeyValue)
}

// call is a call with a span that this package began.
type call struct {
	t        *Telemetry
	ctx      context.Context
	span     trace.Span
	kind     trace.SpanKind
	begin    time.Time
	method   attribute.KeyValue
	protocol string
	duration recorder
	once     sync.Once
}

func (t *Telemetry) start(ctx context.Context, kind trace.SpanKind, spec connect.Spec, duration recorder) (context.Context, *call) {
	name := strings.TrimPrefix(spec.Procedure, "/")
	c := &call{t: t, kind: kind, begin: time.Now(), method: semconv.RPCMethod(name), duration: duration}
	c.ctx, c.span = t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(c.method))
	return c.ctx, c
}

// end ends the span and measures the call, once.
func (c *call) end(err error) {
	c.once.Do(func() {
		s := c.t.statusOf(c.protocol, err)
		if err != nil && (c.kind == trace.SpanKindClient || fault(s.code)) {
			c.span.SetStatus(codes.Error, "")
		}
		c.span.SetAttributes(append(s.span, semconv.RPCSystemNameKey.String(c.protocol))...)
		c.duration.Record(c.ctx, time.Since(c.begin).Seconds(), rpcconv.SystemNameAttr(c.protocol), append(s.metric, c.method)...)
		c.span.End()
	})
}

// carrier reads and writes headers for a propagator.
type carrier struct{ header *connect.Header }

func (c carrier) Get(key string) string { return c.header.Get(key) }
func (c carrier) Set(key, value string) { c.header.Set(key, value) }
func (c carrier) Keys() []string {
	keys := make([]string, 0, c.header.Len())
	for key := range c.header.All() {
		keys = append(keys, key)
	}
	return keys
}
