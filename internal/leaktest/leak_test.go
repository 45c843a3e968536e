package leaktest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/connect/v2/connectinprocess"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"net"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/errmap/errmaphttp"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connectv1"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/httpjson"
)

// failing is what the handlers of a test do.
type failing func() error

type library struct {
	libraryv1connect.UnimplementedLibraryHandler
	fail failing
}

func (l library) GetBook(context.Context, *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	return nil, l.fail()
}

func (l library) WatchBooks(_ context.Context, _ *libraryv1.ListBooksRequest, s libraryv1connect.LibraryWatchBooksServerStream) error {
	if err := s.Send(&libraryv1.Book{Name: "b"}); err != nil {
		return err
	}
	return l.fail()
}

type libraryConnectV1 struct {
	libraryv1connectv1.UnimplementedLibraryHandler
	fail failing
}

func (l libraryConnectV1) GetBook(context.Context, *connectv1.Request[libraryv1.GetBookRequest]) (*connectv1.Response[libraryv1.Book], error) {
	return nil, l.fail()
}

func (l libraryConnectV1) WatchBooks(_ context.Context, _ *connectv1.Request[libraryv1.ListBooksRequest], s *connectv1.ServerStream[libraryv1.Book]) error {
	if err := s.Send(&libraryv1.Book{Name: "b"}); err != nil {
		return err
	}
	return l.fail()
}

type libraryGRPC struct {
	libraryv1.UnimplementedLibraryServer
	fail failing
}

func (l libraryGRPC) GetBook(context.Context, *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	return nil, l.fail()
}

func (l libraryGRPC) WatchBooks(_ *libraryv1.ListBooksRequest, s grpc.ServerStreamingServer[libraryv1.Book]) error {
	if err := s.Send(&libraryv1.Book{Name: "b"}); err != nil {
		return err
	}
	return l.fail()
}

// transports drive a failing handler from end to end and return all that left.
var transports = map[string]func(*testing.T, failing, *log) []byte{
	"connect":                        connectV2(1),
	"connect over HTTP/2":            connectV2(2),
	"connect with JSON":              connectV2(1, connecthttp.WithProtoJSON()),
	"grpc of connect":                connectV2(2, connecthttp.WithGRPC()),
	"grpcweb of connect":             connectV2(1, connecthttp.WithGRPCWeb()),
	"connect v1":                     connectV1(1),
	"connect v1 with JSON":           connectV1(1, connectv1.WithProtoJSON()),
	"grpc of connect v1":             connectV1(2, connectv1.WithGRPC()),
	"grpcweb of connect v1":          connectV1(1, connectv1.WithGRPCWeb()),
	"grpc":                           grpcGo,
	"in process":                     inProcess,
	"JSON-RPC":                       posted(getBook, true),
	"JSON-RPC compressed":            posted(getBook, true, "Accept-Encoding", "gzip"),
	"JSON-RPC batch":                 posted("["+getBook+`,{"jsonrpc":"2.0","id":2,"method":"library.v1.Library/GetBook"}]`, true),
	"JSON-RPC under a2a":             posted(getBook, true, "profile", "a2a"),
	"JSON-RPC under mcp":             posted(getBook, true, "profile", "mcp"),
	"JSON-RPC events":                posted(watchBooks, true, "Accept", "text/event-stream"),
	"JSON-RPC guarding alone":        posted(getBook, false),
	"JSON-RPC events guarding alone": posted(watchBooks, false, "Accept", "text/event-stream"),
	"HTTP+JSON":                      got("/v1/shelves/1/books/b", true),
	"HTTP+JSON problem":              got("/v1/shelves/1/books/b", true, "Accept", "application/problem+json"),
	"HTTP+JSON events":               got("/v1/shelves/1/books:watch", true, "Accept", "text/event-stream"),
	"HTTP+JSON guarding alone":       got("/v1/shelves/1/books/b", false),
	"net/http":                       netHTTP(),
	"net/http problem":               netHTTP(errmaphttp.WithProblems()),
}

const (
	getBook    = `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/GetBook","params":{"name":"b"}}`
	watchBooks = `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/WatchBooks","params":{"parent":"s"}}`
)

