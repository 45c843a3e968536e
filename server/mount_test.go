package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
)

func TestMount(t *testing.T) {
	t.Parallel()
	rpc := connect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, new(cart))
	tests := map[string]struct {
		opts    []server.Option
		path    string
		method  string
		status  int
		contain string
	}{
		"the root path":           {nil, "/", "shop.v1.Cart/Ping", 200, `"result":{}`},
		"nothing below it":        {nil, "/other", "shop.v1.Cart/Ping", 404, "404 page not found"},
		"a pattern":               {[]server.Option{server.WithPattern("/rpc")}, "/rpc", "shop.v1.Cart/Ping", 200, `"result":{}`},
		"bare names":              {[]server.Option{server.WithMethodNames(server.BareNames)}, "/", "Ping", 200, `"result":{}`},
		"dotted names":            {[]server.Option{server.WithMethodNames(server.DottedNames)}, "/", "shop.v1.Cart.Ping", 200, `"result":{}`},
		"names of other rules":    {[]server.Option{server.WithMethodNames(server.DottedNames)}, "/", "Ping", 200, `-32601`},
		"a name that is left out": {[]server.Option{server.WithMethodNames(func(string) string { return "" })}, "/", "Ping", 200, `-32601`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			if err := server.Mount(mux, rpc, test.opts...); err != nil {
				t.Fatal(err)
			}
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, test.path,
				strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+test.method+`"}`))
			got := send(t, mux, request)
			if got.status != test.status || !strings.Contains(got.body, test.contain) {
				t.Errorf("got %d %s, want %d and %s", got.status, got.body, test.status, test.contain)
			}
		})
	}
}

func TestMount_collisions(t *testing.T) {
	t.Parallel()
	rpc := connect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, new(cart))
	shopv1connect.RegisterOrdersHandler(rpc, shopv1connect.UnimplementedOrdersHandler{})
	mux := http.NewServeMux()
	tests := map[string]struct {
		rule server.MethodNames
		want string
	}{
		"slash names":  {server.SlashNames, ""},
		"dotted names": {server.DottedNames, ""},
		"bare names":   {server.BareNames, `server: the method name "Get" is that of both /shop.v1.Cart/Get and /shop.v1.Orders/Get; choose other names with WithMethodNames`},
		"reserved names": {
			func(procedure string) string {
				if procedure == "/shop.v1.Cart/Ping" {
					return "rpc.ping"
				}
				return procedure
			},
			`server: the method name "rpc.ping" of /shop.v1.Cart/Ping is reserved (JSON-RPC 2.0 section 4); choose other names with WithMethodNames`,
		},
	}
	for name, test := range tests {
		err := server.Mount(mux, rpc, server.WithMethodNames(test.rule), server.WithPattern("/"+strings.ReplaceAll(name, " ", "")))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A pattern that the router refuses is an error, as every other mistake of a
// program's set-up is.
func TestMount_refused(t *testing.T) {
	t.Parallel()
	rpc := connect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, new(cart))
	mux := http.NewServeMux()
	if err := server.Mount(mux, rpc); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		opts []server.Option
		want string
	}{
		{nil, `server: nothing can be registered under the pattern "/{$}": pattern "/{$}"`},
		{[]server.Option{server.WithPattern("/{")}, `server: nothing can be registered under the pattern "/{": parsing "/{": at offset 1: bad wildcard segment`},
		{[]server.Option{server.WithPattern("")}, `server: nothing can be registered under the pattern "": http: invalid pattern`},
	} {
		if err := server.Mount(mux, rpc, row.opts...); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("got %v, want %s", err, row.want)
		}
	}
	// What was registered is there still.
	got := send(t, mux, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Ping"}`)))
	if got.status != http.StatusOK || !strings.Contains(got.body, `"result":{}`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
}
