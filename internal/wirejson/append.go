package wirejson

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/float"
)

// Append appends the ProtoJSON of message, without spaces between its tokens. It
// reports false where it declines; dst is as long as it was then. A nil Message
// declines always.
func (m *Message) Append(dst []byte, message proto.Message) ([]byte, bool) {
	if m == nil || message == nil {
		return dst, false
	}
	r := message.ProtoReflect()
	if r.Descriptor() != m.desc || r.ProtoMethods() == nil || len(r.GetUnknown()) > 0 {
		return dst, false
	}
	// The wire bytes go where the JSON is to be, which goes after them first.
	start := len(dst)
	wire, err := proto.MarshalOptions{}.MarshalAppend(dst, message)
	if err != nil {
		return dst, false
	}
	end := len(wire)
	out, ok := m.append(wire, wire[start:end:end], maxDepth)
	if !ok {
		return dst[:start], false
	}
	return out[:start+copy(out[start:], out[end:])], true
}

// append appends the object of a message that is wire.
func (m *Message) append(dst, wire []byte, depth int) ([]byte, bool) {
	if depth == 0 {
		return dst, false
	}
	start, sorted := len(dst), false
	dst = append(dst, '{')
	last := (*field)(nil)
	for whole := wire; len(wire) > 0; {
		number, kind, n := protowire.ConsumeTag(wire)
		if n < 0 {
			return dst, false
		}
		f := m.numbered(number)
		if f == nil || f.kind == 0 {
			return dst, false
		}
		wire = wire[n:]
		switch {
		case last == nil:
		case f == last && f.repeated:
			dst = append(dst, ',')
		case f.place <= last.place:
			// ProtoJSON goes by the order of the schema, the wire by numbers and
			// with oneofs last.
			if sorted {
				return dst, false
			}
			if wire, sorted = m.sort(whole); !sorted {
				return dst, false
			}
			dst, last = append(dst[:start], '{'), nil
			continue
		default:
			if last.repeated {
				dst = append(dst, ']')
			}
			dst = append(dst, ',')
		}
		if f != last {
			dst = append(dst, f.name...)
			if f.repeated {
				dst = append(dst, '[')
			}
		}
		last = f
		if f.repeated && kind == protowire.BytesType && f.wire != kind {
			packed, n := protowire.ConsumeBytes(wire)
			if n <= 0 || len(packed) == 0 {
				return dst, false
			}
			wire = wire[n:]
			for first := true; len(packed) > 0; first = false {
				if !first {
					dst = append(dst, ',')
				}
				if dst, n = f.append(dst, packed, depth); n < 0 {
					return dst, false
				}
				packed = packed[n:]
			}
			continue
		}
		if kind != f.wire {
			return dst, false
		}
		if dst, n = f.append(dst, wire, depth); n < 0 {
			return dst, false
		}
		wire = wire[n:]
	}
	if last != nil && last.repeated {
		dst = append(dst, ']')
	}
	return append(dst, '}'), true
}

// part is a field in wire bytes, with its tag.
type part struct {
	place int
	bytes []byte
}

// sort returns wire with its fields in the order of the schema. It reports false
// where one is not of the tables.
func (m *Message) sort(wire []byte) ([]byte, bool) {
	var parts []part
	for rest := wire; len(rest) > 0; {
		number, _, n := protowire.ConsumeField(rest)
		f := m.numbered(number)
		if n < 0 || f == nil {
			return nil, false
		}
		parts = append(parts, part{f.place, rest[:n]})
		rest = rest[n:]
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.place - b.place })
	sorted := make([]byte, 0, len(wire))
	for _, p := range parts {
		sorted = append(sorted, p.bytes...)
	}
	return sorted, true
}

// append appends the one value that wire begins with and returns its size there,
// -1 where it declines.
func (f *field) append(dst, wire []byte, depth int) ([]byte, int) {
	switch f.wire {
	case protowire.VarintType:
		v, n := protowire.ConsumeVarint(wire)
		if n < 0 {
			return dst, -1
		}
		return f.appendVarint(dst, v), n
	case protowire.Fixed32Type:
		v, n := protowire.ConsumeFixed32(wire)
		switch f.kind {
		case protoreflect.Fixed32Kind:
			return strconv.AppendUint(dst, uint64(v), 10), n
		case protoreflect.Sfixed32Kind:
			return strconv.AppendInt(dst, int64(int32(v)), 10), n
		}
		return appendFloat(dst, float64(math.Float32frombits(v)), 32), n
	case protowire.Fixed64Type:
		v, n := protowire.ConsumeFixed64(wire)
		switch f.kind {
		case protoreflect.Fixed64Kind:
			return append(strconv.AppendUint(append(dst, '"'), v, 10), '"'), n
		case protoreflect.Sfixed64Kind:
			return append(strconv.AppendInt(append(dst, '"'), int64(v), 10), '"'), n
		}
		return appendFloat(dst, math.Float64frombits(v), 64), n
	}
	content, n := protowire.ConsumeBytes(wire)
	if n < 0 {
		return dst, -1
	}
	ok := true
	switch f.kind {
	case protoreflect.StringKind:
		dst, ok = appendString(dst, content)
	case protoreflect.BytesKind:
		dst = append(base64.StdEncoding.AppendEncode(append(dst, '"'), content), '"')
	default:
		dst, ok = f.message.append(dst, content, depth-1)
	}
	if !ok {
		return dst, -1
	}
	return dst, n
}

func (f *field) appendVarint(dst []byte, v uint64) []byte {
	switch f.kind {
	case protoreflect.BoolKind:
		return strconv.AppendBool(dst, v != 0)
	case protoreflect.EnumKind:
		number := protoreflect.EnumNumber(int32(v))
		if value := f.enum.Values().ByNumber(number); value != nil {
			return append(append(append(dst, '"'), value.Name()...), '"')
		}
		return strconv.AppendInt(dst, int64(number), 10)
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

// appendFloat appends a number as protojson spells it.
func appendFloat(dst []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(float.Append(append(dst, '"'), v, bits), '"')
	}
	return float.Append(dst, v, bits)
}

// appendString appends text as protojson spells it, and reports false where it is
// not UTF-8.
func appendString(dst, text []byte) ([]byte, bool) {
	for _, c := range text {
		if c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			out, err := jsontext.AppendQuote(dst, text)
			return out, err == nil
		}
	}
	return append(append(append(dst, '"'), text...), '"'), true
}
