package errmaphttp_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/errmap/errmap/internal/adaptertest"
)

// TestField holds the field reports on what handlers return; read_test.go and
// write_test.go hold those on responses.
func TestField(t *testing.T) {
	t.Parallel()
	adaptertest.CheckFields(t, func(t *testing.T, fail func(context.Context) error, check func(*testing.T, error, *adaptertest.Wire)) {
		for _, accept := range []string{aip, a2a, problem} {
			client, w := adaptertest.Serve(t, errmaphttp.Handle(func(_ http.ResponseWriter, r *http.Request) error { return fail(r.Context()) }))
			client.Transport = errmaphttp.NewTransport(client.Transport, errmaphttp.HTTPJSON)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://shop/", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept", accept)
			_, err = client.Do(r)
			check(t, err, w)
		}
	})
}
