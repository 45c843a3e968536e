package server_test

import (
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/server"
)

// Pages of another origin are refused without httpserver, too, and under MCP every Origin
// that nobody allowed.
func TestFinding_A08_Origins(t *testing.T) {
	t.Parallel()
	const app, evil = "https://app.example.com", "https://evil.example.com"
	for name, test := range map[string]struct {
		profile     errmap.Profile
		method      string
		origin      string
		site, kind  string
		status      int
		contentType string
	}{
		"no origin":               {status: http.StatusOK},
		"another origin":          {origin: evil, site: "cross-site", status: http.StatusForbidden},
		"an old browser":          {origin: evil, status: http.StatusForbidden},
		"without a content type":  {origin: evil, site: "cross-site", kind: "none", status: http.StatusForbidden},
		"an allowed origin":       {origin: app, site: "cross-site", status: http.StatusOK},
		"MCP: no origin":          {profile: errmap.ProfileMCP, status: http.StatusOK},
		"MCP: the server's own":   {profile: errmap.ProfileMCP, origin: "http://example.com", status: http.StatusOK},
		"MCP: an allowed origin":  {profile: errmap.ProfileMCP, origin: app, site: "cross-site", status: http.StatusOK},
		"MCP: another origin":     {profile: errmap.ProfileMCP, origin: evil, site: "same-origin", status: http.StatusForbidden},
		"MCP: another one of GET": {profile: errmap.ProfileMCP, method: http.MethodGet, origin: evil, status: http.StatusForbidden},
	} {
		h := newHandler(t, new(cart), server.WithProfile(test.profile), server.WithOrigins(app))
		headers := []string{"Content-Type", "application/json"}
		if test.kind != "" {
			headers[1] = ""
		}
		if test.origin != "" {
			headers = append(headers, "Origin", test.origin)
		}
		if test.site != "" {
			headers = append(headers, "Sec-Fetch-Site", test.site)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/", strings.NewReader(get("1", "A1")))
		if err != nil {
			t.Fatal(err)
		}
		if test.method != "" {
			r.Method = test.method
		}
		got := send(t, h, r, headers...)
		if got.status != test.status || got.status == http.StatusForbidden && !strings.Contains(got.body, `"code":-32600`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if _, err := server.NewHandler(connect.NewServer(), server.WithHosts("https://x")); err == nil {
		t.Error("a host that is none")
	}
}
