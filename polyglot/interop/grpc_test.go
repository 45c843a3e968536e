package interop_test

import (
	"context"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/errmap/errmap/internal/results"
)

func TestInterop_GRPCGo(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() { tell(t, "grpc-go", results.Go(t, "google.golang.org/grpc"), "gRPC", whole) })
	for _, r := range rows {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			answers, err := viaGRPC(t, r)
			if answers != r.After {
				t.Errorf("%d answers before the error, want %d", answers, r.After)
			}
			s := status.Convert(err)
			r.check(t, code.Code(s.Code()), s.Message(), s.Proto().GetDetails())
		})
	}
}

func viaGRPC(t *testing.T, r row) (answers int, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	for name, value := range r.headers() {
		ctx = metadata.AppendToOutgoingContext(ctx, name, value)
	}
	path := "/" + service + "/" + r.Method
	answer := newMessage(t, r.method().Output())
	if !r.method().IsStreamingServer() {
		return 0, r.target().conn.Invoke(ctx, path, r.message(t), answer)
	}
	stream, err := r.target().conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, path)
	if err != nil {
		return 0, err
	}
	if err := stream.SendMsg(r.message(t)); err != nil {
		return 0, err
	}
	if err := stream.CloseSend(); err != nil {
		return 0, err
	}
	for ; ; answers++ {
		if err := stream.RecvMsg(answer); err != nil {
			return answers, err
		}
	}
}
