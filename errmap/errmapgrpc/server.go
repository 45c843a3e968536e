package errmapgrpc

import (
	"context"
	"errors"
	"io"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/goexit"
)

// ServerOptions returns the options of grpc.NewServer that install the
// interceptors. Give them before other chained interceptors, but for those that only measure.
func ServerOptions(opts ...ServerOption) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(UnaryServerInterceptor(opts...)),
		grpc.ChainStreamInterceptor(StreamServerInterceptor(opts...)),
	}
}

// UnaryServerInterceptor returns the interceptor of unary methods. It stands
// before all that make errors, such as for validation, so that it sees what they
// return; behind one that only measures, which then sees what leaves.
//
// It sends what an errmap.Guard lets through, within the budget of gRPC's
// headers. Panics of handlers and interceptors become INTERNAL and are logged;
// that of http.ErrAbortHandler too, since it would end the process. A handler that
// calls runtime.Goexit fails as one that panics does: each runs in a goroutine of its
// own.
func UnaryServerInterceptor(opts ...ServerOption) grpc.UnaryServerInterceptor {
	o := newServerOptions(opts)
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (resp any, err error) {
		goexit.Contain(func() {
			returned := false
			defer o.contain(ctx, info.FullMethod, &returned, &err)
			resp, err = handler(ctx, req)
			if returned = true; err != nil {
				resp, err = nil, o.outgoing(ctx, info.FullMethod, err)
			}
		})
		return resp, err
	}
}

// StreamServerInterceptor returns the interceptor of the other methods; see
// UnaryServerInterceptor.
func StreamServerInterceptor(opts ...ServerOption) grpc.StreamServerInterceptor {
	o := newServerOptions(opts)
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
		ctx := stream.Context()
		goexit.Contain(func() {
			returned := false
			defer o.contain(ctx, info.FullMethod, &returned, &err)
			err = handler(srv, serverStream{stream})
			if returned = true; err != nil {
				err = o.outgoing(ctx, info.FullMethod, err)
			}
		})
		return err
	}
}

func newServerOptions(opts []ServerOption) *serverOptions {
	o := new(serverOptions)
	for _, opt := range opts {
		opt.applyServer(o)
	}
	recognize := errmap.Recognizer(Recognize)
	if o.strict {
		recognize = recognizeStrictly
	}
	o.Guard = o.Guard.With(errmap.WithRecognizer(recognize))
	return o
}

func (o *serverOptions) outgoing(ctx context.Context, procedure string, err error) error {
	return ToError(o.Outgoing(ctx, procedure, errmap.WireGRPC, err), o.Encode...)
}

// contain makes an error of a panic, and of a handler that did not return. It is to be
// deferred.
func (o *serverOptions) contain(ctx context.Context, procedure string, returned *bool, err *error) {
	if value := adapter.Exit(recover(), *returned); value != nil {
		*err = ToError(o.Panicked(ctx, procedure, errmap.WireGRPC, value), o.Encode...)
	}
}

// serverStream tells what grpc-go itself found wrong with a request, which its
// caller may hear under WithStrict too, from the end of the request.
type serverStream struct{ grpc.ServerStream }

func (s serverStream) RecvMsg(m any) error { return s.ofRequest(s.ServerStream.RecvMsg(m)) }
func (s serverStream) SendMsg(m any) error { return s.ofRequest(s.ServerStream.SendMsg(m)) }

func (s serverStream) ofRequest(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	said, ok := statusOf(err)
	if !ok {
		return err
	}
	e := FromStatus(said)
	if e == nil {
		return err
	}
	switch said.Code() {
	case codes.Canceled, codes.DeadlineExceeded:
		// Whether the caller, its deadline or a shutdown ended the request is for
		// the Guard to tell.
		if ended := s.Context().Err(); ended != nil {
			return &statusError{e.WithCause(adapter.Join(err, ended)).WithLocal(), said}
		}
	case codes.Unavailable: // the connection is gone
		return errmap.NewCode(code.Code_CANCELLED, "canceled").WithCause(err)
	}
	return &statusError{e.WithCause(err), said}
}
