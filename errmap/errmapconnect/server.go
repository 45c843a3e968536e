package errmapconnect

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"

	"connectrpc.com/connect/v2"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/goexit"
)

// What connect.CallInfo.Protocol says of calls through the transports of this
// project, which take an *errmap.Error as it is.
const (
	ProtocolNameJSONRPC  = "jsonrpc"
	ProtocolNameHTTPJSON = "httpjson"
)

// NewServer returns a server whose handlers may return annotated messages and
// *errmap.Error, and whose callers get them. Use it in place of
// connect.NewServer: without the interceptor that it installs, Connect makes a
// bare "unknown" of every such error. Register and mount it as any other.
func NewServer(opts ...ServerOption) *connect.Server {
	return connect.NewServer(ServerInterceptor(opts...))
}

// ServerInterceptor returns the interceptor that NewServer installs, for a
// program that makes its connect.Server otherwise. It stands before
// all that make errors, such as for validation, so that it sees what they return;
// behind one that only measures, such as otelconnect's, which then sees what leaves.
//
// It sends what an errmap.Guard lets through, as an error of Connect that the
// protocol of the call says without loss. Panics of handlers and interceptors
// become INTERNAL, and are logged; http.ErrAbortHandler goes on. A handler
// that calls runtime.Goexit fails as one that panics does: each runs in a goroutine of
// its own.
func ServerInterceptor(opts ...ServerOption) connect.ServerInterceptor {
	var o serverOptions
	for _, opt := range opts {
		opt.applyServer(&o)
	}
	o.Guard = o.Guard.With(errmap.WithRecognizer(Recognize))
	return func(next connect.ServerFunc) connect.ServerFunc {
		for _, interceptor := range slices.Backward(o.interceptors) {
			next = interceptor(next)
		}
		// What a handler leaves that did not return is in exited alone.
		serve := func(ctx context.Context, spec connect.Spec, stream connect.ServerStream, protocol string, exited *error) (err error) {
			returned := exited == nil
			defer func() {
				if value := adapter.Exit(recover(), returned); value != nil {
					if value == http.ErrAbortHandler {
						panic(value)
					}
					uncache(ctx, spec)
					err = o.written(protocol, o.Panicked(ctx, spec.Procedure, wireOf(protocol), value))
					if exited != nil {
						*exited = err
					}
				}
			}()
			err = next(ctx, spec, serverStream{stream})
			if returned = true; err != nil {
				uncache(ctx, spec)
				return o.written(protocol, o.Outgoing(ctx, spec.Procedure, wireOf(protocol), err))
			}
			return nil
		}
		return func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
			protocol := protocolOf(ctx)
			if ours(protocol) { // its mount sees by itself what does not return
				return serve(ctx, spec, stream, protocol, nil)
			}
			var err, exited error
			goexit.Contain(func() { err = serve(ctx, spec, stream, protocol, &exited) })
			if exited != nil {
				return exited
			}
			return err
		}
	}
}

// uncache takes back what a handler said to caches about an answer that did not
// come: a GET that failed would be kept as if it had.
func uncache(ctx context.Context, spec connect.Spec) {
	info, ok := connect.CallInfoForServerContext(ctx)
	if !ok {
		return
	}
	header := info.ResponseHeader()
	for _, name := range []string{"Cache-Control", "Etag", "Expires", "Last-Modified"} {
		header.Delete(name)
	}
	if spec.IdempotencyLevel == connect.IdempotencyNoSideEffects {
		header.Set("Cache-Control", "no-store")
	}
}

func protocolOf(ctx context.Context) string {
	if info, ok := connect.CallInfoForServerContext(ctx); ok {
		return info.Protocol
	}
	return ""
}

// ours tells whether a protocol is one of this project's mounts.
func ours(protocol string) bool {
	return protocol == ProtocolNameJSONRPC || protocol == ProtocolNameHTTPJSON
}

// written returns an error as Connect writes it on a protocol.
func (o *serverOptions) written(protocol string, e *errmap.Error) error {
	if e != nil && ours(protocol) {
		return mounted{e} // the mount writes it
	}
	if protocol == "" {
		// A transport within the process hands the very error to the caller, who
		// must find in it no more than on a wire.
		e = e.WithCause(nil)
	}
	return encode(e, protocol, o.Encode)
}

// mounted is the error of a call that a mount of this project writes. Interceptors that
// stand before errmap's ask it for the error of Connect, as they would on other protocols.
type mounted struct{ e *errmap.Error }

func (m mounted) Error() string { return m.e.Error() }
func (m mounted) Unwrap() error { return m.e }

func (m mounted) As(target any) bool {
	c, ok := target.(**connect.Error)
	if ok {
		*c = encode(m.e, "", nil)
	}
	return ok
}

// serverStream tells what Connect itself found wrong with a request, which its
// caller may hear, from what it says of the network and of the program.
type serverStream struct{ connect.ServerStream }

func (s serverStream) Receive(msg any) error {
	err := s.ServerStream.Receive(msg)
	if e := ofProtocol(err); e != nil {
		return e
	}
	return ofRequest(err)
}

func (s serverStream) Send(msg any) error { return ofRequest(s.ServerStream.Send(msg)) }
func (s serverStream) SendHeaders() error { return ofRequest(s.ServerStream.SendHeaders()) }

// ofProtocol returns the error of a request that breaks the protocol, such as by a
// flag that it may not have: an INTERNAL, all of whose text is Connect's own
// because nothing caused it. For other errors it returns nil.
func ofProtocol(err error) error {
	c, ok := errors.AsType[*connect.Error](err)
	if !ok || c == nil || c.IsRemote() || c.Code() != connect.CodeInternal || c.Unwrap() != nil {
		return nil
	}
	return read(c, nil).WithCause(err)
}

func ofRequest(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	c, ok := errors.AsType[*connect.Error](err)
	if !ok || c == nil || c.IsRemote() {
		return err
	}
	return adapter.OfRequest(read(c, nil), err)
}
