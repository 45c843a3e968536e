package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/server"
)

func TestHandler_answers(t *testing.T) {
	t.Parallel()
	service := &cart{get: func(_ context.Context, request *shopv1.GetRequest) (*shopv1.GetResponse, error) {
		if request.GetSku() == "A1" {
			return nil, stock("A1")
		}
		return &shopv1.GetResponse{Sku: request.GetSku(), Qty: int64(request.GetQty())}, nil
	}}
	tests := []struct {
		settles string // what the row settles, and which section of the standard says so
		profile errmap.Profile
		body    string
		status  int
		want    string
	}{
		{
			settles: "section 5: a result bears the id of its request",
			body:    `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":{"sku":"B2","qty":3}}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":1,"result":{"sku":"B2","qty":"3"}}`,
		},
		{
			settles: "section 4.2: params may be left out",
			body:    `{"jsonrpc":"2.0","id":"x","method":"shop.v1.Cart/Get"}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":"x","result":{}}`,
		},
		{
			settles: "section 4.2: null is no params (own choice)",
			body:    `{"jsonrpc":"2.0","id":"x","method":"shop.v1.Cart/Get","params":null}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":"x","result":{}}`,
		},
		{
			settles: "section 4.2: fields that the schema does not know are ignored (own choice, as Connect does)",
			body:    `{"jsonrpc":"2.0","id":2,"method":"shop.v1.Cart/Get","params":{"qty":1,"later":{"a":[1]}}}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":2,"result":{"qty":"1"}}`,
		},
		{
			settles: "section 5.1: an error of the service has its own number, and its identity in data",
			body:    `{"jsonrpc":"2.0","id":3,"method":"shop.v1.Cart/Get","params":{"sku":"A1"}}`,
			status:  200,
			want: `{"jsonrpc":"2.0","id":3,"error":{"code":4010,"message":"No A1 left","data":[` +
				`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}},` +
				`{"@type":"type.googleapis.com/google.rpc.Status","code":9}]}}`,
		},
		{
			settles: "section 5.1: a method that is not there",
			body:    `{"jsonrpc":"2.0","id":4,"method":"shop.v1.Cart/Nope"}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found: shop.v1.Cart/Nope"}}`,
		},
		{
			settles: "section 5.1: params that are not what the method takes",
			body:    `{"jsonrpc":"2.0","id":5,"method":"shop.v1.Cart/Get","params":{"qty":"many"}}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params: not a shop.v1.GetRequest: (line 1:8): invalid value for int32 field qty"}}`,
		},
		{
			settles: "RFC 8259 section 4: a field that stands twice is no params",
			body:    `{"jsonrpc":"2.0","id":5,"method":"shop.v1.Cart/Get","params":{"qty":1,"qty":2}}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params: not a shop.v1.GetRequest: (line 1:10): duplicate field \"qty\""}}`,
		},
		{
			settles: "section 5: a lone surrogate in params is the method's to refuse, one in the id comes back",
			body:    `{"jsonrpc":"2.0","id":"\ud800","method":"shop.v1.Cart/Get","params":{"sku":"\ud800"}}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":"\ud800","error":{"code":-32602,"message":"Invalid params: not a shop.v1.GetRequest: unexpected EOF"}}`,
		},
		{
			settles: "section 5: without a readable id the id is null",
			body:    `{"jsonrpc":"2.0","id":{},"method":"shop.v1.Cart/Get"}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the id is no string, number or null"}}`,
		},
		{
			settles: "MCP: without a readable id there is none, and HTTP tells too",
			profile: errmap.ProfileMCP,
			body:    `{"jsonrpc":"2.0","id":{},"method":"shop.v1.Cart/Get"}`,
			status:  400,
			want:    `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: the id is no string, number or null"}}`,
		},
		{
			settles: "MCP: a method that is not there is 404",
			profile: errmap.ProfileMCP,
			body:    `{"jsonrpc":"2.0","id":4,"method":"nope"}`,
			status:  404,
			want:    `{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found: nope"}}`,
		},
		{
			settles: "MCP: a parse error is 400",
			profile: errmap.ProfileMCP,
			body:    `{`,
			status:  400,
			want:    `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: unexpected end at offset 1, expected a name in quotes or '}'"}}`,
		},
		{
			settles: "MCP: wrong params are 200",
			profile: errmap.ProfileMCP,
			body:    `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get","params":[]}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params must be an object with the fields of shop.v1.GetRequest"}}`,
		},
		{
			settles: "MCP: no null ids",
			profile: errmap.ProfileMCP,
			body:    `{"jsonrpc":"2.0","id":null,"method":"shop.v1.Cart/Get"}`,
			status:  400,
			want:    `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: the id is null"}}`,
		},
		{
			settles: "MCP: no batches",
			profile: errmap.ProfileMCP,
			body:    `[{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Get"}]`,
			status:  400,
			want:    `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: batches are not accepted"}}`,
		},
		{
			settles: "A2A: bare method names",
			profile: errmap.ProfileA2A,
			body:    `{"jsonrpc":"2.0","id":1,"method":"Get","params":{"qty":2}}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":1,"result":{"qty":"2"}}`,
		},
		{
			settles: "section 4.1: a notification is not answered",
			body:    `{"jsonrpc":"2.0","method":"shop.v1.Cart/Get"}`,
			status:  204,
		},
		{
			settles: "MCP: a notification is accepted",
			profile: errmap.ProfileMCP,
			body:    `{"jsonrpc":"2.0","method":"shop.v1.Cart/Get"}`,
			status:  202,
		},
		{
			settles: "section 5.1: streams of requests have no form here",
			body:    `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Haggle"}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: shop.v1.Cart/Haggle streams requests, which JSON-RPC cannot carry"}}`,
		},
		{
			settles: "section 8: rpc.discover is not there unless it is wanted",
			body:    `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: rpc.discover"}}`,
		},
		{
			settles: "an empty body is not JSON",
			body:    ``,
			status:  200,
			want:    `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: unexpected end at offset 0, expected a value"}}`,
		},
	}
	for _, test := range tests {
		t.Run(test.settles, func(t *testing.T) {
			t.Parallel()
			handler := newHandler(t, service, append(new(reports).options(), server.WithProfile(test.profile))...)
			got := post(t, handler, test.body)
			if diff := cmp.Diff(test.want, got.body); diff != "" || got.status != test.status {
				t.Errorf("%s: status %d, want %d (-want +got):\n%s", test.body, got.status, test.status, diff)
			}
			if want := "application/json"; test.want != "" && got.header.Get("Content-Type") != want {
				t.Errorf("content type %q, want %q", got.header.Get("Content-Type"), want)
			}
		})
	}
}

