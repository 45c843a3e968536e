package rpcjson

import (
	"bytes"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// parser reads one JSON text and writes wire bytes. Its methods report false
// where the text is not plain, and then it is of no further use.
type parser struct {
	in  []byte
	at  int
	out []byte
	// unescaped holds the strings that have escapes.
	unescaped []byte
}

// span is where one field, or map entry, stands in what was written.
type span struct{ start, end int }

// segment is a map entry in what was written.
type segment struct {
	key []byte
	span
}

// ParseAny reads the ProtoJSON of an Any that holds a google.rpc detail, "@type"
// first, and returns its type URL and its value in the deterministic encoding:
// the value that protojson makes of it. It reports false for any other text,
// and for one with a number token. It keeps nothing of the text.
func ParseAny(text []byte) (typeURL string, value []byte, ok bool) {
	p := parser{in: text[:len(text):len(text)]}
	m, url, ok := p.head()
	if !ok || m == nil {
		return "", nil, false
	}
	// Names and quotes take more room than tags and lengths do.
	p.out = make([]byte, 0, len(text)-p.at)
	if !p.members(m, true) {
		return "", nil, false
	}
	p.space()
	if p.at != len(p.in) {
		return "", nil, false
	}
	return m.typeURL(url), p.out, true
}

// members reads the members of an object up to its end, and writes them by
// number. The object has members already where more is true.
func (p *parser) members(m *message, more bool) bool {
	var (
		room   [maxFields]span
		seen   uint
		sorted = true
		first  = len(p.out)
	)
	for next := 0; ; {
		place := next
		// What a writer like ours writes: the fields by number, without a space.
		if !more || place == len(m.fields) || !p.literal(m.leads[place]) {
			if p.token('}') {
				break
			}
			if more && !p.token(',') {
				return false
			}
			name, ok := p.string()
			if !ok || !p.token(':') {
				return false
			}
			place = m.place(name)
		}
		more = true
		if place < 0 || seen&(1<<place) != 0 {
			return false
		}
		seen |= 1 << place
		if p.null() {
			continue
		}
		start := len(p.out)
		if !p.field(&m.fields[place], protowire.Number(place+1)) {
			return false
		}
		sorted = sorted && next <= place
		next = max(next, place+1)
		room[place] = span{start, len(p.out)}
	}
	if !sorted {
		p.reorder(first, room[:])
	}
	return true
}

// field reads the value of a field and writes the field where it is populated.
func (p *parser) field(f *field, number protowire.Number) bool {
	switch f.kind {
	case kindString:
		s, ok := p.string()
		if ok && len(s) > 0 {
			p.bytes(number, s)
		}
		return ok
	case kindInt64, kindOptionalInt64:
		n, ok := p.int64()
		if ok && (n != 0 || f.kind == kindOptionalInt64) {
			p.varint(number, uint64(n))
		}
		return ok
	case kindDuration:
		return p.duration(number)
	case kindMap:
		return p.sortedEntries(number) || p.entries(number)
	case kindMessage:
		return p.object(f.message, number)
	}
	if !p.token('[') {
		return false
	}
	for first := true; !p.token(']'); first = false {
		if !first && !p.token(',') {
			return false
		}
		if f.kind == kindMessages {
			if !p.object(f.message, number) {
				return false
			}
			continue
		}
		s, ok := p.string()
		if !ok {
			return false
		}
		p.bytes(number, s)
	}
	return true
}

// object reads a message and writes it as a field.
func (p *parser) object(m *message, number protowire.Number) bool {
	start := len(p.out)
	if !p.token('{') || !p.members(m, false) {
		return false
	}
	p.frame(number, start)
	return true
}

// sortedEntries is entries for a map whose keys are in order. Where it reports
// false nothing was read or written.
func (p *parser) sortedEntries(number protowire.Number) bool {
	from, start := p.at, len(p.out)
	if !p.token('{') {
		return false
	}
	var last []byte
	for first := true; !p.token('}'); first = false {
		if first || p.token(',') {
			if key, ok := p.string(); ok && p.token(':') && (first || bytes.Compare(last, key) < 0) {
				if value, ok := p.string(); ok {
					p.entry(number, key, value)
					last = key
					continue
				}
			}
		}
		p.at, p.out = from, p.out[:start]
		return false
	}
	return true
}

// entry writes an entry of a map<string, string>.
func (p *parser) entry(number protowire.Number, key, value []byte) {
	if size := len(key) + len(value) + 4; size < 0x80 {
		out := append(p.out, byte(number)<<3|byte(protowire.BytesType), byte(size), tagKey, byte(len(key)))
		out = append(append(out, key...), tagValue, byte(len(value)))
		p.out = append(out, value...)
		return
	}
	size := protowire.SizeTag(1) + protowire.SizeBytes(len(key)) + protowire.SizeTag(2) + protowire.SizeBytes(len(value))
	p.out = protowire.AppendTag(p.out, number, protowire.BytesType)
	p.out = protowire.AppendVarint(p.out, uint64(size))
	p.bytes(1, key)
	p.bytes(2, value)
}

// entries reads a map<string, string> and writes its entries by key.
func (p *parser) entries(number protowire.Number) bool {
	if !p.token('{') {
		return false
	}
	var segments []segment
	sorted := true
	written := len(p.out)
	for first := true; !p.token('}'); first = false {
		if !first && !p.token(',') {
			return false
		}
		key, ok := p.string()
		if !ok || !p.token(':') {
			return false
		}
		value, ok := p.string()
		if !ok {
			return false
		}
		start := len(p.out)
		p.entry(number, key, value)
		sorted = sorted && (len(segments) == 0 || bytes.Compare(segments[len(segments)-1].key, key) < 0)
		segments = append(segments, segment{key, span{start, len(p.out)}})
	}
	if sorted {
		return true
	}
	slices.SortFunc(segments, func(a, b segment) int { return bytes.Compare(a.key, b.key) })
	for i := range segments[1:] {
		if bytes.Equal(segments[i].key, segments[i+1].key) {
			return false
		}
	}
	spans := make([]span, len(segments))
	for i := range segments {
		spans[i] = segments[i].span
	}
	p.reorder(written, spans)
	return true
}

// reorder puts what was written from start on, all of which stands in spans, into
// their order.
func (p *parser) reorder(start int, spans []span) {
	was := bytes.Clone(p.out[start:])
	to := p.out[:start]
	for _, s := range spans {
		if s.start < s.end {
			to = append(to, was[s.start-start:s.end-start]...)
		}
	}
}

// duration reads a google.protobuf.Duration in the spelling that protojson
// writes, with any number of digits up to nine.
func (p *parser) duration(number protowire.Number) bool {
	text, ok := p.string()
	if !ok || len(text) == 0 || text[len(text)-1] != 's' {
		return false
	}
	text = text[:len(text)-1]
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	whole, fraction, pointed := bytes.Cut(text, []byte{'.'})
	if len(fraction) > 9 || pointed && !isDigits(fraction) || !isPlainInteger(whole) {
		return false
	}
	seconds, err := strconv.ParseInt(string(whole), 10, 64)
	if err != nil || seconds > maxSeconds {
		return false
	}
	var nanos int64
	for i := range 9 {
		nanos *= 10
		if i < len(fraction) {
			nanos += int64(fraction[i] - '0')
		}
	}
	if negative {
		seconds, nanos = -seconds, -nanos
	}
	start := len(p.out)
	if seconds != 0 {
		p.varint(1, uint64(seconds))
	}
	if nanos != 0 {
		p.varint(2, uint64(nanos))
	}
	p.frame(number, start)
	return true
}

// int64 reads an integer in quotes, without fraction and exponent. ProtoJSON
// reads a number as well, but then a caller who keeps number tokens as they
// stood has to look at it.
func (p *parser) int64() (int64, bool) {
	text, ok := p.string()
	if !ok || !isPlainInteger(bytes.TrimPrefix(text, []byte{'-'})) {
		return 0, false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil
}

func isPlainInteger(digits []byte) bool {
	return isDigits(digits) && (len(digits) == 1 || digits[0] != '0')
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// bytes writes a field of bytes, even of none.
func (p *parser) bytes(number protowire.Number, content []byte) {
	if len(content) < 0x80 {
		p.out = append(append(p.out, byte(number)<<3|byte(protowire.BytesType), byte(len(content))), content...)
		return
	}
	p.out = protowire.AppendTag(p.out, number, protowire.BytesType)
	p.out = protowire.AppendBytes(p.out, content)
}

func (p *parser) varint(number protowire.Number, value uint64) {
	p.out = protowire.AppendTag(p.out, number, protowire.VarintType)
	p.out = protowire.AppendVarint(p.out, value)
}

// frame makes what was written from start on the content of a field.
func (p *parser) frame(number protowire.Number, start int) {
	size := len(p.out) - start
	header := protowire.SizeTag(number) + protowire.SizeVarint(uint64(size))
	p.out = slices.Grow(p.out, header)[:start+header+size]
	copy(p.out[start+header:], p.out[start:start+size])
	head := protowire.AppendTag(p.out[:start], number, protowire.BytesType)
	protowire.AppendVarint(head, uint64(size))
}
