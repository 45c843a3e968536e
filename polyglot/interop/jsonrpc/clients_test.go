package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/jhttp"
	ethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/results"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

// What is shown to a client.
const shown = "code, message and data of each error, alone and in a batch"

// shop fails with the error object that is the name of the article, and without one
// with an error that has details.
type shop struct {
	shopv1connect.UnimplementedCartHandler
}

func (shop) Get(_ context.Context, r *shopv1.GetRequest) (*shopv1.GetResponse, error) {
	switch r.GetSku() {
	case "":
		return nil, &shopv1.StockEmptyError{Sku: "A1"}
	case "A1":
		return &shopv1.GetResponse{Sku: "A1", Qty: 1}, nil
	}
	e, err := errmap.DecodeJSONRPC([]byte(r.GetSku()), errmap.ProfileGeneric)
	if err != nil {
		return nil, err
	}
	return nil, e
}

func (shop) Ping(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return new(emptypb.Empty), nil
}

// serveShop serves the shop by errmap's own server.
func serveShop(t *testing.T) (url string) {
	t.Helper()
	rpc := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, shop{})
	mux := http.NewServeMux()
	if err := server.Mount(mux, rpc); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// object is an error object as a client shows it.
func object(t *testing.T, code int, message string, data any) any {
	t.Helper()
	members := map[string]any{"code": code, "message": message}
	if data != nil {
		members["data"] = data
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(text))
}

// stockEmpty is the error object of the shop's own error.
func stockEmpty(t *testing.T) any {
	t.Helper()
	return parsed(t, string(errmap.EncodeJSONRPC(errmap.New(&shopv1.StockEmptyError{Sku: "A1"}), errmap.ProfileGeneric)))
}

// go-ethereum's client knows params by position alone: it calls what needs none.
func TestFinding_P14_goEthereum(t *testing.T) {
	c, err := ethrpc.DialContext(t.Context(), serveShop(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var result map[string]any
	if err := c.CallContext(t.Context(), &result, "shop.v1.Cart/Ping"); err != nil || len(result) > 0 {
		t.Errorf("got %v, %v", result, err)
	}
	told := func(err error) any {
		numbered, ok := errors.AsType[ethrpc.Error](err)
		if !ok {
			t.Fatalf("no error of the server: %v", err)
		}
		var data any
		if with, ok := errors.AsType[ethrpc.DataError](err); ok {
			data = with.ErrorData()
		}
		return object(t, numbered.ErrorCode(), numbered.Error(), data)
	}
	// What it calls without params, with a param by position, and by a name that is none.
	calls := []ethrpc.BatchElem{
		{Method: "shop.v1.Cart/Get", Result: new(any)},
		{Method: "shop.v1.Cart/Get", Args: []any{"A1"}, Result: new(any)},
		{Method: "cart_get", Result: new(any)},
	}
	for i := range calls {
		calls[i].Error = c.CallContext(t.Context(), calls[i].Result, calls[i].Method, calls[i].Args...)
	}
	alone := []any{told(calls[0].Error), told(calls[1].Error), told(calls[2].Error)}
	if err := c.BatchCallContext(t.Context(), calls); err != nil {
		t.Fatal(err)
	}
	want := []any{
		stockEmpty(t),
		object(t, -32602, "Invalid params: params must be an object with the fields of shop.v1.GetRequest", nil),
		object(t, -32601, "Method not found: cart_get", nil),
	}
	for way, got := range map[string][]any{"alone": alone, "batched": {told(calls[0].Error), told(calls[1].Error), told(calls[2].Error)}} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", way, diff)
		}
	}
	tell(t, "go-ethereum, client", results.Go(t, "github.com/ethereum/go-ethereum"), len(want), shown)
}

// jrpc2 as a client shows every error object as it stood.
func TestClient_jrpc2(t *testing.T) {
	channel := jhttp.NewChannel(serveShop(t), nil)
	c := jrpc2.NewClient(channel, nil)
	t.Cleanup(func() { _ = c.Close() })
	told := func(err error) any {
		e, ok := errors.AsType[*jrpc2.Error](err)
		if !ok {
			t.Fatalf("no error of the server: %v", err)
		}
		var data any
		if e.Data != nil {
			data = e.Data
		}
		return object(t, int(e.Code), e.Message, data)
	}
	if err := c.CallResult(t.Context(), "shop.v1.Cart/Get", map[string]any{"sku": "A1"}, new(any)); err != nil {
		t.Errorf("got %v", err)
	}
	specs := []jrpc2.Spec{{Method: "shop.v1.Cart/Get"}}
	want := []any{stockEmpty(t)}
	for _, row := range thrown {
		specs = append(specs, jrpc2.Spec{Method: "shop.v1.Cart/Get", Params: map[string]any{"sku": row.object}})
		want = append(want, parsed(t, row.object))
	}
	alone, batched := make([]any, len(specs)), make([]any, len(specs))
	for i, spec := range specs {
		alone[i] = told(c.CallResult(t.Context(), spec.Method, spec.Params, new(any)))
	}
	responses, err := c.Batch(t.Context(), specs)
	if err != nil || len(responses) != len(specs) {
		t.Fatalf("%d responses, %v", len(responses), err)
	}
	for i, response := range responses {
		batched[i] = told(response.Error())
	}
	for way, got := range map[string][]any{"alone": alone, "batched": batched} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", way, diff)
		}
	}
	tell(t, "jrpc2, client", results.Go(t, "github.com/creachadair/jrpc2"), len(want), shown)
}
