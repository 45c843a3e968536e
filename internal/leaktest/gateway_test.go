package leaktest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"

	"github.com/errmap/errmap/errmap/errmapconnect"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/server"
	"github.com/errmap/errmap/server/gateway"
	"github.com/errmap/errmap/server/httpjson"
)

// upstream is a service of unmodified grpc-go that keeps secrets in its headers,
// its trailers and its DebugInfo.
type upstream struct {
	libraryv1.UnimplementedLibraryServer
	secret string
}

func (u upstream) fail(set ...func(metadata.MD) error) error {
	for _, f := range set {
		if err := f(metadata.Pairs("x-token", u.secret, "x-token-bin", u.secret, "set-cookie", "s="+u.secret)); err != nil {
			return err
		}
	}
	s, err := status.New(codes.NotFound, "no such book").WithDetails(
		protoadapt.MessageV1Of(&errdetails.ErrorInfo{Reason: "BOOK_NOT_FOUND", Domain: "library.example.com"}),
		protoadapt.MessageV1Of(debug(u.secret)))
	if err != nil {
		return err
	}
	return s.Err()
}

func (u upstream) GetBook(ctx context.Context, _ *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	return nil, u.fail(
		func(md metadata.MD) error { return grpc.SetHeader(ctx, md) },
		func(md metadata.MD) error { return grpc.SetTrailer(ctx, md) })
}

func (u upstream) WatchBooks(_ *libraryv1.ListBooksRequest, s grpc.ServerStreamingServer[libraryv1.Book]) error {
	if err := s.SetHeader(metadata.Pairs("x-token", u.secret)); err != nil {
		return err
	}
	if err := s.Send(&libraryv1.Book{Name: "b"}); err != nil {
		return err
	}
	return u.fail(func(md metadata.MD) error { s.SetTrailer(md); return nil })
}

// failingUpstreams are what a gateway may have behind it: by name, the transport
// of HTTP to it, and whether its error is for the caller.
func failingUpstreams(secret string) map[string]http.RoundTripper {
	s := grpc.NewServer()
	libraryv1.RegisterLibraryServer(s, upstream{secret: secret})
	return map[string]http.RoundTripper{
		"error": gateway.InProcess(s).Transport,
		"broken connection": roundTripper(func(*http.Request) (*http.Response, error) {
			return nil, errors.New("dial tcp 10.0.0.7:5432: token=" + secret)
		}),
		"page of a proxy": roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusBadGateway, ProtoMajor: 2, Request: r,
				Header: http.Header{"Content-Type": {"text/html"}, "X-Token": {secret}},
				Body:   io.NopCloser(strings.NewReader("<html>upstream 10.0.0.7 " + secret + "</html>")),
			}, nil
		}),
		"garbage": roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, ProtoMajor: 2, Request: r,
				Header: http.Header{"Content-Type": {"application/grpc"}, "X-Token": {secret}},
				Body:   io.NopCloser(strings.NewReader(string(frame([]byte("\xff\xff" + secret))))),
			}, nil
		}),
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	return f(r)
}

// What an upstream keeps in its headers, trailers and DebugInfo, and what tells
// of the way to it, stays behind the gateway on every mount.
func TestLeaks_gateway(t *testing.T) {
	t.Parallel()
	described := grpc.NewServer()
	libraryv1.RegisterLibraryServer(described, upstream{})
	reflection.Register(described)
	schema, err := gateway.NewUpstream(gateway.InProcess(described), "http://library", gateway.ProtocolGRPC).Reflect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name := range failingUpstreams("") {
		for mount, drive := range mounts {
			t.Run(name+"/"+mount, func(t *testing.T) {
				t.Parallel()
				secret, l := newSecret(), new(log)
				up := gateway.NewUpstream(&http.Client{Transport: failingUpstreams(secret)[name]}, "http://library", gateway.ProtocolGRPC)
				g := gateway.New(up.Transport(), schema, gateway.WithServerOptions(errmapconnect.WithGuard(l.guard())))
				mux := http.NewServeMux()
				connecthttp.Mount(mux, g.Server(), connecthttp.WithGRPC(), connecthttp.WithGRPCWeb(), connecthttp.WithProtoJSON())
				if err := server.Mount(mux, g.Server(), server.WithCatalog(g.Catalog()), server.WithGuard(l.guard())); err != nil {
					t.Fatal(err)
				}
				if err := httpjson.Mount(mux, g.Server(), httpjson.WithCatalog(g.Catalog()), httpjson.WithGuard(l.guard())); err != nil {
					t.Fatal(err)
				}
				r := serve(t, mux)
				drive(t, r)
				left := r.text(t)
				plant{}.check(t, left, l, secret)
				if name == "error" && !holds(left, "BOOK_NOT_FOUND") {
					t.Errorf("the error itself did not arrive:\n%q", left)
				}
			})
		}
	}
}

// mounts are the ways to call a gateway.
var mounts = map[string]func(*testing.T, *recorder){
	"connect": func(t *testing.T, r *recorder) {
		callConnect(t, connect.NewClient(connecthttp.NewTransport(r.client(t, 1), "http://library")))
	},
	"grpc": func(t *testing.T, r *recorder) {
		callConnect(t, connect.NewClient(connecthttp.NewTransport(r.client(t, 2), "http://library", connecthttp.WithGRPC())))
	},
	"grpcweb": func(t *testing.T, r *recorder) {
		callConnect(t, connect.NewClient(connecthttp.NewTransport(r.client(t, 1), "http://library", connecthttp.WithGRPCWeb())))
	},
	"JSON-RPC":         fetched(http.MethodPost, "/", getBook),
	"JSON-RPC events":  fetched(http.MethodPost, "/", watchBooks, "Accept", "text/event-stream"),
	"HTTP+JSON":        fetched(http.MethodGet, "/v1/shelves/1/books/b", ""),
	"problem":          fetched(http.MethodGet, "/v1/shelves/1/books/b", "", "Accept", "application/problem+json"),
	"HTTP+JSON events": fetched(http.MethodGet, "/v1/shelves/1/books:watch", "", "Accept", "text/event-stream"),
}

func fetched(method, path, body string, headers ...string) func(*testing.T, *recorder) {
	return func(t *testing.T, r *recorder) {
		request, err := http.NewRequestWithContext(t.Context(), method, "http://library"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		response, err := r.client(t, 1).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Fatal(err)
		}
	}
}
