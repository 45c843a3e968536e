package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adaptertest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

func TestWithObserver(t *testing.T) {
	t.Parallel()
	var here, there adaptertest.Events
	service := &cart{
		get: func(context.Context, *shopv1.GetRequest) (*shopv1.GetResponse, error) { return nil, errDriver },
		watch: func(context.Context, *shopv1.GetRequest, shopv1connect.CartWatchServerStream) error {
			panic(errDriver)
		},
	}
	s := httptest.NewServer(newHandler(t, service, server.WithGuard(adaptertest.Quiet()), server.WithObserver(there.Observe)))
	t.Cleanup(s.Close)
	c := shopv1connect.NewCartClient(connect.NewClient(client.New(nil, s.URL, client.WithObserver(here.Observe))))

	_, _ = c.Get(t.Context(), &shopv1.GetRequest{Sku: "A1"})
	adaptertest.CheckHiddenEvents(t, there.Take(), here.Take(), "/shop.v1.Cart/Get", errmap.WireJSONRPC)
	stream, err := c.Watch(t.Context(), &shopv1.GetRequest{Sku: "A1"})
	if err == nil {
		_, _ = stream.Receive()
		_ = stream.Close()
	}
	adaptertest.CheckHiddenEvents(t, there.Take(), here.Take(), "/shop.v1.Cart/Watch", errmap.WireJSONRPC)

	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"none"}`: "UNIMPLEMENTED",
		`{"jsonrpc":"2.0","id":1,"method":7}`:      "INVALID_ARGUMENT",
		`{"jsonrpc":"2.0","method":"none"}`:        "UNIMPLEMENTED",
	} {
		r, err := http.Post(s.URL, "application/json", strings.NewReader(body)) //nolint:noctx // a test's
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		if events := there.Take(); len(events) != 1 || events[0].Sent.Code().String() != want || events[0].Procedure != "" {
			t.Errorf("%s: told %+v", body, events)
		}
	}
	if _, err := c.Echo(t.Context(), &shopv1.Everything{}); err != nil || len(there.Take())+len(here.Take()) > 0 {
		t.Error("told of a call that did well")
	}
}
