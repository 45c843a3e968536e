package protojson

import (
	"math"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The bounds of google.protobuf.Timestamp and Duration.
const (
	minTime  = -62135596800
	maxTime  = 253402300799
	maxSpan  = 315576000000
	maxNanos = 999999999
)

// special appends a message that ProtoJSON does not write as an object of its
// fields. Depth is how many objects and lists may be open in it.
func (w *writer) special(dst, wire []byte, m *Message, depth int) ([]byte, bool) {
	switch m.form {
	case formAny:
		typeURL, value, ok := w.anyFields(wire, m)
		if !ok {
			return dst, false
		}
		w.inAny++
		dst, ok = w.any(dst, typeURL, value, depth)
		w.inAny--
		return dst, ok
	case formTime, formSpan:
		seconds, nanos, ok := w.moment(wire, m)
		if !ok {
			return dst, false
		}
		if m.form == formTime {
			return w.time(dst, seconds, nanos)
		}
		return w.span(dst, seconds, nanos)
	case formMask:
		return w.mask(dst, wire, m)
	case formWrapper:
		value, ok := w.lastValue(wire, m)
		if !ok {
			return dst, false
		}
		dst, n := w.value(dst, value, &m.fields[0], depth)
		return dst, n >= 0
	case formStruct, formList:
		return w.run(dst, wire, m, depth)
	case formValue:
		return w.dynamic(dst, wire, m, depth)
	}
	return dst, w.fail(foreign)
}

// anyFields returns the two fields of a google.protobuf.Any.
func (w *writer) anyFields(wire []byte, m *Message) (typeURL, value []byte, ok bool) {
	for len(wire) > 0 {
		number, kind, n := consumeTag(wire)
		if n < 0 {
			return nil, nil, w.fail(refused)
		}
		wire = wire[n:]
		if number > 2 || kind != protowire.BytesType {
			if n = w.skip(m, nil, number, kind, wire); n < 0 {
				return nil, nil, false
			}
			wire = wire[n:]
			continue
		}
		content, n := consumeBytes(wire)
		if n < 0 {
			return nil, nil, w.fail(refused)
		}
		if wire = wire[n:]; number == 2 {
			value = content
			continue
		}
		if typeURL != nil && w.mode < careful {
			return nil, nil, w.fail(unordered)
		}
		typeURL = content
	}
	return typeURL, value, true
}

// moment returns the seconds and nanoseconds of a Timestamp or Duration.
func (w *writer) moment(wire []byte, m *Message) (seconds int64, nanos int32, ok bool) {
	for len(wire) > 0 {
		number, kind, n := consumeTag(wire)
		if n < 0 {
			return 0, 0, w.fail(refused)
		}
		wire = wire[n:]
		if number > 2 || kind != protowire.VarintType {
			if n = w.skip(m, nil, number, kind, wire); n < 0 {
				return 0, 0, false
			}
			wire = wire[n:]
			continue
		}
		v, n := protowire.ConsumeVarint(wire)
		if n < 0 {
			return 0, 0, w.fail(refused)
		}
		if wire = wire[n:]; number == 1 {
			seconds = int64(v)
		} else {
			nanos = int32(v)
		}
	}
	return seconds, nanos, true
}

func (w *writer) time(dst []byte, seconds int64, nanos int32) ([]byte, bool) {
	if seconds < minTime || seconds > maxTime || nanos < 0 || nanos > maxNanos {
		return dst, w.refuse()
	}
	dst = time.Unix(seconds, 0).UTC().AppendFormat(append(dst, '"'), "2006-01-02T15:04:05")
	return append(appendNanos(dst, nanos), 'Z', '"'), true
}

func (w *writer) span(dst []byte, seconds int64, nanos int32) ([]byte, bool) {
	if seconds < -maxSpan || seconds > maxSpan || nanos < -maxNanos || nanos > maxNanos ||
		seconds > 0 && nanos < 0 || seconds < 0 && nanos > 0 {
		return dst, w.refuse()
	}
	dst = append(dst, '"')
	if seconds < 0 || nanos < 0 {
		dst, seconds, nanos = append(dst, '-'), -seconds, -nanos
	}
	dst = strconv.AppendInt(dst, seconds, 10)
	return append(appendNanos(dst, nanos), 's', '"'), true
}

// appendNanos appends a fraction of 0, 3, 6 or 9 digits.
func appendNanos(dst []byte, nanos int32) []byte {
	if nanos == 0 {
		return dst
	}
	digits := 9
	for nanos%1000 == 0 {
		nanos /= 1000
		digits -= 3
	}
	var text [10]byte
	text[0] = '.'
	for i := digits; i > 0; i-- {
		text[i] = byte('0' + nanos%10)
		nanos /= 10
	}
	return append(dst, text[:digits+1]...)
}

// mask appends a google.protobuf.FieldMask, which ProtoJSON has where its paths
// come back.
func (w *writer) mask(dst, wire []byte, m *Message) ([]byte, bool) {
	dst = append(dst, '"')
	for first := true; len(wire) > 0; {
		number, kind, n := consumeTag(wire)
		if n < 0 {
			return dst, w.fail(refused)
		}
		wire = wire[n:]
		if number != 1 || kind != protowire.BytesType {
			if n = w.skip(m, nil, number, kind, wire); n < 0 {
				return dst, false
			}
			wire = wire[n:]
			continue
		}
		path, n := consumeBytes(wire)
		if n < 0 {
			return dst, w.fail(refused)
		}
		wire = wire[n:]
		if !first {
			dst = append(dst, ',')
		}
		first = false
		var ok bool
		if dst, ok = appendPath(dst, path); !ok {
			return dst, w.fail(refused)
		}
	}
	return append(dst, '"'), true
}

// appendPath appends a path of a FieldMask in lowerCamelCase; false where it is no
// path or another one would come back.
func appendPath(dst, path []byte) ([]byte, bool) {
	start := true
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case 'a' <= c && c <= 'z':
			start = false
		case c == '_':
			// Only a lower-case letter comes back with its underscore.
			if i++; i == len(path) || path[i] < 'a' || path[i] > 'z' {
				return dst, false
			}
			c, start = path[i]-'a'+'A', false
		case '0' <= c && c <= '9' && !start:
		case c == '.' && !start:
			start = true
		default:
			return dst, false
		}
		dst = append(dst, c)
	}
	return dst, !start
}

