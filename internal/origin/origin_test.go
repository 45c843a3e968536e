package origin_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/errmap/errmap/internal/origin"
)

var (
	loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	public   = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 8080}
)

func TestFinding_A08_Rule(t *testing.T) {
	t.Parallel()
	open, err := origin.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := origin.New([]string{"https://app.example.com"}, []string{"api.example.com", "b.example.com:99"})
	if err != nil {
		t.Fatal(err)
	}
	every, err := origin.New([]string{"https://app.example.com"}, nil, origin.EveryOrigin())
	if err != nil {
		t.Fatal(err)
	}
	anyHost, err := origin.New(nil, []string{origin.AnyHost})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		rule         *origin.Rule
		method, host string
		local        net.Addr
		site, origin string
		refused      bool
	}{
		"no browser":                         {rule: open, host: "localhost:8080", local: loopback},
		"no browser, no host":                {rule: open, local: loopback},
		"an IP of loopback":                  {rule: open, host: "127.0.0.5:8080", local: loopback},
		"an IPv6 of loopback":                {rule: open, host: "[::1]:8080", local: loopback},
		"below localhost":                    {rule: open, host: "a.localhost.", local: loopback},
		"a page of another site":             {rule: open, host: "localhost:8080", local: loopback, site: "cross-site", origin: "https://evil.example.com", refused: true},
		"a page of the same site":            {rule: open, host: "api.example.com", local: public, site: "same-site", origin: "https://evil.example.com", refused: true},
		"a page of another port":             {rule: open, host: "localhost:8080", local: loopback, origin: "http://localhost:9090", refused: true},
		"an old browser":                     {rule: open, host: "localhost:8080", local: loopback, origin: "https://evil.example.com", refused: true},
		"a sandboxed frame":                  {rule: open, host: "localhost:8080", local: loopback, origin: "null", refused: true},
		"an own page":                        {rule: open, host: "localhost:8080", local: loopback, site: "same-origin", origin: "http://localhost:8080"},
		"the address bar":                    {rule: open, host: "localhost:8080", local: loopback, site: "none"},
		"a link":                             {rule: open, method: http.MethodGet, host: "localhost:8080", local: loopback, site: "cross-site"},
		"an allowed origin":                  {rule: listed, host: "localhost:8080", local: loopback, site: "cross-site", origin: "https://app.example.com"},
		"a name that resolves here":          {rule: open, host: "evil.example.com:8080", local: loopback, site: "same-origin", origin: "http://evil.example.com:8080", refused: true},
		"and its GET":                        {rule: open, method: http.MethodGet, host: "evil.example.com:8080", local: loopback, site: "same-origin", refused: true},
		"a host that looks like localhost":   {rule: open, host: "localhost.evil.example.com", local: loopback, refused: true},
		"an allowed host":                    {rule: listed, host: "API.example.com:443", local: loopback},
		"an allowed host with its port":      {rule: listed, host: "b.example.com:99", local: loopback},
		"an allowed host with another port":  {rule: listed, host: "b.example.com:98", local: loopback, refused: true},
		"any host":                           {rule: anyHost, host: "evil.example.com", local: loopback},
		"a host of a public listener":        {rule: open, host: "whatever.example.com", local: public},
		"MCP: no origin":                     {rule: every, host: "localhost:8080", local: loopback},
		"MCP: the own origin":                {rule: every, host: "localhost:8080", local: loopback, origin: "http://localhost:8080"},
		"MCP: an allowed one":                {rule: every, host: "localhost:8080", local: loopback, site: "cross-site", origin: "https://app.example.com"},
		"MCP: another one of GET":            {rule: every, method: http.MethodGet, host: "localhost:8080", local: loopback, origin: "https://evil.example.com", refused: true},
		"MCP: another one, of the same site": {rule: every, host: "localhost:8080", local: loopback, site: "same-origin", origin: "https://evil.example.com", refused: true},
	} {
		method := test.method
		if method == "" {
			method = http.MethodPost
		}
		r := httptest.NewRequest(method, "/", nil)
		r.Host = test.host
		if test.site != "" {
			r.Header.Set("Sec-Fetch-Site", test.site)
		}
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, test.local))
		if err := test.rule.Check(r); (err != nil) != test.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := origin.New([]string{"example.com"}, []string{"https://x", ""}); err == nil {
		t.Error("neither is an origin or a host")
	}
}
