package jsontree

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Of a word that repeats one byte eight times.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// special marks, by its high bit, the first of eight bytes that does not stand in
// a JSON string as it is or is no ASCII: a control character, a quote, a
// backslash, or one of 0x80 on. Marks behind the first say nothing, for a borrow
// may have come over.
func special(w uint64) uint64 {
	return ((w - ' '*ones) | ((w ^ '"'*ones) - ones) | ((w ^ '\\'*ones) - ones) | w) & highs
}

// stands has the ASCII that stands in a JSON string as it is.
var stands = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// standing returns the index of the first byte from i on that does not stand in a
// JSON string as it is, or is not UTF-8; the length of s where there is none.
func standing(s []byte, i int) int {
	for len(s)-i >= 8 {
		marks := special(binary.LittleEndian.Uint64(s[i:]))
		if marks == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(marks) >> 3
		n := runes(s, i)
		if n == i {
			return i
		}
		i = n
	}
	for i < len(s) {
		if stands[s[i]] {
			i++
			continue
		}
		n := runes(s, i)
		if n == i {
			return i
		}
		i = n
	}
	return i
}

// runes returns the index after the characters from i on that are UTF-8 but no
// ASCII.
func runes(s []byte, i int) int {
	for len(s)-i >= 4 {
		// The first byte is the lowest: each mask reads from right to left.
		w := binary.LittleEndian.Uint32(s[i:])
		switch {
		case w&0xc0e0 == 0x80c0:
			if w&0x1e == 0 { // says in two bytes what ASCII says
				return i
			}
			i += 2
		case w&0xc0c0f0 == 0x8080e0:
			if high := w & 0x200f; high == 0 || high == 0x200d { // two bytes would do; a surrogate
				return i
			}
			i += 3
		case w&0xc0c0c0f8 == 0x808080f0:
			if plane := w&7<<2 | w>>12&3; plane == 0 || plane > 16 {
				return i
			}
			i += 4
		default:
			return i
		}
	}
	for i < len(s) && s[i] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return i
}

// Clean returns s with U+FFFD for each byte that is not UTF-8, and s itself where
// there is none.
func Clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string(appendClean(make([]byte, 0, len(s)+len(s)/8), s))
}

func appendClean(dst []byte, s string) []byte {
	for _, r := range s {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// AppendString appends s, which is UTF-8, as a JSON string; Clean makes it that. Quote,
// backslash and control characters are escaped, as briefly as can be; everything else
// stands as it is.
func AppendString(dst []byte, s string) []byte { return AppendStringBytes(dst, []byte(s)) }

// AppendStringBytes is AppendString of bytes.
func AppendStringBytes(dst, s []byte) []byte {
	dst = append(dst, '"')
	for {
		n := unescapedEnd(s)
		if at := len(dst); n < 8 && len(s) >= 8 && cap(dst)-at >= 8 {
			// What is too much is written over: each byte that is left makes one or more.
			binary.LittleEndian.PutUint64(dst[at:at+8], binary.LittleEndian.Uint64(s))
			dst = dst[:at+n]
		} else {
			dst = append(dst, s[:n]...)
		}
		if n == len(s) {
			return append(dst, '"')
		}
		// Escapes come in rows.
		for ; n < len(s) && isEscaped(s[n]); n++ {
			if letter := escapes[s[n]]; letter != 0 {
				dst = append(dst, '\\', letter)
			} else {
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[s[n]>>4], hexDigits[s[n]&15])
			}
		}
		s = s[n:]
	}
}

// unescapedEnd returns the index of the first byte that a JSON string escapes; the
// length of s where there is none.
func unescapedEnd(s []byte) int {
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		if marks := special(w) &^ w; marks != 0 {
			return i + bits.TrailingZeros64(marks)>>3
		}
	}
	for i < len(s) && !isEscaped(s[i]) {
		i++
	}
	return i
}

// isEscaped tells whether a JSON string escapes a byte.
func isEscaped(c byte) bool { return c < ' ' || c == '"' || c == '\\' }

const hexDigits = "0123456789abcdef"

// escapes has the letter of the bytes that one stands for behind a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// HexValue has what a hexadecimal digit says, 16 for other bytes.
var HexValue = func() (t [256]byte) {
	for c := range t {
		t[c] = 16
	}
	for i := range 16 {
		t[hexDigits[i]] = byte(i)
		t["0123456789ABCDEF"[i]] = byte(i)
	}
	return t
}()

// hexRune reads the four hexadecimal digits that s begins with, -1 where there are none.
func hexRune(s []byte) rune {
	if len(s) < 4 {
		return -1
	}
	a, b, c, d := HexValue[s[0]], HexValue[s[1]], HexValue[s[2]], HexValue[s[3]]
	if a|b|c|d > 15 {
		return -1
	}
	return rune(a)<<12 | rune(b)<<8 | rune(c)<<4 | rune(d)
}

// lowFollows tells whether s begins with the escape of the second of a pair.
func lowFollows(s []byte) bool {
	return len(s) >= 6 && s[0] == '\\' && s[1] == 'u' && hexRune(s[2:])>>10 == 0xdc00>>10
}

// letters has what the letter behind a backslash stands for, but for u.
var letters = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape reads the escape or pair of them that s begins with, of a string that was
// parsed, and returns how long it is.
func unescape(s []byte) (rune, int) {
	if c := letters[s[1]]; c != 0 {
		return rune(c), 2
	}
	r := hexRune(s[2:])
	switch {
	case r < 0xd800 || r > 0xdfff:
		return r, 6
	case r < 0xdc00 && lowFollows(s[6:]):
		return (r-0xd800)<<10 + (hexRune(s[8:]) - 0xdc00) + 0x10000, 12
	}
	return utf8.RuneError, 6
}

// appendRead appends what stands between the quotes of a string, read.
func appendRead(dst, s []byte) []byte {
	for {
		n := bytes.IndexByte(s, '\\')
		if n < 0 {
			return append(dst, s...)
		}
		dst, s = append(dst, s[:n]...), s[n:]
		// Escapes come in rows.
		for len(s) > 0 && s[0] == '\\' {
			r, size := unescape(s)
			if r < utf8.RuneSelf {
				dst = append(dst, byte(r))
			} else {
				dst = utf8.AppendRune(dst, r)
			}
			s = s[size:]
		}
	}
}

// reads tells whether what stands between the quotes of a string reads as want.
func reads(s []byte, want string) bool {
	var room [128]byte
	return len(s) <= len(`\u0000`)*len(want) && string(appendRead(room[:0], s)) == want
}

// readsSame tells whether what stands between the quotes of two strings reads the
// same.
func readsSame(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		if a[0] != '\\' && b[0] != '\\' {
			if a[0] != b[0] {
				return false
			}
			a, b = a[1:], b[1:]
			continue
		}
		r, size := first(a)
		other, otherSize := first(b)
		if r != other {
			return false
		}
		a, b = a[size:], b[otherSize:]
	}
	return len(a) == len(b)
}

// first reads the first character of what stands between the quotes of a string.
func first(s []byte) (rune, int) {
	if s[0] == '\\' {
		return unescape(s)
	}
	return utf8.DecodeRune(s)
}
