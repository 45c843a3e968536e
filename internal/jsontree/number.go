package jsontree

import (
	"bytes"
	"math"
	"strconv"
)

// maxInteger is the greatest integer that every JSON reader keeps (RFC 8259
// section 6).
const maxInteger = 1<<53 - 1

// maxExponent is the greatest exponent that numbers are compared with.
const maxExponent = 1 << 20

// decimal is a number as sign, digits without zeros at either end, and the power of
// ten of the last digit. Zero has no digits.
type decimal struct {
	negative bool
	digits   []byte
	exponent int
}

// parseDecimal reads a number token, in room; false where its exponent is absurd, or
// it is none.
func parseDecimal(room, token []byte) (d decimal, ok bool) {
	if !IsNumber(token) {
		return d, false
	}
	if i := bytes.IndexAny(token, "eE"); i >= 0 {
		n, err := strconv.Atoi(string(token[i+1:]))
		if err != nil || n > maxExponent || n < -maxExponent {
			return d, false
		}
		token, d.exponent = token[:i], n
	}
	token, d.negative = bytes.CutPrefix(token, []byte{'-'})
	whole, fraction, _ := bytes.Cut(token, []byte{'.'})
	digits := bytes.TrimLeft(append(append(room, whole...), fraction...), "0")
	d.digits = bytes.TrimRight(digits, "0")
	d.exponent += len(digits) - len(d.digits) - len(fraction)
	if len(d.digits) == 0 {
		d.exponent = 0
	}
	return d, true
}

// SameNumber tells whether two number tokens are of the same decimal value and sign
// (0 is not -0). Tokens whose exponent lies beyond ±2^20 are never the same, nor are
// those that are no numbers.
func SameNumber(a, b []byte) bool {
	var room, more [64]byte
	d, ok := parseDecimal(room[:0], a)
	e, also := parseDecimal(more[:0], b)
	return ok && also && d.negative == e.negative && d.exponent == e.exponent && bytes.Equal(d.digits, e.digits)
}

// IsNumber tells whether token is one JSON number and nothing else.
func IsNumber(token []byte) bool {
	if len(token) == 0 || token[0] != '-' && token[0]-'0' > 9 {
		return false
	}
	end, why := numberEnd(token, 0)
	return why == fine && end == len(token)
}

// Integer returns the value of a token that is a JSON number and integral, as 1.0
// and 1e3 are too, of 64 bits and a sign.
func Integer(token []byte) (magnitude uint64, negative, ok bool) {
	if magnitude, negative, ok = plainInteger(token); ok {
		return magnitude, negative, true
	}
	var room [64]byte
	d, ok := parseDecimal(room[:0], token)
	if !ok || d.exponent < 0 || len(d.digits)+d.exponent > 20 {
		return 0, false, false
	}
	whole := append(d.digits, "00000000000000000000"[:d.exponent]...)
	magnitude, err := strconv.ParseUint("0"+string(whole), 10, 64)
	return magnitude, d.negative, err == nil
}

// plainInteger reads a token of at most 18 digits and a sign, as nearly all are.
func plainInteger(token []byte) (magnitude uint64, negative, ok bool) {
	if negative = len(token) > 0 && token[0] == '-'; negative {
		token = token[1:]
	}
	if len(token) == 0 || len(token) > 18 || token[0] == '0' && len(token) > 1 {
		return 0, false, false
	}
	for _, c := range token {
		if c < '0' || c > '9' {
			return 0, false, false
		}
		magnitude = 10*magnitude + uint64(c-'0')
	}
	return magnitude, negative, true
}

// Int is Integer within ±(2^53-1).
func Int(token []byte) (int64, bool) {
	magnitude, negative, ok := Integer(token)
	if !ok || magnitude > maxInteger {
		return 0, false
	}
	if negative {
		return -int64(magnitude), true
	}
	return int64(magnitude), true
}

// Int returns the value of a Number that is integral, as 1.0 and 1e3 are too, within
// ±(2^53-1).
func (v Value) Int() (int64, bool) {
	if !v.Is(Number) {
		return 0, false
	}
	return Int(v.Raw())
}

// AppendFloat appends a finite number of 32 or 64 bits as ECMAScript and ProtoJSON
// spell it.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	format, abs := byte('f'), math.Abs(f)
	if bits == 32 {
		// The bounds, too, are those of the narrow type.
		if narrow := float32(abs); narrow != 0 && (narrow < 1e-6 || narrow >= 1e21) {
			format = 'e'
		}
	} else if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
