package adopt_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/errmap/errmap/errmap/errmapgateway"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// register does what the code does that protoc-gen-grpc-gateway writes for
// get: "/v1/carts/{qty}".
func register(mux *runtime.ServeMux, conn *grpc.ClientConn) error {
	return mux.HandlePath(http.MethodGet, "/v1/carts/{qty}", func(w http.ResponseWriter, r *http.Request, path map[string]string) {
		_, marshaler := runtime.MarshalerForRequest(mux, r)
		ctx, err := runtime.AnnotateContext(r.Context(), mux, r, "/shop.v1.Cart/Get", runtime.WithHTTPPathPattern("/v1/carts/{qty}"))
		if err == nil {
			var qty int32
			if qty, err = runtime.Int32(path["qty"]); err != nil {
				err = status.Errorf(codes.InvalidArgument, "type mismatch, parameter: %s, error: %v", "qty", err)
			} else {
				_, err = shopv1.NewCartClient(conn).Get(ctx, &shopv1.GetRequest{Qty: qty})
			}
		}
		if err != nil {
			runtime.HTTPError(ctx, mux, marshaler, w, r, err)
		}
	})
}

func ofGateway() []failure {
	return []failure{
		{name: "a plain error of a service without errmap", do: func(context.Context) error { return errDatabase }},
		{name: "a typed error of a service with errmap", do: func(context.Context) error { return soldOut() }},
		{name: "`status.Error(codes.NotFound, \"no cart 7\")`", do: func(context.Context) error { return status.Error(codes.NotFound, "no cart 7") }},
		{name: malformed, do: func(context.Context) error { return nil }},
		{name: unreachable, do: func(context.Context) error { return nil }},
	}
}

const (
	malformed   = "a path that does not fit its field"
	unreachable = "a service that cannot be reached"
)

func TestTable_gateway(t *testing.T) {
	table(t, "gateway", ofGateway(), func(t *testing.T, f failure, with bool) string {
		var service []grpc.ServerOption
		if _, typed := errors.AsType[*shopv1.StockEmptyError](f.do(t.Context())); typed {
			service = errmapgrpc.ServerOptions()
		}
		address, stop, err := serveGRPC(grpc.NewServer(service...), f.do)
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		path := "/v1/carts/7"
		switch f.name {
		case malformed:
			path = "/v1/carts/many"
		case unreachable:
			address = "127.0.0.1:1"
		}
		var dial []grpc.DialOption
		var opts []runtime.ServeMuxOption
		if with {
			dial = errmapgrpc.DialOptions()
			opts = append(opts, runtime.WithErrorHandler(errmapgateway.ErrorHandler()))
		}
		conn := dialed(t, address, dial...)
		mux := runtime.NewServeMux(opts...)
		if err := register(mux, conn); err != nil {
			t.Fatal(err)
		}
		return get(t, mux, path)
	})
}

func dialed(t *testing.T, address string, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
