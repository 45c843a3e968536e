package errmapconnectv1

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/cause"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// WithClient returns the option of a client that installs ClientInterceptor. Give
// it before other interceptors, but for those that only measure.
func WithClient(opts ...ClientOption) connect.ClientOption {
	return connect.WithInterceptors(ClientInterceptor(opts...))
}

// ClientInterceptor returns an interceptor for clients. It stands before
// all but one that only measures, such as otelconnect's. On a handler it does nothing.
//
// Each error of a call becomes an *errmap.Error whose cause is the error of
// Connect. It is Remote where the server sent it; over gRPC and gRPC-Web it is
// then read from the trailers themselves, with what Connect leaves out. It is
// Local where the call failed before the server said anything: errors.Is finds
// context.Canceled and context.DeadlineExceeded in it, and HTTPStatus tells that
// of an answer that was none of an RPC server. io.EOF, the end of a stream, stays
// as it is, and so do the errors of other interceptors that are not of Connect.
func ClientInterceptor(opts ...ClientOption) connect.Interceptor {
	i := new(clientInterceptor)
	for _, opt := range opts {
		opt.applyClient(&i.clientOptions)
	}
	return i
}

type clientInterceptor struct{ clientOptions }

// WrapUnary reads the errors of unary calls.
func (i *clientInterceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		resp, err := next(ctx, req)
		if !req.Spec().IsClient {
			return resp, err
		}
		protocol := req.Peer().Protocol
		if err == nil {
			err = i.contradicted(protocol, resp.Trailer())
		} else {
			err = i.incoming(ctx, protocol, err)
		}
		if err == nil {
			return resp, nil
		}
		if i.Observer != nil {
			err = i.Failed(ctx, &adapter.Call{Procedure: req.Spec().Procedure}, wireOf(protocol), err)
		}
		return nil, err
	}
}

// WrapStreamingClient reads the errors of each operation of a stream.
func (i *clientInterceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		return &clientConn{StreamingClientConn: next(ctx, spec), ctx: ctx, interceptor: i, call: adapter.Call{Procedure: spec.Procedure}}
	}
}

