package errmapgrpc_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/anypb"
)

func TestToError_andBack(t *testing.T) {
	t.Parallel()
	for name, rich := range adaptertest.Rich(t) {
		e, _ := errors.AsType[*errmap.Error](rich)
		err := errmapgrpc.ToError(e)
		if back := errmapgrpc.FromError(fmt.Errorf("x: %w", err)); back != e {
			t.Errorf("%s: another error came back: %v", name, back)
		}
		if err.Error() != e.Error() {
			t.Errorf("%s: text %q", name, err)
		}
		// What a peer reads of it.
		adaptertest.CheckSame(t, e, errmapgrpc.FromStatus(errmapgrpc.ToStatus(e)))
	}
}

func TestField_005_details_become_those_of_a_status(t *testing.T) {
	t.Parallel()
	e, err := errmap.DecodeConnect([]byte(`{"code":"not_found","message":"gone","details":[{"type":"google.rpc.ErrorInfo","value":"CgtTVE9DS19FTVBUWRIQc2hvcC5leGFtcGxlLmNvbRoJCgNza3USAkEx"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := errmapgrpc.ToStatus(e)
	if s.Code() != codes.NotFound || s.Message() != "gone" || len(s.Details()) != 1 {
		t.Errorf("got %v", s)
	}
	if info, ok := s.Details()[0].(*errdetails.ErrorInfo); !ok || info.GetMetadata()["sku"] != "A1" {
		t.Errorf("got %v", s.Details())
	}
}

func TestToStatus_private_code_and_unknown_fields(t *testing.T) {
	t.Parallel()
	if s := errmapgrpc.ToStatus(errmap.NewCode(42, "x")); s.Code() != 42 || errmapgrpc.FromStatus(s).Number() != 42 {
		t.Errorf("got %v", s)
	}
	p := &statuspb.Status{Code: 9, Message: "m", Details: []*anypb.Any{{TypeUrl: "types.example.com/a.B", Value: []byte{8, 1}}}}
	p.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 9, protowire.BytesType), "hi"))
	e, err := errmap.FromStatus(p)
	if err != nil {
		t.Fatal(err)
	}
	back := errmapgrpc.FromStatus(errmapgrpc.ToStatus(e))
	if back.Details()[0].TypeURL() != "types.example.com/a.B" {
		t.Errorf("type URL %q", back.Details()[0].TypeURL())
	}
	adaptertest.CheckSame(t, e, back)
}

func TestStatusError_Is(t *testing.T) {
	t.Parallel()
	err := errmapgrpc.ToError(errmap.NewCode(code.Code_NOT_FOUND, "gone"))
	for target, want := range map[error]bool{
		status.Error(codes.NotFound, "gone"):                               true,
		status.Error(codes.NotFound, "other"):                              false,
		status.Error(codes.Aborted, "gone"):                                false,
		errors.New("gone"):                                                 false,
		errmapgrpc.ToError(errmap.New(&shopv1.StockEmptyError{Sku: "A1"})): false,
	} {
		if got := errors.Is(err, target); got != want {
			t.Errorf("Is(%v) = %v", target, got)
		}
	}
}

func TestRecognize(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		link  error
		known bool
		text  string
	}{
		"status":      {status.Error(codes.NotFound, "gone"), true, "gone"},
		"OK":          {okError{}, true, ""},
		"nil pointer": {(*nilStatus)(nil), true, ""},
		"another":     {errors.New("x"), false, ""},
		"ours":        {errmapgrpc.ToError(errmap.NewCode(code.Code_NOT_FOUND, "gone")), false, ""},
	} {
		e, known := errmapgrpc.Recognize(test.link)
		if known != test.known || e.Message() != test.text {
			t.Errorf("%s: got %v, %v", name, e, known)
		}
	}
}

func TestWithEncoding(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(code.Code_ABORTED, "x").WithDetail(&errdetails.ErrorInfo{Reason: "CLASH", Domain: "shop.example.com"}).
		WithDetail(&errdetails.LocalizedMessage{Locale: "de", Message: "0123456789012345678901234567890123456789"})
	opts := []errmapgrpc.ServerOption{errmapgrpc.WithEncoding(errmap.WithBudget(230))}
	everyCall(t, adaptertest.Return(e), opts, func(t *testing.T, err error, _ *adaptertest.Wire) {
		got, _ := errors.AsType[*errmap.Error](err)
		if len(got.Details()) != 1 || got.Reason() != "CLASH" {
			t.Errorf("%v with %d details", got, len(got.Details()))
		}
	})
}

func TestWithDecoding(t *testing.T) {
	t.Parallel()
	listener, _ := serve(t, adaptertest.Return(adaptertest.StockEmpty()), errmapgrpc.ServerOptions()...)
	client := dial(t, listener, errmapgrpc.DialOptions(errmapgrpc.WithDecoding(errmap.WithLimits(errmap.Limits{Details: 1})))...)
	for method, call := range methods {
		if e, _ := errors.AsType[*errmap.Error](call(t.Context(), client)); len(e.Details()) != 1 {
			t.Errorf("%s: %d details", method, len(e.Details()))
		}
	}
}

func TestClientInterceptors_errorsOfOthers(t *testing.T) {
	t.Parallel()
	listener, _ := serve(t, adaptertest.Return(nil))
	for name, test := range map[string]struct {
		err  error
		want code.Code
	}{
		"not grpc-go's": {errors.New("no token"), 0},
		"errmap's":      {errmap.NewCode(code.Code_ABORTED, "x"), code.Code_ABORTED},
		"a context's":   {context.Canceled, code.Code_CANCELLED},
		"a deadline":    {context.DeadlineExceeded, code.Code_DEADLINE_EXCEEDED},
	} {
		refuse := func(context.Context, string, any, any, *grpc.ClientConn, grpc.UnaryInvoker, ...grpc.CallOption) error {
			return test.err
		}
		client := dial(t, listener, append(errmapgrpc.DialOptions(), grpc.WithChainUnaryInterceptor(refuse))...)
		err := methods["unary"](t.Context(), client)
		e, ok := errors.AsType[*errmap.Error](err)
		if ok != (test.want != 0) || e.Code() != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A response that cannot be read is no error of the server.
func TestClientInterceptors_unreadableResponse(t *testing.T) {
	t.Parallel()
	listener, _ := serve(t, adaptertest.Return(nil))
	client := dial(t, listener, append(errmapgrpc.DialOptions(), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1)))...)
	for method, call := range methods {
		if e, ok := errors.AsType[*errmap.Error](call(t.Context(), client)); !ok || !e.Local() || e.Code() != code.Code_RESOURCE_EXHAUSTED {
			t.Errorf("%s: got %v", method, e)
		}
	}
}

// A caller that leaves is no fault of the program: nothing is logged.
func TestServerInterceptors_callerLeaves(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		logged := new(adaptertest.Journal)
		opts := []errmapgrpc.ServerOption{errmapgrpc.WithGuard(logged.Guard())}
		if strict {
			opts = append(opts, errmapgrpc.WithStrict())
		}
		listener, _ := adaptertest.Listen()
		handler := &leaving{started: make(chan struct{}), ended: make(chan error, 1)}
		done := make(chan struct{})
		outer := func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			defer close(done)
			return next(srv, stream)
		}
		server := grpc.NewServer(append([]grpc.ServerOption{grpc.StreamInterceptor(outer)}, errmapgrpc.ServerOptions(opts...)...)...)
		shopv1.RegisterCartServer(server, handler)
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(server.Stop)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stream, err := dial(t, listener, errmapgrpc.DialOptions()...).Haggle(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Header(); err != nil {
			t.Fatal(err)
		}
		<-handler.started
		cancel()
		if _, err := stream.Recv(); !errors.Is(err, context.Canceled) {
			t.Errorf("the client got %v", err)
		}
		if err := <-handler.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the handler got %v", err)
		}
		<-done
		if logged.Len() != 0 {
			t.Errorf("%d log entries", logged.Len())
		}
	}
}

// leaving waits for a caller that leaves.
type leaving struct {
	shopv1.UnimplementedCartServer
	started chan struct{}
	ended   chan error
}

func (h *leaving) Haggle(stream grpc.BidiStreamingServer[shopv1.GetRequest, shopv1.GetResponse]) error {
	if err := stream.SendHeader(nil); err != nil {
		return err
	}
	close(h.started)
	_, err := stream.Recv()
	h.ended <- err
	return err
}

// What grpc-go finds wrong with a request speaks, under WithStrict too.
func TestStrict_requestsTooLarge(t *testing.T) {
	t.Parallel()
	logged := new(adaptertest.Journal)
	opts := append(errmapgrpc.ServerOptions(errmapgrpc.WithStrict(), errmapgrpc.WithGuard(logged.Guard())), grpc.MaxRecvMsgSize(1))
	listener, _ := serve(t, adaptertest.Return(nil), opts...)
	for _, method := range []string{"client stream", "bidi stream"} {
		err := methods[method](t.Context(), dial(t, listener, errmapgrpc.DialOptions()...))
		if e, ok := errors.AsType[*errmap.Error](err); !ok || e.Code() != code.Code_RESOURCE_EXHAUSTED || !e.Remote() {
			t.Errorf("%s: got %v", method, err)
		}
	}
	if logged.Len() != 0 {
		t.Errorf("%d log entries", logged.Len())
	}
}
