package server_test

import (
	"context"
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
