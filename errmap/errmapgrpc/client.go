package errmapgrpc

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/cause"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// DialOptions returns the options of grpc.NewClient that install the
// interceptors, and a stats handler that sees whether a server sent its status.
// Give them before other chained interceptors, but for those that only measure.
func DialOptions(opts ...ClientOption) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(UnaryClientInterceptor(opts...)),
		grpc.WithChainStreamInterceptor(StreamClientInterceptor(opts...)),
		grpc.WithStatsHandler(arrivals{}),
	}
}

// UnaryClientInterceptor returns the interceptor of unary methods. It stands
// before all but one that only measures.
//
// Each error of a call becomes one that wraps an *errmap.Error and whose
// GRPCStatus is what grpc-go made of it. The *errmap.Error is Remote where the
// server sent it, and Local where the call failed before it did: errors.Is finds
// context.Canceled and context.DeadlineExceeded in it, and HTTPStatus tells that
// of an answer that was none of a gRPC server. Without the stats handler of
// DialOptions grpc-go does not always show the difference; an error is then taken
// for one that the server sent.
func UnaryClientInterceptor(opts ...ClientOption) grpc.UnaryClientInterceptor {
	o := newClientOptions(opts)
	return func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		ctx, a := watched(ctx)
		var header, trailer metadata.MD
		err := invoker(ctx, method, req, reply, conn, append(opts, grpc.Header(&header), grpc.Trailer(&trailer))...)
		if err = o.incoming(ctx, a, err, header, trailer); err != nil && o.Observer != nil {
			return o.Failed(ctx, &adapter.Call{Procedure: method}, errmap.WireGRPC, err)
		}
		return err
	}
}

// StreamClientInterceptor returns the interceptor of the other methods; see
// UnaryClientInterceptor. io.EOF, the end of a stream, stays as it is.
func StreamClientInterceptor(opts ...ClientOption) grpc.StreamClientInterceptor {
	o := newClientOptions(opts)
	return func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		ctx, a := watched(ctx)
		s := &clientStream{ctx: ctx, arrival: a, options: o, call: adapter.Call{Procedure: method}}
		stream, err := streamer(ctx, desc, conn, method, opts...)
		if err != nil {
			return nil, o.Failed(ctx, &s.call, errmap.WireGRPC, o.incoming(ctx, a, err, nil, nil))
		}
		s.ClientStream = stream
		return s, nil
	}
}

func newClientOptions(opts []ClientOption) *clientOptions {
	o := new(clientOptions)
	for _, opt := range opts {
		opt.applyClient(o)
	}
	return o
}

// clientStream reads the errors of each operation of a stream.
type clientStream struct {
	grpc.ClientStream
	ctx     context.Context // of the call: that of the stream ends with it
	arrival *arrival
	options *clientOptions
	call    adapter.Call
}

func (s *clientStream) Header() (metadata.MD, error) {
	md, err := s.ClientStream.Header()
	return md, s.incoming(err)
}

func (s *clientStream) CloseSend() error    { return s.incoming(s.ClientStream.CloseSend()) }
func (s *clientStream) SendMsg(m any) error { return s.incoming(s.ClientStream.SendMsg(m)) }
func (s *clientStream) RecvMsg(m any) error { return s.incoming(s.ClientStream.RecvMsg(m)) }

func (s *clientStream) incoming(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return s.options.Failed(s.ctx, &s.call, errmap.WireGRPC, s.options.incoming(s.ctx, s.arrival, err, nil, s.Trailer()))
}

// incoming returns an error of a call as one that wraps an *errmap.Error.
func (o *clientOptions) incoming(ctx context.Context, a *arrival, err error, header, trailer metadata.MD) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	if _, ok := errors.AsType[*errmap.Error](err); ok {
		return err
	}
	s, ok := status.FromError(err)
	if !ok {
		if e := adapter.OfContext(err); e != nil {
			return &statusError{e, status.FromContextError(err)}
		}
		return err
	}
	if a.sent(ctx, s, header, trailer) {
		return &statusError{o.received(s, trailer).WithRemote().WithCause(err), s}
	}
	if cause.CutText(s.Message()) || s.Code() == codes.Internal && s.Message() == io.ErrUnexpectedEOF.Error() {
		e := adapter.NewCut(ctx, err)
		return &statusError{e, status.New(codes.Code(e.Code()), e.Message())}
	}
	return &statusError{o.failed(ctx, s, err), s}
}

