package jsonrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/rpc"
	netjsonrpc "net/rpc/jsonrpc"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"
	"github.com/creachadair/jrpc2/jhttp"
	ethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/results"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"github.com/errmap/errmap/internal/testproto/gen/shop/v1/shopv1connect"
	"github.com/errmap/errmap/polyglot/interop/internal/program"
)

const (
	build  = "../../../.build"
	lock   = "../javascript/package-lock.json"
	pinned = "../python/requirements.txt"
)

// What is shown of a server.
const (
	whole   = "each error whole, alone and in a batch"
	own     = "its own errors, alone and in a batch; it takes no params by name"
	through = "each error of the server whole; what it says in its place is read, and local"
	words   = "INTERNAL, local, its words in a note: it has no codes"
)

var found = results.New("../../../docs/interop.md", "JSON-RPC")

func TestMain(m *testing.M) { os.Exit(found.Run(m)) }

// thrown are the error objects that a server is asked to fail with.
var thrown = []struct {
	object string
	code   code.Code
}{
	{`{"code":4010,"message":"No A1 left","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}},{"@type":"type.googleapis.com/google.rpc.Status","code":9}]}`, code.Code_FAILED_PRECONDITION},
	{`{"code":-31404,"message":"no such article"}`, code.Code_NOT_FOUND},
	{`{"code":-31429,"message":"slow down","data":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3s"}]}`, code.Code_RESOURCE_EXHAUSTED},
	{`{"code":-32602,"message":"no"}`, code.Code_INVALID_ARGUMENT},
	{`{"code":-32603,"message":"no"}`, code.Code_INTERNAL},
	{`{"code":-32000,"message":"execution reverted","data":"0x08c379a0"}`, code.Code_UNKNOWN},
	{`{"code":7,"message":"an object","data":{"n":1.5,"list":[1,null,"two"],"inner":{"ok":false}}}`, code.Code_UNKNOWN},
	{`{"code":8,"message":"a number","data":17}`, code.Code_UNKNOWN},
	{`{"code":9,"message":"a list","data":[1,"two",{"three":3}]}`, code.Code_UNKNOWN},
	{`{"code":10,"message":"Kein Ä mehr: 5 % \"✓\" 𝄞\n\u0001","data":{"ключ":"знач"}}`, code.Code_UNKNOWN},
}

// tried is how many errors a server is asked for: those, one of a method that is not
// there, and what a program throws that does not think of JSON-RPC.
const tried = 12

// newCart returns clients of the server at url: one whose calls go alone, and one
// whose calls go out together. A nil client is that of net/http.
func newCart(hc *http.Client, url string, opts ...client.Option) map[string]shopv1connect.CartClient {
	alone := client.New(hc, url, opts...)
	batched := client.New(hc, url, append(opts, client.WithBatching(20*time.Millisecond, 0))...)
	return map[string]shopv1connect.CartClient{
		"alone":   shopv1connect.NewCartClient(connect.NewClient(alone)),
		"batched": shopv1connect.NewCartClient(connect.NewClient(batched)),
	}
}

// check asks a server for every error, all at the same time.
func check(t *testing.T, hc *http.Client, url string) {
	t.Helper()
	for way, cart := range newCart(hc, url) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var calls sync.WaitGroup
		calls.Go(func() {
			if got, err := cart.Get(ctx, &shopv1.GetRequest{Sku: "A1"}); err != nil || got.GetSku() != "A1" || got.GetQty() != 1 {
				t.Errorf("%s: got %v, %v", way, got, err)
			}
		})
		for _, row := range thrown {
			calls.Go(func() {
				_, err := cart.Get(ctx, &shopv1.GetRequest{Sku: row.object})
				e := remote(t, way, err)
				if e.Code() != row.code {
					t.Errorf("%s: %v, want %v of %s", way, e.Code(), row.code, row.object)
				}
				if diff := cmp.Diff(parsed(t, row.object), parsed(t, string(errmap.EncodeJSONRPC(e, errmap.ProfileGeneric)))); diff != "" {
					t.Errorf("%s: -sent +read\n%s", way, diff)
				}
				if empty, ok := errors.AsType[*shopv1.StockEmptyError](err); ok != (e.Reason() == "STOCK_EMPTY") || ok && empty.GetSku() != "A1" {
					t.Errorf("%s: typed as %v", way, empty)
				}
			})
		}
		calls.Go(func() {
			_, err := cart.Echo(ctx, &shopv1.Everything{})
			if e := remote(t, way, err); e.Code() != code.Code_UNIMPLEMENTED {
				t.Errorf("%s: a method that is not there: %v", way, e)
			}
		})
		calls.Go(func() {
			_, err := cart.Get(ctx, &shopv1.GetRequest{Sku: "throw"})
			if e := remote(t, way, err); e.Code() != code.Code_UNKNOWN && e.Code() != code.Code_INTERNAL {
				t.Errorf("%s: what is thrown: %v", way, e)
			}
		})
		calls.Wait()
	}
}

