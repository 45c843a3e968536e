package errmapotel

import (
	"context"
	"errors"
	"io"
	"sync"

	"connectrpc.com/connect/v2"
	"connectrpc.com/otelconnect"
	"go.opentelemetry.io/otel/trace"
)

// ClientInterceptor returns an interceptor that begins a span for each call of a client
// through JSON-RPC, tells the server of it as the propagator writes it, and measures
// rpc.client.call.duration, unless otelconnect's interceptor does so. It is for clients
// over the transport of the package client alone: a client of Connect or gRPC has
// otelconnect. Give it before errmapconnect's. The status of the span is Error for each
// call that failed.
//
// A span ends with the error of the call, when its stream is closed, or with its context.
func (t *Telemetry) ClientInterceptor() connect.ClientInterceptor {
	return func(next connect.ClientFunc) connect.ClientFunc {
		return func(ctx context.Context, spec connect.Spec) (connect.ClientStream, error) {
			if _, instrumented := otelconnect.LabelerFromContext(ctx); instrumented {
				return next(ctx, spec)
			}
			info, ok := connect.CallInfoForClientContext(ctx)
			if !ok {
				ctx, info = connect.NewClientContext(ctx)
			}
			ctx, call := t.start(ctx, trace.SpanKindClient, spec, t.called)
			t.propagator.Inject(ctx, carrier{info.RequestHeader()})
			stream, err := next(ctx, spec)
			call.protocol = info.Protocol // known once the stream is open
			if err != nil {
				call.end(err)
				return nil, err
			}
			s := &clientStream{ClientStream: stream, call: call}
			if spec.StreamType != connect.StreamTypeUnary && ctx.Done() != nil {
				s.stop = context.AfterFunc(ctx, func() { call.end(context.Cause(ctx)) })
			}
			return s, nil
		}
	}
}

// clientStream ends the span of a call with it.
type clientStream struct {
	connect.ClientStream
	call *call
	stop func() bool // stops watching the context; nil where nothing does

	mu  sync.Mutex
	err error // the first of an operation but for io.EOF
}

func (s *clientStream) Send(msg any) error {
	err := s.ClientStream.Send(msg)
	s.keep(err)
	return err
}

func (s *clientStream) Receive(msg any) error {
	err := s.ClientStream.Receive(msg)
	if err != nil {
		s.keep(err)
		s.end()
	}
	return err
}

func (s *clientStream) Close() error {
	err := s.ClientStream.Close()
	s.keep(err)
	s.end()
	return err
}

func (s *clientStream) keep(err error) {
	if err == nil || errors.Is(err, io.EOF) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *clientStream) end() {
	if s.stop != nil {
		s.stop()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call.end(s.err)
}
