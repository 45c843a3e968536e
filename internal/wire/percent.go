package wire

import (
	"encoding/binary"
	"strings"

	"github.com/errmap/errmap/internal/jsontree"
)

const upperHex = "0123456789ABCDEF"

// PercentEncode encodes a grpc-message: bytes outside 0x20 to 0x7E, the percent sign,
// and a space at either end, which HTTP would trim.
func PercentEncode(s string) string {
	escapes := countEscapes(s)
	if escapes == 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s) + 2*escapes)
	var piece [512]byte // each byte is written as four, of which one or three count
	at := 0
	for i := range len(s) {
		if at > len(piece)-4 {
			out.Write(piece[:at])
			at = 0
		}
		word := escape[s[i]]
		if s[i] == ' ' && (i == 0 || i == len(s)-1) {
			word = escapeOf(' ')
		}
		binary.LittleEndian.PutUint32(piece[at:], word)
		at += int(word >> 24)
	}
	out.Write(piece[:at])
	return out.String()
}

// escape has what PercentEncode writes for each byte wherever it stands: the byte or
// its escape, and above it how many bytes that is.
var escape = func() (t [256]uint32) {
	for c := range t {
		if c < ' ' || c > '~' || c == '%' {
			t[c] = escapeOf(byte(c))
		} else {
			t[c] = uint32(c) | 1<<24
		}
	}
	return t
}()

func escapeOf(c byte) uint32 {
	return '%' | uint32(upperHex[c>>4])<<8 | uint32(upperHex[c&15])<<16 | 3<<24
}

// countEscapes returns how many bytes PercentEncode escapes.
func countEscapes(s string) int {
	n := 0
	for i := range len(s) {
		n += int(escape[s[i]] >> 25) // 0 of one byte, 1 of three
	}
	if s != "" && s[0] == ' ' {
		n++
	}
	if len(s) > 1 && s[len(s)-1] == ' ' {
		n++
	}
	return n
}

// PercentDecode decodes a grpc-message; an invalid escape is text.
func PercentDecode(s string) string {
	signs := strings.Count(s, "%")
	if signs == 0 {
		return s
	}
	var out strings.Builder
	out.Grow(max(len(s)-2*signs, 0)) // as much as it takes if each begins an escape
	var piece [512]byte
	at := 0
	for i := 0; i < len(s); i++ {
		if at == len(piece) {
			out.Write(piece[:])
			at = 0
		}
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if high, low := jsontree.HexValue[s[i+1]], jsontree.HexValue[s[i+2]]; high|low < 16 {
				c = high<<4 | low
				i += 2
			}
		}
		piece[at] = c
		at++
	}
	out.Write(piece[:at])
	return out.String()
}
