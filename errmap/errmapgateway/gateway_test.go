package errmapgateway_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapgateway"
	"github.com/errmap/errmap/errmap/errmapgrpc"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
)

type library struct {
	libraryv1.UnimplementedLibraryServer
}

func (library) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	switch r.GetName() {
	case "missing":
		return nil, &libraryv1.BookNotFoundError{Name: r.GetName()}
	case "busy":
		return nil, errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, "too many").WithDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)})
	}
	return nil, errors.New("dial tcp 10.0.0.7:5432: user=app")
}

// newMux returns a gateway whose routes do what generated ones do.
func newMux(t *testing.T, get func(context.Context, *libraryv1.GetBookRequest) (*libraryv1.Book, error)) *runtime.ServeMux {
	t.Helper()
	mux := runtime.NewServeMux(runtime.WithErrorHandler(errmapgateway.ErrorHandler()))
	err := mux.HandlePath(http.MethodGet, "/v1/books/{name}", func(w http.ResponseWriter, r *http.Request, path map[string]string) {
		_, marshaler := runtime.MarshalerForRequest(mux, r)
		ctx, err := runtime.AnnotateContext(r.Context(), mux, r, "/library.v1.Library/GetBook")
		if err != nil {
			runtime.HTTPError(ctx, mux, marshaler, w, r, err)
			return
		}
		name, err := runtime.String(path["name"])
		if err == nil && name == "malformed" {
			err = status.Errorf(codes.InvalidArgument, "type mismatch, parameter: %s", "name")
		}
		if err == nil && name == "large" {
			err = &runtime.HTTPStatusError{HTTPStatus: http.StatusRequestEntityTooLarge, Err: status.Error(codes.Unknown, "too large")}
		}
		if err == nil {
			_, err = get(ctx, &libraryv1.GetBookRequest{Name: name})
		}
		if err != nil {
			runtime.HTTPError(ctx, mux, marshaler, w, r, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return mux
}

func dial(t *testing.T, serve bool) libraryv1.LibraryClient {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if serve {
		s := grpc.NewServer(errmapgrpc.ServerOptions()...)
		libraryv1.RegisterLibraryServer(s, library{})
		go func() { _ = s.Serve(listener) }()
		t.Cleanup(s.Stop)
	} else {
		_ = listener.Close()
	}
	conn, err := grpc.NewClient(listener.Addr().String(), append(errmapgrpc.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return libraryv1.NewLibraryClient(conn)
}

func TestErrorHandler(t *testing.T) {
	t.Parallel()
	served, nowhere := dial(t, true), dial(t, false)
	remote := func(ctx context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
		return served.GetBook(ctx, r)
	}
	lost := func(ctx context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
		return nowhere.GetBook(ctx, r)
	}
	const identity = `"reason":"BOOK_NOT_FOUND","domain":"library.example.com"`
	for name, test := range map[string]struct {
		get    func(context.Context, *libraryv1.GetBookRequest) (*libraryv1.Book, error)
		path   string
		accept string
		status int
		kind   string
		want   string
	}{
		"of the service":                {remote, "/v1/books/missing", "", 410, "application/json", identity},
		"of the service, as a problem":  {remote, "/v1/books/missing", "application/problem+json", 410, "application/problem+json", `"code":"NOT_FOUND"`},
		"with a delay":                  {remote, "/v1/books/busy", "", 429, "application/json", `"message":"too many"`},
		"hidden by the service":         {remote, "/v1/books/other", "", 500, "application/json", `"message":"internal error"`},
		"of a handler in this process":  {library{}.GetBook, "/v1/books/missing", "", 410, "application/json", identity},
		"hidden of such a handler":      {library{}.GetBook, "/v1/books/other", "", 500, "application/json", `"message":"internal error"`},
		"of the way to the service":     {lost, "/v1/books/missing", "", 503, "application/json", `"message":"the service cannot be reached"`},
		"of the gateway":                {remote, "/v1/books/malformed", "", 400, "application/json", `type mismatch, parameter: name`},
		"of the gateway, with a status": {remote, "/v1/books/large", "", 413, "application/json", `"message":"too large"`},
		"of a route that is none":       {remote, "/v1/nothing", "", 404, "application/json", `"status":"NOT_FOUND"`},
		"of another method":             {remote, "/v1/books/missing?PUT", "", 501, "application/json", `"status":"UNIMPLEMENTED"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := http.MethodGet
			if strings.HasSuffix(test.path, "?PUT") {
				method = http.MethodPut
			}
			r := httptest.NewRequest(method, test.path, nil)
			if test.accept != "" {
				r.Header.Set("Accept", test.accept)
			}
			w := httptest.NewRecorder()
			newMux(t, test.get).ServeHTTP(w, r)
			body, err := io.ReadAll(w.Result().Body)
			if err != nil || w.Code != test.status || w.Header().Get("Content-Type") != test.kind || !strings.Contains(string(body), test.want) {
				t.Errorf("HTTP %d, %v, %s", w.Code, w.Header(), body)
			}
			for _, secret := range []string{"10.0.0.7", "127.0.0.1", "dial"} {
				if strings.Contains(string(body), secret) {
					t.Errorf("%q is in %s", secret, body)
				}
			}
			if name == "with a delay" && w.Header().Get("Retry-After") != "2" {
				t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
			}
			e, err := errmap.DecodeHTTP(body, errmap.WithHTTPStatus(w.Code))
			if err != nil || test.status == 410 && e.Reason() != "BOOK_NOT_FOUND" {
				t.Errorf("read back: %v, %v", e, err)
			}
		})
	}
}
