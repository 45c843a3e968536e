package errmapotel

import (
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/semconv/v1.43.0/rpcconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/errmap/errmap/errmap"
)

const scopeName = "github.com/errmap/errmap/errmap/errmapotel"

// Telemetry tells OpenTelemetry of errors. It is immutable and safe for concurrent use;
// make it with New. One for a program is enough.
type Telemetry struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	catalog    *errmap.Catalog
	profile    errmap.Profile
	metadata   []string
	message    bool
	errors     metric.Int64Counter
	served     rpcconv.ServerCallDuration
	called     rpcconv.ClientCallDuration
}

// An Option changes what New returns.
type Option interface{ apply(*options) }

type options struct {
	tracers    trace.TracerProvider
	meters     metric.MeterProvider
	propagator propagation.TextMapPropagator
	catalog    *errmap.Catalog
	profile    errmap.Profile
	metadata   []string
	message    bool
}

type option func(*options)

func (f option) apply(o *options) { f(o) }

// WithTracerProvider has spans made by p in place of OpenTelemetry's global provider.
func WithTracerProvider(p trace.TracerProvider) Option {
	return option(func(o *options) { o.tracers = p })
}

// WithMeterProvider has metrics made by p in place of OpenTelemetry's global provider.
func WithMeterProvider(p metric.MeterProvider) Option {
	return option(func(o *options) { o.meters = p })
}

// WithPropagator has p read and write the headers that join the spans of two processes,
// for spans that this package begins. The default is OpenTelemetry's global one, which
// does nothing unless the program sets it.
func WithPropagator(p propagation.TextMapPropagator) Option {
	return option(func(o *options) { o.propagator = p })
}

// WithCatalog has c decide which identities are counted by name. The default is
// errmap.Linked, the errors whose generated code is in the program.
func WithCatalog(c *errmap.Catalog) Option { return option(func(o *options) { o.catalog = c }) }

// WithProfile has p say which number an error has on JSON-RPC, for spans that this package
// begins. The default is the profile that server.Mount has by default.
func WithProfile(p errmap.Profile) Option { return option(func(o *options) { o.profile = p }) }

// WithMetadata puts entries of an error's metadata on spans, as errmap.metadata.<key>.
// They may say who the caller is, so the default is none.
func WithMetadata(keys ...string) Option {
	return option(func(o *options) { o.metadata = append(o.metadata, keys...) })
}

// WithMessage puts the message of an error on spans, as errmap.message. Messages may hold
// what the caller sent; the default leaves them out.
func WithMessage() Option { return option(func(o *options) { o.message = true }) }

// New returns a Telemetry. Without options it uses OpenTelemetry's global providers and
// the errors that are linked into the program. It fails where the meter provider cannot
// make an instrument.
func New(opts ...Option) (*Telemetry, error) {
	o := options{
		tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider(),
		propagator: otel.GetTextMapPropagator(), catalog: errmap.Linked(),
	}
	for _, opt := range opts {
		opt.apply(&o)
	}
	t := &Telemetry{
		tracer: o.tracers.Tracer(scopeName), propagator: o.propagator,
		catalog: o.catalog, profile: o.profile, metadata: o.metadata, message: o.message,
	}
	meter := o.meters.Meter(scopeName)
	var err error
	if t.errors, err = meter.Int64Counter("errmap.errors", metric.WithUnit("{error}"),
		metric.WithDescription("Calls that failed, by the identity of their error.")); err != nil {
		return nil, fmt.Errorf("errmapotel: %w", err)
	}
	if t.served, err = rpcconv.NewServerCallDuration(meter); err != nil {
		return nil, fmt.Errorf("errmapotel: %w", err)
	}
	if t.called, err = rpcconv.NewClientCallDuration(meter); err != nil {
		return nil, fmt.Errorf("errmapotel: %w", err)
	}
	return t, nil
}
