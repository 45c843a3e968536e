package rpcjson

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// The bounds of a google.protobuf.Duration that has a ProtoJSON.
const (
	maxSeconds = 315576000000
	maxNanos   = 999999999
)

// slot is what one field of a message had on the wire.
type slot struct {
	count int    // how often it stood there
	first int    // of a repeated field, where the first one began
	bytes []byte // of a singular one, the last content
	value uint64 // likewise, where that is a number
}

// entry is an entry of a map<string, string>.
type entry struct{ key, value []byte }

// AppendAny appends the ProtoJSON of the Any with that type URL and value:
// compact, "@type" first, map entries by key, byte for byte what protojson
// writes but for its spaces. It reports false, and appends nothing, for any
// other type than the google.rpc details and wherever the value is not plainly
// one of its type without unknown fields. dst and value must not overlap.
func AppendAny(dst []byte, typeURL string, value []byte) ([]byte, bool) {
	if typeURL == errorInfo.url {
		out := append(slices.Grow(dst, len(errorInfo.head)+len(value)+infoRoom), errorInfo.head...)
		if out, ok := appendInfo(out, value, true); ok {
			return append(out, '}'), true
		}
	}
	m := typeOf(typeURL)
	if m == nil {
		return dst, false
	}
	// Field names and quotes take about as much as short texts do.
	out := slices.Grow(dst, len(m.head)+len(typeURL)-len(m.url)+2*len(value)+16)
	ok := true
	if typeURL == m.url {
		out = append(out, m.head...)
	} else if out, ok = appendString(append(out, `{"@type":`...), []byte(typeURL)); !ok {
		return dst, false
	}
	if out, ok = m.appendMembers(out, value, true); !ok {
		return dst, false
	}
	return append(out, '}'), true
}

// AppendMessage appends the ProtoJSON of the detail itself, where AppendAny
// appends that of its Any.
func AppendMessage(dst []byte, typeURL string, value []byte) ([]byte, bool) {
	m := typeOf(typeURL)
	if m == nil {
		return dst, false
	}
	if m == errorInfo {
		out := append(slices.Grow(dst, len(value)+infoRoom), '{')
		if out, ok := appendInfo(out, value, false); ok {
			return append(out, '}'), true
		}
	}
	out, ok := m.appendObject(slices.Grow(dst, 2*len(value)+16), value)
	if !ok {
		return dst, false
	}
	return out, true
}

// appendMembers appends the populated fields in value as members of an object,
// with a comma before the first one where there are members already.
func (m *message) appendMembers(dst, value []byte, comma bool) ([]byte, bool) {
	var slots [maxFields]slot
	if !m.scan(value, &slots) {
		return dst, false
	}
	for i := range m.fields {
		f, s := &m.fields[i], &slots[i]
		if !f.populated(s) {
			continue
		}
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		dst = append(dst, '"')
		dst = append(dst, f.name...)
		dst = append(dst, '"', ':')
		var ok bool
		if dst, ok = f.append(dst, value, s, i); !ok {
			return dst, false
		}
	}
	return dst, true
}

func (f *field) populated(s *slot) bool {
	switch f.kind {
	case kindString:
		return len(s.bytes) > 0
	case kindInt64:
		return s.value != 0
	}
	return s.count > 0
}

// append appends the value of a field that stands in message as s says.
func (f *field) append(dst, message []byte, s *slot, place int) ([]byte, bool) {
	switch f.kind {
	case kindString:
		return appendString(dst, s.bytes)
	case kindInt64, kindOptionalInt64:
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, int64(s.value), 10)
		return append(dst, '"'), true
	case kindDuration:
		return appendDuration(dst, s.bytes)
	case kindMap:
		return appendMap(dst, message[s.first:], place, s.count)
	case kindMessage:
		return f.message.appendObject(dst, s.bytes)
	}
	dst = append(dst, '[')
	for left, rest := s.count, message[s.first:]; left > 0; {
		number, content, _, n := next(rest)
		rest = rest[n:]
		if number != place+1 {
			continue
		}
		if left < s.count {
			dst = append(dst, ',')
		}
		left--
		var ok bool
		if f.kind == kindStrings {
			dst, ok = appendString(dst, content)
		} else {
			dst, ok = f.message.appendObject(dst, content)
		}
		if !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
}

func (m *message) appendObject(dst, value []byte) ([]byte, bool) {
	dst, ok := m.appendMembers(append(dst, '{'), value, false)
	return append(dst, '}'), ok
}

// scan notes what stands in value, once over. It reports false for everything
// that is not a field of m in its own wire type, and for a singular message that
// stands there twice, whose parts would have to be merged.
func (m *message) scan(value []byte, slots *[maxFields]slot) bool {
	for at := 0; at < len(value); {
		number, content, varint, n := next(value[at:])
		if n < 0 || number > len(m.fields) {
			return false
		}
		f, s := &m.fields[number-1], &slots[number-1]
		if isNumber := f.kind == kindInt64 || f.kind == kindOptionalInt64; isNumber != (content == nil) {
			return false
		}
		if s.count > 0 && (f.kind == kindMessage || f.kind == kindDuration) {
			return false
		}
		if s.count == 0 {
			s.first = at
		}
		// What a later string replaces is never rendered and yet must be text.
		if f.kind == kindString && !utf8.Valid(s.bytes) {
			return false
		}
		s.count++
		s.bytes, s.value = content, varint
		at += n
	}
	return true
}

