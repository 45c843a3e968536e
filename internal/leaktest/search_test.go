package leaktest_test

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// newSecret returns a text that is nowhere else. It is of letters and digits, so
// that no escape but one of everything changes it.
func newSecret() string { return "Sk" + rand.Text() }

// depth is how many layers of encoding the search looks through.
const depth = 4

var (
	base64Run = regexp.MustCompile(`[A-Za-z0-9+/_-]{12,}`)
	escape    = regexp.MustCompile(`\\u[0-9A-Fa-f]{4}`)
	percent   = regexp.MustCompile(`(?:%[0-9A-Fa-f]{2})+`)
	gzipMagic = []byte{0x1f, 0x8b, 8}
)

// holds tells whether text is in b, in whatever encoding of those that wires
// use: as it is, base64 of either alphabet, percent-encoded, JSON-escaped,
// compressed, in hex, and these inside each other.
func holds(b []byte, text string) bool { return search(b, []byte(text), depth) }

func search(b, text []byte, depth int) bool {
	if bytes.Contains(b, text) || bytes.Contains(bytes.ToLower(b), []byte(hex.EncodeToString(text))) {
		return true
	}
	if depth == 0 {
		return false
	}
	if plain := percent.ReplaceAllFunc(b, unescapePercent); !bytes.Equal(plain, b) && search(plain, text, depth-1) {
		return true
	}
	if plain := escape.ReplaceAllFunc(b, unescapeJSON); !bytes.Equal(plain, b) && search(plain, text, depth-1) {
		return true
	}
	for _, run := range base64Run.FindAll(b, -1) {
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			// What stands before the encoding may be of its letters.
			for offset := range 4 {
				piece := run[offset:]
				decoded, _ := alphabet.DecodeString(string(piece[:len(piece)/4*4]))
				if whole, err := alphabet.DecodeString(string(piece)); err == nil {
					decoded = whole
				}
				if len(decoded) > 0 && (bytes.Contains(decoded, text) || depth > 1 && offset == 0 && search(decoded, text, depth-1)) {
					return true
				}
			}
		}
	}
	for rest := b; ; rest = rest[1:] {
		i := bytes.Index(rest, gzipMagic)
		if i < 0 {
			return false
		}
		rest = rest[i:]
		if plain := unzip(rest); len(plain) > 0 && search(plain, text, depth-1) {
			return true
		}
	}
}

func unescapePercent(b []byte) []byte {
	plain, err := url.PathUnescape(string(b))
	if err != nil {
		return b
	}
	return []byte(plain)
}

func unescapeJSON(b []byte) []byte {
	var plain string
	if err := json.Unmarshal([]byte(`"`+string(b)+`"`), &plain); err != nil {
		return b
	}
	return []byte(plain)
}

func unzip(b []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	r.Multistream(false)
	plain, _ := io.ReadAll(r)
	return plain
}

// The search finds a secret in every form that a wire could give it. A search
// that finds nothing proves nothing without this.
func TestSearch(t *testing.T) {
	t.Parallel()
	secret := newSecret()
	detail, err := anypb.New(&errdetails.DebugInfo{Detail: "user=" + secret})
	if err != nil {
		t.Fatal(err)
	}
	binary, err := proto.Marshal(&status.Status{Code: 5, Details: []*anypb.Any{detail}})
	if err != nil {
		t.Fatal(err)
	}
	everything := ""
	escaped := ""
	for _, b := range []byte(secret) {
		everything += "%" + hex.EncodeToString([]byte{b})
		escaped += `\u00` + hex.EncodeToString([]byte{b})
	}
	forms := map[string][]byte{
		"plain":            []byte("x " + secret + " y"),
		"status":           binary,
		"base64":           []byte("grpc-status-details-bin: " + base64.RawStdEncoding.EncodeToString(binary)),
		"base64url":        []byte(`"value":"` + base64.URLEncoding.EncodeToString(binary) + `"`),
		"percent":          []byte("grpc-message: a%20" + everything + "%20"),
		"escaped":          []byte(`{"message":"` + escaped + `"}`),
		"hex":              []byte("x" + strings.ToUpper(hex.EncodeToString([]byte(secret)))),
		"gzip":             append([]byte("HTTP/1.1 200 OK\r\n\r\n"), zip(t, []byte(secret))...),
		"framed gzip":      frame(zip(t, binary)),
		"base64 in base64": []byte(base64.StdEncoding.EncodeToString([]byte(`{"v":"` + base64.RawStdEncoding.EncodeToString(binary) + `"}`))),
		"gzip of base64":   zip(t, []byte(base64.StdEncoding.EncodeToString(binary))),
	}
	for offset := range 4 {
		forms["base64 after "+strings.Repeat("x", offset)] = []byte(strings.Repeat("x", offset) + base64.RawStdEncoding.EncodeToString(binary))
	}
	for name, form := range forms {
		if !holds(form, secret) {
			t.Errorf("%s: not found in %q", name, form)
		}
		if holds(form, newSecret()) {
			t.Errorf("%s: found what is not there", name)
		}
	}
}

func zip(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func frame(b []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{1}, uint32(len(b))), b...)
}
