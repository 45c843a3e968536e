package httpjson_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adaptertest"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	"github.com/errmap/errmap/internal/testproto/gen/library/v1/libraryv1connect"
	"github.com/errmap/errmap/server/httpjson"
)

// burnt is a library without books.
type burnt struct {
	libraryv1connect.UnimplementedLibraryHandler
}

func (burnt) GetBook(context.Context, *libraryv1.GetBookRequest) (*libraryv1.Book, error) {
	return nil, errors.New(adaptertest.Secret)
}

func TestWithObserver(t *testing.T) {
	t.Parallel()
	var there adaptertest.Events
	c := serveOverPipes(t, burnt{}, httpjson.WithGuard(adaptertest.Quiet()), httpjson.WithObserver(there.Observe)).client()
	get := func(path string, header ...string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://library"+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		response, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	get("/v1/shelves/1/books/b")
	if events := there.Take(); len(events) != 1 || events[0].RequestID == "" || events[0].Wire != errmap.WireHTTP || events[0].Procedure != "/library.v1.Library/GetBook" {
		t.Errorf("a hidden error: told %+v", events)
	}
	get("/v1/shelves/1/books/b", "Connect-Timeout-Ms", "soon")
	if events := there.Take(); len(events) != 1 || events[0].Sent.Code().String() != "INVALID_ARGUMENT" || events[0].Procedure != "/library.v1.Library/GetBook" {
		t.Errorf("a bad deadline: told %+v", events)
	}
	get("/v1/none")
	if events := there.Take(); len(events) > 0 {
		t.Errorf("told of what is no call: %+v", events)
	}
}
