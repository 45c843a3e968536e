package errmap_test

import (
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap"
)

// The reason why a body is of another kind reads as a sentence, and names no
// parser.
func TestFormError_Error(t *testing.T) {
	t.Parallel()
	for wire, decode := range map[string]func([]byte, ...errmap.DecodeOption) (*errmap.Error, error){
		"an http": errmap.DecodeHTTP, "a connect": errmap.DecodeConnect, "a status": errmap.DecodeStatusJSON, "a problem": errmap.DecodeProblem,
		"a jsonrpc": func(body []byte, opts ...errmap.DecodeOption) (*errmap.Error, error) {
			return errmap.DecodeJSONRPC(body, errmap.ProfileGeneric, opts...)
		},
	} {
		const why = "invalid character '<' at offset 0, expected a value"
		_, err := decode([]byte("<html>"))
		if want := "not " + wire + " error: " + why; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		e, err := decode([]byte("<html>"), errmap.WithHTTPStatus(503))
		if err != nil {
			t.Errorf("%s: %v", wire, err)
			continue
		}
		want := "body is not " + wire + " error (" + why + `); it begins "<html>"`
		if got := strings.Join(e.Notes(), "\n"); got != want {
			t.Errorf("notes %s, want %s", got, want)
		}
	}
}
