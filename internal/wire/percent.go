package wire

import "strings"

const upperHex = "0123456789ABCDEF"

// PercentEncode encodes a grpc-message: bytes outside 0x20 to 0x7E, the percent sign,
// and a space at either end, which HTTP would trim.
func PercentEncode(s string) string {
	escapes := countEscapes(s)
	if escapes == 0 {
		return s
	}
	out := make([]byte, 0, len(s)+2*escapes)
	last := len(s) - 1
	for i := range len(s) {
		if c := s[i]; escaped[c] || c == ' ' && (i == 0 || i == last) {
			out = append(out, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// escaped tells which bytes of a grpc-message are escaped wherever they stand.
var escaped = func() (t [256]bool) {
	for c := range t {
		t[c] = c < ' ' || c > '~' || c == '%'
	}
	return t
}()

// countEscapes returns how many bytes PercentEncode escapes.
func countEscapes(s string) int {
	n := 0
	for i := range len(s) {
		if escaped[s[i]] {
			n++
		}
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
	at := strings.IndexByte(s, '%')
	if at < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:at]...)
	for i := at; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if high, low := hexDigit[s[i+1]], hexDigit[s[i+2]]; high|low < 16 {
				c = high<<4 | low
				i += 2
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// hexDigit has the value of each byte that is a hexadecimal digit, 16 for others.
var hexDigit = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = byte(c - '0')
		case c >= 'a' && c <= 'f':
			t[c] = byte(c - 'a' + 10)
		case c >= 'A' && c <= 'F':
			t[c] = byte(c - 'A' + 10)
		default:
			t[c] = 16
		}
	}
	return t
}()
