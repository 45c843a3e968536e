package adopt_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"buf.build/go/protovalidate"
	"connectrpc.com/connect"
	connectv2 "connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/grpcreflect/v2"
	"connectrpc.com/otelconnect"
	"connectrpc.com/validate"
	"github.com/google/go-cmp/cmp"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/auth"
	pvgrpc "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/protovalidate"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/errmap/errmaptest"
	"github.com/errmap/errmap/internal/schema/schematest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server/gateway"
)

// tally counts errors by code and reason.
type tally struct {
	mu   sync.Mutex
	seen []string
}

func (c *tally) add(e *errmap.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, strings.TrimSpace(e.Code().String()+" "+e.Reason()))
}

func count(c *tally) connectv2.ServerInterceptor {
	return func(next connectv2.ServerFunc) connectv2.ServerFunc {
		return func(ctx context.Context, spec connectv2.Spec, stream connectv2.ServerStream) error {
			err := next(ctx, spec, stream)
			if e := errmapconnect.FromError(err); e != nil {
				c.add(e)
			}
			return err
		}
	}
}

func countV1(c *tally) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			resp, err := next(ctx, req)
			if e := errmapconnectv1.FromError(err); e != nil {
				c.add(e)
			}
			return resp, err
		}
	}
}

func countGRPC(c *tally) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		resp, err := handler(ctx, req)
		if e := errmapgrpc.FromError(err); e != nil {
			c.add(e)
		}
		return resp, err
	}
}

// authenticate refuses everybody whose context says so.
func authenticate(refuse bool) connectv2.ServerInterceptor {
	return func(next connectv2.ServerFunc) connectv2.ServerFunc {
		return func(ctx context.Context, spec connectv2.Spec, stream connectv2.ServerStream) error {
			if refuse {
				return connectv2.NewError(connectv2.CodeUnauthenticated, "no token")
			}
			return next(ctx, spec, stream)
		}
	}
}

func ordered(telemetry connectv2.ServerInterceptor, c *tally, refuse bool, validator protovalidate.Validator) *connectv2.Server {
	return connectv2.NewServer(
		telemetry, count(c), // what measures, and returns each error as it is
		errmapconnect.ServerInterceptor(), // before everything that can fail
		authenticate(refuse),
		validate.NewServerInterceptor(validate.WithValidator(validator)),
	)
}

func orderedV1(telemetry *otelconnect.Interceptor, c *tally, validator protovalidate.Validator) connect.HandlerOption {
	return connect.WithInterceptors(
		telemetry, countV1(c),
		errmapconnectv1.ServerInterceptor(),
		validate.NewInterceptor(validate.WithValidator(validator)),
	)
}

func orderedGRPC(telemetry *trace.TracerProvider, c *tally, check auth.AuthFunc, validator protovalidate.Validator) []grpc.ServerOption {
	return slices.Concat(
		[]grpc.ServerOption{
			grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(telemetry))), // sees what leaves, wherever it stands
			grpc.ChainUnaryInterceptor(countGRPC(c)),
		},
		errmapgrpc.ServerOptions(),
		[]grpc.ServerOption{grpc.ChainUnaryInterceptor(
			auth.UnaryServerInterceptor(check),
			pvgrpc.UnaryServerInterceptor(validator),
			recovery.UnaryServerInterceptor(), // nothing is left for it to do
		)},
	)
}

// invalid makes an error of one's own of what protovalidate found.
func invalid(err error) error {
	found, ok := errors.AsType[*protovalidate.ValidationError](err)
	if !ok {
		return err
	}
	fields := new(errdetails.BadRequest)
	for _, v := range found.Violations {
		fields.FieldViolations = append(fields.FieldViolations, &errdetails.BadRequest_FieldViolation{
			Field:       protovalidate.FieldPathString(v.Proto.GetField()),
			Description: v.Proto.GetMessage(),
			Reason:      v.Proto.GetRuleId(),
		})
	}
	return &shopv1.InvalidCartError{Fields: fields}
}

// twin is protovalidate over messages that are those of the service but for the rules,
// of which the shop's schema has none.
type twin struct {
	protovalidate.Validator
	request protoreflect.MessageDescriptor
}

func newTwin(t *testing.T) twin {
	t.Helper()
	v, err := protovalidate.New()
	if err != nil {
		t.Fatal(err)
	}
	file := schematest.Compile(t, `
		syntax = "proto3";
		package twin.v1;
		import "buf/validate/validate.proto";
		message GetRequest {
			string sku = 1 [(buf.validate.field).string.max_len = 3];
		}`)
	return twin{v, file.Messages().ByName("GetRequest")}
}

func (v twin) Validate(m proto.Message, opts ...protovalidate.ValidationOption) error {
	raw, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	same := dynamicpb.NewMessage(v.request)
	if err := proto.Unmarshal(raw, same); err != nil {
		return err
	}
	return v.Validator.Validate(same, opts...)
}

// spans returns a provider, and what of the codes it was told.
func spans() (*trace.TracerProvider, func() []string) {
	recorder := tracetest.NewSpanRecorder()
	return trace.NewTracerProvider(trace.WithSpanProcessor(recorder)), func() []string {
		var all []string
		for _, s := range recorder.Ended() {
			for _, a := range s.Attributes() {
				if a.Key == "rpc.response.status_code" {
					all = append(all, a.Value.AsString())
				}
			}
		}
		return all
	}
}

type measured struct {
	name   string
	do     func(context.Context) error
	refuse bool
	sku    string
	code   string // by otel
	count  string
}

