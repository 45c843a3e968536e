package faulttest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	connectv1 "connectrpc.com/connect"
	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapconnect"
	"github.com/errmap/errmap/errmap/errmapconnectv1"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	"github.com/errmap/errmap/errmap/errmaphttp"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connectv1"
	"github.com/errmap/errmap/server"
	errmapgateway "github.com/errmap/errmap/server/gateway"
	"github.com/errmap/errmap/server/httpjson"
)

// library has one book, "shelves/1/books/b".
type library struct {
	libraryv1connect.UnimplementedLibraryHandler
}

func (library) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	if r.GetName() != book {
		return nil, &libraryv1.BookNotFoundError{Name: r.GetName()}
	}
	return &libraryv1.Book{Name: book, Title: "A title that is long enough to be cut into two pieces somewhere"}, nil
}

func (library) WatchBooks(_ context.Context, r *libraryv1.ListBooksRequest, s libraryv1connect.LibraryWatchBooksServerStream) error {
	for range 3 {
		if err := s.Send(&libraryv1.Book{Name: book, Title: "A title that is long enough to be cut into two pieces"}); err != nil {
			return err
		}
	}
	if r.GetParent() != "shelves/1" {
		return &libraryv1.BookNotFoundError{Name: r.GetParent()}
	}
	return nil
}

const book = "shelves/1/books/b"

// well is the server behind the proxy.
func well(t *testing.T) http.Handler {
	t.Helper()
	rpc := errmapconnect.NewServer()
	libraryv1connect.RegisterLibraryHandler(rpc, library{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, rpc, connecthttp.WithGRPC(), connecthttp.WithGRPCWeb())
	if err := server.Mount(mux, rpc, server.WithHosts("library")); err != nil {
		t.Fatal(err)
	}
	if err := httpjson.Mount(mux, rpc, httpjson.WithHosts("library")); err != nil {
		t.Fatal(err)
	}
	return mux
}

// caller calls the server for a book and returns the error that ends the call.
type caller func(ctx context.Context, name string) error

// callers make a client for a proxy.
var callers = map[string]func(*testing.T, *proxy) caller{
	"connect":         func(t *testing.T, p *proxy) caller { return unary(over(t, p, 1)) },
	"connect HTTP/2":  func(t *testing.T, p *proxy) caller { return unary(over(t, p, 2)) },
	"connect JSON":    func(t *testing.T, p *proxy) caller { return unary(over(t, p, 1, connecthttp.WithProtoJSON())) },
	"connect stream":  func(t *testing.T, p *proxy) caller { return stream(over(t, p, 1)) },
	"grpc":            func(t *testing.T, p *proxy) caller { return unary(over(t, p, 2, connecthttp.WithGRPC())) },
	"grpc stream":     func(t *testing.T, p *proxy) caller { return stream(over(t, p, 2, connecthttp.WithGRPC())) },
	"grpcweb":         func(t *testing.T, p *proxy) caller { return unary(over(t, p, 1, connecthttp.WithGRPCWeb())) },
	"grpcweb stream":  func(t *testing.T, p *proxy) caller { return stream(over(t, p, 1, connecthttp.WithGRPCWeb())) },
	"connect v1":      connectV1,
	"grpc-go":         grpcGo,
	"JSON-RPC":        func(t *testing.T, p *proxy) caller { return unary(jsonRPC(t, p)) },
	"JSON-RPC events": func(t *testing.T, p *proxy) caller { return stream(jsonRPC(t, p)) },
	"JSON-RPC batch":  batch,
	"HTTP+JSON":       httpJSON,
	"gateway":         throughGateway(errmapgateway.ProtocolConnect, 1, unary),
	"gateway grpc":    throughGateway(errmapgateway.ProtocolGRPC, 2, unary),
	"gateway grpcweb": throughGateway(errmapgateway.ProtocolGRPCWeb, 1, unary),
	"gateway stream":  throughGateway(errmapgateway.ProtocolGRPC, 2, stream),
}

// wanted are the codes that a call may end with under a fault. Nil stands for an
// answer that arrives whole in spite of it.
var wanted = map[fault][]code.Code{
	cut:       {code.Code_UNAVAILABLE},
	truncate:  {code.Code_UNAVAILABLE},
	delay:     {code.Code_DEADLINE_EXCEEDED},
	duplicate: {code.Code_OK, code.Code_UNAVAILABLE, code.Code_INTERNAL},
	garble:    {code.Code_UNAVAILABLE},
	html:      {code.Code_INTERNAL, code.Code_UNKNOWN},
	gateway:   {code.Code_UNAVAILABLE},
	limited:   {code.Code_UNAVAILABLE},
	half:      {code.Code_UNAVAILABLE, code.Code_INTERNAL, code.Code_UNKNOWN}, // as the half ends
	// The text is read as the length of a message, too.
	mislabel: {code.Code_INTERNAL, code.Code_RESOURCE_EXHAUSTED, code.Code_UNAVAILABLE},
}

// own are those of HTTP+JSON, where the body of a success is not read.
var own = map[fault][]code.Code{
	html:    {code.Code_OK},
	gateway: {code.Code_UNAVAILABLE},
	limited: {code.Code_RESOURCE_EXHAUSTED},
	half:    {code.Code_OK, code.Code_UNAVAILABLE},
}

// Every client of ours ends each broken call with an error that says what
// happened, in bounded time, tells nobody of the page that it met, and does its
// next call well.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, connected := range callers {
		for _, f := range faults {
			for _, asked := range []string{book, "missing"} {
				t.Run(fmt.Sprintf("%s/%s/%s", name, f, asked[strings.LastIndexByte(asked, '/')+1:]), func(t *testing.T) {
					t.Parallel()
					p := newProxy(t, well(t))
					call := connected(t, p)
					if err := bounded(t, call, 10*time.Second, book); err != nil {
						t.Fatalf("before the fault: %v", err)
					}
					p.fault.Store(f)
					limit := 10 * time.Second
					if f == delay {
						limit = 200 * time.Millisecond
					}
					err := bounded(t, call, limit, asked)
					p.mend()
					check(t, f, name, asked, err)
					// A client may be about to notice that its connection broke.
					for range 20 {
						if err = bounded(t, call, 10*time.Second, book); err == nil {
							break
						}
						time.Sleep(50 * time.Millisecond)
					}
					if err != nil {
						t.Errorf("after the fault: %v", err)
					}
				})
			}
		}
	}
}

