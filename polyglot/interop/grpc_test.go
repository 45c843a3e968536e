//go:build interop

package interop_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

func TestInterop_GRPCGo(t *testing.T) {
	t.Parallel()
	for _, r := range agent.rows {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			s := status.Convert(viaGRPC(t, r))
			if s.Code() != codes.Code(r.code()) || s.Message() != r.Message || len(s.Details()) != 1 {
				t.Fatalf("got %v", s.Proto())
			}
			info, ok := s.Details()[0].(*errdetails.ErrorInfo)
			if !ok || info.GetReason() != r.Reason || info.GetDomain() != domain {
				t.Errorf("got %v", s.Details()[0])
			}
			if diff := cmp.Diff(r.Metadata, info.GetMetadata()); diff != "" {
				t.Errorf("metadata: %s", diff)
			}
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
