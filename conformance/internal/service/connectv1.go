package service

import (
	"context"

	"connectrpc.com/connect"
	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1/conformancev1connectv1"
	"google.golang.org/protobuf/proto"
)

// ConnectV1 is the service for version 1 of connect.
type ConnectV1 struct {
	conformancev1connectv1.UnimplementedConformanceServiceHandler
}

// Unary answers one request.
func (ConnectV1) Unary(ctx context.Context, req *conformancev1.UnaryRequest) (*conformancev1.UnaryResponse, error) {
	payload, err := answerOne(ctx, connectV1CallOf(ctx, nil), req)
	if err != nil {
		return nil, err
	}
	return &conformancev1.UnaryResponse{Payload: payload}, nil
}

// IdempotentUnary answers one request that may come by GET.
func (ConnectV1) IdempotentUnary(ctx context.Context, req *conformancev1.IdempotentUnaryRequest) (*conformancev1.IdempotentUnaryResponse, error) {
	payload, err := answerOne(ctx, connectV1CallOf(ctx, nil), req)
	if err != nil {
		return nil, err
	}
	return &conformancev1.IdempotentUnaryResponse{Payload: payload}, nil
}

// ClientStream answers a stream of requests.
func (ConnectV1) ClientStream(ctx context.Context, stream *connect.ClientStream[conformancev1.ClientStreamRequest]) (*conformancev1.ClientStreamResponse, error) {
	var requests []proto.Message
	for stream.Receive() {
		requests = append(requests, proto.CloneOf(stream.Msg()))
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	payload, err := answerOne(ctx, connectV1CallOf(ctx, nil), requests...)
	if err != nil {
		return nil, err
	}
	return &conformancev1.ClientStreamResponse{Payload: payload}, nil
}

// ServerStream answers one request with a stream.
func (ConnectV1) ServerStream(ctx context.Context, req *conformancev1.ServerStreamRequest, stream *connect.ServerStream[conformancev1.ServerStreamResponse]) error {
	flush := func() error { return stream.Send(nil) }
	return answerMany(ctx, connectV1CallOf(ctx, flush), req, func(p *conformancev1.ConformancePayload) error {
		return stream.Send(&conformancev1.ServerStreamResponse{Payload: p})
	})
}

// BidiStream answers a stream with a stream.
func (ConnectV1) BidiStream(ctx context.Context, stream *connect.BidiStream[conformancev1.BidiStreamRequest, conformancev1.BidiStreamResponse]) error {
	flush := func() error { return stream.Send(nil) }
	return converse(ctx, connectV1CallOf(ctx, flush), stream.Receive, func(p *conformancev1.ConformancePayload) error {
		return stream.Send(&conformancev1.BidiStreamResponse{Payload: p})
	})
}

type connectV1Call struct {
	connect.CallInfo
	flush func() error
}

// connectV1CallOf needs a context of a handler, which every method above has.
func connectV1CallOf(ctx context.Context, flush func() error) connectV1Call {
	info, _ := connect.CallInfoForHandlerContext(ctx)
	return connectV1Call{info, flush}
}

func (c connectV1Call) requestHeader() []*conformancev1.Header { return headersOf(c.RequestHeader()) }
func (c connectV1Call) query() []*conformancev1.Header         { return headersOf(c.Peer().Query) }
func (c connectV1Call) addHeader(name, value string)           { c.ResponseHeader().Add(name, value) }
func (c connectV1Call) addTrailer(name, value string)          { c.ResponseTrailer().Add(name, value) }
func (c connectV1Call) sendHeaders() error                     { return c.flush() }

func headersOf(m map[string][]string) []*conformancev1.Header {
	var headers []*conformancev1.Header
	for name, values := range m {
		headers = append(headers, &conformancev1.Header{Name: name, Value: values})
	}
	return headers
}
