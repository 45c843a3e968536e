package errmap_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/errmap"
)

// The vectors that several tests share, base64 without padding.
const (
	vectorEI  = "CgtTVE9DS19FTVBUWRIQc2hvcC5leGFtcGxlLmNvbRoJCgNza3USAkEx"        // ErrorInfo STOCK_EMPTY of shop.example.com, sku A1
	vectorEIX = "CgtTVE9DS19FTVBUWRIQc2hvcC5leGFtcGxlLmNvbRoJCgNza3USAkExmgYCaGk" // the same with a field 99 that no schema knows
	vectorRI  = "CggIARCAyrXuAQ"                                                  // RetryInfo of 1.5 s
	vectorMYS = "CJYBEgF4"                                                        // of acme.v9.Mystery, which nobody links
	vectorST9 = "CAkSCG5vIHN0b2NrGlYKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5FcnJvckluZm8SKgoLU1RPQ0tfRU1QVFkSEHNob3AuZXhhbXBsZS5jb20aCQoDc2t1EgJBMRotCiN0eXBlLmdvb2dsZWFwaXMuY29tL2FjbWUudjkuTXlzdGVyeRIGCJYBEgF4"
	vectorST5 = "CAUSBGdvbmUaVgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIqCgtTVE9DS19FTVBUWRIQc2hvcC5leGFtcGxlLmNvbRoJCgNza3USAkEx"
	vectorST0 = "EgFtGlYKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5FcnJvckluZm8SKgoLU1RPQ0tfRU1QVFkSEHNob3AuZXhhbXBsZS5jb20aCQoDc2t1EgJBMQ"
	vectorSTP = "CAkSCG5vIHN0b2NrGlQKJnR5cGVzLmV4YW1wbGUuY29tL2dvb2dsZS5ycGMuRXJyb3JJbmZvEioKC1NUT0NLX0VNUFRZEhBzaG9wLmV4YW1wbGUuY29tGgkKA3NrdRICQTE"
	vectorSTM = "CAkSAW0aLgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxICCv8"
	vectorSTE = "CAUSAXgaKwopdHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucHJvdG9idWYuRW1wdHk"
)

// The same as JSON elements.
const (
	jsonEI  = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}`
	jsonRI  = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}`
	jsonMYS = `{"@type":"type.googleapis.com/acme.v9.Mystery","@value":"CJYBEgF4"}`
	debugEI = `{"reason":"STOCK_EMPTY","domain":"shop.example.com","metadata":{"sku":"A1"}}`
)

// row is one line of a table: bytes in, exact bytes out.
type row struct {
	rule   string // what the contract says
	from   string
	in     string // a body, or header lines for grpc
	status int    // of the response that had the body
	to     string // "" where only the reading is looked at
	want   string // a body, or header lines for grpc
	// not is a text that must not be in the output.
	not string
	// note is part of a note that the reader leaves, "" where it leaves none.
	note string
	// catalog is what both ends know where it is not Linked.
	catalog *errmap.Catalog
}

func (r row) options() errmap.Option {
	if r.catalog == nil {
		return errmap.WithCatalog(errmap.Linked())
	}
	return errmap.WithCatalog(r.catalog)
}

// anyNotes is a row's note that stands for whatever the notes are.
const anyNotes = "*"

func runRows(t *testing.T, rows []row) {
	t.Helper()
	t.Parallel()
	for _, r := range rows {
		t.Run(strings.ReplaceAll(r.rule, " ", "_"), func(t *testing.T) {
			t.Parallel()
			e := decodeText(t, r.from, r.in, r.status, r.options())
			notes := strings.Join(e.Notes(), "\n")
			if r.note != anyNotes && (r.note == "" && notes != "" || !strings.Contains(notes, r.note)) {
				t.Errorf("notes %q, want %q", notes, r.note)
			}
			if r.to == "" {
				return
			}
			if got := encodeText(t, r.to, e, r.options()); r.want != "" && got != r.want {
				t.Errorf("%s of\n\t%s\n got %s\nwant %s", r.to, r.in, got, r.want)
			} else if r.not != "" && strings.Contains(got, r.not) {
				t.Errorf("%q in %s", r.not, got)
			}
		})
	}
}

func decodeText(t testing.TB, from, in string, status int, options ...errmap.DecodeOption) *errmap.Error {
	t.Helper()
	e, err := tryText(t, from, in, status, options...)
	if err != nil {
		t.Fatalf("%s of %s: %v", from, in, err)
	}
	return e
}

func tryText(t testing.TB, from, in string, status int, opts ...errmap.DecodeOption) (*errmap.Error, error) {
	t.Helper()
	if from != "grpc" {
		return wireNamed(t, from).decode(packet{status: status, body: []byte(in)}, opts...)
	}
	if status != 0 {
		opts = append(opts, errmap.WithHTTPStatus(status))
	}
	return errmap.DecodeGRPC(headerLines(in), opts...)
}

func headerLines(text string) map[string][]string {
	h := map[string][]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ":"); ok {
			h[name] = append(h[name], strings.TrimPrefix(value, " "))
		}
	}
	return h
}

func encodeText(t testing.TB, to string, e *errmap.Error, opts ...errmap.EncodeOption) string {
	t.Helper()
	if to == "grpc" {
		return strings.TrimRight(errmap.EncodeGRPC(e, opts...).String(), "\n")
	}
	return string(wireNamed(t, to).encode(e, opts...).body)
}

// wantFormError checks that bytes are reported as no error of a form.
func wantFormError(t *testing.T, from, in string) {
	t.Helper()
	e, err := tryText(t, from, in, 0)
	var form *errmap.FormError
	if e != nil || !errors.As(err, &form) {
		t.Errorf("%s of %q: %s, %v", from, in, describe(e), err)
	}
}

func mustMarshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func anyOf(typeURL, value string) *anypb.Any {
	return &anypb.Any{TypeUrl: typeURL, Value: []byte(value)}
}

func b64(b []byte) string    { return base64.StdEncoding.EncodeToString(b) }
func b64raw(b []byte) string { return base64.RawStdEncoding.EncodeToString(b) }
