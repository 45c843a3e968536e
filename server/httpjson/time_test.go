package httpjson_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/errmap/errmap/server/httpjson"

	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
)

// slow answers when its context ends, or after an hour.
type slow struct {
	libraryv1connect.UnimplementedLibraryHandler
	sent chan error
}

func wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("query: %w", ctx.Err())
	case <-time.After(time.Hour):
		return nil
	}
}

func (slow) GetBook(ctx context.Context, r *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	return &libraryv1.Book{Name: r.GetName()}, wait(ctx)
}

func (s slow) WatchBooks(ctx context.Context, r *libraryv1.ListBooksRequest, stream libraryv1connect.LibraryWatchBooksServerStream) error {
	for r.GetPageSize() == 0 { // until the client takes no more
		if err := stream.Send(&libraryv1.Book{Name: strings.Repeat("x", 8000)}); err != nil {
			s.sent <- err
			return err
		}
	}
	if err := stream.Send(&libraryv1.Book{Name: "one"}); err != nil {
		return err
	}
	return wait(ctx)
}

func TestHandler_deadlines(t *testing.T) {
	t.Parallel()
	const exceeded = `{"error":{"code":504,"message":"deadline exceeded","status":"DEADLINE_EXCEEDED"}}`
	for name, test := range map[string]struct {
		path, header string
		status       int
		want         string
		took         time.Duration
	}{
		"Connect":                {"/v1/books/1", "Connect-Timeout-Ms: 100", 504, exceeded, 100 * time.Millisecond},
		"gRPC":                   {"/v1/books/1", "Grpc-Timeout: 2S", 504, exceeded, 2 * time.Second},
		"the less":               {"/v1/books/1", "Grpc-Timeout: 2S\r\nConnect-Timeout-Ms: 3000", 504, exceeded, 2 * time.Second},
		"none":                   {"/v1/books/1", "X-Other: 1", 200, `{"name":"1"}`, time.Hour},
		"malformed":              {"/v1/books/1", "Connect-Timeout-Ms: soon", 400, `{"error":{"code":400,"message":"Connect-Timeout-Ms is not 1 to 10 digits","status":"INVALID_ARGUMENT"}}`, 0},
		"in the middle of a way": {"/v1/shelves/1/books:watch?page_size=1", "Connect-Timeout-Ms: 100", 200, "data: {\"name\":\"one\"}\n\nevent: error\ndata: " + exceeded + "\n\n", 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := serveOverPipes(t, slow{}, httpjson.WithTimes(httpjson.Times{KeepAlive: -1})).dial()
				defer conn.Close()
				start := time.Now()
				resp, got := receive(t, send(t, conn, "GET "+test.path, test.header+"\r\n\r\n"))
				if resp.StatusCode != test.status || got != test.want {
					t.Errorf("got %d %s", resp.StatusCode, got)
				}
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
			})
		})
	}
}

// A body that does not come is waited for no longer than the bound.
func TestHandler_slowSender(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string]string{
		"plain": "Content-Length: 100\r\n\r\n{\"to\":",
		"gzip":  "Content-Length: 100\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := serveOverPipes(t, library{}, httpjson.WithTimes(httpjson.Times{Read: 5 * time.Second})).dial()
				defer conn.Close()
				start := time.Now()
				resp, got := receive(t, send(t, conn, "POST /v1/shelves/1/books/2:move", headers))
				if resp.StatusCode != http.StatusRequestTimeout || !resp.Close || !strings.Contains(got, `"message":"the body did not arrive in time"`) {
					t.Errorf("got %d %s, close %t", resp.StatusCode, got, resp.Close)
				}
				if took := time.Since(start); took != 5*time.Second {
					t.Errorf("took %v, want 5s", took)
				}
			})
		})
	}
}

// The bounds of one request are not those of the next on its connection.
func TestHandler_boundsEndWithTheirRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn := serveOverPipes(t, library{}, httpjson.WithTimes(httpjson.Times{Read: time.Second, Write: time.Second})).dial()
		defer conn.Close()
		for _, path := range []string{"/v1/shelves/1/books:watch?page_size=1", "/v1/books/1", "/v1/shelves/1/books:watch?page_size=1"} {
			time.Sleep(10 * time.Second) // idle for longer than either
			resp, got := receive(t, send(t, conn, "GET "+path, "\r\n"))
			if resp.StatusCode != http.StatusOK || got == "" {
				t.Errorf("%s: got %d %s", path, resp.StatusCode, got)
			}
		}
	})
}

func TestHandler_slowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := slow{sent: make(chan error, 1)}
		conn := serveOverPipes(t, service, httpjson.WithTimes(httpjson.Times{Write: 5 * time.Second})).dial()
		defer conn.Close()
		start := time.Now()
		send(t, conn, "GET /v1/shelves/1/books:watch", "\r\n")
		if err := <-service.sent; connect.CodeOf(err) != connect.CodeCanceled {
			t.Errorf("Send gave %v", err)
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("took %v, want 5s", took)
		}
	})
}
