package errmapconnectv1

import (
	"context"
	"errors"
	"io"
	"net/http"

	"connectrpc.com/connect"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/goexit"
)

// WithServer returns the option of a handler that installs ServerInterceptor.
// Give it before other interceptors, but for those that only measure.
func WithServer(opts ...ServerOption) connect.HandlerOption {
	return connect.WithInterceptors(ServerInterceptor(opts...))
}

// ServerInterceptor returns an interceptor for handlers. It stands before
// all that make errors, such as for validation, so that it sees what they return;
// behind one that only measures, such as otelconnect's, which then sees what leaves.
// On a client it does nothing.
//
// It sends what an errmap.Guard lets through, as an error of Connect that the
// protocol of the call says without loss; the Meta of an error of Connect that
// was made here goes along, that of any other stays behind. Panics of handlers
// and interceptors become INTERNAL, and are logged; http.ErrAbortHandler goes on. A
// handler that calls runtime.Goexit fails as one that panics does: each runs in a
// goroutine of its own.
func ServerInterceptor(opts ...ServerOption) connect.Interceptor {
	i := new(serverInterceptor)
	for _, opt := range opts {
		opt.applyServer(&i.serverOptions)
	}
	i.Guard = i.Guard.With(errmap.WithRecognizer(Recognize))
	return i
}

type serverInterceptor struct{ serverOptions }

// WrapUnary guards a unary handler.
func (i *serverInterceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (resp connect.AnyResponse, err error) {
		if req.Spec().IsClient {
			return next(ctx, req)
		}
		procedure, wire := req.Spec().Procedure, wireOf(req.Peer().Protocol)
		ctx = errmap.WithProcedure(ctx, procedure)
		defer func() {
			if err != nil {
				uncache(ctx, req.Spec())
			}
		}()
		goexit.Contain(func() {
			returned := false
			defer i.contain(ctx, procedure, wire, &returned, &err)
			resp, err = next(ctx, req)
			if returned = true; err != nil {
				resp, err = nil, i.outgoing(ctx, procedure, wire, err)
			}
		})
		return resp, err
	}
}

// WrapStreamingHandler guards a streaming handler.
func (i *serverInterceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) (err error) {
		procedure, wire := conn.Spec().Procedure, wireOf(conn.Peer().Protocol)
		ctx = errmap.WithProcedure(ctx, procedure)
		goexit.Contain(func() {
			returned := false
			defer i.contain(ctx, procedure, wire, &returned, &err)
			err = next(ctx, handlerConn{conn})
			if returned = true; err != nil {
				err = i.outgoing(ctx, procedure, wire, err)
			}
		})
		return err
	}
}

// WrapStreamingClient does nothing.
func (i *serverInterceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// uncache takes back what a handler said to caches about an answer that did not
// come: a GET that failed would be kept as if it had.
func uncache(ctx context.Context, spec connect.Spec) {
	info, ok := connect.CallInfoForHandlerContext(ctx)
	if !ok {
		return
	}
	header := info.ResponseHeader()
	for _, name := range []string{"Cache-Control", "Etag", "Expires", "Last-Modified"} {
		header.Del(name)
	}
	if spec.IdempotencyLevel == connect.IdempotencyNoSideEffects {
		header.Set("Cache-Control", "no-store")
	}
}

func (i *serverInterceptor) outgoing(ctx context.Context, procedure string, wire errmap.Wire, err error) error {
	e := i.Outgoing(ctx, procedure, wire, err)
	c := encode(e, wire, i.Encode)
	if own, ok := errors.AsType[*connect.Error](err); ok && own != nil {
		if said, _ := Recognize(own); said != nil && said.Number() == e.Number() && said.Message() == e.Message() {
			for name, values := range metaOf(own) {
				c.Meta()[name] = append(c.Meta()[name], values...)
			}
		}
	}
	return c
}

// contain makes an error of a panic, and of a handler that did not return. It is to be
// deferred.
func (i *serverInterceptor) contain(ctx context.Context, procedure string, wire errmap.Wire, returned *bool, err *error) {
	if value := adapter.Exit(recover(), *returned); value != nil {
		if value == http.ErrAbortHandler {
			panic(value)
		}
		*err = encode(i.Panicked(ctx, procedure, wire, value), wire, i.Encode)
	}
}

func wireOf(protocol string) errmap.Wire {
	switch protocol {
	case connect.ProtocolConnect:
		return errmap.WireConnect
	case connect.ProtocolGRPC, connect.ProtocolGRPCWeb:
		return errmap.WireGRPC
	}
	return errmap.WireStatus
}

// handlerConn tells what Connect itself found wrong with a request, which its
// caller may hear, from what it says of the network and of the program.
type handlerConn struct{ connect.StreamingHandlerConn }

func (c handlerConn) Receive(msg any) error {
	err := c.StreamingHandlerConn.Receive(msg)
	if e := ofProtocol(err); e != nil {
		return e
	}
	return ofRequest(err)
}

func (c handlerConn) Send(msg any) error { return ofRequest(c.StreamingHandlerConn.Send(msg)) }

// ofProtocol returns the error of a request that breaks the protocol, such as by a
// flag that it may not have: an INTERNAL, all of whose text is Connect's own
// because nothing caused it. For other errors it returns nil.
func ofProtocol(err error) error {
	c, ok := errors.AsType[*connect.Error](err)
	if !ok || c == nil || isWireError(c) || c.Code() != connect.CodeInternal || errors.Unwrap(c.Unwrap()) != nil {
		return nil
	}
	return read(c, nil).WithCause(err)
}

func ofRequest(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	c, ok := errors.AsType[*connect.Error](err)
	if !ok || c == nil || isWireError(c) {
		return err
	}
	return adapter.OfRequest(read(c, nil), err)
}
