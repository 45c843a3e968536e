package errmapconnect

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/cause"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// NewClient returns a client over a transport whose errors are *errmap.Error, for
// the constructors of generated clients.
func NewClient(transport connect.Transport, opts ...ClientOption) *connect.Client {
	return connect.NewClient(transport, ClientInterceptor(opts...))
}

// ClientInterceptor returns the interceptor that NewClient installs, for a
// program that makes its connect.Client otherwise. It stands before
// all but one that only measures, such as otelconnect's.
//
// Each error of a call becomes an *errmap.Error whose cause is the error of
// Connect. It is Remote where the server sent it; over gRPC and gRPC-Web it is
// then read from the trailers themselves, with what Connect leaves out. It is
// Local where the call failed before the server said anything: errors.Is finds
// context.Canceled and context.DeadlineExceeded in it, and HTTPStatus and
// RetryDelay tell what an HTTP answer said that was no answer of an RPC server.
// io.EOF, the end of a stream, stays as it is, and so do the errors of other
// interceptors that are not of Connect.
func ClientInterceptor(opts ...ClientOption) connect.ClientInterceptor {
	var o clientOptions
	for _, opt := range opts {
		opt.applyClient(&o)
	}
	return func(next connect.ClientFunc) connect.ClientFunc {
		for _, interceptor := range slices.Backward(o.interceptors) {
			next = interceptor(next)
		}
		return func(ctx context.Context, spec connect.Spec) (connect.ClientStream, error) {
			s := &clientStream{ctx: ctx, kind: spec.StreamType, options: &o, call: adapter.Call{Procedure: spec.Procedure}}
			stream, err := next(ctx, spec)
			if err != nil {
				return nil, s.incoming(err)
			}
			s.stream = stream
			return s, nil
		}
	}
}

// clientStream reads the errors of each operation of a call.
type clientStream struct {
	stream  connect.ClientStream
	ctx     context.Context // of the call: it holds the answer's headers
	kind    connect.StreamType
	options *clientOptions
	call    adapter.Call
}

// incoming returns an error of an operation as the *errmap.Error that it is.
func (s *clientStream) incoming(err error) error {
	err = s.options.incoming(s.ctx, err)
	if s.options.Observer == nil || err == nil {
		return err
	}
	wire := errmap.WireStatus
	if info, ok := connect.CallInfoForClientContext(s.ctx); ok {
		wire = wireOf(info.Protocol)
	}
	return s.options.Failed(s.ctx, &s.call, wire, err)
}

func (s *clientStream) SendHeaders() error { return s.incoming(s.stream.SendHeaders()) }

// Send sends a message. Where the server has ended the call it returns io.EOF,
// and Receive the reason; but Connect's calls with one request take any error of
// Send for the last word, so to them the reason is left to Receive.
func (s *clientStream) Send(msg any) error {
	err := s.incoming(s.stream.Send(msg))
	if errors.Is(err, io.EOF) && s.kind&connect.StreamTypeClient == 0 {
		return nil
	}
	return err
}

func (s *clientStream) CloseSend() error { return s.incoming(s.stream.CloseSend()) }

func (s *clientStream) Receive(msg any) error {
	err := s.stream.Receive(msg)
	if errors.Is(err, io.EOF) || err == nil && s.kind&connect.StreamTypeServer == 0 {
		if e := s.options.contradicted(s.ctx); e != nil {
			err = e
		}
	}
	return s.incoming(err)
}

func (s *clientStream) Close() error { return s.incoming(s.stream.Close()) }

// incoming returns an error of a call as the *errmap.Error that it is.
func (o *clientOptions) incoming(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	c, ok := errors.AsType[*connect.Error](err)
	if e, ours := errors.AsType[*errmap.Error](err); ours && (e.Remote() || e.Local()) {
		if _, within := errors.AsType[*errmap.Error](c); ok && within && !c.IsRemote() {
			return o.ofTransport(e)
		}
		return err
	}
	switch {
	case ok && c != nil && c.IsRemote():
		if e := o.trailers(ctx, c); e != nil {
			return e
		}
		return readRemote(c, o.decoding(ctx))
	case errors.Is(err, io.EOF):
		return err
	case ok && c != nil:
		return o.failed(ctx, c, err)
	}
	if e := adapter.OfContext(err); e != nil {
		return e
	}
	return err
}