// remote returns the error that the server sent.
func remote(t *testing.T, way string, err error) *errmap.Error {
	t.Helper()
	e, ok := errors.AsType[*errmap.Error](err)
	if !ok || !e.Remote() {
		t.Errorf("%s: not the server's: %v, notes %q", way, err, e.Notes())
	}
	return e
}

func parsed(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%v: %s", err, text)
	}
	return v
}

// tell puts a server into the table, if its tests passed.
func tell(t *testing.T, peer, version string, errs int, result string) {
	t.Helper()
	if !t.Failed() {
		found.Add(results.Row{Peer: peer, Version: version, Wires: "JSON-RPC", Errors: errs, Result: result})
	}
}

// start runs a server that prints its port.
func start(t *testing.T, name string, args ...string) (url string) {
	t.Helper()
	first, _ := program.Run(t, exec.CommandContext(context.WithoutCancel(t.Context()), name, args...))
	return "http://127.0.0.1:" + first(`^(\d+)\n`) + "/"
}

func TestServer_jayson(t *testing.T) {
	check(t, nil, start(t, "node", "../javascript/jsonrpc-server.js"))
	tell(t, "jayson, server", results.NPM(t, lock, "jayson"), tried, whole)
}

// jayson as a server of JSON-RPC 1.0 knows params by position alone, and says so
// without a version.
func TestServer_jayson_1_0(t *testing.T) {
	url := start(t, "node", "../javascript/jsonrpc-server.js", "1")
	_, err := newCart(nil, url)["alone"].Get(t.Context(), &shopv1.GetRequest{Sku: "A1"})
	if e := remote(t, "alone", err); e.Code() != code.Code_INVALID_ARGUMENT {
		t.Errorf("got %v", e)
	}
	tell(t, "jayson, server of JSON-RPC 1.0", results.NPM(t, lock, "jayson"), 1, "its own error; it takes no params by name")
}

func TestServer_jsonrpcPython(t *testing.T) {
	check(t, nil, start(t, build+"/interop-python/bin/python", "-B", "../python/jsonrpc_server.py"))
	tell(t, "json-rpc for Python, server", results.PyPI(t, pinned, "json-rpc"), tried, whole)
}

