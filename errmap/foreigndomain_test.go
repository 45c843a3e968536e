package errmap_test

import (
	"strconv"
	"testing"

	"github.com/errmap/errmap/errmap"
)

// Domains that the lint rules refuse are others' to use: received, they pass
// through every form unchanged.
func TestError_Domain_of_others(t *testing.T) {
	t.Parallel()
	for _, domain := range []string{"Not A Domain", " x", "https://shop.example.com", "shop.example.com/", "shop", "", "bücher.example"} {
		t.Run(domain, func(t *testing.T) {
			t.Parallel()
			received := `{"error":{"code":404,"message":"gone","status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"GONE"`
			if domain != "" {
				received += `,"domain":` + strconv.Quote(domain)
			}
			received += `}]}}`
			e, err := errmap.DecodeHTTP([]byte(received))
			if err != nil {
				t.Fatal(err)
			}
			for _, hop := range []func(*errmap.Error) (*errmap.Error, error){
				func(e *errmap.Error) (*errmap.Error, error) { return errmap.DecodeConnect(errmap.EncodeConnect(e)) },
				func(e *errmap.Error) (*errmap.Error, error) {
					_, body := errmap.EncodeProblem(e)
					return errmap.DecodeProblem(body)
				},
				func(e *errmap.Error) (*errmap.Error, error) {
					return errmap.DecodeJSONRPC(errmap.EncodeJSONRPC(e, errmap.ProfileA2A), errmap.ProfileA2A)
				},
			} {
				if e, err = hop(e); err != nil {
					t.Fatal(err)
				}
				if e.Domain() != domain || e.Reason() != "GONE" {
					t.Fatalf("got %q/%q, want %q/GONE", e.Domain(), e.Reason(), domain)
				}
			}
			if _, body := errmap.EncodeHTTP(e); string(body) != received {
				t.Errorf("got %s\nwant %s", body, received)
			}
		})
	}
}
