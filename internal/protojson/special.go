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
		f, value, rest, ok := w.next(wire, m)
		if !ok || f != nil && !w.end(rest, m) {
			return dst, false
		}
		if f == nil { // it is written even where it is zero
			f, value = &m.fields[0], zeros[:]
		}
		dst, n := w.value(dst, value, f, depth)
		return dst, n >= 0
	case formStruct:
		dst, wire, ok := w.entries(dst, wire, &m.fields[0], depth)
		return dst, ok && w.end(wire, m)
	case formList:
		dst, wire, _, ok := w.elements(dst, wire, &m.fields[0], depth)
		return dst, ok && w.end(wire, m)
	case formValue:
		return w.dynamic(dst, wire, m, depth)
	}
	return dst, w.fail(foreign)
}

// end tells whether wire holds no known field: it would be the same one twice.
func (w *writer) end(wire []byte, m *Message) bool {
	f, _, _, ok := w.next(wire, m)
	return ok && (f == nil || w.fail(odd))
}

// anyFields returns the two fields of a google.protobuf.Any.
func (w *writer) anyFields(wire []byte, m *Message) (typeURL, value []byte, ok bool) {
	for {
		f, content, rest, ok := w.next(wire, m)
		if !ok || f == nil {
			return typeURL, value, ok
		}
		content, _ = consumeBytes(content)
		if wire = rest; f.number == 2 {
			value = content
			continue
		}
		if typeURL != nil {
			return nil, nil, w.fail(odd)
		}
		typeURL = content
	}
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
			n = w.skip(m, nil, number, kind, wire)
		} else if v, size := protowire.ConsumeVarint(wire); number == 1 {
			seconds, n = int64(v), size
		} else {
			nanos, n = int32(v), size
		}
		if n < 0 {
			return 0, 0, false // the trouble is refused until there is another
		}
		wire = wire[n:]
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
	for first := true; ; first = false {
		f, path, rest, ok := w.next(wire, m)
		if !ok || f == nil {
			return append(dst, '"'), ok
		}
		if !first {
			dst = append(dst, ',')
		}
		path, _ = consumeBytes(path)
		if dst, ok = appendPath(dst, path); !ok {
			return dst, w.fail(refused)
		}
		wire = rest
	}
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

// dynamic appends a google.protobuf.Value, which ProtoJSON has where it has a kind
// and is a number that JSON has.
func (w *writer) dynamic(dst, wire []byte, m *Message, depth int) ([]byte, bool) {
	f, value, rest, ok := w.next(wire, m)
	switch {
	case !ok:
		return dst, false
	case f == nil:
		return dst, w.refuse()
	case !w.end(rest, m):
		return dst, false
	case f.kind == protoreflect.DoubleKind:
		v, _ := f.number64(value)
		if number := math.Float64frombits(v); math.IsNaN(number) || math.IsInf(number, 0) {
			return dst, w.refuse()
		}
	}
	dst, n := w.value(dst, value, f, depth)
	return dst, n >= 0
}
