package grpc_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/server/gateway"
)

// server is one of ours that every peer calls.
type server struct {
	name    string
	address string
}

// trace is a trailer that every handler sets beside its error, as tracing does.
var trace = strings.Repeat("0af7651916cd43dd", 32)

// newServers starts the servers that an error of errmap leaves by over gRPC.
func newServers(t *testing.T) []server {
	t.Helper()
	v2 := serveHTTP(t, serveConnect())
	forwarded := gateway.NewUpstream(gateway.NewHTTPClient(), "http://"+v2, gateway.ProtocolGRPC)
	schema, err := gateway.NewSchema(descriptorSet())
	if err != nil {
		t.Fatal(err)
	}
	front := http.NewServeMux()
	connecthttp.Mount(front, gateway.New(forwarded.Transport(), schema).Server())
	return []server{
		{"errmapconnect", v2},
		{"errmapconnectv1", serveHTTP(t, serveConnectV1())},
		{"errmapgrpc", serveGRPC(t)},
		{"gateway", serveHTTP(t, front)},
		{"errmapconnect with TrailersOnly", serveHTTP(t, errmapconnect.TrailersOnly(serveConnect()))},
	}
}

func serveHTTP(t *testing.T, h http.Handler) string {
	t.Helper()
	listener := listen(t)
	s := &http.Server{Handler: h, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = s.Serve(listener) }()
	t.Cleanup(func() { _ = s.Close() })
	return listener.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// asked returns the error that a request names.
func asked(request *wrapperspb.StringValue) error {
	if request.GetValue() == away {
		return unavailable()
	}
	i, err := strconv.Atoi(request.GetValue())
	if err != nil || i < 0 || i >= len(failures) {
		return errors.New("no such error")
	}
	return failures[i].err
}

func serveConnect() http.Handler {
	s := errmapconnect.NewServer()
	for i := range schema.Methods().Len() {
		method := schema.Methods().Get(i)
		spec := connect.Spec{Procedure: "/" + service + "/" + string(method.Name()), Schema: method}
		if method.IsStreamingServer() {
			spec.StreamType = connect.StreamTypeServer
		}
		s.Register(connect.Method{Spec: spec, Handler: func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
			if info, ok := connect.CallInfoForServerContext(ctx); ok {
				info.ResponseTrailer().Set("X-Trace", trace)
			}
			request := new(wrapperspb.StringValue)
			if err := stream.Receive(request); err != nil {
				return err
			}
			if spec.StreamType == connect.StreamTypeServer {
				if err := stream.Send(request); err != nil {
					return err
				}
			}
			return asked(request)
		}})
	}
	mux := http.NewServeMux()
	connecthttp.Mount(mux, s)
	return mux
}

func serveConnectV1() http.Handler {
	mux := http.NewServeMux()
	unary := "/" + service + "/Fail"
	mux.Handle(unary, connectv1.NewUnaryHandler(unary, func(ctx context.Context, r *connectv1.Request[wrapperspb.StringValue]) (*connectv1.Response[wrapperspb.StringValue], error) {
		if info, ok := connectv1.CallInfoForHandlerContext(ctx); ok {
			info.ResponseTrailer().Set("X-Trace", trace)
		}
		return nil, asked(r.Msg)
	}, errmapconnectv1.WithServer()))
	stream := "/" + service + "/FailInTheMiddle"
	mux.Handle(stream, connectv1.NewServerStreamHandler(stream, func(_ context.Context, r *connectv1.Request[wrapperspb.StringValue], s *connectv1.ServerStream[wrapperspb.StringValue]) error {
		s.ResponseTrailer().Set("X-Trace", trace)
		if err := s.Send(r.Msg); err != nil {
			return err
		}
		return asked(r.Msg)
	}, errmapconnectv1.WithServer()))
	return mux
}

func serveGRPC(t *testing.T) string {
	t.Helper()
	s := grpc.NewServer(errmapgrpc.ServerOptions()...)
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: service,
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Fail", Handler: func(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
			request := new(wrapperspb.StringValue)
			if err := decode(request); err != nil {
				return nil, err
			}
			return intercept(ctx, request, &grpc.UnaryServerInfo{FullMethod: "/" + service + "/Fail"}, func(ctx context.Context, _ any) (any, error) {
				return nil, errors.Join(asked(request), grpc.SetTrailer(ctx, metadata.Pairs("x-trace", trace)))
			})
		}}},
		Streams: []grpc.StreamDesc{{StreamName: "FailInTheMiddle", ServerStreams: true, Handler: func(_ any, stream grpc.ServerStream) error {
			request := new(wrapperspb.StringValue)
			stream.SetTrailer(metadata.Pairs("x-trace", trace))
			if err := stream.RecvMsg(request); err != nil {
				return err
			}
			if err := stream.SendMsg(request); err != nil {
				return err
			}
			return asked(request)
		}}},
	}, struct{}{})
	listener := listen(t)
	go func() { _ = s.Serve(listener) }()
	t.Cleanup(s.Stop)
	return listener.Addr().String()
}
