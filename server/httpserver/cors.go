package httpserver

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	connectcors "connectrpc.com/cors"
	"github.com/rs/cors"
)

// preflightSeconds is how long a browser may keep what it was told, the most that
// Chromium keeps it.
const preflightSeconds = 7200

// Headers that pages send and read, besides those of Connect and gRPC-Web.
var (
	requestHeaders = []string{
		"Accept-Language", "Authorization", "Last-Event-Id",
		"A2a-Version", "A2a-Extensions",
		"Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name",
	}
	responseHeaders = []string{
		"Content-Language", "Retry-After", "Www-Authenticate",
		"A2a-Extensions", "Mcp-Session-Id",
	}
)

// pages answers pages of the allowed origins as CORS has it (the Fetch standard).
type pages struct {
	next    http.Handler
	options cors.Options
	actual  http.Handler // of requests that are no preflight

	mu      sync.Mutex
	byAllow map[string]*cors.Cors // preflights by the methods that a route has
}

func newPages(next http.Handler, o *options) *pages {
	p := &pages{next: next, byAllow: make(map[string]*cors.Cors), options: cors.Options{
		AllowedOrigins: o.origins,
		AllowedHeaders: slices.Concat(connectcors.AllowedHeaders(), requestHeaders, o.requestHeaders),
		ExposedHeaders: slices.Concat(connectcors.ExposedHeaders(), responseHeaders, o.responseHeaders),
		MaxAge:         preflightSeconds,
	}}
	all := p.options
	all.AllowedMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	p.actual = cors.New(all).Handler(next)
	return p
}

// ServeHTTP implements [http.Handler].
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		p.actual.ServeHTTP(w, r)
		return
	}
	p.preflight(p.methods(r)).HandlerFunc(w, r)
}

// methods returns the methods of the route that a preflight is about, as the handler
// itself tells them to who asks for another one.
func (p *pages) methods(r *http.Request) string {
	probe := r.Clone(r.Context())
	probe.Body, probe.ContentLength = http.NoBody, 0
	w := discard{http.Header{}}
	p.next.ServeHTTP(w, probe)
	return strings.Join(w.header.Values("Allow"), ",")
}

// maxRoutes bounds how many kinds of routes are remembered.
const maxRoutes = 100

func (p *pages) preflight(allow string) *cors.Cors {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.byAllow[allow]; c != nil {
		return c
	}
	options := p.options
	options.AllowedMethods = []string{http.MethodOptions} // none that a page can ask for
	for method := range strings.SplitSeq(allow, ",") {
		if method = strings.TrimSpace(method); method != "" {
			options.AllowedMethods = append(options.AllowedMethods, method)
		}
	}
	c := cors.New(options)
	if len(p.byAllow) < maxRoutes {
		p.byAllow[allow] = c
	}
	return c
}

// discard is the writer of a request that only asks.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}
func (d discard) OriginChecked()              {}
