package header_test

import (
	"net/http"
	"testing"

	"github.com/errmap/errmap/internal/header"
)

func TestOfTransport(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"Content-Length": true, "Transfer-Encoding": true, "Content-Encoding": true, "Grpc-Status": true, "Connect-Timeout-Ms": true,
		"Etag": false, "Retry-After": false, "X-Cost": false, "": false,
	} {
		if header.OfTransport(key) != want || http.CanonicalHeaderKey(key) != key {
			t.Errorf("%q: want %t", key, want)
		}
	}
}