// No secret that a handler comes across leaves, on any transport; and what is
// kept back is in the log, under the id that the caller has.
func TestLeaks(t *testing.T) {
	t.Parallel()
	for transport, drive := range transports {
		for name, p := range plants {
			t.Run(transport+"/"+name, func(t *testing.T) {
				t.Parallel()
				secret, l := newSecret(), new(log)
				left := drive(t, func() error { return p.fail(secret) }, l)
				p.check(t, left, l, secret)
			})
		}
	}
}

// A notification is answered with nothing, and its failure is in the log.
func TestLeaks_notifications(t *testing.T) {
	t.Parallel()
	for name, p := range plants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret, l := newSecret(), new(log)
			left := posted(`{"jsonrpc":"2.0","method":"library.v1.Library/GetBook"}`, true)(t, func() error { return p.fail(secret) }, l)
			plant{}.check(t, left, l, secret)
			if p.hidden && len(l.reports) != 1 {
				t.Errorf("%d reports", len(l.reports))
			}
		})
	}
}

// connectServer is a server of v2 whose errors pass the guard.
func connectServer(fail failing, l *log) *connect.Server {
	s := errmapconnect.NewServer(errmapconnect.WithGuard(l.guard()))
	libraryv1connect.RegisterLibraryHandler(s, library{fail: fail})
	return s
}

func connectV2(major int, opts ...connecthttp.Option) func(*testing.T, failing, *log) []byte {
	return func(t *testing.T, fail failing, l *log) []byte {
		mux := http.NewServeMux()
		connecthttp.Mount(mux, connectServer(fail, l))
		r := serve(t, mux)
		callConnect(t, connect.NewClient(connecthttp.NewTransport(r.client(t, major), "http://library", opts...)))
		return r.text(t)
	}
}