// lastValue returns the value of the field of a wrapper, which is written even
// where it is zero.
func (w *writer) lastValue(wire []byte, m *Message) ([]byte, bool) {
	f := &m.fields[0]
	var value []byte
	for len(wire) > 0 {
		number, kind, n := consumeTag(wire)
		if n < 0 {
			return nil, w.fail(refused)
		}
		wire = wire[n:]
		if number != 1 || kind != f.wire {
			if n = w.skip(m, nil, number, kind, wire); n < 0 {
				return nil, false
			}
			wire = wire[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, wire); n < 0 {
			return nil, w.fail(refused)
		}
		if value != nil && w.mode < careful {
			return nil, w.fail(unordered)
		}
		value, wire = wire[:n], wire[n:]
	}
	if value == nil {
		value = zeros[:]
	}
	return value, true
}

// run appends a Struct or a ListValue.
func (w *writer) run(dst, wire []byte, m *Message, depth int) (_ []byte, ok bool) {
	if wire, ok = w.only(m, wire); !ok {
		return dst, false
	}
	f := &m.fields[0]
	if m.form == formStruct {
		if dst, wire, ok = w.entries(dst, wire, f, depth); !ok {
			return dst, false
		}
	} else if dst, wire, _, ok = w.elements(dst, wire, f, depth); !ok {
		return dst, false
	}
	if len(wire) > 0 { // what follows may hold more of the field
		return dst, w.fail(unordered)
	}
	return dst, true
}

// dynamic appends a google.protobuf.Value, which ProtoJSON has where it has a kind
// and is a number that JSON has.
func (w *writer) dynamic(dst, wire []byte, m *Message, depth int) (_ []byte, ok bool) {
	if wire, ok = w.only(m, wire); !ok {
		return dst, false
	}
	number, kind, n := consumeTag(wire)
	f := m.numbered(number)
	switch {
	case len(wire) == 0:
		return dst, w.refuse()
	case n < 0:
		return dst, w.fail(refused)
	case f == nil || f.wire != kind:
		return dst, w.fail(unordered)
	}
	wire = wire[n:]
	if f.kind == protoreflect.DoubleKind {
		v, n := protowire.ConsumeFixed64(wire)
		if number := math.Float64frombits(v); n >= 0 && (math.IsNaN(number) || math.IsInf(number, 0)) {
			return dst, w.refuse()
		}
	}
	if dst, n = w.value(dst, wire, f, depth); n < 0 {
		return dst, false
	}
	if n < len(wire) {
		return dst, w.fail(unordered)
	}
	return dst, true
}