// newJRPC2 serves the cart with jrpc2, and what a proxy is put before: /rpc is the
// cart, too, /slow does not answer and /cut breaks off within the answer.
func newJRPC2(t *testing.T) *httptest.Server {
	t.Helper()
	bridge := jhttp.NewBridge(handler.Map{"shop.v1.Cart/Get": handler.New(func(_ context.Context, r struct {
		Sku string `json:"sku"`
	}) (any, error) {
		switch {
		case r.Sku == "throw":
			return nil, errors.New("cannot reach 10.0.0.7")
		case strings.HasPrefix(r.Sku, "{"):
			e := new(jrpc2.Error)
			if err := json.Unmarshal([]byte(r.Sku), e); err != nil {
				return nil, err
			}
			return nil, e
		}
		return map[string]any{"sku": r.Sku, "qty": 1}, nil
	})}, nil)
	mux := http.NewServeMux()
	mux.Handle("/", bridge)
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then its end is seen
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
		}
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-31404`)
		_ = http.NewResponseController(w).Flush()
		time.Sleep(100 * time.Millisecond) // a proxy passes on what it has
		panic(http.ErrAbortHandler)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(func() { s.Close(); _ = bridge.Close() })
	return s
}

func TestServer_jrpc2(t *testing.T) {
	check(t, nil, newJRPC2(t).URL)
	tell(t, "jrpc2, server", results.Go(t, "github.com/creachadair/jrpc2"), tried, whole)
}

// ethereum is a service of go-ethereum's server, whose methods take params by position.
type ethereum struct{}

func (ethereum) Get(string) (map[string]any, error) { return nil, errors.New("never called") }

func TestFinding_P20_goEthereum(t *testing.T) {
	server := ethrpc.NewServer()
	if err := server.RegisterName("cart", ethereum{}); err != nil {
		t.Fatal(err)
	}
	server.SetHTTPBodyLimit(2000)
	server.SetBatchLimits(2, 1000)
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	t.Cleanup(server.Stop)
	names := client.WithMethodNames(func(procedure string) string {
		return "cart_" + strings.ToLower(client.BareNames(procedure))
	})
	for way, cart := range newCart(nil, s.URL, names) {
		_, err := cart.Get(t.Context(), &shopv1.GetRequest{Sku: "A1"})
		if e := remote(t, way, err); e.Code() != code.Code_INVALID_ARGUMENT || e.Message() != "non-array args" {
			t.Errorf("%s: by name: %v", way, e)
		}
		_, err = cart.Echo(t.Context(), &shopv1.Everything{})
		if e := remote(t, way, err); e.Code() != code.Code_UNIMPLEMENTED || !strings.Contains(e.Message(), "cart_echo") {
			t.Errorf("%s: a method that is not there: %v", way, e)
		}
		// What stands in the way of the call is told by HTTP alone.
		_, err = cart.Get(t.Context(), &shopv1.GetRequest{Sku: strings.Repeat("x", 2000)})
		if e := errmap.From(err); !e.Local() || e.HTTPStatus() != http.StatusRequestEntityTooLarge || strings.Contains(e.Message(), "content length") {
			t.Errorf("%s: too large: %v, local %v", way, e, e.Local())
		}
	}
	// One error answers a batch that is too large, by the first id.
	var calls sync.WaitGroup
	var mu sync.Mutex
	got := map[string]int{}
	cart := newCart(nil, s.URL, names)["batched"]
	for range 3 {
		calls.Go(func() {
			_, err := cart.Get(t.Context(), &shopv1.GetRequest{Sku: "A1"})
			mu.Lock()
			defer mu.Unlock()
			got[errmap.From(err).Message()]++
		})
	}
	calls.Wait()
	if diff := cmp.Diff(map[string]int{"batch too large": 1, "the batch was answered without this call": 2}, got); diff != "" {
		t.Error(diff)
	}
	tell(t, "go-ethereum, server", results.Go(t, "github.com/ethereum/go-ethereum"), 4, own)
}

// NetRPC is a service of net/rpc, whose errors are texts.
type NetRPC struct{}

// Get fails.
func (NetRPC) Get(_ map[string]any, _ *map[string]any) error { return errors.New("boom") }

// TestFinding_P20_netRPC has the codec of the standard library, which speaks 1.0.
func TestFinding_P20_netRPC(t *testing.T) {
	server := rpc.NewServer()
	if err := server.RegisterName("Cart", NetRPC{}); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "7")
		_ = server.ServeRequest(netjsonrpc.NewServerCodec(connection{r, w}))
	}))
	t.Cleanup(s.Close)
	cart := newCart(nil, s.URL, client.WithMethodNames(func(procedure string) string { return "Cart." + client.BareNames(procedure) }))["alone"]
	for name, call := range map[string]struct {
		err  error
		note string
	}{
		"params by name":             {callGet(t, cart), "cannot unmarshal object"},
		"a method that is not there": {callPing(t, cart), "can't find method Cart.Ping"},
	} {
		e := errmap.From(call.err)
		delay, _ := e.RetryDelay()
		if e.Code() != code.Code_INTERNAL || !e.Local() || delay != 7*time.Second || !strings.Contains(strings.Join(e.Notes(), "\n"), call.note) {
			t.Errorf("%s: %v after %v, local %v, notes %q", name, e, delay, e.Local(), e.Notes())
		}
	}
	release := strings.Split(strings.TrimPrefix(runtime.Version(), "go"), ".")
	tell(t, "net/rpc/jsonrpc, server", strings.Join(release[:2], "."), 2, words)
}

func callGet(t *testing.T, cart shopv1connect.CartClient) error {
	t.Helper()
	_, err := cart.Get(t.Context(), &shopv1.GetRequest{Sku: "A1"})
	return err
}

func callPing(t *testing.T, cart shopv1connect.CartClient) error {
	t.Helper()
	//lint:ignore SA1019 the schema deprecates it to see what clients make of that
	_, err := cart.Ping(t.Context(), &emptypb.Empty{})
	return err
}

// connection is one request and its answer as net/rpc has them.
type connection struct {
	request *http.Request
	http.ResponseWriter
}

func (c connection) Read(p []byte) (int, error) { return c.request.Body.Read(p) }
func (c connection) Close() error               { return c.request.Body.Close() }
