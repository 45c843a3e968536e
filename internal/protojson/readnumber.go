package protojson

import (
	"encoding/binary"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

func (r *reader) integer(dst []byte, v jsontree.Value, f *field) ([]byte, bool) {
	token := v.Raw()
	switch v.Kind() {
	case jsontree.Number:
	case jsontree.String:
		var ok bool
		if token, ok = r.content(v); !ok || !jsontree.IsNumber(token) {
			return dst, false
		}
	default:
		return dst, false
	}
	magnitude, negative, ok := jsontree.Integer(token)
	if !ok {
		return dst, false
	}
	if f.signed {
		n, ok := signed(magnitude, negative, f.bits)
		return f.appendNumber(dst, uint64(n)), ok
	}
	if negative && magnitude > 0 || f.bits == 32 && magnitude > math.MaxUint32 {
		return dst, false
	}
	return f.appendNumber(dst, magnitude), true
}

// appendNumber appends an integer as its kind has it on the wire.
func (f *field) appendNumber(dst []byte, n uint64) []byte {
	switch f.kind {
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		return protowire.AppendVarint(dst, protowire.EncodeZigZag(int64(n)))
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return binary.LittleEndian.AppendUint32(dst, uint32(n))
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return binary.LittleEndian.AppendUint64(dst, n)
	}
	return protowire.AppendVarint(dst, n)
}

func signed(magnitude uint64, negative bool, bits int) (int64, bool) {
	limit := uint64(1) << (bits - 1)
	if negative {
		return -int64(magnitude), magnitude <= limit
	}
	return int64(magnitude), magnitude < limit
}

func (r *reader) float(dst []byte, v jsontree.Value, bits int) ([]byte, bool) {
	token, check := v.Raw(), r.numbers
	switch v.Kind() {
	case jsontree.Number:
	case jsontree.String:
		var ok bool
		if token, ok = r.content(v); !ok {
			return dst, false
		}
		switch string(token) {
		case "NaN":
			return appendBits(dst, math.NaN(), bits), true
		case "Infinity":
			return appendBits(dst, math.Inf(1), bits), true
		case "-Infinity":
			return appendBits(dst, math.Inf(-1), bits), true
		}
		if check = false; !jsontree.IsNumber(token) {
			return dst, false
		}
	default:
		return dst, false
	}
	n, err := strconv.ParseFloat(string(token), bits)
	if err != nil || check && !comesBack(token, n, bits) {
		return dst, false
	}
	return appendBits(dst, n, bits), true
}

func appendBits(dst []byte, n float64, bits int) []byte {
	if bits == 32 {
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(n)))
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(n))
}

// comesBack tells whether a number token, which is read as n, has the value that n
// is written with.
func comesBack(token []byte, n float64, bits int) bool {
	digits, some := 0, false // from the first that is not 0
	for _, c := range token {
		if c|0x20 == 'e' {
			break
		}
		if some = some || '1' <= c && c <= '9'; some && c != '.' {
			digits++
		}
	}
	if !some {
		return true
	}
	// So many digits a number of its width always holds, but near its bounds.
	if abs := math.Abs(n); bits == 64 && digits <= 15 && abs > 1e-300 || bits == 32 && digits <= 6 && abs > 1e-36 {
		return true
	}
	var room [400]byte
	return n != 0 && jsontree.SameNumber(token, jsontree.AppendFloat(room[:0], n, bits))
}
