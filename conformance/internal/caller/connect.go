package caller

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectgzip"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/client"
	conformancev1 "github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1"
	"github.com/errmap/errmap/conformance/gen/connectrpc/conformance/v1/conformancev1connect"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"google.golang.org/protobuf/proto"
)

// Connect returns what prepares calls with version 2 of connect.
func Connect() NewCall {
	clients := new(httpClients)
	return func(ctx context.Context, request *conformancev1.ClientCompatRequest) (context.Context, call, error) {
		httpClient, url := clients.of(request)
		opts := []connecthttp.Option{connecthttp.WithHTTPGet(), connecthttp.WithReadMaxBytes(int(request.GetMessageReceiveLimit()))}
		switch request.GetProtocol() {
		case conformancev1.Protocol_PROTOCOL_CONNECT:
		case conformancev1.Protocol_PROTOCOL_GRPC:
			opts = append(opts, connecthttp.WithGRPC())
		case conformancev1.Protocol_PROTOCOL_GRPC_WEB:
			opts = append(opts, connecthttp.WithGRPCWeb())
		default:
			return nil, nil, fmt.Errorf("no protocol %v", request.GetProtocol())
		}
		if request.GetCodec() == conformancev1.Codec_CODEC_JSON {
			opts = append(opts, connecthttp.WithProtoJSON())
		}
		if request.GetCompression() == conformancev1.Compression_COMPRESSION_GZIP {
			opts = append(opts, connecthttp.WithCompressors(connectgzip.New()), connecthttp.WithSendGzip())
		} else {
			opts = append(opts, connecthttp.WithCompressors())
		}
		return newConnectCall(ctx, request, connecthttp.NewTransport(httpClient, url, opts...))
	}
}

// JSONRPC returns what prepares calls by JSON-RPC. Of the protocol, codec and
// message limit of a request it heeds nothing: JSON-RPC has but one of each.
func JSONRPC() NewCall {
	clients := new(httpClients)
	return func(ctx context.Context, request *conformancev1.ClientCompatRequest) (context.Context, call, error) {
		if request.GetRawRequest() != nil {
			return nil, nil, errors.New("JSON-RPC sends no raw requests of another protocol")
		}
		httpClient, url := clients.of(request)
		return newConnectCall(ctx, request, client.New(httpClient, url))
	}
}

func newConnectCall(ctx context.Context, request *conformancev1.ClientCompatRequest, transport connect.Transport) (context.Context, call, error) {
	ctx, info := connect.NewClientContext(ctx)
	for _, h := range request.GetRequestHeaders() {
		for _, value := range h.GetValue() {
			info.RequestHeader().Add(h.GetName(), value)
		}
	}
	return ctx, connectCall{conformancev1connect.NewConformanceServiceClient(errmapconnect.NewClient(transport)), info}, nil
}

type connectCall struct {
	client conformancev1connect.ConformanceServiceClient
	info   *connect.CallInfo
}

func (c connectCall) header() []*conformancev1.Header { return connectHeaders(c.info.ResponseHeader()) }
func (c connectCall) trailer() []*conformancev1.Header {
	return connectHeaders(c.info.ResponseTrailer())
}

func connectHeaders(h *connect.Header) []*conformancev1.Header {
	var headers []*conformancev1.Header
	for name, values := range h.All() {
		headers = append(headers, &conformancev1.Header{Name: name, Value: values})
	}
	return headers
}

func (c connectCall) unary(ctx context.Context, request proto.Message) (*conformancev1.ConformancePayload, error) {
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

func (c connectCall) serverStream(ctx context.Context, request *conformancev1.ServerStreamRequest) (stream, error) {
	s, err := c.client.ServerStream(ctx, request)
	return connectServerStream{s}, err
}

func (c connectCall) clientStream(ctx context.Context) (stream, error) {
	s, err := c.client.ClientStream(ctx)
	return connectClientStream{s}, err
}

func (c connectCall) bidiStream(ctx context.Context) (stream, error) {
	s, err := c.client.BidiStream(ctx)
	return connectBidiStream{s}, err
}

type connectServerStream struct {
	s conformancev1connect.ConformanceServiceServerStreamClientStream
}

func (connectServerStream) send(proto.Message) error { return errors.ErrUnsupported }
func (connectServerStream) closeSend() error         { return nil }
func (s connectServerStream) close() error           { return s.s.Close() }

func (s connectServerStream) receive() (*conformancev1.ConformancePayload, error) {
	response, err := s.s.Receive()
	return response.GetPayload(), err
}

type connectClientStream struct {
	s conformancev1connect.ConformanceServiceClientStreamClientStream
}

func (connectClientStream) closeSend() error { return nil }
func (connectClientStream) close() error     { return nil }

func (s connectClientStream) send(request proto.Message) error {
	m, ok := request.(*conformancev1.ClientStreamRequest)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.s.Send(m)
}

func (s connectClientStream) receive() (*conformancev1.ConformancePayload, error) {
	response, err := s.s.CloseAndReceive()
	return response.GetPayload(), err
}

type connectBidiStream struct {
	s conformancev1connect.ConformanceServiceBidiStreamClientStream
}

func (s connectBidiStream) closeSend() error { return s.s.CloseSend() }
func (s connectBidiStream) close() error     { return s.s.Close() }

func (s connectBidiStream) send(request proto.Message) error {
	m, ok := request.(*conformancev1.BidiStreamRequest)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.s.Send(m)
}

func (s connectBidiStream) receive() (*conformancev1.ConformancePayload, error) {
	response, err := s.s.Receive()
	return response.GetPayload(), err
}
