package errmaphttp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmaphttp"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
)

func TestReadError_limit(t *testing.T) {
	t.Parallel()
	long := `{"error":{"code":404,"status":"NOT_FOUND","message":"` + strings.Repeat("x", 1000) + `"}}`
	for name, body := range map[string]string{"plain": long, "compressed": zipped(t, long)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, got := read(t, answer(404, body, "Content-Encoding", "gzip"), errmaphttp.HTTPJSON, errmaphttp.WithLimits(errmap.Limits{Body: 100}))
			if diff := cmp.Diff(told{code.Code_NOT_FOUND, "HTTP status 404 Not Found", true}, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			cause, _ := errors.AsType[*errmaphttp.ResponseError](e)
			if cause.Err == nil || len(cause.Body) > 101 {
				t.Errorf("%d bytes, %v", len(cause.Body), cause.Err)
			}
		})
	}
}

// A larger limit than that of the decoders is meant.
func TestReadError_largerLimit(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("x", errmap.DefaultMaxBody)
	for body, kind := range map[string]string{
		`{"error":{"code":404,"message":"m","status":"NOT_FOUND","pad":"` + pad + `"}}`: "application/json",
		`{"detail":"m","code":"NOT_FOUND","pad":"` + pad + `"}`:                         "application/problem+json",
	} {
		_, got := read(t, answer(500, body, "Content-Type", kind), errmaphttp.HTTPJSON, errmaphttp.WithLimits(errmap.Limits{Body: 2 * errmap.DefaultMaxBody}))
		if diff := cmp.Diff(told{Code: code.Code_NOT_FOUND, Message: "m"}, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", kind, diff)
		}
		_, got = read(t, answer(500, body, "Content-Type", kind), errmaphttp.HTTPJSON)
		if !got.Local {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}