// received reads what the server sent. grpc-go drops the details where their code
// is not that of the header, and where their text is not UTF-8, but leaves them
// in the trailers.
func (o *clientOptions) received(s *status.Status, trailer metadata.MD) *errmap.Error {
	if values := trailer.Get(errmap.HeaderGRPCDetails); len(values) > 0 {
		number, text := headersOf(s)
		h := errmap.EncodeGRPC(errmap.NewCode(code.Code(number), text), errmap.WithBudget(-1)).Map()
		for _, value := range values {
			h[errmap.HeaderGRPCDetails] = append(h[errmap.HeaderGRPCDetails], base64.RawStdEncoding.EncodeToString([]byte(value)))
		}
		if e, err := errmap.DecodeGRPC(h, o.Decode...); err == nil {
			return e
		}
	}
	return FromStatus(s, o.Decode...)
}

const mismatch = "grpc-status-details-bin mismatch: grpc-status="

// headersOf returns what grpc-status and grpc-message said. Where the details say
// another code, grpc-go shows both only in the text of an error of its own.
func headersOf(s *status.Status) (int32, string) {
	number, text := s.Proto().GetCode(), s.Message()
	rest, ok := strings.CutPrefix(text, mismatch)
	if !ok || s.Code() != codes.Internal {
		return number, text
	}
	name, rest, ok := strings.Cut(rest, ", grpc-message=")
	if !ok {
		return number, text
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return number, text
	}
	message, err := strconv.Unquote(quoted)
	if err != nil {
		return number, text
	}
	for c := codes.Canceled; c <= codes.Unauthenticated; c++ {
		if c.String() == name {
			return int32(c), message
		}
	}
	var private int64
	if _, err := fmt.Sscanf(name, "Code(%d)", &private); err == nil && int32(private) != 0 {
		return int32(private), message
	}
	return number, text
}

// failed returns the error of a call that failed before the server said anything.
func (o *clientOptions) failed(ctx context.Context, s *status.Status, err error) *errmap.Error {
	const unexpected = "unexpected HTTP status code received from server: "
	if rest, ok := strings.CutPrefix(s.Message(), unexpected); ok && len(rest) > 3 {
		// The rest of the text is the page of a proxy.
		if httpStatus, scanErr := strconv.Atoi(rest[:3]); scanErr == nil {
			e, decodeErr := errmap.DecodeGRPC(nil, append(o.Decode[:len(o.Decode):len(o.Decode)], errmap.WithHTTPStatus(httpStatus))...)
			if decodeErr == nil && codes.Code(e.Code()) == s.Code() {
				return e.WithCause(err).WithLocal()
			}
		}
		return errmap.NewCode(code.Code(s.Code()), "the answer is not gRPC").WithCause(err).WithLocal()
	}
	e := FromStatus(s, o.Decode...).WithLocal()
	return e.WithCause(adapter.Join(err, adapter.EndedWith(ctx, code.Code(s.Code()))))
}

// arrival tells what came from the server of one call.
type arrival struct {
	watched atomic.Bool // whether the stats handler sees the call
	header  atomic.Bool // whether a block of headers came in the last attempt
	trailer atomic.Bool // whether a block of trailers came in the last attempt
}

type arrivalKey struct{}

// watched returns a context in which the stats handler notes what arrives.
func watched(ctx context.Context) (context.Context, *arrival) {
	a := new(arrival)
	return context.WithValue(ctx, arrivalKey{}, a), a
}

// sent tells whether the server sent a status.
func (a *arrival) sent(ctx context.Context, s *status.Status, header, trailer metadata.MD) bool {
	switch {
	case a.watched.Load():
		return a.trailer.Load() && !(a.header.Load() && unreadable(s))
	case len(trailer) > 0:
		return true
	case adapter.EndedWith(ctx, code.Code(s.Code())) != nil || strings.HasPrefix(s.Message(), "stream terminated by RST_STREAM"):
		return false
	case s.Code() == codes.Unavailable && len(header) == 0 && strings.HasPrefix(s.Message(), "connection error: "):
		return false
	}
	return true
}

// unreadable tells whether a status says that a response could not be read, which
// grpc-go finds here, whatever status the server has sent after it.
func unreadable(s *status.Status) bool {
	for _, prefix := range []string{
		"grpc: failed to unmarshal the received message", "grpc: received message larger than max",
		"grpc: failed to decompress", "cardinality violation: ",
	} {
		if strings.HasPrefix(s.Message(), prefix) {
			return true
		}
	}
	return false
}

// arrivals is the stats handler that notes what arrives.
type arrivals struct{}

func (arrivals) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (arrivals) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (arrivals) HandleConn(context.Context, stats.ConnStats)                       {}

func (arrivals) HandleRPC(ctx context.Context, s stats.RPCStats) {
	a, ok := ctx.Value(arrivalKey{}).(*arrival)
	if !ok || !s.IsClient() {
		return
	}
	switch s.(type) {
	case *stats.Begin: // of each attempt
		a.watched.Store(true)
		a.header.Store(false)
		a.trailer.Store(false)
	case *stats.InHeader:
		a.header.Store(true)
	case *stats.InTrailer:
		a.trailer.Store(true)
	}
}
