package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/server"
)

// TestMount_besideTheInterceptor holds a server that errmapconnect made, as it
// must be for Connect and gRPC, to the answers of a bare one.
func TestMount_besideTheInterceptor(t *testing.T) {
	t.Parallel()
	tests := map[string]error{
		"of the service":      stock("A1"),
		"wrapped":             fmt.Errorf("save: %w", stock("A1")),
		"of Connect":          connect.NewError(connect.CodeAborted, "try again"),
		"a plain code":        errmap.NewCode(code.Code_DATA_LOSS, "gone for good"),
		"with all its fields": errmap.NewCode(code.Code_UNAVAILABLE, "later").WithRetryDelay(1500000000),
		"of the driver":       errDriver,
		"of a peer":           errmap.NewCode(code.Code_NOT_FOUND, errDriver.Error()).WithRemote(),
	}
	for name, failure := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var outer []errmap.Report
			guard := errmap.NewGuard(errmap.WithLog(func(_ context.Context, report errmap.Report) { outer = append(outer, report) }))
			rpc := errmapconnect.NewServer(errmapconnect.WithGuard(guard))
			registerCart(rpc, failing(failure))
			inner := new(reports)
			handler, err := server.NewHandler(rpc, inner.options()...)
			if err != nil {
				t.Fatal(err)
			}
			bare := new(reports)
			want := post(t, newHandler(t, failing(failure), bare.options()...), get("1", "A1")).body
			got := post(t, handler, get("1", "A1")).body
			if len(bare.hidden) != len(outer) || inner.hidden != nil {
				t.Fatalf("%d reports of the interceptor and %d of the transport, want %d and none", len(outer), len(inner.hidden), len(bare.hidden))
			}
			for i := range outer {
				want = strings.ReplaceAll(want, bare.hidden[i].ID, outer[i].ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-bare +with the interceptor):\n%s", diff)
			}
		})
	}
}

func TestMount_paramsBesideTheInterceptor(t *testing.T) {
	t.Parallel()
	rpc := errmapconnect.NewServer()
	registerCart(rpc, new(cart))
	handler, err := server.NewHandler(rpc)
	if err != nil {
		t.Fatal(err)
	}
	got := post(t, handler, `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":[1]}`)
	want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params must be an object with the fields of shop.v1.GetRequest"}}`
	if got.body != want {
		t.Errorf("got %s, want %s", got.body, want)
	}
}

// An interceptor that stands before errmap's, such as one for metrics, finds the error of
// Connect in that of a call through this mount too, with its code.
func TestFinding_N04(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failure error
		want    connect.Code
	}{
		"typed":  {stock("A1"), connect.CodeFailedPrecondition},
		"hidden": {errDriver, connect.CodeInternal},
	} {
		var seen *connect.Error
		metrics := func(next connect.ServerFunc) connect.ServerFunc {
			return func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
				err := next(ctx, spec, stream)
				seen, _ = errors.AsType[*connect.Error](err)
				return err
			}
		}
		rpc := connect.NewServer(metrics, errmapconnect.ServerInterceptor(errmapconnect.WithGuard(quietGuard())))
		registerCart(rpc, failing(test.failure))
		handler, err := server.NewHandler(rpc)
		if err != nil {
			t.Fatal(err)
		}
		post(t, handler, get("1", "A1"))
		if seen == nil || seen.Code() != test.want || len(seen.Details()) == 0 {
			t.Errorf("%s: the interceptor saw %v", name, seen)
		}
	}
}

func quietGuard() *errmap.Guard {
	return errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {}))
}
