package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/creachadair/jrpc2/handler"
	"github.com/creachadair/jrpc2/jhttp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap/errmapconnect"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/server"
)

// typedLibrary fails with an annotated message, which its callers get typed.
type typedLibrary struct {
	libraryv1connect.UnimplementedLibraryHandler
}

func (typedLibrary) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	if r.GetName() == "lent" {
		return nil, &libraryv1.BookLentError{Name: r.GetName(), Reader: "r-7"}
	}
	return &libraryv1.Book{Name: r.GetName()}, nil
}

// plainLibrary fails with the same error, as Connect's own users write it.
type plainLibrary struct {
	libraryv1connect.UnimplementedLibraryHandler
}

func (plainLibrary) GetBook(_ context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	if r.GetName() == "lent" {
		return nil, connect.NewError(connect.CodeFailedPrecondition, "r-7 has lent").WithDetail(detail(&errdetails.ErrorInfo{
			Reason: "BOOK_LENT", Domain: "library.example.com", Metadata: map[string]string{"name": r.GetName(), "reader": "r-7"},
		}))
	}
	return &libraryv1.Book{Name: r.GetName()}, nil
}

// closer is a body that is used again.
type closer struct{ *bytes.Reader }

func (closer) Close() error { return nil }

const procedure = "/library.v1.Library/GetBook"

// handlers are ways to the same method, each with the body of its request.
func handlers(tb testing.TB, name string) map[string]struct {
	handler http.Handler
	path    string
	body    string
} {
	tb.Helper()
	typed, plain := errmapconnect.NewServer(), connect.NewServer()
	libraryv1connect.RegisterLibraryHandler(typed, typedLibrary{})
	libraryv1connect.RegisterLibraryHandler(plain, plainLibrary{})
	// Both behind a router, as programs have them.
	ours, own := http.NewServeMux(), http.NewServeMux()
	if err := server.Mount(ours, typed); err != nil {
		tb.Fatal(err)
	}
	connecthttp.Mount(own, plain)
	bridge := jhttp.NewBridge(handler.Map{"library.v1.Library/GetBook": handler.New(func(ctx context.Context, r struct{ Name string }) (*libraryv1.Book, error) {
		return plainLibrary{}.GetBook(ctx, &libraryv1.GetBookRequest{Name: r.Name})
	})}, nil)
	tb.Cleanup(func() { _ = bridge.Close() })
	params := string(must(json.Marshal(map[string]string{"name": name})))
	envelope := `{"jsonrpc":"2.0","id":1,"method":"library.v1.Library/GetBook","params":` + params + `}`
	return map[string]struct {
		handler http.Handler
		path    string
		body    string
	}{
		"errmap":                   {ours, "/", envelope},
		"connect v2, its own JSON": {own, procedure, params},
		"jrpc2 bridge":             {bridge, "/", envelope},
	}
}

func benchmarkHandlers(b *testing.B, name string) {
	for peer, h := range handlers(b, name) {
		b.Run(peer, func(b *testing.B) {
			body := []byte(h.body)
			reader := &closer{bytes.NewReader(body)}
			r := must(http.NewRequest(http.MethodPost, h.path, nil))
			r.Header.Set("Content-Type", "application/json")
			r.ContentLength = int64(len(body))
			d := &discard{header: http.Header{}}
			defer measure(b)()
			for b.Loop() {
				reader.Reset(body)
				r.Body = reader
				d.reset()
				h.handler.ServeHTTP(d, r)
			}
			if d.size == 0 {
				b.Fatal("no answer")
			}
		})
	}
}

func BenchmarkGoodCall(b *testing.B) { benchmarkHandlers(b, "books/1") }

func BenchmarkFailingCall(b *testing.B) { benchmarkHandlers(b, "lent") }
