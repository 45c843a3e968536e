package errmaphttp_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/adaptertest"
)

func TestWithObserver(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]func(...errmaphttp.WriteOption) http.Handler{
		"an error": func(opts ...errmaphttp.WriteOption) http.Handler {
			return errmaphttp.Handle(func(http.ResponseWriter, *http.Request) error { return errors.New(adaptertest.Secret) }, opts...)
		},
		"a panic": func(opts ...errmaphttp.WriteOption) http.Handler {
			return errmaphttp.Recover(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(adaptertest.Secret) }), opts...)
		},
		"an error that is written": func(opts ...errmaphttp.WriteOption) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_ = errmaphttp.WriteError(w, r, errors.New(adaptertest.Secret), opts...)
				_ = errmaphttp.WriteError(w, r, nil, opts...)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var here, there adaptertest.Events
			s := httptest.NewServer(handler(errmaphttp.WithGuard(adaptertest.Quiet()), errmaphttp.WithObserver(there.Observe)))
			t.Cleanup(s.Close)
			c := http.Client{Transport: errmaphttp.NewTransport(s.Client().Transport, errmaphttp.HTTPJSON, errmaphttp.WithObserver(here.Observe))}
			for accept, wire := range map[string]errmap.Wire{"": errmap.WireHTTP, errmap.ContentTypeProblem: errmap.WireProblem} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/orders/1", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept", accept)
				if _, err = c.Do(r); err == nil {
					t.Fatal("no error")
				}
				adaptertest.CheckHiddenEvent(t, there.Take(), errmap.ServerSide, "GET /orders/1", wire)
				adaptertest.CheckHiddenEvent(t, here.Take(), errmap.ClientSide, "GET /orders/1", errmap.WireHTTP)
			}
		})
	}
}