// next reads the field that b begins with: its number, its content, which is
// nil for a varint, and its size. The size is -1 where that is not plain.
func next(b []byte) (number int, content []byte, varint uint64, size int) {
	tag := b[0]
	// Numbers of two bytes are of no field here, spelt out or too long.
	if tag >= 0x80 || tag < 8 {
		return 0, nil, 0, -1
	}
	number = int(tag >> 3)
	switch protowire.Type(tag & 7) {
	case protowire.BytesType:
		if len(b) >= 2 && b[1] < 0x80 {
			if end := 2 + int(b[1]); end <= len(b) {
				return number, b[2:end:end], 0, end
			}
			return 0, nil, 0, -1
		}
		content, n := protowire.ConsumeBytes(b[1:])
		if n < 0 {
			return 0, nil, 0, -1
		}
		return number, content[:len(content):len(content)], 0, 1 + n
	case protowire.VarintType:
		varint, n := protowire.ConsumeVarint(b[1:])
		if n < 0 {
			return 0, nil, 0, -1
		}
		return number, nil, varint, 1 + n
	}
	return 0, nil, 0, -1
}

// appendMap appends a map field of which count entries stand in message.
func appendMap(dst, message []byte, place, count int) ([]byte, bool) {
	var room [16]entry
	entries := room[:0]
	if count > len(room) {
		entries = make([]entry, 0, count)
	}
	sorted := true
	for rest := message; len(entries) < count; {
		number, content, _, n := next(rest)
		rest = rest[n:]
		if number != place+1 {
			continue
		}
		e, ok := entryOf(content)
		if !ok {
			return dst, false
		}
		sorted = sorted && (len(entries) == 0 || bytes.Compare(entries[len(entries)-1].key, e.key) < 0)
		entries = append(entries, e)
	}
	if !sorted {
		slices.SortStableFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	}
	dst = append(dst, '{')
	for i, e := range entries {
		// The last entry of a key is the one that counts; the others must be
		// text all the same.
		if i+1 < len(entries) && bytes.Equal(e.key, entries[i+1].key) {
			if !utf8.Valid(e.value) {
				return dst, false
			}
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = appendString(dst, e.key); !ok {
			return dst, false
		}
		dst = append(dst, ':')
		if dst, ok = appendString(dst, e.value); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// entryOf reads an entry of a map<string, string>. A part that stands there
// twice is not plain.
func entryOf(b []byte) (e entry, ok bool) {
	for at := 0; at < len(b); {
		number, content, _, n := next(b[at:])
		if n < 0 || content == nil {
			return e, false
		}
		switch {
		case number == 1 && e.key == nil:
			e.key = content
		case number == 2 && e.value == nil:
			e.value = content
		default:
			return e, false
		}
		at += n
	}
	return e, true
}

// appendDuration appends the ProtoJSON of a google.protobuf.Duration, with 0, 3,
// 6 or 9 digits of fraction.
func appendDuration(dst, value []byte) ([]byte, bool) {
	var seconds int64
	var nanos int32
	for at := 0; at < len(value); {
		number, content, varint, n := next(value[at:])
		if n < 0 || content != nil {
			return dst, false
		}
		switch number {
		case 1:
			seconds = int64(varint)
		case 2:
			nanos = int32(varint)
		default:
			return dst, false
		}
		at += n
	}
	switch {
	case seconds < -maxSeconds || seconds > maxSeconds,
		nanos < -maxNanos || nanos > maxNanos,
		seconds > 0 && nanos < 0, seconds < 0 && nanos > 0:
		return dst, false
	}
	dst = append(dst, '"')
	if seconds < 0 || nanos < 0 {
		dst = append(dst, '-')
		seconds, nanos = -seconds, -nanos
	}
	dst = strconv.AppendInt(dst, seconds, 10)
	if nanos != 0 {
		point := len(dst)
		// A leading 1 keeps the zeros that follow it; the point takes its place.
		dst = strconv.AppendInt(dst, 1e9+int64(nanos), 10)
		dst[point] = '.'
		for bytes.HasSuffix(dst, []byte("000")) {
			dst = dst[:len(dst)-3]
		}
	}
	return append(dst, 's', '"'), true
}

// appendString appends s as a JSON string, and reports false where it is not
// UTF-8.
func appendString(dst, s []byte) ([]byte, bool) {
	if n := clean(s); n < len(s) {
		return appendUnclean(dst, s, n)
	}
	at := len(dst)
	dst = slices.Grow(dst, len(s)+2)[:at+len(s)+2]
	dst[at] = '"'
	copy(dst[at+1:], s)
	dst[len(dst)-1] = '"'
	return dst, true
}

// appendUnclean is appendString for text whose first i bytes alone are clean.
func appendUnclean(dst, s []byte, i int) ([]byte, bool) {
	dst = append(dst, '"')
	ascii := true
	from := 0
	for ; i < len(s); i++ {
		c := s[i]
		if c >= 0x80 {
			ascii = false
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscaped(dst, c)
		from = i + 1
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"'), ascii || utf8.Valid(s)
}

// appendEscaped appends the escape of a character that cannot stand in a JSON
// string, in protojson's spelling.
func appendEscaped(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
}
