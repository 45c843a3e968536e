package httpjson_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/server/httpjson"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
)

// leaving is a library whose methods set what is not theirs, and leave behind
// goroutines that go on to send.
type leaving struct {
	libraryv1connect.UnimplementedLibraryHandler
	left chan error
}

func (leaving) GetBook(ctx context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	info, _ := connect.CallInfoForServerContext(ctx)
	for _, key := range []string{"Content-Length", "Transfer-Encoding", "Content-Encoding", "Connection", "Grpc-Status"} {
		info.ResponseHeader().Set(key, "1")
		info.ResponseTrailer().Set(key, "1")
	}
	info.ResponseHeader().Set("X-Shelf", "r7")
	return &libraryv1.Book{Name: r.GetName()}, nil
}

func (l leaving) WatchBooks(ctx context.Context, r *libraryv1.ListBooksRequest, stream libraryv1connect.LibraryWatchBooksServerStream) error {
	if err := stream.Send(&libraryv1.Book{}); err != nil {
		return err
	}
	info, _ := connect.CallInfoForServerContext(ctx)
	info.ResponseTrailer().Set("X-Cost", "3")
	go func() {
		time.Sleep(time.Second)
		l.left <- stream.Send(&libraryv1.Book{})
	}()
	if r.GetPageSize() > 0 {
		panic(http.ErrAbortHandler)
	}
	return nil
}

func TestHandler_transportHeaders(t *testing.T) {
	t.Parallel()
	conns := serveOverPipes(t, leaving{})
	resp, body := receive(t, send(t, conns.dial(), "GET /v1/shelves/1/books/2", "\r\n"))
	if body != `{"name":"shelves/1/books/2"}` && body != `{"name":"books/2"}` {
		t.Errorf("body %q", body)
	}
	for _, key := range []string{"Content-Encoding", "Grpc-Status", "Trailer-Content-Length", "Trailer-Grpc-Status"} {
		if values := resp.Header.Values(key); values != nil {
			t.Errorf("%s: %q", key, values)
		}
	}
	if resp.Header.Get("X-Shelf") != "r7" {
		t.Errorf("headers %v", resp.Header)
	}
}

// What a method leaves behind sends nothing after its call, and of the call's own
// goroutines none is left, also where it was broken off: synctest would say so.
func TestHandler_sendsNothingAfterTheCall(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{"clean": "", "broken off": "?page_size=1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := leaving{left: make(chan error, 1)}
				conn := serveOverPipes(t, service, httpjson.WithTimes(httpjson.Times{KeepAlive: 100 * time.Millisecond})).dial()
				resp, err := http.ReadResponse(send(t, conn, "GET /v1/shelves/1/books:watch"+query, "\r\n"), nil)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(resp.Body)
				if (err != nil) != (query != "") || string(body) != "data: {}\n\n" {
					t.Errorf("body %q, %v", body, err)
				}
				if cost := resp.Trailer.Get("X-Cost"); query == "" && cost != "3" {
					t.Errorf("trailer %v", resp.Trailer)
				}
				if err := <-service.left; err == nil {
					t.Error("sent after the end")
				}
				_ = conn.Close()
			})
		})
	}
}
