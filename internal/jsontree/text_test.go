package jsontree_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/errmap/errmap/internal/jsontree"
)

func checkText(t *testing.T, s string) {
	t.Helper()
	want := string([]rune(s))
	if got := jsontree.Clean(s); got != want {
		t.Fatalf("Clean(%q) is %q, want %q", s, got, want)
	} else if want == s && unsafe.StringData(got) != unsafe.StringData(s) {
		t.Fatalf("Clean(%q) is a copy", s)
	}
	quoted, err := jsontext.AppendQuote([]byte("x"), want)
	if err != nil {
		t.Fatal(err)
	}
	if got := jsontree.AppendString([]byte("x"), want); string(got) != string(quoted) {
		t.Fatalf("AppendString(%q) is %s, want %s", want, got, quoted)
	}
	if got := jsontree.AppendStringBytes([]byte("x"), []byte(want)); string(got) != string(quoted) {
		t.Fatalf("AppendStringBytes(%q) is %s, want %s", want, got, quoted)
	}
}

// Each pair of bytes, at each place of a word, in ASCII and between other
// characters.
func TestAppendString_pairs(t *testing.T) {
	t.Parallel()
	for a := range 256 {
		for b := range 256 {
			pair := string([]byte{byte(a), byte(b)})
			checkText(t, pair)
			checkText(t, "abcdefg"[:(a+b)%8]+pair+"tail of it")
			checkText(t, "日"+pair+"é 😀😀")
		}
	}
}

func TestAppendString_random(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "bcdefgh", "\"", "\\", "\n", "\x00", "é", "д", "\u07ff", "\u0800", "日", "\ud7ff", "\ue000", "\uffff", "😀", "\U0010ffff",
		"\xff", "\xc0\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xe6\x97", "\xf0\x9f\x98", "\x80", "\xc3"}
	for range 15000 / share {
		var s strings.Builder
		for range r.IntN(20) {
			s.WriteString(pieces[r.IntN(len(pieces))])
		}
		checkText(t, s.String())
	}
}

// Text that stays as it is costs the room for it alone.
func TestAppendString_allocations(t *testing.T) {
	room := make([]byte, 0, 1024)
	s := strings.Repeat("plain ", 10) + strings.Repeat("日本語 ", 10)
	escaped := s + "\"\n"
	for times, want := range map[int]float64{10: 1, 100: 2} { // a long one is read into room that is too large to keep
		text := parse(t, `"`+strings.Repeat(`plain\n`, times)+`"`)
		if n := testing.AllocsPerRun(100, func() { _ = text.Text() }); n != want {
			t.Errorf("Text of %d lines: %v allocations, want %v", times, n, want)
		}
	}
	for name, f := range map[string]func(){
		"AppendString":      func() { jsontree.AppendString(room, escaped) },
		"AppendStringBytes": func() { jsontree.AppendStringBytes(room, []byte(s)) },
		"Clean":             func() { jsontree.Clean(s) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Strings longer than what is read at once.
func TestValue_Text_long(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	pieces := []string{"a", "plain text that is longer", `\n`, `\u00e9`, `\ud83d\ude00`, `\u65e5`, "日", "é", `\ud800`, strings.Repeat("z", 255)}
	for range 1000 {
		var s strings.Builder
		for range r.IntN(120) {
			s.WriteString(pieces[r.IntN(len(pieces))])
		}
		raw := `"` + s.String() + `"`
		if got, want := parse(t, raw).Text(), unquoted([]byte(raw)); got != want {
			t.Fatalf("%s: %q, want %q", raw, got, want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"plain", "\"\\\n\x01", "日本\xe6", "\xed\xa0\x80", "😀 and more than a word"} {
		f.Add(s)
	}
	f.Fuzz(checkText)
}