// An answer that is cut, wherever that is, is UNAVAILABLE, local, for whoever asked.
func TestFinding_K19_cut_anywhere(t *testing.T) {
	t.Parallel()
	for name, connected := range callers {
		for _, asked := range []string{book, "missing"} {
			t.Run(name+"/"+asked[strings.LastIndexByte(asked, '/')+1:], func(t *testing.T) {
				t.Parallel()
				p := newProxy(t, well(t))
				call := connected(t, p)
				for n := int64(0); n < 900; n += 23 {
					p.part.Store(n)
					p.fault.Store(truncate)
					err := bounded(t, call, 10*time.Second, asked)
					p.mend()
					if err == nil && asked == book || errors.Is(err, &libraryv1.BookNotFoundError{}) {
						continue // the rest was no part of the answer
					}
					if e := errmap.From(err); e.Code() != code.Code_UNAVAILABLE || !e.Local() && !strings.HasPrefix(name, "gateway") {
						t.Errorf("cut after %d bytes: %v, local %v", n, err, e.Local())
					}
				}
			})
		}
	}
}

// bounded calls with a deadline, and fails the test if the call does not keep it.
func bounded(t *testing.T, call caller, limit time.Duration, name string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	start := time.Now()
	err := call(ctx, name)
	if took := time.Since(start); took > limit+5*time.Second {
		t.Errorf("the call took %v with a deadline of %v", took, limit)
	}
	return err
}

func check(t *testing.T, f fault, name, asked string, err error) {
	t.Helper()
	e := errmap.From(err)
	got := e.Code()
	if err == nil {
		got = code.Code_OK
	}
	if errors.Is(err, &libraryv1.BookNotFoundError{}) && asked != book {
		got = code.Code_OK // the true answer
	}
	codes := wanted[f]
	switch {
	case strings.HasPrefix(name, "gateway") && f == html:
		codes = []code.Code{code.Code_UNAVAILABLE}
	case f == half && asked != book: // of gRPC the headers may say all
		codes = append(slices.Clip(codes), code.Code_OK)
		if name == "grpc-go" { // to which headers without a status are one of UNKNOWN
			codes = append(codes, code.Code_UNKNOWN)
		}
	case name == "HTTP+JSON": // which has a table of its own
		codes = own[f]
		if codes == nil {
			codes = wanted[f]
		}
	}
	if !slices.Contains(codes, got) {
		t.Fatalf("the call ended with %v %v, want one of %v", got, err, codes)
	}
	if got == code.Code_OK {
		if err == nil && asked != book && !(f == html && name == "HTTP+JSON") {
			t.Fatal("an error became a success")
		}
		return
	}
	if strings.Contains(e.Message(), "sorry") || strings.Contains(e.Message(), "10.0.0.7") {
		t.Errorf("the page is in the message %q", e.Message())
	}
	if f == limited && !strings.HasPrefix(name, "gateway") && name != "grpc-go" { // which drops the header
		if d, ok := e.RetryDelay(); !ok || d != 7*time.Second {
			t.Errorf("the delay is %v, %v", d, ok)
		}
	}
}