// ofTransport returns an error that is no answer of a server, and that Connect took
// for another, in both forms.
func (o *clientOptions) ofTransport(e *errmap.Error) error {
	c := encode(e, connect.ProtocolNameConnect, nil)
	if e.Remote() {
		c = c.WithRemote()
	}
	return e.WithCause(errors.Join(withoutCause(c), e.Unwrap()))
}

// failed returns the error of a call that Connect says failed here.
func (o *clientOptions) failed(ctx context.Context, c *connect.Error, err error) error {
	if !cause.OfContext(err) {
		// Connect gives up an error of the peer of which one part is malformed.
		if e := o.trailers(ctx, c); e != nil {
			return e
		}
	}
	if info, ok := connecthttp.ClientInfoForContext(ctx); ok && info.ResponseStatus() > 299 {
		opts := append(o.decoding(ctx), errmap.WithHTTPStatus(info.ResponseStatus()))
		e, decodeErr := errmap.DecodeConnect(nil, opts...)
		// INTERNAL is what Connect makes of a body that it cannot read.
		if decodeErr == nil && (connect.Code(e.Number()) == c.Code() || c.Code() == connect.CodeInternal) {
			return e.WithCause(err).WithLocal()
		}
	}
	if e := adapter.Cut(ctx, err); e != nil {
		return o.ofTransport(e)
	}
	if e := adapter.Unreadable(ctx, c.Message(), err); e != nil {
		return o.ofTransport(e)
	}
	return read(c, o.Decode).WithCause(adapter.Join(err, adapter.EndedWith(ctx, code.Code(c.Code())))).WithLocal()
}

// trailers reads the error from the trailers of a gRPC call; nil where there is
// none in them.
func (o *clientOptions) trailers(ctx context.Context, c *connect.Error) error {
	info, ok := connect.CallInfoForClientContext(ctx)
	if !ok || !isGRPC(info.Protocol) {
		return nil
	}
	trailer := info.ResponseTrailer()
	if info.Protocol == connect.ProtocolNameGRPCWeb && len(trailer.Values(errmap.HeaderGRPCStatus)) == 0 {
		// A proxy may put all of an answer without messages into its headers. To gRPC
		// itself those do not count where there is a body.
		trailer = info.ResponseHeader()
	}
	if len(trailer.Values(errmap.HeaderGRPCStatus)) == 0 {
		return nil
	}
	headers := make(map[string][]string, 3)
	for _, name := range []string{errmap.HeaderGRPCStatus, errmap.HeaderGRPCMessage, errmap.HeaderGRPCDetails} {
		if values := trailer.Values(name); len(values) > 0 {
			headers[name] = values
		}
	}
	e, err := errmap.DecodeGRPC(headers, o.decoding(ctx)...)
	if err != nil {
		return nil
	}
	return e.WithRemote().WithCause(withoutCause(c).WithRemote())
}

// contradicted returns the error of a gRPC call that ended with several statuses,
// of which Connect took the first for a success; nil where there is no other.
func (o *clientOptions) contradicted(ctx context.Context) error {
	info, ok := connect.CallInfoForClientContext(ctx)
	if !ok || !isGRPC(info.Protocol) {
		return nil
	}
	return adapter.Contradicted(info.ResponseTrailer(), o.decoding(ctx))
}

// decoding returns the options for reading the answer of a call.
func (o *clientOptions) decoding(ctx context.Context) []errmap.DecodeOption {
	opts := slices.Clip(o.Decode)
	if info, ok := connect.CallInfoForClientContext(ctx); ok {
		if value := info.ResponseHeader().Get("Retry-After"); value != "" {
			opts = append(opts, errmap.WithHTTPHeader(http.Header{"Retry-After": {value}}, time.Now()))
		}
	}
	return opts
}
