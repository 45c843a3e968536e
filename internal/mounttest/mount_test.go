// Package mounttest_test has handlers that fail under every mount and adapter of a
// server, and looks at what their callers get.
package mounttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapa2a"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/errmap/errmapmcp"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connectv1"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
)

// handler is what a method does.
type handler func(context.Context) error

// mounts serve a handler, each in its way, and return what their caller gets of it. The
// guard is that of the mount.
var mounts = map[string]func(*testing.T, *errmap.Guard, handler) error{
	"connect":              overConnect(),
	"connect JSON":         overConnect(connecthttp.WithProtoJSON()),
	"grpc":                 overConnect(connecthttp.WithGRPC()),
	"grpcweb":              overConnect(connecthttp.WithGRPCWeb()),
	"v1":                   overV1(errmapconnectv1.WithClient()),
	"v1 grpc":              overV1(connectv1.WithGRPC(), errmapconnectv1.WithClient()),
	"v1 grpcweb":           overV1(connectv1.WithGRPCWeb(), errmapconnectv1.WithClient()),
	"grpc-go":              overGRPC,
	"JSON-RPC":             overJSONRPC,
	"HTTP+JSON":            overHTTPJSON(errmap.ContentTypeJSON),
	"bindings as problems": overHTTPJSON(errmap.ContentTypeProblem),
	"net/http":             overHTTP(errmap.ContentTypeJSON),
	"net/http as problems": overHTTP(errmap.ContentTypeProblem),
	"MCP tool":             overMCP,
}

// inEvery runs a test under each mount.
func inEvery(t *testing.T, f func(t *testing.T, name string, call func(*errmap.Guard, handler) error)) {
	t.Helper()
	for name, mount := range mounts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, name, func(g *errmap.Guard, h handler) error { return mount(t, g, h) })
		})
	}
}

// quiet returns a guard that logs nothing.
func quiet(opts ...errmap.GuardOption) *errmap.Guard {
	return errmap.NewGuard(append(opts, errmap.WithLog(func(context.Context, errmap.Report) {}))...)
}

// serve serves HTTP/1 and unencrypted HTTP/2.
func serve(t *testing.T, h http.Handler) (url string, hc *http.Client) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, &http.Client{Transport: s.Client().Transport}
}

