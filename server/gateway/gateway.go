package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Gateway forwards calls to an upstream. It is safe for concurrent use.
type Gateway struct {
	server  *connect.Server
	schema  *Schema
	client  *connect.Client
	log     *failureLog
	travels func(header string) bool
	timeout time.Duration // of a call that is no stream; 0 is none
}

// New returns a gateway that forwards every method of a schema over transport.
func New(transport connect.Transport, schema *Schema, opts ...Option) *Gateway {
	o := &options{travels: DefaultRequestHeaders, timeout: DefaultTimeout}
	for _, opt := range opts {
		opt.apply(o)
	}
	// A gateway stands for its upstream: what that tells its callers is theirs.
	whole := errmapconnect.WithGuard(errmap.NewGuard(errmap.WithDebugInfo(), errmap.WithListBytes(-1)))
	g := &Gateway{
		server:  errmapconnect.NewServer(append([]errmapconnect.ServerOption{whole}, o.server...)...),
		log:     &o.log,
		travels: o.travels,
		timeout: o.timeout,
		schema:  schema,
		client:  errmapconnect.NewClient(transport, errmapconnect.WithDecoding(errmap.WithCatalog(schema.catalog))),
	}
	for _, sd := range schema.services {
		for i := range sd.Methods().Len() {
			md := sd.Methods().Get(i)
			g.server.Register(connect.Method{Spec: spec(md), Handler: g.forward(md)})
		}
	}
	return g
}

// Server returns the server to mount.
func (g *Gateway) Server() *connect.Server { return g.server }

// Catalog returns the errors and types of the upstream, for the mounts.
func (g *Gateway) Catalog() *errmap.Catalog { return g.schema.catalog }

func spec(md protoreflect.MethodDescriptor) connect.Spec {
	s := connect.Spec{
		Schema:    md,
		Procedure: fmt.Sprintf("/%s/%s", md.Parent().FullName(), md.Name()),
	}
	switch {
	case md.IsStreamingClient() && md.IsStreamingServer():
		s.StreamType = connect.StreamTypeBidi
	case md.IsStreamingClient():
		s.StreamType = connect.StreamTypeClient
	case md.IsStreamingServer():
		s.StreamType = connect.StreamTypeServer
	}
	return s
}

// forward returns the handler of one method.
func (g *Gateway) forward(md protoreflect.MethodDescriptor) connect.ServerFunc {
	return func(ctx context.Context, spec connect.Spec, down connect.ServerStream) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ctx = g.upstreamContext(ctx)
		if spec.StreamType == connect.StreamTypeUnary {
			return g.unary(ctx, cancel, md, spec, down)
		}
		return g.stream(ctx, md, spec, down)
	}
}

func (g *Gateway) unary(ctx context.Context, cancel context.CancelFunc, md protoreflect.MethodDescriptor, spec connect.Spec, down connect.ServerStream) error {
	request, response := dynamicpb.NewMessage(md.Input()), dynamicpb.NewMessage(md.Output())
	if err := receive(down.Receive, request, badRequest); err != nil {
		return err
	}
	var late atomic.Bool
	if g.timeout > 0 {
		// No deadline of the context: the upstream would be told of it as of the caller's.
		timer := time.AfterFunc(g.timeout, func() {
			late.Store(true)
			cancel()
		})
		defer timer.Stop()
	}
	call := func(response any) error { return g.client.CallUnary(ctx, spec, request, response) }
	if err := receive(call, response, badResponse); err != nil {
		if late.Load() {
			return g.failed(ctx, spec, code.Code_DEADLINE_EXCEEDED, tooLate, err)
		}
		return g.upstreamError(ctx, spec, err)
	}
	return down.Send(response)
}

func (g *Gateway) stream(ctx context.Context, md protoreflect.MethodDescriptor, spec connect.Spec, down connect.ServerStream) error {
	aborted, abort := context.WithCancelCause(ctx)
	call, err := g.client.CallClientStream(aborted, spec)
	if err != nil {
		abort(nil)
		return g.upstreamError(ctx, spec, err)
	}
	up := &upstreamStream{ClientStream: call}
	defer func() {
		abort(nil) // it ends a Send that Close would wait for
		_ = up.Close()
	}()
	go func() {
		if err := pump(md, spec, down, up); err != nil {
			abort(&requestError{err}) // closing the call would end its request as if it were whole
		}
	}()
	for {
		response := dynamicpb.NewMessage(md.Output())
		if err = receive(up.Receive, response, badResponse); err != nil {
			break
		}
		if err := down.Send(response); err != nil {
			return err
		}
	}
	if broken, ok := errors.AsType[*requestError](context.Cause(aborted)); ok && ctx.Err() == nil {
		return broken.err // and that ended the upstream's side
	}
	if errors.Is(err, io.EOF) {
		return nil // nobody reads further requests
	}
	return g.upstreamError(ctx, spec, err)
}

// requestError is why the requests of a caller broke off.
type requestError struct{ err error }

func (e *requestError) Error() string { return e.err.Error() }

// upstreamStream is a call to the upstream whose requests and whose end come from
// different goroutines, which Connect does not keep apart.
type upstreamStream struct {
	connect.ClientStream
	mu     sync.Mutex
	closed bool
}

func (s *upstreamStream) SendHeaders() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return io.EOF
	}
	return s.ClientStream.SendHeaders()
}

func (s *upstreamStream) Send(msg any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return io.EOF
	}
	return s.ClientStream.Send(msg)
}

func (s *upstreamStream) CloseSend() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	return s.ClientStream.CloseSend()
}

func (s *upstreamStream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.ClientStream.Close()
}

// pump sends the requests of a caller on until there are no more.
func pump(md protoreflect.MethodDescriptor, spec connect.Spec, down connect.ServerStream, up connect.ClientStream) error {
	for {
		request := dynamicpb.NewMessage(md.Input())
		err := receive(down.Receive, request, badRequest)
		if errors.Is(err, io.EOF) {
			return up.CloseSend()
		}
		if err != nil {
			return err
		}
		if err := up.Send(request); err != nil {
			return nil //nolint:nilerr // the receiving side says why
		}
		if spec.StreamType == connect.StreamTypeServer {
			return up.CloseSend()
		}
	}
}

var (
	badRequest  = errmap.NewCode(code.Code_INVALID_ARGUMENT, "the request is malformed")
	badResponse = errmap.NewCode(code.Code_INTERNAL, "the upstream's answer is malformed").WithLocal()
)

// receive reads one dynamic message. Protobuf panics on some malformed bytes of
// those, which any peer can send, so a panic is the peer's mistake.
func receive(read func(any) error, m *dynamicpb.Message, malformed *errmap.Error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			if value == http.ErrAbortHandler {
				panic(value)
			}
			err = malformed.WithCause(fmt.Errorf("panic: %v", value))
		}
	}()
	return read(m)
}
