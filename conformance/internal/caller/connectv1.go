package caller

import (
	"context"
	"errors"
	"fmt"
	"io"

	"connectrpc.com/connect"
	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1/conformancev1connectv1"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"google.golang.org/protobuf/proto"
)

// ConnectV1 returns what prepares calls with version 1 of connect.
func ConnectV1() NewCall {
	clients := new(httpClients)
	return func(ctx context.Context, request *conformancev1.ClientCompatRequest) (context.Context, call, error) {
		httpClient, url := clients.of(request)
		opts := []connect.ClientOption{connect.WithHTTPGet(), errmapconnectv1.WithClient()}
		if limit := request.GetMessageReceiveLimit(); limit > 0 {
			opts = append(opts, connect.WithReadMaxBytes(int(limit)))
		}
		switch request.GetProtocol() {
		case conformancev1.Protocol_PROTOCOL_CONNECT:
		case conformancev1.Protocol_PROTOCOL_GRPC:
			opts = append(opts, connect.WithGRPC())
		case conformancev1.Protocol_PROTOCOL_GRPC_WEB:
			opts = append(opts, connect.WithGRPCWeb())
		default:
			return nil, nil, fmt.Errorf("no protocol %v", request.GetProtocol())
		}
		if request.GetCodec() == conformancev1.Codec_CODEC_JSON {
			opts = append(opts, connect.WithProtoJSON())
		}
		if request.GetCompression() == conformancev1.Compression_COMPRESSION_GZIP {
			opts = append(opts, connect.WithSendGzip())
		} else {
			opts = append(opts, connect.WithAcceptCompression("gzip", nil, nil))
		}
		ctx, info := connect.NewClientContext(ctx)
		for _, h := range request.GetRequestHeaders() {
			for _, value := range h.GetValue() {
				info.RequestHeader().Add(h.GetName(), value)
			}
		}
		return ctx, connectV1Call{conformancev1connectv1.NewConformanceServiceClient(httpClient, url, opts...), info}, nil
	}
}

type connectV1Call struct {
	client conformancev1connectv1.ConformanceServiceClient
	info   connect.CallInfo
}

func (c connectV1Call) header() []*conformancev1.Header  { return headersOf(c.info.ResponseHeader()) }
func (c connectV1Call) trailer() []*conformancev1.Header { return headersOf(c.info.ResponseTrailer()) }

func headersOf(m map[string][]string) []*conformancev1.Header {
	var headers []*conformancev1.Header
	for name, values := range m {
		headers = append(headers, &conformancev1.Header{Name: name, Value: values})
	}
	return headers
}

func (c connectV1Call) unary(ctx context.Context, request proto.Message) (*conformancev1.ConformancePayload, error) {
	switch request := request.(type) {
	case *conformancev1.UnaryRequest:
		response, err := c.client.Unary(ctx, request)
		return response.GetPayload(), err
	case *conformancev1.IdempotentUnaryRequest:
		response, err := c.client.IdempotentUnary(ctx, request)
		return response.GetPayload(), err
	case *conformancev1.UnimplementedRequest:
		_, err := c.client.Unimplemented(ctx, request)
		return nil, err
	}
	return nil, fmt.Errorf("%T is no request of a unary call", request)
}

func (c connectV1Call) serverStream(ctx context.Context, request *conformancev1.ServerStreamRequest) (stream, error) {
	s, err := c.client.ServerStream(ctx, request)
	return connectV1ServerStream{s}, err
}

func (c connectV1Call) clientStream(ctx context.Context) (stream, error) {
	s, err := c.client.ClientStream(ctx)
	return connectV1ClientStream{s}, err
}

func (c connectV1Call) bidiStream(ctx context.Context) (stream, error) {
	s, err := c.client.BidiStream(ctx)
	return connectV1BidiStream{s}, err
}

type connectV1ServerStream struct {
	s *connect.ServerStreamForClient[conformancev1.ServerStreamResponse]
}

func (connectV1ServerStream) send(proto.Message) error { return errors.ErrUnsupported }
func (connectV1ServerStream) closeSend() error         { return nil }
func (s connectV1ServerStream) close() error           { return s.s.Close() }

func (s connectV1ServerStream) receive() (*conformancev1.ConformancePayload, error) {
	if s.s.Receive() {
		return s.s.Msg().GetPayload(), nil
	}
	if err := s.s.Err(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

type connectV1ClientStream struct {
	s *connect.ClientStreamForClientSimple[conformancev1.ClientStreamRequest, conformancev1.ClientStreamResponse]
}

func (connectV1ClientStream) closeSend() error { return nil }
func (connectV1ClientStream) close() error     { return nil }

func (s connectV1ClientStream) send(request proto.Message) error {
	m, ok := request.(*conformancev1.ClientStreamRequest)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.s.Send(m)
}

func (s connectV1ClientStream) receive() (*conformancev1.ConformancePayload, error) {
	response, err := s.s.CloseAndReceive()
	return response.GetPayload(), err
}

type connectV1BidiStream struct {
	s *connect.BidiStreamForClientSimple[conformancev1.BidiStreamRequest, conformancev1.BidiStreamResponse]
}

func (s connectV1BidiStream) closeSend() error { return s.s.CloseRequest() }
func (s connectV1BidiStream) close() error     { return s.s.CloseResponse() }

func (s connectV1BidiStream) send(request proto.Message) error {
	m, ok := request.(*conformancev1.BidiStreamRequest)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.s.Send(m)
}

func (s connectV1BidiStream) receive() (*conformancev1.ConformancePayload, error) {
	response, err := s.s.Receive()
	return response.GetPayload(), err
}
