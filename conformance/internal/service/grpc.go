package service

import (
	"context"
	"errors"
	"io"
	"strings"

	"connectrpc.com/connect/v2"
	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// GRPC is the service for grpc-go.
type GRPC struct {
	conformancev1.UnimplementedConformanceServiceServer
}

// Unary answers one request.
func (GRPC) Unary(ctx context.Context, req *conformancev1.UnaryRequest) (*conformancev1.UnaryResponse, error) {
	payload, err := answerOne(ctx, grpcCall{ctx, nil}, req)
	if err != nil {
		return nil, err
	}
	return &conformancev1.UnaryResponse{Payload: payload}, nil
}

// IdempotentUnary answers one request; gRPC has no GET.
func (GRPC) IdempotentUnary(ctx context.Context, req *conformancev1.IdempotentUnaryRequest) (*conformancev1.IdempotentUnaryResponse, error) {
	payload, err := answerOne(ctx, grpcCall{ctx, nil}, req)
	if err != nil {
		return nil, err
	}
	return &conformancev1.IdempotentUnaryResponse{Payload: payload}, nil
}

// ClientStream answers a stream of requests.
func (GRPC) ClientStream(stream grpc.ClientStreamingServer[conformancev1.ClientStreamRequest, conformancev1.ClientStreamResponse]) error {
	var requests []proto.Message
	for {
		req, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		requests = append(requests, req)
	}
	payload, err := answerOne(stream.Context(), grpcCall{stream.Context(), nil}, requests...)
	if err != nil {
		return err
	}
	return stream.SendAndClose(&conformancev1.ClientStreamResponse{Payload: payload})
}

// ServerStream answers one request with a stream.
func (GRPC) ServerStream(req *conformancev1.ServerStreamRequest, stream grpc.ServerStreamingServer[conformancev1.ServerStreamResponse]) error {
	return answerMany(stream.Context(), grpcCall{stream.Context(), stream}, req, func(p *conformancev1.ConformancePayload) error {
		return stream.Send(&conformancev1.ServerStreamResponse{Payload: p})
	})
}

// BidiStream answers a stream with a stream.
func (GRPC) BidiStream(stream grpc.BidiStreamingServer[conformancev1.BidiStreamRequest, conformancev1.BidiStreamResponse]) error {
	return converse(stream.Context(), grpcCall{stream.Context(), stream}, stream.Recv, func(p *conformancev1.ConformancePayload) error {
		return stream.Send(&conformancev1.BidiStreamResponse{Payload: p})
	})
}

type grpcCall struct {
	ctx    context.Context
	stream grpc.ServerStream // nil where the answer is one message
}

func (c grpcCall) requestHeader() []*conformancev1.Header {
	md, _ := metadata.FromIncomingContext(c.ctx)
	return HeadersOfMetadata(md)
}

func (c grpcCall) query() []*conformancev1.Header { return nil }

// addHeader fails only on a context without a call.
func (c grpcCall) addHeader(name, value string) {
	_ = grpc.SetHeader(c.ctx, metadata.Pairs(name, MetadataValue(name, value)))
}

func (c grpcCall) addTrailer(name, value string) {
	_ = grpc.SetTrailer(c.ctx, metadata.Pairs(name, MetadataValue(name, value)))
}

func (c grpcCall) sendHeaders() error { return c.stream.SendHeader(nil) }

// HeadersOfMetadata returns metadata as the suite has it: binary values in base64.
func HeadersOfMetadata(md metadata.MD) []*conformancev1.Header {
	var headers []*conformancev1.Header
	for name, values := range md {
		h := &conformancev1.Header{Name: name}
		for _, value := range values {
			if strings.HasSuffix(name, "-bin") {
				value = connect.EncodeBinaryHeader([]byte(value))
			}
			h.Value = append(h.Value, value)
		}
		headers = append(headers, h)
	}
	return headers
}

// MetadataValue returns a value of the suite as grpc-go has it: binary ones as
// their bytes.
func MetadataValue(name, value string) string {
	if !strings.HasSuffix(strings.ToLower(name), "-bin") {
		return value
	}
	raw, err := connect.DecodeBinaryHeader(value)
	if err != nil {
		return value
	}
	return string(raw)
}