func over(t *testing.T, p *proxy, major int, opts ...connecthttp.Option) *connect.Client {
	c := &http.Client{Transport: errmaphttp.NewTransport(p.transport(t, major), errmaphttp.Connect)}
	return errmapconnect.NewClient(connecthttp.NewTransport(c, "http://library", opts...))
}

func unary(c *connect.Client) caller {
	library := libraryv1connect.NewLibraryClient(c)
	return func(ctx context.Context, name string) error {
		_, err := library.GetBook(ctx, &libraryv1.GetBookRequest{Name: name})
		return err
	}
}

func stream(c *connect.Client) caller {
	library := libraryv1connect.NewLibraryClient(c)
	return func(ctx context.Context, name string) error {
		parent, _, _ := strings.Cut(name, "/books")
		s, err := library.WatchBooks(ctx, &libraryv1.ListBooksRequest{Parent: parent})
		if err != nil {
			return err
		}
		defer s.Close()
		for {
			if _, err := s.Receive(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
}

func connectV1(t *testing.T, p *proxy) caller {
	c := libraryv1connectv1.NewLibraryClient(&http.Client{Transport: errmaphttp.NewTransport(p.transport(t, 1), errmaphttp.Connect)},
		"http://library", errmapconnectv1.WithClient())
	return func(ctx context.Context, name string) error {
		_, err := c.GetBook(ctx, connectv1.NewRequest(&libraryv1.GetBookRequest{Name: name}))
		return err
	}
}

func grpcGo(t *testing.T, p *proxy) caller {
	opts := append(errmapgrpc.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: 10 * time.Second, Backoff: backoff.Config{BaseDelay: time.Millisecond, Multiplier: 1, MaxDelay: time.Millisecond}}),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return p.dial(ctx, "", "") }))
	conn, err := grpc.NewClient("passthrough:library", opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := libraryv1.NewLibraryClient(conn)
	return func(ctx context.Context, name string) error {
		_, err := c.GetBook(ctx, &libraryv1.GetBookRequest{Name: name})
		return err
	}
}

func jsonRPC(t *testing.T, p *proxy, opts ...client.Option) *connect.Client {
	return connect.NewClient(client.New(&http.Client{Transport: p.transport(t, 1)}, "http://library/", opts...))
}

// batch makes three calls at once; each must end alike.
func batch(t *testing.T, p *proxy) caller {
	call := unary(jsonRPC(t, p, client.WithBatching(time.Hour, 3)))
	return func(ctx context.Context, name string) error {
		errs := make([]error, 3)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { errs[i] = call(ctx, name) })
		}
		wg.Wait()
		for _, err := range errs[1:] {
			if errmap.From(err).Code() != errmap.From(errs[0]).Code() {
				t.Errorf("calls of one batch ended with %v and %v", errs[0], err)
			}
		}
		return errs[0]
	}
}

func httpJSON(t *testing.T, p *proxy) caller {
	c := &http.Client{Transport: errmaphttp.NewTransport(p.transport(t, 1), errmaphttp.HTTPJSON)}
	return func(ctx context.Context, name string) error {
		if name != book {
			name = "shelves/1/books/" + name
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://library/v1/"+name, http.NoBody)
		if err != nil {
			return err
		}
		response, err := c.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
}

func throughGateway(protocol errmapgateway.Protocol, major int, kind func(*connect.Client) caller) func(*testing.T, *proxy) caller {
	return func(t *testing.T, p *proxy) caller {
		schema, err := errmapgateway.NewSchema(descriptors())
		if err != nil {
			t.Fatal(err)
		}
		up := errmapgateway.NewUpstream(&http.Client{Transport: p.transport(t, major)}, "http://library", protocol)
		guard := errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {}))
		g := errmapgateway.New(up.Transport(), schema, errmapgateway.WithServerOptions(errmapconnect.WithGuard(guard)))
		mux := http.NewServeMux()
		connecthttp.Mount(mux, g.Server())
		return kind(over(t, newProxy(t, mux), 1))
	}
}

// descriptors are those of the library and of all that it imports.
func descriptors() *descriptorpb.FileDescriptorSet {
	set := new(descriptorpb.FileDescriptorSet)
	seen := make(map[string]bool)
	var add func(protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	add(libraryv1.File_library_v1_library_proto)
	return set
}
