package adopt_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"slices"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
)

var silent = log.New(io.Discard, "", 0)

// before is a handler as many are.
func before(do func(context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := do(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

func after(do func(context.Context) error) http.Handler {
	return errmaphttp.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return do(r.Context())
	})
}

func ofHTTP() []failure {
	failures := slices.DeleteFunc(slices.Clone(common), func(f failure) bool { return f.timeout > 0 })
	return append(failures, failure{name: "`errmap.NewCode(code.Code_NOT_FOUND, \"no cart 7\")`", do: func(context.Context) error {
		return errmap.NewCode(code.Code_NOT_FOUND, "no cart 7")
	}})
}

func TestTable_http(t *testing.T) {
	table(t, "http", ofHTTP(), func(t *testing.T, f failure, with bool) string {
		h := before(f.do)
		if with {
			h = after(f.do)
		}
		return get(t, h, "/carts/7")
	})
}
