package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"

	"github.com/errmap/errmap/client"
	"github.com/errmap/errmap/errmap"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
)

// A handler asks which error it got: both find it one link down, in an error that
// was read, and As fills a target that Is does not need.
func BenchmarkIs(b *testing.B) {
	object := errmap.EncodeJSONRPC(errmap.New(&libraryv1.BookLentError{Name: "books/1", Reader: "r-7"}), errmap.ProfileGeneric)
	for name, err := range map[string]error{
		"read": fmt.Errorf("lending: %w", must(errmap.DecodeJSONRPC(object, errmap.ProfileGeneric))),
		"made": fmt.Errorf("lending: %w", errmap.New(&libraryv1.BookLentError{Name: "books/1", Reader: "r-7"})),
	} {
		b.Run(name, func(b *testing.B) {
			sides(b,
				side{"errmap", func() {
					if !errors.Is(err, &libraryv1.BookLentError{}) {
						panic("another error")
					}
				}},
				side{"errors.As", func() {
					if _, ok := errors.AsType[*libraryv1.BookLentError](err); !ok {
						panic("another error")
					}
				}})
		})
	}
}

// canned answers each request with the same bytes, but for the id of the request.
type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	request, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_ = r.Body.Close()
	body := string(c)
	if _, after, ok := bytes.Cut(request, []byte(`"id":`)); ok {
		body = strings.Replace(body, "ID", string(after[:bytes.IndexAny(after, ",}")]), 1)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// Both clients are asked through the same generated code, and the answer is there
// at once: what is measured is the client. Neither side compresses.
func BenchmarkClient(b *testing.B) {
	call := func(t connect.Transport) func() {
		c := libraryv1connect.NewLibraryClient(connect.NewClient(t))
		return func() {
			if got := must(c.GetBook(context.Background(), &libraryv1.GetBookRequest{Name: "books/1"})); got.GetPages() != 380 {
				panic("another answer")
			}
		}
	}
	const book = `{"name":"books/1","title":"The Go Programming Language","pages":"380"}`
	b.Run("good call", func(b *testing.B) {
		sides(b,
			side{"errmap", call(client.New(&http.Client{Transport: canned(`{"jsonrpc":"2.0","id":ID,"result":` + book + `}`)}, "http://library"))},
			side{"connect v2, JSON", call(connecthttp.NewTransport(&http.Client{Transport: canned(book)}, "http://library", connecthttp.WithProtoJSON()))})
	})
}
