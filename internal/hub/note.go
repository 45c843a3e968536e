package hub

import "fmt"

// maxNotes bounds what a hostile body can make a decoder remember.
const maxNotes = 64

// Notes collect what a decoder or an encoder dropped or repaired, in words for
// people.
type Notes []string

// Add adds a note, of bounded length, as long as there are not too many.
func (n *Notes) Add(format string, args ...any) {
	switch {
	case len(*n) < maxNotes:
		*n = append(*n, Clip(fmt.Sprintf(format, args...), 512))
	case len(*n) == maxNotes:
		*n = append(*n, "further notes left out")
	}
}

// Clip shortens s to at most n bytes on a rune boundary, and says so.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return CutRunes(s, n) + "…"
}

// CutRunes returns the longest prefix of s of at most n bytes that ends on a rune
// boundary.
func CutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