func toMeasure() []measured {
	return []measured{
		{name: "typed", do: func(context.Context) error { return soldOut() }, sku: "A1", code: "FAILED_PRECONDITION", count: "FAILED_PRECONDITION STOCK_EMPTY"},
		{name: "plain", do: func(context.Context) error { return errDatabase }, sku: "A1", code: "INTERNAL", count: "INTERNAL"},
		{name: "panic", do: func(context.Context) error { panic("index out of range") }, sku: "A1", code: "INTERNAL", count: "INTERNAL"},
		{name: "refused", refuse: true, sku: "A1", code: "UNAUTHENTICATED", count: "UNAUTHENTICATED"},
		{name: "invalid", sku: "much too long", code: "INVALID_ARGUMENT", count: "INVALID_ARGUMENT"},
	}
}

// What measures beside errmap's interceptor sees the code and reason that callers get.
func TestFinding_N04_connect(t *testing.T) {
	for _, m := range toMeasure() {
		provider, codes := spans()
		telemetry, err := otelconnect.NewServerInterceptor(otelconnect.WithTracerProvider(provider), otelconnect.WithoutMetrics())
		if err != nil {
			t.Fatal(err)
		}
		c := new(tally)
		h := mounted(ordered(telemetry, c, m.refuse, newTwin(t)), m.do)
		post(t, h, "/shop.v1.Cart/Get", 0, m.sku)
		check(t, m, codes(), c.seen)
	}
}

// Within errmap's interceptor a typed error has no code yet.
func TestFinding_N04_within(t *testing.T) {
	provider, codes := spans()
	telemetry, err := otelconnect.NewServerInterceptor(otelconnect.WithTracerProvider(provider), otelconnect.WithoutMetrics())
	if err != nil {
		t.Fatal(err)
	}
	rpc := connectv2.NewServer(errmapconnect.ServerInterceptor(), telemetry)
	post(t, mounted(rpc, func(context.Context) error { return soldOut() }), "/shop.v1.Cart/Get", 0)
	if diff := cmp.Diff([]string{"UNKNOWN"}, codes()); diff != "" {
		t.Error(diff)
	}
}

func TestFinding_N04_connectV1(t *testing.T) {
	for _, m := range toMeasure() {
		if m.refuse {
			continue // there is no authentication of connect's own for it
		}
		provider, codes := spans()
		telemetry, err := otelconnect.NewInterceptor(otelconnect.WithTracerProvider(provider), otelconnect.WithoutMetrics())
		if err != nil {
			t.Fatal(err)
		}
		c := new(tally)
		post(t, mountedV1(m.do, orderedV1(telemetry, c, newTwin(t))), "/shop.v1.Cart/Get", 0, m.sku)
		check(t, m, codes(), c.seen)
	}
}

func TestFinding_N04_grpc(t *testing.T) {
	for _, m := range toMeasure() {
		provider, seen := spans()
		c := new(tally)
		refuse := func(ctx context.Context) (context.Context, error) {
			if m.refuse {
				return nil, status.Error(codes.Unauthenticated, "no token")
			}
			return ctx, nil
		}
		address, stop, err := serveGRPC(grpc.NewServer(orderedGRPC(provider, c, refuse, newTwin(t))...), m.do)
		if err != nil {
			t.Fatal(err)
		}
		if err := callGRPC(t.Context(), address, grpc.WithUnaryInterceptor(func(ctx context.Context, method string, _, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			return invoke(ctx, method, &shopv1.GetRequest{Sku: m.sku}, reply, conn, opts...)
		})); err == nil {
			t.Error("no error")
		}
		stop()
		if err := provider.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		check(t, m, seen(), c.seen)
	}
}

func check(t *testing.T, m measured, codes, counted []string) {
	t.Helper()
	if diff := cmp.Diff([]string{m.code}, codes); diff != "" {
		t.Errorf("%s: OpenTelemetry (-want +got):\n%s", m.name, diff)
	}
	if diff := cmp.Diff([]string{m.count}, counted); diff != "" {
		t.Errorf("%s: counted (-want +got):\n%s", m.name, diff)
	}
}

// What protovalidate finds is an error of the service's own, field by field.
func TestInvalid(t *testing.T) {
	err := newTwin(t).Validate(&shopv1.GetRequest{Sku: "much too long"})
	got := invalid(err)
	want := &shopv1.InvalidCartError{Fields: &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
		{Field: "sku", Description: "must be at most 3 characters", Reason: "string.max_len"},
	}}}
	if diff := errmaptest.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if other := invalid(errDatabase); !errors.Is(other, errDatabase) {
		t.Errorf("another error becomes %v", other)
	}
}

// reflecting has reflection beside a service, on a server of its own, so that JSON-RPC and
// HTTP+JSON do not serve it.
func reflecting(mux *http.ServeMux) {
	reflection := connectv2.NewServer()
	grpcreflect.Register(reflection, grpcreflect.WithNamer(grpcreflect.NamerFunc(func() []string { return []string{shopv1connect.CartName} })))
	connecthttp.Mount(mux, reflection)
}

// The errors of a service can be listed by reflection, since its methods name them.
func TestReflecting(t *testing.T) {
	mux := http.NewServeMux()
	reflecting(mux)
	schema, err := gateway.NewUpstream(gateway.InProcess(mux), "http://shop", gateway.ProtocolConnect).Reflect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := schema.Catalog().Find("shop.example.com", "STOCK_EMPTY"); d == nil {
		t.Error("STOCK_EMPTY is not told")
	}
}
