package readme_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
	"github.com/errmap/errmap/server/httpserver"
)

func beside(pages http.Handler) (http.Handler, error) {
	rpc := errmapconnect.NewServer()
	shopv1connect.RegisterCartHandler(rpc, cart{})
	libraryv1connect.RegisterLibraryHandler(rpc, libraryv1connect.UnimplementedLibraryHandler{})

	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc) // by the names of the services, such as /shop.v1.CartService/
	err := errors.Join(
		server.Mount(mux, rpc, server.WithPattern("/rpc")),
		httpjson.Mount(mux, rpc, httpjson.WithPattern("/v1/")), // the prefix of the paths in google.api.http
	)
	mux.Handle("/", pages)
	return mux, err
}

func forPages(ctx context.Context, listener net.Listener) error {
	return httpserver.Run(ctx, listener, newHandler(),
		httpserver.WithOrigins("https://app.example.com"),
		httpserver.WithCORSHeaders([]string{"X-Tenant"}, []string{"X-Request-Id"}))
}

// Pages live beside the mounts, which keep their paths.
func TestFinding_N11(t *testing.T) {
	t.Parallel()
	h, err := beside(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("page")) }))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ method, path, body, want string }{
		{"GET", "/", "", "page"},
		{"GET", "/cart/of/mine", "", "page"},
		{"POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`, `"code":4010`},
		{"POST", "/shop.v1.Cart/Get", `{"sku":"A1"}`, `"failed_precondition"`},
		{"GET", "/v1/nowhere", "", `"status":"NOT_FOUND"`},
	} {
		r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s %s: %d %s, want %s", tt.method, tt.path, w.Code, w.Body, tt.want)
		}
	}
}

// A page of a named origin may ask what the guide says, and no other page.
func TestFinding_N18(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- forPages(ctx, listener) }()
	defer func() { stop(); <-done }()
	ask := func(method, origin string) http.Header {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+listener.Addr().String()+"/shop.v1.Cart/Get", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		r.Header.Set("Content-Type", "application/json")
		if method == http.MethodOptions {
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", "connect-protocol-version,content-type,x-tenant")
		}
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Body.Close()
		return w.Header
	}
	preflight := ask(http.MethodOptions, "https://app.example.com")
	if allowed := preflight.Get("Access-Control-Allow-Headers"); preflight.Get("Access-Control-Allow-Methods") != "POST" || !strings.Contains(allowed, "x-tenant") || !strings.Contains(allowed, "connect-protocol-version") {
		t.Errorf("preflight: %v", preflight)
	}
	exposed := ask(http.MethodPost, "https://app.example.com").Get("Access-Control-Expose-Headers")
	for _, name := range []string{"Grpc-Status-Details-Bin", "Retry-After", "X-Request-Id"} {
		if !strings.Contains(exposed, name) {
			t.Errorf("%s is not exposed: %s", name, exposed)
		}
	}
	if got := ask(http.MethodPost, "https://evil.example.com").Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("another origin may read: %q", got)
	}
}

// A mux that the mounts have taken whole has no room for pages; the guide says so.
func Example_taken() {
	defer func() { fmt.Println(recover() != nil) }()
	mux, ok := newHandler().(*http.ServeMux)
	if !ok {
		log.Fatal("no mux")
	}
	mux.Handle("/", http.NotFoundHandler())
	// Output: true
}
