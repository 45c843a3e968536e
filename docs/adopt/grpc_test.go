package adopt_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/errmap/errmap/errmap/errmapgrpc"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

type cartGRPC struct {
	shopv1.UnimplementedCartServer
	do func(context.Context) error
}

func (c cartGRPC) Get(ctx context.Context, _ *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	return nil, c.do(ctx)
}

func ofGRPC() []failure {
	// Which side's clock ends a call first is not told by gRPC.
	own := slices.DeleteFunc(slices.Clone(common), func(f failure) bool { return f.timeout > 0 })
	return append(own, []failure{
		{name: "`status.Error(codes.NotFound, \"no cart 7\")`", do: func(context.Context) error {
			return status.Error(codes.NotFound, "no cart 7")
		}},
		{name: "the same, wrapped by `fmt.Errorf(\"load: %w\", …)`", do: func(context.Context) error {
			return fmt.Errorf("load: %w", status.Error(codes.NotFound, "no cart 7"))
		}},
		{name: "`status.Error(codes.InvalidArgument, typed.Error())`", do: func(context.Context) error {
			return status.Error(codes.InvalidArgument, soldOut().Error())
		}},
		{name: "the error of another service, called through a client without errmap", do: func(ctx context.Context) error {
			return another(ctx)
		}},
		{name: "the same, through one with `errmapgrpc.DialOptions`", do: func(ctx context.Context) error {
			return another(ctx, errmapgrpc.DialOptions()...)
		}},
	}...)
}

// another calls a service that has no errmap.
func another(ctx context.Context, opts ...grpc.DialOption) error {
	address, stop, err := serveGRPC(grpc.NewServer(), func(context.Context) error {
		return status.Error(codes.NotFound, "no row 7 in table users")
	})
	if err != nil {
		return err
	}
	defer stop()
	return callGRPC(ctx, address, opts...)
}

func serveGRPC(s *grpc.Server, do func(context.Context) error) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	shopv1.RegisterCartServer(s, cartGRPC{do: do})
	go func() { _ = s.Serve(listener) }()
	return listener.Addr().String(), s.Stop, nil
}

func callGRPC(ctx context.Context, address string, opts ...grpc.DialOption) error {
	conn, err := grpc.NewClient(address, append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = shopv1.NewCartClient(conn).Get(ctx, &shopv1.GetRequest{Sku: "A1"})
	return err
}

const diesIn = "ERRMAP_ADOPT_DIES"

func TestTable_grpc(t *testing.T) {
	if os.Getenv(diesIn) != "" {
		// Without errmap the panic of a handler ends this process, which TestTable_grpc
		// began for that.
		t.Log(overGRPC(t, failure{do: func(context.Context) error { panic("index out of range") }}))
		return
	}
	table(t, "grpc", ofGRPC(), func(t *testing.T, f failure, with bool) string {
		if with {
			return overGRPC(t, f, errmapgrpc.ServerOptions()...)
		}
		if f.name == panicked {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestTable_grpc$")
			cmd.Env = append(os.Environ(), diesIn+"=1")
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "panic: index out of range") {
				t.Errorf("the process lives: %v\n%s", err, out)
			}
			return "no answer: the process ends"
		}
		return overGRPC(t, f)
	})
}

func overGRPC(t *testing.T, f failure, opts ...grpc.ServerOption) string {
	t.Helper()
	address, stop, err := serveGRPC(grpc.NewServer(opts...), f.do)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	s := status.Convert(callGRPC(t.Context(), address))
	return ofStatus(s.Proto(), codes.Code(s.Code()).String())
}
