package httpserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
	"github.com/errmap/errmap/server/httpserver"
)

// everything is each mount, those of HTTP+JSON with several methods.
func everything(t *testing.T) http.Handler {
	t.Helper()
	rpc := connect.NewServer()
	libraryv1connect.RegisterLibraryHandler(rpc, libraryv1connect.UnimplementedLibraryHandler{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc)
	if err := server.Mount(mux, rpc, server.WithProfile(errmap.ProfileMCP)); err != nil {
		t.Fatal(err)
	}
	if err := httpjson.Mount(mux, rpc); err != nil {
		t.Fatal(err)
	}
	return mux
}

const app = "https://app.example.com"

func do(t *testing.T, h http.Handler, method, path string, header map[string]string) *http.Response {
	t.Helper()
	s := httptest.NewServer(h)
	defer s.Close()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range header {
		r.Header.Set(key, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response
}

// The methods that a page may use are those of the route, and the mounts leave the rest to
// the server around them.
func TestFinding_A08_Protect(t *testing.T) {
	t.Parallel()
	h, err := httpserver.Protect(everything(t), httpserver.WithOrigins(app), httpserver.WithCORSHeaders([]string{"X-In"}, []string{"X-Out"}))
	if err != nil {
		t.Fatal(err)
	}
	for path, methods := range map[string][]string{
		"/":                               {"POST"},
		"/library.v1.Library/GetBook":     {"POST"},
		"/v1/shelves/1/books/2:move":      {"GET", "POST"}, // GET for a book of that name
		"/v1/books/1":                     {"GET"},
		"/v1/shelves/1/books":             {"GET", "POST"},
		"/grpc.health.v1.Health/NotThere": nil,
	} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			got := do(t, h, http.MethodOptions, path, map[string]string{
				"Origin": app, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": "authorization,content-type,mcp-session-id,x-in",
			})
			allowed := ""
			if slices.Contains(methods, method) {
				allowed = method
			}
			if got.StatusCode != http.StatusNoContent || got.Header.Get("Access-Control-Allow-Methods") != allowed {
				t.Errorf("%s %s: %d %v", method, path, got.StatusCode, got.Header)
			}
		}
	}
	for path, origin := range map[string]string{"/": app, "/v1/shelves/1/books/2:move": app, "/library.v1.Library/GetBook": app} {
		header := map[string]string{"Origin": origin, "Sec-Fetch-Site": "cross-site", "Content-Type": "application/json"}
		got := do(t, h, http.MethodPost, path, header)
		exposed := got.Header.Get("Access-Control-Expose-Headers")
		if got.StatusCode == http.StatusForbidden || got.Header.Get("Access-Control-Allow-Origin") != app || !strings.Contains(exposed, "Mcp-Session-Id") || !strings.Contains(exposed, "X-Out") {
			t.Errorf("%s: %d %v", path, got.StatusCode, got.Header)
		}
		header["Origin"] = "https://evil.example.com"
		if got := do(t, h, http.MethodPost, path, header); got.StatusCode != http.StatusForbidden || got.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s of another origin: %d %v", path, got.StatusCode, got.Header)
		}
	}
	if _, err := httpserver.Protect(h, httpserver.WithOrigins("*")); err == nil {
		t.Error("every origin is none")
	}
	if _, err := httpserver.New(h, httpserver.WithHosts("")); err == nil {
		t.Error("no host is none")
	}
}