// h2c returns a client that speaks HTTP/2 at once.
func h2c(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{Protocols: new(http.Protocols)}
	tr.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

type library struct {
	libraryv1connect.UnimplementedLibraryHandler
	fail handler
}

func (l library) GetBook(ctx context.Context, _ *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	if err := l.fail(ctx); err != nil {
		return nil, err
	}
	return new(libraryv1.Book), nil
}

func newServer(g *errmap.Guard, h handler) *connect.Server {
	rpc := errmapconnect.NewServer(errmapconnect.WithGuard(g))
	libraryv1connect.RegisterLibraryHandler(rpc, library{fail: h})
	return rpc
}

func get(t *testing.T, transport connect.Transport) error {
	t.Helper()
	_, err := libraryv1connect.NewLibraryClient(errmapconnect.NewClient(transport)).GetBook(t.Context(), new(libraryv1.GetBookRequest))
	return err
}

func overConnect(opts ...connecthttp.Option) func(*testing.T, *errmap.Guard, handler) error {
	return func(t *testing.T, g *errmap.Guard, h handler) error {
		mux := http.NewServeMux()
		connecthttp.Mount(mux, newServer(g, h), connecthttp.WithGRPC(), connecthttp.WithGRPCWeb())
		url, _ := serve(t, mux)
		return get(t, connecthttp.NewTransport(h2c(t), url, opts...))
	}
}

type libraryV1 struct {
	libraryv1connectv1.UnimplementedLibraryHandler
	fail handler
}

func (l libraryV1) GetBook(ctx context.Context, _ *connectv1.Request[libraryv1.GetBookRequest]) (*connectv1.Response[libraryv1.Book], error) {
	if err := l.fail(ctx); err != nil {
		return nil, err
	}
	return connectv1.NewResponse(new(libraryv1.Book)), nil
}

func overV1(opts ...connectv1.ClientOption) func(*testing.T, *errmap.Guard, handler) error {
	return func(t *testing.T, g *errmap.Guard, h handler) error {
		mux := http.NewServeMux()
		mux.Handle(libraryv1connectv1.NewLibraryHandler(libraryV1{fail: h}, errmapconnectv1.WithServer(errmapconnectv1.WithGuard(g))))
		url, _ := serve(t, mux)
		_, err := libraryv1connectv1.NewLibraryClient(h2c(t), url, opts...).GetBook(t.Context(), connectv1.NewRequest(new(libraryv1.GetBookRequest)))
		return err
	}
}

type libraryGRPC struct {
	libraryv1.UnimplementedLibraryServer
	fail handler
}

func (l libraryGRPC) GetBook(ctx context.Context, _ *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	if err := l.fail(ctx); err != nil {
		return nil, err
	}
	return new(libraryv1.Book), nil
}

func overGRPC(t *testing.T, g *errmap.Guard, h handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(errmapgrpc.ServerOptions(errmapgrpc.WithGuard(g))...)
	libraryv1.RegisterLibraryServer(s, libraryGRPC{fail: h})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	conn, err := grpc.NewClient(l.Addr().String(), append(errmapgrpc.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = libraryv1.NewLibraryClient(conn).GetBook(t.Context(), new(libraryv1.GetBookRequest))
	return err
}

func overJSONRPC(t *testing.T, g *errmap.Guard, h handler) error {
	mux := http.NewServeMux()
	if err := server.Mount(mux, newServer(g, h), server.WithGuard(g)); err != nil {
		t.Fatal(err)
	}
	url, hc := serve(t, mux)
	return get(t, client.New(hc, url))
}

// ask asks a server of HTTP for an error in one form.
func ask(t *testing.T, h http.Handler, path, accept string) error {
	t.Helper()
	url, hc := serve(t, h)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	resp, err := hc.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Header.Get("Content-Type"); got != accept {
		t.Errorf("Content-Type %s", got)
	}
	return errmaphttp.ReadError(resp, errmaphttp.HTTPJSON)
}

func overHTTPJSON(accept string) func(*testing.T, *errmap.Guard, handler) error {
	return func(t *testing.T, g *errmap.Guard, h handler) error {
		mux := http.NewServeMux()
		if err := httpjson.Mount(mux, newServer(g, h), httpjson.WithGuard(g)); err != nil {
			t.Fatal(err)
		}
		return ask(t, mux, "/v1/shelves/1/books/b", accept)
	}
}

func overHTTP(accept string) func(*testing.T, *errmap.Guard, handler) error {
	return func(t *testing.T, g *errmap.Guard, h handler) error {
		return ask(t, errmaphttp.Handle(func(_ http.ResponseWriter, r *http.Request) error { return h(r.Context()) }, errmaphttp.WithGuard(g)), "/", accept)
	}
}

func overMCP(t *testing.T, g *errmap.Guard, h handler) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1"}, nil)
	if err := errmapmcp.InstallServer(s, errmapmcp.WithGuard(g)); err != nil {
		t.Fatal(err)
	}
	errmapmcp.AddTool(s, &mcp.Tool{Name: "book"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, h(ctx)
	})
	here, there := mcp.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "reader", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "book"})
	if err != nil {
		return err
	}
	if e := errmapmcp.FromResult(result); e != nil {
		return e
	}
	return nil
}

// executor is an agent whose only task fails.
type executor handler

func (f executor) Execute(ctx context.Context, _ *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(nil, f(ctx)) }
}

func (f executor) Cancel(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return f.Execute(ctx, ec)
}

// overA2A serves an agent of the SDK of A2A, which has errors of its own for all that is
// none of the nine: of others the message is left.
func overA2A(t *testing.T, g *errmap.Guard, h handler) error {
	agent := a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(executor(h), a2asrv.WithCallInterceptors(errmapa2a.ServerInterceptor(errmapa2a.WithGuard(g)))))
	w := httptest.NewRecorder()
	agent.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/",
		strings.NewReader(`{"jsonrpc":"2.0","id":"1","method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`)))
	var answer struct{ Error json.RawMessage }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Error == nil {
		return fmt.Errorf("the answer %s: %w", w.Body, err)
	}
	e, err := errmap.DecodeJSONRPC(answer.Error, errmap.ProfileA2A)
	if err != nil {
		return err
	}
	return e.WithRemote()
}
