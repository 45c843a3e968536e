package rpcjson_test

import (
	"bytes"
	"testing"

	"github.com/errmap/errmap/internal/rpcjson"
)

// cleanBytes is Clean, a byte at a time.
func cleanBytes(s []byte) int {
	return len(s) - len(bytes.TrimLeftFunc(s, func(r rune) bool {
		return r >= ' ' && r < 0x80 && r != '"' && r != '\\'
	}))
}

func compareText(t *testing.T, s, behind []byte) {
	t.Helper()
	want := cleanBytes(s)
	room := append(bytes.Clone(s), behind...)
	if got := rpcjson.Clean(room[:len(s)]); got != want {
		t.Fatalf("%d of %q before %q are clean, want %d", got, s, behind, want)
	}
	if got := rpcjson.Clean(room[:len(s):len(s)]); got != want {
		t.Fatalf("%d of %q are clean, want %d", got, s, want)
	}
	text, ok := rpcjson.AppendClean([]byte("x"), string(s))
	switch {
	case ok != (want == len(s)):
		t.Fatalf("%q is clean: %t", s, ok)
	case ok && string(text) != `x"`+string(s)+`"`, !ok && string(text) != "x":
		t.Fatalf("%q becomes %s", s, text)
	}
	ascii := !bytes.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
	if got := rpcjson.ASCII(s); got != ascii {
		t.Fatalf("%q is ASCII: %t", s, got)
	}
}

// Every byte at every place of a word and around it.
func TestClean(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for size := range 20 {
			for at := range size {
				s := bytes.Repeat([]byte("a"), size)
				s[at] = byte(c)
				compareText(t, s, []byte("\"\x00\xff\\more"))
				compareText(t, s, []byte("ok\"ok more"))
				if at+1 < size {
					s[at+1] = byte(c ^ 1) // what a borrow may come over to
					compareText(t, s, nil)
				}
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add([]byte("Task not found"), []byte(`","`))
	f.Add([]byte("näch\u2028ste \"Zeile\"\n\x00"), []byte{})
	f.Add([]byte("!!!!\x1f \"#[\\]~\x7f\x80"), []byte("\\"))
	f.Fuzz(func(t *testing.T, s, behind []byte) { compareText(t, s, behind) })
}