// WrapStreamingHandler does nothing.
func (i *clientInterceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

// clientConn reads the errors of each operation of a stream.
type clientConn struct {
	connect.StreamingClientConn
	ctx         context.Context // of the call: it has its deadline
	interceptor *clientInterceptor
	received    bool
	call        adapter.Call
}

func (c *clientConn) Send(msg any) error   { return c.incoming(c.StreamingClientConn.Send(msg)) }
func (c *clientConn) CloseRequest() error  { return c.incoming(c.StreamingClientConn.CloseRequest()) }
func (c *clientConn) CloseResponse() error { return c.incoming(c.StreamingClientConn.CloseResponse()) }

// Receive receives a message. The one answer to a client stream must be one:
// Connect itself would notice only after its interceptors.
func (c *clientConn) Receive(msg any) error { return c.failed(c.receive(msg)) }

func (c *clientConn) receive(msg any) error {
	err := c.read(c.StreamingClientConn.Receive(msg))
	if errors.Is(err, io.EOF) && !isCall(err) {
		if e := c.interceptor.contradicted(c.Peer().Protocol, c.ResponseTrailer()); e != nil {
			return e
		}
	}
	if c.Spec().StreamType != connect.StreamTypeClient {
		return err
	}
	switch {
	case err == nil && c.received:
		return errmap.NewCode(code.Code_UNIMPLEMENTED, "the answer is more than one message").WithLocal()
	case err == nil:
		c.received = true
	case errors.Is(err, io.EOF) && !c.received && !isCall(err):
		return errmap.NewCode(code.Code_UNIMPLEMENTED, "the answer has no message").WithLocal()
	}
	return err
}

// isCall tells whether an error is that of a call rather than the end of a stream.
func isCall(err error) bool {
	_, ok := errors.AsType[*errmap.Error](err)
	return ok
}

func (c *clientConn) incoming(err error) error { return c.failed(c.read(err)) }

func (c *clientConn) failed(err error) error {
	if c.interceptor.Observer == nil || err == nil {
		return err
	}
	return c.interceptor.Failed(c.ctx, &c.call, wireOf(c.Peer().Protocol), err)
}

func (c *clientConn) read(err error) error {
	if err == nil {
		return nil
	}
	return c.interceptor.incoming(c.ctx, c.Peer().Protocol, err)
}

// incoming returns an error of a call as the *errmap.Error that it is.
func (i *clientInterceptor) incoming(ctx context.Context, protocol string, err error) error {
	c, ok := errors.AsType[*connect.Error](err)
	if e, ours := errors.AsType[*errmap.Error](err); ours && (e.Remote() || e.Local()) {
		if _, within := errors.AsType[*errmap.Error](c); ok && within && !isWireError(c) {
			return i.ofTransport(e)
		}
		return err
	}
	switch {
	case ok && c != nil && isWireError(c):
		if e := i.trailers(protocol, c); e != nil {
			return e
		}
		return read(c, i.decoding(c)).WithRemote().WithCause(err)
	case errors.Is(err, io.EOF):
		return err
	case ok && c != nil:
		return i.failed(ctx, protocol, c, err)
	}
	if e := adapter.OfContext(err); e != nil {
		return e
	}
	return err
}

// ofTransport returns an error that is no answer of a server, and that Connect took
// for another, in both forms.
func (i *clientInterceptor) ofTransport(e *errmap.Error) error {
	s := e.StatusOn(errmap.WireConnect)
	c := connect.NewError(connect.Code(s.GetCode()), errors.New(s.GetMessage()))
	if e.Remote() {
		c = connect.NewWireError(connect.Code(s.GetCode()), errors.New(s.GetMessage()))
	}
	for _, d := range s.GetDetails() {
		if detail, err := connect.NewErrorDetail(d); err == nil { // an Any never fails
			c.AddDetail(detail)
		}
	}
	return e.WithCause(errors.Join(c, e.Unwrap()))
}

// failed returns the error of a call that Connect says failed here.
func (i *clientInterceptor) failed(ctx context.Context, protocol string, c *connect.Error, err error) error {
	// An end that was not expected says that there are no trailers. A gRPC-Web answer
	// without messages may have all of them among its headers.
	if !cause.OfContext(err) && (protocol == connect.ProtocolGRPCWeb || !errors.Is(err, io.ErrUnexpectedEOF)) {
		// Connect gives up an error of the peer of which one part is malformed.
		if e := i.trailers(protocol, c); e != nil {
			return e
		}
	}
	if status, ok := httpStatus(c); ok {
		e, decodeErr := errmap.DecodeConnect(nil, append(i.decoding(c), errmap.WithHTTPStatus(status))...)
		if decodeErr == nil && connect.Code(e.Number()) == c.Code() {
			return e.WithCause(err).WithLocal()
		}
	}
	if e := adapter.Cut(ctx, err); e != nil {
		return i.ofTransport(e)
	}
	if e := adapter.Unreadable(ctx, c.Message(), err); e != nil {
		return i.ofTransport(e)
	}
	return read(c, i.Decode).WithCause(adapter.Join(err, adapter.EndedWith(ctx, code.Code(c.Code())))).WithLocal()
}

// httpStatus returns the status of an HTTP answer that was none of an RPC server.
// Connect v1 tells it in the text only: "502 Bad Gateway", or "HTTP status 502 Bad
// Gateway".
func httpStatus(c *connect.Error) (int, bool) {
	digits, _, _ := strings.Cut(strings.TrimPrefix(c.Message(), "HTTP status "), " ")
	status, err := strconv.Atoi(digits)
	return status, err == nil && len(digits) == 3 && status > 299 && status < 600
}

// trailers reads the error from the trailers of a gRPC call; nil where there is
// none in them.
func (i *clientInterceptor) trailers(protocol string, c *connect.Error) error {
	if protocol != connect.ProtocolGRPC && protocol != connect.ProtocolGRPCWeb {
		return nil
	}
	meta := metaOf(c)
	if len(meta.Values(errmap.HeaderGRPCStatus)) == 0 {
		return nil
	}
	trailers := make(map[string][]string, 3)
	for _, name := range []string{errmap.HeaderGRPCStatus, errmap.HeaderGRPCMessage, errmap.HeaderGRPCDetails} {
		// The headers come before the trailers, which alone count.
		if values := c.Meta().Values(name); len(values) > 0 {
			trailers[name] = values[len(values)-1:]
		}
	}
	e, err := errmap.DecodeGRPC(trailers, i.decoding(c)...)
	if err != nil {
		return nil
	}
	return e.WithRemote().WithCause(c)
}

// contradicted returns the error of a gRPC call that ended with several statuses,
// of which Connect took the first for a success; nil where there is no other.
func (i *clientInterceptor) contradicted(protocol string, trailer http.Header) error {
	if protocol != connect.ProtocolGRPC && protocol != connect.ProtocolGRPCWeb {
		return nil
	}
	return adapter.Contradicted(trailer, i.Decode)
}

func (i *clientInterceptor) decoding(c *connect.Error) []errmap.DecodeOption {
	return append(i.Decode[:len(i.Decode):len(i.Decode)], ofMeta(c)...)
}