// callConnect calls both methods and returns what their errors say.
func callConnect(t *testing.T, c *connect.Client) []error {
	t.Helper()
	library := libraryv1connect.NewLibraryClient(c)
	_, unary := library.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "b"})
	stream, err := library.WatchBooks(t.Context(), &libraryv1.ListBooksRequest{Parent: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for err == nil {
		_, err = stream.Receive()
	}
	if unary == nil || errors.Is(err, io.EOF) {
		t.Fatalf("the calls did not fail: %v, %v", unary, err)
	}
	return []error{unary, err}
}

// inProcess has no bytes: what left is what a caller can get out of the errors.
func inProcess(t *testing.T, fail failing, l *log) []byte {
	var left []byte
	for _, err := range callConnect(t, connect.NewClient(connectinprocess.New(connectServer(fail, l)))) {
		left = dump(left, err)
		left = append(left, errmap.EncodeConnect(errmapconnect.FromError(err))...)
	}
	return left
}

// dump appends what an error and all below it say, and what they are.
func dump(b []byte, err error) []byte {
	if err == nil {
		return b
	}
	b = fmt.Appendf(b, "%T %v %+v\n", err, err, err)
	switch e := err.(type) { //nolint:errorlint // each link by itself
	case interface{ Unwrap() error }:
		return dump(b, e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, link := range e.Unwrap() {
			b = dump(b, link)
		}
	}
	return b
}

func connectV1(major int, opts ...connectv1.ClientOption) func(*testing.T, failing, *log) []byte {
	return func(t *testing.T, fail failing, l *log) []byte {
		mux := http.NewServeMux()
		mux.Handle(libraryv1connectv1.NewLibraryHandler(libraryConnectV1{fail: fail},
			errmapconnectv1.WithServer(errmapconnectv1.WithGuard(l.guard()))))
		r := serve(t, mux)
		c := libraryv1connectv1.NewLibraryClient(r.client(t, major), "http://library", opts...)
		_, unary := c.GetBook(t.Context(), connectv1.NewRequest(&libraryv1.GetBookRequest{Name: "b"}))
		stream, err := c.WatchBooks(t.Context(), connectv1.NewRequest(&libraryv1.ListBooksRequest{Parent: "s"}))
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		for stream.Receive() {
		}
		if unary == nil || stream.Err() == nil {
			t.Fatalf("the calls did not fail: %v, %v", unary, stream.Err())
		}
		return r.text(t)
	}
}

func grpcGo(t *testing.T, fail failing, l *log) []byte {
	s := grpc.NewServer(errmapgrpc.ServerOptions(errmapgrpc.WithGuard(l.guard()))...)
	libraryv1.RegisterLibraryServer(s, libraryGRPC{fail: fail})
	r := newRecorder()
	go func() { _ = s.Serve(r) }()
	t.Cleanup(s.Stop)
	conn, err := grpc.NewClient("passthrough:library", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return r.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := libraryv1.NewLibraryClient(conn)
	_, unary := c.GetBook(t.Context(), &libraryv1.GetBookRequest{Name: "b"})
	stream, err := c.WatchBooks(t.Context(), &libraryv1.ListBooksRequest{Parent: "s"})
	for err == nil {
		_, err = stream.Recv()
	}
	if unary == nil || errors.Is(err, io.EOF) {
		t.Fatalf("the calls did not fail: %v, %v", unary, err)
	}
	return r.text(t)
}

// posted posts a JSON-RPC body. Without inside, the server has no interceptor of
// ours, and the mount guards alone. Headers are alternating names and values.
func posted(body string, inside bool, headers ...string) func(*testing.T, failing, *log) []byte {
	return func(t *testing.T, fail failing, l *log) []byte {
		opts := []server.Option{
			server.WithGuard(errmap.NewGuard(errmap.WithLog(l.report))),
			server.WithNotificationLog(func(context.Context, server.Dropped) {}),
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://library/", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			if headers[i] == "profile" {
				profile, err := errmap.ParseProfile(headers[i+1])
				if err != nil {
					t.Fatal(err)
				}
				opts = append(opts, server.WithProfile(profile), server.WithMethodNames(server.SlashNames))
				continue
			}
			request.Header.Set(headers[i], headers[i+1])
		}
		mux := http.NewServeMux()
		if err := server.Mount(mux, mountedServer(fail, l, inside), opts...); err != nil {
			t.Fatal(err)
		}
		return exchange(t, mux, request)
	}
}

// got gets a path of HTTP+JSON.
func got(path string, inside bool, headers ...string) func(*testing.T, failing, *log) []byte {
	return func(t *testing.T, fail failing, l *log) []byte {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://library"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		mux := http.NewServeMux()
		if err := httpjson.Mount(mux, mountedServer(fail, l, inside), httpjson.WithGuard(errmap.NewGuard(errmap.WithLog(l.report)))); err != nil {
			t.Fatal(err)
		}
		return exchange(t, mux, request)
	}
}

func mountedServer(fail failing, l *log, inside bool) *connect.Server {
	if inside {
		return connectServer(fail, l)
	}
	s := connect.NewServer()
	libraryv1connect.RegisterLibraryHandler(s, library{fail: fail})
	return s
}

func netHTTP(opts ...errmaphttp.WriteOption) func(*testing.T, failing, *log) []byte {
	return func(t *testing.T, fail failing, l *log) []byte {
		opts := append([]errmaphttp.WriteOption{errmaphttp.WithGuard(l.guard())}, opts...)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://library/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		h := errmaphttp.Handle(func(http.ResponseWriter, *http.Request) error { return fail() }, opts...)
		return exchange(t, errmaphttp.Recover(h, opts...), request)
	}
}

// exchange serves a handler for one request and returns all that left.
func exchange(t *testing.T, h http.Handler, request *http.Request) []byte {
	t.Helper()
	r := serve(t, h)
	response, err := r.client(t, 1).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return r.text(t)
}

// A value that is refused before any handler does not come back, but for the one
// token that a field of the params cannot hold, which tells its own sender what
// is wrong with it.
func TestLeaks_refusedValues(t *testing.T) {
	t.Parallel()
	secret := newSecret()
	for name, drive := range map[string]func(*testing.T, failing, *log) []byte{
		"HTTP+JSON": got("/v1/shelves/1/books?page_size="+secret, true),
		"no JSON":   posted(`{"jsonrpc":"2.0","id":1,`+secret, true),
		"no method": posted(`{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/ListBooks","params":"`+secret+`"}`, true),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := new(log)
			plant{}.check(t, drive(t, func() error { return nil }, l), l, secret)
		})
	}
}
