package gateway_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
	"github.com/errmap/errmap/server/httpjson"
)

// hearing is an upstream that keeps the headers of the last call.
type hearing struct {
	libraryv1.UnimplementedLibraryServer
	mu   sync.Mutex
	last metadata.MD
}

func (h *hearing) GetBook(ctx context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last, _ = metadata.FromIncomingContext(ctx)
	return &libraryv1.Book{Name: r.GetName()}, nil
}

// heard returns the headers that a caller's request had and that the upstream got.
func (h *hearing) heard(sent http.Header) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var got []string
	for name, values := range sent {
		if slices.Equal(h.last.Get(name), values) {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	return got
}

// What callers of the tests below send.
var (
	hop = http.Header{
		"Connection":          {"keep-alive, x-hop", "X-Other-Hop ,, close"},
		"X-Hop":               {"1"},
		"X-Other-Hop":         {"1"},
		"Keep-Alive":          {"timeout=5"},
		"Http2-Settings":      {"AAMAAABkAAQAAP__"},
		"Upgrade":             {"h2c"},
		"Proxy-Connection":    {"keep-alive"},
		"Proxy-Authorization": {"Basic cHJveHk6c2VjcmV0"},
		"Proxy-Authenticate":  {"Basic"},
		"Te":                  {"trailers, deflate"},
	}
	origin = http.Header{
		"Forwarded":          {"for=10.0.0.1"},
		"X-Forwarded-For":    {"10.0.0.1"},
		"X-Forwarded-Host":   {"admin.example.com"},
		"X-Forwarded-Proto":  {"https"},
		"X-Forwarded-Prefix": {"/admin"},
		"X-Real-Ip":          {"10.0.0.1"},
		"Origin":             {"https://app.example.com"},
		"Sec-Fetch-Site":     {"same-origin"},
		"Sec-Fetch-Mode":     {"cors"},
	}
	service = http.Header{
		"Authorization":   {"Bearer t"},
		"Cookie":          {"session=1"},
		"X-Tenant":        {"a", "b"},
		"Traceparent":     {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
		"Accept-Language": {"de"},
	}
)

// Headers that are for the next hop alone, by their name or because Connection
// names them, never come to the upstream, on no front; nor do those by which a
// client could tell a lie about where it is.
func TestFinding_A19_headers(t *testing.T) {
	t.Parallel()
	checkHeaders(t, slices.Sorted(maps.Keys(service)))
}

// A program says which headers travel, but for those of a connection.
func TestWithRequestHeaders(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		travels func(string) bool
		want    []string
	}{
		"nil":  {nil, slices.Sorted(maps.Keys(service))},
		"none": {func(string) bool { return false }, nil},
		"a rule": {
			func(name string) bool { return name == "Authorization" || strings.HasPrefix(name, "X-") },
			[]string{"Authorization", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Prefix", "X-Forwarded-Proto", "X-Real-Ip", "X-Tenant"},
		},
		"all": {func(string) bool { return true }, slices.Sorted(maps.Keys(merged(origin, service)))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkHeaders(t, test.want, gateway.WithRequestHeaders(test.travels))
		})
	}
}

func merged(headers ...http.Header) http.Header {
	all := http.Header{}
	for _, of := range headers {
		maps.Copy(all, of)
	}
	return all
}

// checkHeaders sends all of them on every front and looks which came.
func checkHeaders(t *testing.T, want []string, opts ...gateway.Option) {
	t.Helper()
	all := merged(hop, origin, service)
	for front, request := range map[string]struct{ method, path, kind, body string }{
		"JSON-RPC":  {"POST", "/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/GetBook","params":{"name":"b"}}`},
		"Connect":   {"POST", "/library.v1.Library/GetBook", "application/json", `{"name":"b"}`},
		"gRPC-Web":  {"POST", "/library.v1.Library/GetBook", "application/grpc-web+proto", "\x00\x00\x00\x00\x03\x0a\x01b"},
		"HTTP+JSON": {"GET", "/v1/books/b", "application/json", ""},
	} {
		t.Run(front, func(t *testing.T) {
			t.Parallel()
			h := new(hearing)
			s := grpc.NewServer()
			libraryv1.RegisterLibraryServer(s, h)
			reflection.Register(s)
			upstream := gateway.NewUpstream(gateway.InProcess(s), "http://library", gateway.ProtocolGRPC)
			schema, err := upstream.Reflect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			g := gateway.New(upstream.Transport(), schema, opts...)
			mux := http.NewServeMux()
			if err := server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog())); err != nil {
				t.Fatal(err)
			}
			if err := httpjson.Mount(mux, g.Server(), httpjson.WithCatalog(g.Catalog())); err != nil {
				t.Fatal(err)
			}
			connecthttp.Mount(mux, g.Server(), connecthttp.WithGRPCWeb(), connecthttp.WithProtoJSON())
			r, err := http.NewRequestWithContext(t.Context(), request.method, serveHTTP1(t, mux)+request.path, strings.NewReader(request.body))
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(r.Header, all)
			r.Header.Set("Content-Type", request.kind)
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if body, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s", response.Status, body)
			}
			if diff := cmp.Diff(want, h.heard(all)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
