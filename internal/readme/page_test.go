package readme_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect/v2/connecthttp"
	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// A proxy's page is in a note of a Connect client where our transport is below
// it, as README.md and the guide say, and its code is the status's either way.
func TestPageOfAProxy(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("<html>out of order"))
	}))
	defer s.Close()
	for name, tt := range map[string]struct {
		client *http.Client
		noted  bool
	}{
		"bare":      {s.Client(), false},
		"transport": {&http.Client{Transport: errmaphttp.NewTransport(s.Client().Transport, errmaphttp.Connect)}, true},
	} {
		e := errmap.From(buy(t.Context(), connecthttp.NewTransport(tt.client, s.URL)))
		if noted := strings.Contains(strings.Join(e.Notes(), "\n"), "out of order"); e.Code() != code.Code_UNAVAILABLE || noted != tt.noted {
			t.Errorf("%s: %s, notes %q", name, e.Code(), e.Notes())
		}
	}
}
