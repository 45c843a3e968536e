package client_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// What stands before a server answers in a form of its own. It is read, it is no
// error of the server, and its text stays behind where the error is forwarded.
func TestFinding_P19_what_stands_before_the_server(t *testing.T) {
	t.Parallel()
	const edge = "denied by edge 10.0.0.9"
	for name, row := range map[string]struct {
		status  int
		header  map[string]string
		body    string
		code    code.Code
		message string
		delay   time.Duration
	}{
		"a message": {403, nil, `{"message":"` + edge + `"}`, code.Code_PERMISSION_DENIED, edge, 0},
		"AIP-193": {
			429, map[string]string{"Retry-After": "3"}, `{"error":{"code":429,"message":"` + edge + `","status":"RESOURCE_EXHAUSTED"}}`,
			code.Code_RESOURCE_EXHAUSTED, edge, 3 * time.Second,
		},
		"AIP-193 with details": {
			429, nil, `{"error":{"code":429,"message":"` + edge + `","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"4s"},{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","domain":"` + edge + `"}]}}`,
			code.Code_RESOURCE_EXHAUSTED, edge, 4 * time.Second,
		},
		"problem details": {
			503, map[string]string{"Content-Type": "application/problem+json"}, `{"title":"` + edge + `","status":503}`,
			code.Code_UNAVAILABLE, edge, 0,
		},
		"an error of Connect": {503, nil, `{"code":"resource_exhausted","message":"` + edge + `"}`, code.Code_RESOURCE_EXHAUSTED, edge, 0},
		"OAuth":               {401, nil, `{"error":"invalid_token","error_description":"` + edge + `"}`, code.Code_UNAUTHENTICATED, edge, 0},
		"a page":              {503, map[string]string{"Content-Type": "text/html", "Retry-After": "5"}, "<html>" + edge, code.Code_UNAVAILABLE, "HTTP status 503 Service Unavailable", 5 * time.Second},
		"nothing":             {502, nil, "", code.Code_UNAVAILABLE, "HTTP status 502 Bad Gateway", 0},
		"too large a body":    {404, nil, `{"message":"` + strings.Repeat("x", 5<<20), code.Code_UNIMPLEMENTED, "HTTP status 404 Not Found", 0},
	} {
		for way, opts := range map[string][]client.Option{"alone": nil, "batched": {client.WithBatching(time.Millisecond, 0)}} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				url, _ := answer(t, row.status, row.header, row.body)
				_, err := cart(url, opts...).Get(t.Context(), &shopv1.GetRequest{})
				e := errmap.From(err)
				delay, _ := e.RetryDelay()
				if !e.Local() || e.Code() != row.code || e.Message() != row.message || delay != row.delay {
					t.Errorf("got %v %q after %v, local %v", e.Code(), e.Message(), delay, e.Local())
				}
				if c, ok := errors.AsType[*connect.Error](err); !ok || c.Code() != connect.Code(row.code) || c.IsRemote() {
					t.Errorf("as an error of Connect: %v", c)
				}
				out := new(errmap.Guard).Outgoing(t.Context(), errmap.Forward(err))
				if forwarded, _ := out.RetryDelay(); out.Code() != row.code || forwarded != row.delay {
					t.Errorf("forwarded as %v after %v", out.Code(), forwarded)
				}
				for _, text := range []string{string(errmap.EncodeConnect(out)), string(errmap.EncodeJSONRPC(out, errmap.ProfileGeneric)), errmap.EncodeGRPC(out).String()} {
					if strings.Contains(text, "edge") || strings.Contains(text, "10.0.0.9") {
						t.Errorf("the edge's text goes on: %s", text)
					}
				}
			})
		}
	}
}

// A server that breaks the protocol at a good status: what it said is in a note, and
// a delay that it set counts.
func TestFinding_P20_errors_that_are_none(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ body, note string }{
		"a text":                  {`{"id":ID,"result":null,"error":"boom"}`, `"boom"`},
		"a text of 2.0":           {`{"jsonrpc":"2.0","id":ID,"error":"boom"}`, `"boom"`},
		"a number":                {`{"jsonrpc":"2.0","id":ID,"error":17}`, "17"},
		"an empty one":            {`{"jsonrpc":"2.0","id":ID,"error":{}}`, "{}"},
		"one beside a result":     {`{"jsonrpc":"2.0","id":ID,"result":{"qty":"4711"},"error":{}}`, "4711"},
		"false beside a result":   {`{"jsonrpc":"2.0","id":ID,"result":{"qty":"4711"},"error":false}`, "4711"},
		"neither":                 {`{"jsonrpc":"2.0","id":ID,"boom":1}`, "boom"},
		"no JSON":                 {`boom`, "boom"},
		"an answer to no request": {`{"jsonrpc":"2.0","id":"other","result":{"qty":"4711"}}`, "4711"},
	} {
		for way, opts := range map[string][]client.Option{"alone": nil, "batched": {client.WithBatching(time.Millisecond, 0)}} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				url, _ := answer(t, 200, map[string]string{"Retry-After": "7"}, row.body)
				_, err := cart(url, opts...).Get(t.Context(), &shopv1.GetRequest{})
				e := errmap.From(err)
				if e.Code() != code.Code_INTERNAL || !e.Local() {
					t.Errorf("got %v, local %v", e, e.Local())
				}
				if notes := strings.Join(e.Notes(), "\n"); !strings.Contains(notes, row.note) {
					t.Errorf("notes %q", notes)
				}
				if delay, _ := e.RetryDelay(); delay != 7*time.Second {
					t.Errorf("delay %v", delay)
				}
				if c, ok := errors.AsType[*connect.Error](err); !ok || c.Code() != connect.CodeInternal || c.IsRemote() || strings.Contains(c.Message(), "boom") {
					t.Errorf("as an error of Connect: %v", c)
				}
			})
		}
	}
	t.Run("a delay beside an error", func(t *testing.T) {
		t.Parallel()
		url, _ := answer(t, 200, map[string]string{"Retry-After": "7"}, `{"jsonrpc":"2.0","id":ID,"error":{"code":-31429,"message":"slow down"}}`)
		_, err := cart(url).Get(t.Context(), &shopv1.GetRequest{})
		e := errmap.From(err)
		if delay, _ := e.RetryDelay(); delay != 7*time.Second || !e.Remote() || e.Message() != "slow down" {
			t.Errorf("got %v after %v", e, delay)
		}
	})
}

func TestWithDecoding(t *testing.T) {
	t.Parallel()
	url, _ := answer(t, 200, nil, `{"jsonrpc":"2.0","id":ID,"error":{"code":4010,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}]}}`)
	for domain, want := range map[string]bool{"shop.example.com": true, "other.example.com": false} {
		_, err := cart(url, client.WithDecoding(errmap.WithTrustedDomains(domain))).Get(t.Context(), &shopv1.GetRequest{})
		if _, ok := errors.AsType[*shopv1.StockEmptyError](err); ok != want {
			t.Errorf("trusting %s: %v", domain, err)
		}
	}
}
