package caller

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"github.com/errmap/errmap/conformance/internal/service"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// GRPC returns what prepares calls with grpc-go.
func GRPC() NewCall {
	conns := new(grpcConns)
	return func(ctx context.Context, request *conformancev1.ClientCompatRequest) (context.Context, call, error) {
		conn, err := conns.to(net.JoinHostPort(request.GetHost(), strconv.Itoa(int(request.GetPort()))))
		if err != nil {
			return nil, nil, err
		}
		c := &grpcCall{client: conformancev1.NewConformanceServiceClient(conn)}
		c.opts = []grpc.CallOption{grpc.Header(&c.received), grpc.Trailer(&c.trailers)}
		if request.GetCompression() == conformancev1.Compression_COMPRESSION_GZIP {
			c.opts = append(c.opts, grpc.UseCompressor(gzip.Name))
		}
		if limit := request.GetMessageReceiveLimit(); limit > 0 {
			c.opts = append(c.opts, grpc.MaxCallRecvMsgSize(int(limit)))
		}
		for _, h := range request.GetRequestHeaders() {
			for _, value := range h.GetValue() {
				ctx = metadata.AppendToOutgoingContext(ctx, h.GetName(), service.MetadataValue(h.GetName(), value))
			}
		}
		return ctx, c, nil
	}
}

// grpcConns keeps a connection to each server.
type grpcConns struct {
	mu    sync.Mutex
	conns map[string]*grpc.ClientConn
}

func (c *grpcConns) to(address string) (*grpc.ClientConn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn, ok := c.conns[address]; ok {
		return conn, nil
	}
	opts := append(errmapgrpc.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	conn, err := grpc.NewClient(address, opts...)
	if err != nil {
		return nil, err
	}
	if c.conns == nil {
		c.conns = make(map[string]*grpc.ClientConn)
	}
	c.conns[address] = conn
	return conn, nil
}

type grpcCall struct {
	client             conformancev1.ConformanceServiceClient
	opts               []grpc.CallOption
	received, trailers metadata.MD
}

func (c *grpcCall) header() []*conformancev1.Header  { return service.HeadersOfMetadata(c.received) }
func (c *grpcCall) trailer() []*conformancev1.Header { return service.HeadersOfMetadata(c.trailers) }

func (c *grpcCall) unary(ctx context.Context, request proto.Message) (*conformancev1.ConformancePayload, error) {
	switch request := request.(type) {
	case *conformancev1.UnaryRequest:
		response, err := c.client.Unary(ctx, request, c.opts...)
		return response.GetPayload(), err
	case *conformancev1.IdempotentUnaryRequest:
		response, err := c.client.IdempotentUnary(ctx, request, c.opts...)
		return response.GetPayload(), err
	case *conformancev1.UnimplementedRequest:
		_, err := c.client.Unimplemented(ctx, request, c.opts...)
		return nil, err
	}
	return nil, fmt.Errorf("%T is no request of a unary call", request)
}

func (c *grpcCall) serverStream(ctx context.Context, request *conformancev1.ServerStreamRequest) (stream, error) {
	s, err := c.client.ServerStream(ctx, request, c.opts...)
	return grpcServerStream{s}, err
}

func (c *grpcCall) clientStream(ctx context.Context) (stream, error) {
	s, err := c.client.ClientStream(ctx, c.opts...)
	return grpcClientStream{s}, err
}

func (c *grpcCall) bidiStream(ctx context.Context) (stream, error) {
	s, err := c.client.BidiStream(ctx, c.opts...)
	return grpcBidiStream{s}, err
}

type grpcServerStream struct {
	s grpc.ServerStreamingClient[conformancev1.ServerStreamResponse]
}

func (grpcServerStream) send(proto.Message) error { return errors.ErrUnsupported }
func (grpcServerStream) closeSend() error         { return nil }
func (grpcServerStream) close() error             { return nil }

func (s grpcServerStream) receive() (*conformancev1.ConformancePayload, error) {
	response, err := s.s.Recv()
	return response.GetPayload(), err
}

type grpcClientStream struct {
	s grpc.ClientStreamingClient[conformancev1.ClientStreamRequest, conformancev1.ClientStreamResponse]
}

func (grpcClientStream) closeSend() error { return nil }
func (grpcClientStream) close() error     { return nil }

func (s grpcClientStream) send(request proto.Message) error {
	m, ok := request.(*conformancev1.ClientStreamRequest)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.s.Send(m)
}

func (s grpcClientStream) receive() (*conformancev1.ConformancePayload, error) {
	response, err := s.s.CloseAndRecv()
	return response.GetPayload(), err
}

type grpcBidiStream struct {
	s grpc.BidiStreamingClient[conformancev1.BidiStreamRequest, conformancev1.BidiStreamResponse]
}

func (s grpcBidiStream) closeSend() error { return s.s.CloseSend() }
func (grpcBidiStream) close() error       { return nil }

func (s grpcBidiStream) send(request proto.Message) error {
	m, ok := request.(*conformancev1.BidiStreamRequest)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.s.Send(m)
}

func (s grpcBidiStream) receive() (*conformancev1.ConformancePayload, error) {
	response, err := s.s.Recv()
	return response.GetPayload(), err
}
