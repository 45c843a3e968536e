package service

import (
	"context"
	"errors"
	"io"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1/conformancev1connect"
	"google.golang.org/protobuf/proto"
)

// Connect is the service for version 2 of connect, and so for JSON-RPC too.
type Connect struct {
	conformancev1connect.UnimplementedConformanceServiceHandler
}

// Unary answers one request.
func (Connect) Unary(ctx context.Context, req *conformancev1.UnaryRequest) (*conformancev1.UnaryResponse, error) {
	payload, err := answerOne(ctx, connectCallOf(ctx, nil), req)
	if err != nil {
		return nil, err
	}
	return &conformancev1.UnaryResponse{Payload: payload}, nil
}

// IdempotentUnary answers one request that may come by GET.
func (Connect) IdempotentUnary(ctx context.Context, req *conformancev1.IdempotentUnaryRequest) (*conformancev1.IdempotentUnaryResponse, error) {
	payload, err := answerOne(ctx, connectCallOf(ctx, nil), req)
	if err != nil {
		return nil, err
	}
	return &conformancev1.IdempotentUnaryResponse{Payload: payload}, nil
}

// ClientStream answers a stream of requests.
func (Connect) ClientStream(ctx context.Context, stream conformancev1connect.ConformanceServiceClientStreamServerStream) (*conformancev1.ClientStreamResponse, error) {
	var requests []proto.Message
	for {
		req, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		requests = append(requests, req)
	}
	payload, err := answerOne(ctx, connectCallOf(ctx, nil), requests...)
	if err != nil {
		return nil, err
	}
	return &conformancev1.ClientStreamResponse{Payload: payload}, nil
}

// ServerStream answers one request with a stream.
func (Connect) ServerStream(ctx context.Context, req *conformancev1.ServerStreamRequest, stream conformancev1connect.ConformanceServiceServerStreamServerStream) error {
	return answerMany(ctx, connectCallOf(ctx, stream.SendHeaders), req, func(p *conformancev1.ConformancePayload) error {
		return stream.Send(&conformancev1.ServerStreamResponse{Payload: p})
	})
}

// BidiStream answers a stream with a stream.
func (Connect) BidiStream(ctx context.Context, stream conformancev1connect.ConformanceServiceBidiStreamServerStream) error {
	return converse(ctx, connectCallOf(ctx, stream.SendHeaders), stream.Receive, func(p *conformancev1.ConformancePayload) error {
		return stream.Send(&conformancev1.BidiStreamResponse{Payload: p})
	})
}

type connectCall struct {
	ctx   context.Context
	info  *connect.CallInfo
	flush func() error
}

func connectCallOf(ctx context.Context, flush func() error) connectCall {
	info, ok := connect.CallInfoForServerContext(ctx)
	if !ok {
		info = new(connect.CallInfo)
	}
	return connectCall{ctx, info, flush}
}

func (c connectCall) requestHeader() []*conformancev1.Header {
	var headers []*conformancev1.Header
	for name, values := range c.info.RequestHeader().All() {
		headers = append(headers, &conformancev1.Header{Name: name, Value: values})
	}
	return headers
}

func (c connectCall) query() []*conformancev1.Header {
	info, ok := connecthttp.ServerInfoForContext(c.ctx)
	if !ok {
		return nil
	}
	var query []*conformancev1.Header
	for name, values := range info.HTTPGetQueryParams() {
		query = append(query, &conformancev1.Header{Name: name, Value: values})
	}
	return query
}

func (c connectCall) addHeader(name, value string)  { c.info.ResponseHeader().Add(name, value) }
func (c connectCall) addTrailer(name, value string) { c.info.ResponseTrailer().Add(name, value) }
func (c connectCall) sendHeaders() error            { return c.flush() }
