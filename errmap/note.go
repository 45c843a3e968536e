package errmap

import "fmt"

// maxNotes bounds what a hostile body can make a decoder remember.
const maxNotes = 64

// notes collects what a decoder or an encoder dropped or repaired.
type notes []string

func (n *notes) add(format string, args ...any) {
	switch {
	case len(*n) < maxNotes:
		*n = append(*n, clip(fmt.Sprintf(format, args...), 512))
	case len(*n) == maxNotes:
		*n = append(*n, "further notes left out")
	}
}

// clip shortens s to at most n bytes on a rune boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return cutRunes(s, n) + "…"
}

// cutRunes returns the longest prefix of s of at most n bytes that ends on a
// rune boundary.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
