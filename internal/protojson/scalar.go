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
	if f.wire != protowire.BytesType {
		v, n := f.number64(wire)
		if n < 0 {
			w.trouble = refused
			return dst, -1
		}
		switch f.kind {
		case protoreflect.BoolKind:
			return strconv.AppendBool(dst, v != 0), n
		case protoreflect.EnumKind:
			return w.enum(dst, int32(v), n, f.enum)
		case protoreflect.FloatKind:
			return appendFloat(dst, float64(math.Float32frombits(uint32(v))), 32), n
		case protoreflect.DoubleKind:
			return appendFloat(dst, math.Float64frombits(v), 64), n
		}
		if f.bits == 32 {
			return f.appendInteger(dst, v), n
		}
		return append(f.appendInteger(append(dst, '"'), v), '"'), n
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

// number64 returns the number that wire begins with, whatever its kind, in 64 bits,
// and its size there, negative where there is none.
func (f *field) number64(wire []byte) (v uint64, n int) {
	switch f.wire {
	case protowire.Fixed32Type:
		if len(wire) < 4 {
			return 0, -1
		}
		v, n = uint64(binary.LittleEndian.Uint32(wire)), 4
	case protowire.Fixed64Type:
		if len(wire) < 8 {
			return 0, -1
		}
		return binary.LittleEndian.Uint64(wire), 8
	default:
		v, n = protowire.ConsumeVarint(wire)
	}
	switch f.kind {
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		v = uint64(int64(int32(v)))
	case protoreflect.Sint32Kind:
		v = uint64(int64(int32(protowire.DecodeZigZag(v & math.MaxUint32))))
	case protoreflect.Uint32Kind:
		v &= math.MaxUint32
	case protoreflect.Sint64Kind:
		v = uint64(protowire.DecodeZigZag(v))
	case protoreflect.BoolKind:
		v = min(v, 1)
	}
	return v, n
}

// appendInteger appends what number64 returned, without quotes.
func (f *field) appendInteger(dst []byte, v uint64) []byte {
	if f.signed {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return strconv.AppendUint(dst, v, 10)
}

// appendFloat appends a number as ProtoJSON has it.
func appendFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	}
	return jsontree.AppendFloat(dst, v, bits)
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
	if f.wire == protowire.BytesType {
		size, n := protowire.ConsumeVarint(wire)
		return n > 0 && size == 0
	}
	v, n := f.number64(wire)
	return n > 0 && v == 0
}
