package protojson

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

// value appends the one value that wire begins with, and returns its size there, -1
// where it ends the writing. Depth is how many objects and lists may be open in it.
func (w *writer) value(dst, wire []byte, f *field, depth int) ([]byte, int) {
	switch f.wire {
	case protowire.VarintType:
		v, n := protowire.ConsumeVarint(wire)
		if n < 0 {
			w.trouble = refused
			return dst, -1
		}
		if f.kind == protoreflect.EnumKind {
			return w.enum(dst, int32(v), n, f.enum)
		}
		return appendVarint(dst, v, f.kind), n
	case protowire.Fixed32Type:
		if len(wire) < 4 {
			w.trouble = refused
			return dst, -1
		}
		return appendFixed32(dst, binary.LittleEndian.Uint32(wire), f.kind), 4
	case protowire.Fixed64Type:
		if len(wire) < 8 {
			w.trouble = refused
			return dst, -1
		}
		return appendFixed64(dst, binary.LittleEndian.Uint64(wire), f.kind), 8
	}
	content, n := consumeBytes(wire)
	if n < 0 {
		w.trouble = refused
		return dst, -1
	}
	switch f.kind {
	case protoreflect.StringKind:
		var ok bool
		if dst, ok = appendText(dst, content); !ok {
			w.trouble = refused
			return dst, -1
		}
	case protoreflect.BytesKind:
		dst = append(base64.StdEncoding.AppendEncode(append(dst, '"'), content), '"')
	default:
		var ok bool
		if dst, ok = w.message(dst, content, f.message, depth); !ok {
			return dst, -1
		}
	}
	return dst, n
}

func (w *writer) enum(dst []byte, number int32, n int, e *enum) ([]byte, int) {
	if e.null {
		if number != 0 { // it would read back as 0
			w.refuse()
			return dst, -1
		}
		return append(dst, "null"...), n
	}
	if name := e.names[number]; name != nil {
		return append(dst, name...), n
	}
	if e.closed { // readers keep it as an unknown field
		w.trouble = foreign
		return dst, -1
	}
	return strconv.AppendInt(dst, int64(number), 10), n
}

func appendVarint(dst []byte, v uint64, kind protoreflect.Kind) []byte {
	switch kind {
	case protoreflect.BoolKind:
		return strconv.AppendBool(dst, v != 0)
	case protoreflect.Int32Kind:
		return strconv.AppendInt(dst, int64(int32(v)), 10)
	case protoreflect.Sint32Kind:
		return strconv.AppendInt(dst, int64(int32(protowire.DecodeZigZag(v&math.MaxUint32))), 10)
	case protoreflect.Uint32Kind:
		return strconv.AppendUint(dst, uint64(uint32(v)), 10)
	case protoreflect.Int64Kind:
		return append(strconv.AppendInt(append(dst, '"'), int64(v), 10), '"')
	case protoreflect.Sint64Kind:
		return append(strconv.AppendInt(append(dst, '"'), protowire.DecodeZigZag(v), 10), '"')
	}
	return append(strconv.AppendUint(append(dst, '"'), v, 10), '"')
}

func appendFixed32(dst []byte, v uint32, kind protoreflect.Kind) []byte {
	switch kind {
	case protoreflect.Fixed32Kind:
		return strconv.AppendUint(dst, uint64(v), 10)
	case protoreflect.Sfixed32Kind:
		return strconv.AppendInt(dst, int64(int32(v)), 10)
	}
	return appendFloat(dst, float64(math.Float32frombits(v)), 32)
}

func appendFixed64(dst []byte, v uint64, kind protoreflect.Kind) []byte {
	switch kind {
	case protoreflect.Fixed64Kind:
		return append(strconv.AppendUint(append(dst, '"'), v, 10), '"')
	case protoreflect.Sfixed64Kind:
		return append(strconv.AppendInt(append(dst, '"'), int64(v), 10), '"')
	}
	return appendFloat(dst, math.Float64frombits(v), 64)
}

// appendFloat appends a number as ProtoJSON has it.
func appendFloat(dst []byte, v float64, bits int) []byte {
	if v-v != 0 { // not finite
		return append(AppendFloat(append(dst, '"'), v, bits), '"')
	}
	return AppendFloat(dst, v, bits)
}

// AppendFloat appends a floating-point number of 32 or 64 bits as ProtoJSON spells
// it: NaN, Infinity and -Infinity without the quotes that JSON wants around them.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
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

// appendText appends text as JSON; false where it is not UTF-8.
func appendText(dst, text []byte) ([]byte, bool) {
	if len(text) <= shortText && isPlain(text) {
		dst = append(append(dst, '"'), text...)
		return append(dst, '"'), true
	}
	if !utf8.Valid(text) {
		return dst, false
	}
	return jsontree.AppendStringBytes(dst, text), true
}

// shortText is up to which length looking at each byte is faster than at words.
const shortText = 24

// isPlain tells whether text is ASCII that stands in JSON as it is.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// zero tells whether the value that wire begins with is the zero of its kind.
func (f *field) zero(wire []byte) bool {
	switch f.wire {
	case protowire.VarintType:
		v, n := protowire.ConsumeVarint(wire)
		switch f.kind {
		case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind, protoreflect.EnumKind:
			v &= math.MaxUint32
		}
		return n > 0 && v == 0
	case protowire.Fixed32Type:
		return len(wire) >= 4 && binary.LittleEndian.Uint32(wire) == 0
	case protowire.Fixed64Type:
		return len(wire) >= 8 && binary.LittleEndian.Uint64(wire) == 0
	}
	size, n := protowire.ConsumeVarint(wire)
	return n > 0 && size == 0
}

const signBit = 1 << 63

// sortable returns the key of a map, of which wire is the value, as a number that
// orders as keys do.
func (f *field) sortable(wire []byte) uint64 {
	var v uint64
	switch f.wire {
	case protowire.Fixed32Type:
		v = uint64(binary.LittleEndian.Uint32(wire))
	case protowire.Fixed64Type:
		v = binary.LittleEndian.Uint64(wire)
	default:
		v, _ = protowire.ConsumeVarint(wire)
	}
	switch f.kind {
	case protoreflect.BoolKind:
		if v != 0 {
			return 1
		}
		return 0
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		return uint64(int64(int32(v))) ^ signBit
	case protoreflect.Sint32Kind:
		return uint64(int64(int32(protowire.DecodeZigZag(v&math.MaxUint32)))) ^ signBit
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		return v ^ signBit
	case protoreflect.Sint64Kind:
		return uint64(protowire.DecodeZigZag(v)) ^ signBit
	case protoreflect.Uint32Kind:
		return v & math.MaxUint32
	}
	return v
}

// signed tells whether the keys of a map have a sign.
func (f *field) signed() bool {
	switch f.kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return true
	}
	return false
}

// zeroKey is sortable of the key that is not written.
func (f *field) zeroKey() uint64 {
	if f.signed() {
		return signBit
	}
	return 0
}

// appendKey appends a key that sortable returned, without quotes.
func (f *field) appendKey(dst []byte, key uint64) []byte {
	switch {
	case f.kind == protoreflect.BoolKind:
		return strconv.AppendBool(dst, key != 0)
	case f.signed():
		return strconv.AppendInt(dst, int64(key^signBit), 10)
	}
	return strconv.AppendUint(dst, key, 10)
}