func TestHandler_http(t *testing.T) {
	t.Parallel()
	const body = `{"jsonrpc":"2.0","id":1,"method":"shop.v1.Cart/Ping"}`
	const pong = `{"jsonrpc":"2.0","id":1,"result":{}}`
	invalid := func(text string) string {
		return `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: ` + text + `"}}`
	}
	tests := map[string]struct {
		method  string
		body    string
		headers []string
		status  int
		want    string
		header  [2]string
	}{
		"GET": {
			method: "GET", status: 405, want: invalid("the HTTP method must be POST"), header: [2]string{"Allow", "POST"},
		},
		"DELETE": {
			method: "DELETE", status: 405, want: invalid("the HTTP method must be POST"), header: [2]string{"Allow", "POST"},
		},
		"a form": {
			body: body, headers: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 415,
			want: invalid("the content type must be application/json"), header: [2]string{"Accept-Post", "application/json"},
		},
		"no content type":        {body: body, headers: []string{"Content-Type", ""}, status: 415, want: invalid("the content type must be application/json")},
		"a malformed type":       {body: body, headers: []string{"Content-Type", "application/json; ="}, status: 415, want: invalid("the content type must be application/json")},
		"another charset":        {body: body, headers: []string{"Content-Type", "application/json; charset=latin1"}, status: 415, want: invalid("the content type must be application/json")},
		"with a charset":         {body: body, headers: []string{"Content-Type", "Application/JSON; Charset=UTF-8"}, status: 200, want: pong},
		"the draft's own type":   {body: body, headers: []string{"Content-Type", "application/json-rpc"}, status: 200, want: pong},
		"identity encoding":      {body: body, headers: []string{"Content-Encoding", "identity"}, status: 200, want: pong},
		"an unknown encoding":    {body: body, headers: []string{"Content-Encoding", "br"}, status: 415, want: invalid("the content encoding must be one of: gzip, identity"), header: [2]string{"Accept-Encoding", "gzip, identity"}},
		"not gzip at all":        {body: body, headers: []string{"Content-Encoding", "gzip"}, status: 200, want: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the body could not be read"}}`},
		"gzip without a body":    {body: "", headers: []string{"Content-Encoding", "gzip"}, status: 200, want: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: unexpected end at offset 0, expected a value"}}`},
		"a malformed timeout":    {body: body, headers: []string{"Connect-Timeout-Ms", "-1"}, status: 200, want: `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request: Connect-Timeout-Ms is not 1 to 10 digits"}}`},
		"a malformed gRPC one":   {body: body, headers: []string{"Grpc-Timeout", "1x"}, status: 200, want: `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request: Grpc-Timeout is not 1 to 8 digits and a unit"}}`},
		"an Accept without JSON": {body: body, headers: []string{"Accept", "text/event-stream"}, status: 200, want: pong},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := test.method
			if method == "" {
				method = http.MethodPost
			}
			request := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(test.body))
			got := send(t, newHandler(t, new(cart)), request, test.headers...)
			if got.status != test.status || got.body != test.want {
				t.Errorf("got %d %s, want %d %s", got.status, got.body, test.status, test.want)
			}
			if test.header[0] != "" && got.header.Get(test.header[0]) != test.header[1] {
				t.Errorf("%s: got %q, want %q", test.header[0], got.header.Get(test.header[0]), test.header[1])
			}
		})
	}
}

