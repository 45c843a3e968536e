package jsontree

import (
	"math"
	"strconv"
)

// maxInteger is the greatest integer that every JSON reader keeps (RFC 8259
// section 6).
const maxInteger = 1<<53 - 1

// maxExponent is the greatest exponent that numbers are compared with.
const maxExponent = 1 << 20

// decimal is a number as sign, digits without zeros at either end, in two parts, and
// the power of ten of the last digit. Zero has no digits.
type decimal struct {
	negative        bool
	whole, fraction []byte
	exponent        int
}

// parseDecimal reads a number token; false where its exponent is absurd, or it is
// none.
func parseDecimal(token []byte) (d decimal, ok bool) {
	if !IsNumber(token) {
		return d, false
	}
	if token[0] == '-' {
		d.negative = true
		token = token[1:]
	}
	i := 0
	for i < len(token) && token[i]-'0' <= 9 {
		i++
	}
	d.whole, token = token[:i], token[i:]
	if len(token) > 0 && token[0] == '.' {
		for i = 1; i < len(token) && token[i]-'0' <= 9; i++ {
		}
		d.fraction, token = token[1:i], token[i:]
	}
	if len(token) > 0 {
		minus := token[1] == '-'
		if token = token[1:]; token[0]-'0' > 9 {
			token = token[1:]
		}
		for _, c := range token {
			if d.exponent = d.exponent*10 + int(c-'0'); d.exponent > maxExponent {
				return d, false
			}
		}
		if minus {
			d.exponent = -d.exponent
		}
	}
	for len(d.whole) > 0 && d.whole[0] == '0' {
		d.whole = d.whole[1:]
	}
	d.exponent -= len(d.fraction)
	for n := len(d.fraction); n > 0 && d.fraction[n-1] == '0'; n-- {
		d.fraction = d.fraction[:n-1]
		d.exponent++
	}
	if len(d.fraction) == 0 {
		for n := len(d.whole); n > 0 && d.whole[n-1] == '0'; n-- {
			d.whole = d.whole[:n-1]
			d.exponent++
		}
	}
	if len(d.whole) == 0 {
		for len(d.fraction) > 0 && d.fraction[0] == '0' {
			d.fraction = d.fraction[1:]
		}
		if len(d.fraction) == 0 {
			d.exponent = 0
		}
	}
	return d, true
}

func (d *decimal) len() int { return len(d.whole) + len(d.fraction) }

func (d *decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	return d.fraction[i-len(d.whole)]
}

func (d *decimal) same(e *decimal) bool {
	if d.negative != e.negative || d.exponent != e.exponent || d.len() != e.len() {
		return false
	}
	for i := range d.len() {
		if d.digit(i) != e.digit(i) {
			return false
		}
	}
	return true
}

// SameNumber tells whether two number tokens are of the same decimal value and sign
// (0 is not -0). Tokens whose exponent lies beyond ±2^20 are never the same, nor are
// those that are no numbers.
func SameNumber(a, b []byte) bool {
	d, ok := parseDecimal(a)
	e, also := parseDecimal(b)
	return ok && also && d.same(&e)
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
	d, ok := parseDecimal(token)
	if !ok || d.exponent < 0 || d.len()+d.exponent > 20 {
		return 0, false, false
	}
	for i := range d.len() + d.exponent {
		digit := uint64(0)
		if i < d.len() {
			digit = uint64(d.digit(i) - '0')
		}
		if magnitude > (math.MaxUint64-digit)/10 {
			return 0, false, false
		}
		magnitude = magnitude*10 + digit
	}
	return magnitude, d.negative, true
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
