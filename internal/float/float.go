// Package float spells floating-point numbers as ProtoJSON does.
package float

import (
	"math"
	"strconv"
)

// Append appends a number of 32 or 64 bits, the three that are none without the
// quotes that JSON wants around them.
func Append(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	format := byte('f')
	abs := math.Abs(f)
	if bits == 32 {
		// The bounds, too, are those of the narrow type.
		abs = float64(float32(abs))
		if abs != 0 && (float32(abs) < 1e-6 || float32(abs) >= 1e21) {
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