func TestHandler_requestLimits(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, new(cart), server.WithLimits(server.Limits{RequestBytes: 100, Depth: 4, BatchItems: 2}))
	const tooLarge = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the body is larger than 100 bytes"}}`
	long := `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("m", 100) + `"}`
	request := func(body string, length int64) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		r.ContentLength = length
		return r
	}
	tests := map[string]struct {
		request *http.Request
		headers []string
		status  int
		want    string
	}{
		"a length that says so":     {request(long, int64(len(long))), nil, 413, tooLarge},
		"no length":                 {request(long, -1), nil, 413, tooLarge},
		"small when compressed":     {request(compressed(t, strings.Repeat(" ", 1<<20)), -1), []string{"Content-Encoding", "gzip"}, 413, tooLarge},
		"nested":                    {request(`{"a":[[[[]]]]}`, -1), nil, 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the body nests more than 4 arrays and objects"}}`},
		"many elements":             {request(`[1,{"id":7},3]`, -1), nil, 200, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid Request: the batch has 3 elements, more than 2"}}`},
		"a limit that net/http has": {limited(t, `{"jsonrpc":"2.0"}`, 5), nil, 413, tooLarge},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := send(t, handler, test.request, test.headers...)
			if got.status != test.status || got.body != test.want {
				t.Errorf("got %d %s, want %d %s", got.status, got.body, test.status, test.want)
			}
		})
	}
}

// limited is a request whose body net/http limits before the handler sees it.
func limited(t *testing.T, body string, limit int64) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	r.ContentLength = -1
	r.Body = http.MaxBytesReader(httptest.NewRecorder(), r.Body, limit)
	return r
}

func TestHandler_hugeMethodName(t *testing.T) {
	t.Parallel()
	got := post(t, newHandler(t, new(cart)), `{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("é", 1000)+`"}`)
	want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: ` + strings.Repeat("é", 64) + `…"}}`
	if got.body != want {
		t.Errorf("got %s, want %s", got.body, want)
	}
}
