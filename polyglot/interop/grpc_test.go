//go:build interop

package interop_test

import (
	"context"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

func TestInterop_GRPCGo(t *testing.T) {
	t.Parallel()
	for _, r := range agent.rows {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			s := status.Convert(viaGRPC(t, r))
			r.check(t, code.Code(s.Code()), s.Message(), s.Proto().GetDetails())
		})
	}
}

func viaGRPC(t *testing.T, r row) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	for name, value := range r.headers() {
		ctx = metadata.AppendToOutgoingContext(ctx, name, value)
	}
	path := "/" + service + "/" + r.Method
	answer := newMessage(t, r.method().Output())
	if !r.method().IsStreamingServer() {
		return agent.conn.Invoke(ctx, path, r.message(t), answer)
	}
	stream, err := agent.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, path)
	if err != nil {
		return err
	}
	if err := stream.SendMsg(r.message(t)); err != nil {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	for {
		if err := stream.RecvMsg(answer); err != nil {
			return err
		}
	}
}
