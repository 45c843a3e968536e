package protojson

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

// A reader writes the Protobuf bytes of ProtoJSON.
type reader struct {
	codec   *Codec
	lenient bool // members and enum values that the schema does not know are left out
	numbers bool // a number that would not be written again is refused
	textual bool // metadata of an ErrorInfo may be no text
	trouble trouble
	out     []byte // room for the bytes
	spare   []byte // room for the same in another order
	text    []byte // room for a text without escapes
	spans   []span
}

// span is a field or an entry of a map in bytes that were written.
type span struct {
	key        entry // of a field, its number
	start, end int
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// maxKept is how much room a reader keeps for the next one.
const maxKept = 1 << 16

func getReader(c *Codec) *reader {
	r := readers.Get().(*reader)
	r.codec, r.lenient, r.numbers, r.textual, r.trouble = c, false, false, false, refused
	return r
}

func (r *reader) put() {
	r.codec = nil
	if cap(r.out) > maxKept || cap(r.spare) > maxKept || cap(r.text) > maxKept || cap(r.spans) > maxKept/64 {
		return
	}
	readers.Put(r)
}

func (r *reader) fail(t trouble) bool {
	r.trouble = t
	return false
}

// isLeftOut tells whether a value was not read because it need not be.
func (r *reader) isLeftOut(ok bool) bool { return !ok && r.trouble == leftOut }

// message appends the bytes of a message.
func (r *reader) message(dst []byte, v jsontree.Value, m *Message) ([]byte, bool) {
	if m.form < formAny {
		return r.fields(dst, v, m, plainObject)
	}
	return r.special(dst, v, m)
}

// frameKind says whether an object has an "@type" beside its fields.
type frameKind uint8

const (
	plainObject frameKind = iota
	typedObject
)

// embedded appends the bytes of the message that an object with "@type" holds.
func (r *reader) embedded(dst []byte, v jsontree.Value, m *Message) ([]byte, bool) {
	if m.form == formFields {
		return r.fields(dst, v, m, typedObject)
	}
	var value jsontree.Value
	for e := v.First(); e.Exists(); e = e.Next() {
		switch {
		case e.Repeats() || e.NameIs("@type"):
		case e.NameIs("value"):
			value = e
		case !r.lenient:
			return dst, r.fail(refused)
		}
	}
	if !value.Exists() {
		return dst, m.form == formEmpty || r.fail(refused)
	}
	return r.message(dst, value, m)
}

// fields appends the bytes of an object of fields, in the order of their numbers.
func (r *reader) fields(dst []byte, v jsontree.Value, m *Message, frame frameKind) ([]byte, bool) {
	if !v.Is(jsontree.Object) {
		return dst, r.fail(refused)
	}
	start, next, ascends, doubled := len(dst), 0, true, v.Doubled()
	last := protowire.Number(0)
	var seen, oneofs set
	for e := v.First(); e.Exists(); e = e.Next() {
		if doubled && e.Repeats() {
			continue
		}
		if frame == typedObject && e.NameIs("@type") {
			frame = plainObject // no other member has that name
			continue
		}
		f := r.named(m, e, next)
		if f == nil {
			if r.extends(e) {
				return dst, r.fail(foreign)
			}
			if !r.lenient {
				return dst, r.fail(refused)
			}
			continue
		}
		next = f.place + 1
		if !seen.add(f.place) {
			return dst, r.fail(refused)
		}
		if e.Is(jsontree.Null) && !f.nullable() {
			continue
		}
		if f.oneof >= 0 && !oneofs.add(f.oneof) {
			return dst, r.fail(refused)
		}
		ascends = ascends && f.number > last
		last = f.number
		var ok bool
		if dst, ok = r.field(dst, e, f); !ok {
			return dst, false
		}
	}
	if !ascends {
		r.order(dst[start:], nil)
	}
	return dst, true
}

// named returns the field that the name of a member is for, nil for none. Members
// mostly stand in the order of the schema, so the next field is tried first.
func (r *reader) named(m *Message, e jsontree.Value, next int) *field {
	if next < len(m.fields) {
		if f := &m.fields[next]; !f.strange && e.NameIs(f.json) {
			return f
		}
	}
	name, plain := e.RawName()
	if !plain {
		return m.byName[e.NameText()]
	}
	return m.byName[string(name)]
}

// extends tells whether the name of a member is that of a known extension.
func (r *reader) extends(e jsontree.Value) bool {
	if raw, plain := e.RawName(); plain && (len(raw) == 0 || raw[0] != '[') {
		return false // as nearly all
	}
	name := e.NameText()
	if !strings.HasPrefix(name, "[") || !strings.HasSuffix(name, "]") {
		return false
	}
	_, err := r.codec.types.FindExtensionByName(protoreflect.FullName(name[1 : len(name)-1]))
	return err == nil
}

// nullable tells whether null is a value of the field.
func (f *field) nullable() bool {
	return f.message != nil && f.message.desc.FullName() == "google.protobuf.Value" || f.enum != nil && f.enum.null
}

// field appends a field: its tag and value, or several.
func (r *reader) field(dst []byte, v jsontree.Value, f *field) ([]byte, bool) {
	switch {
	case f.kind == protoreflect.GroupKind:
		return dst, r.fail(foreign)
	case f.value != nil:
		return r.entries(dst, v, f)
	case f.repeated:
		return r.elements(dst, v, f)
	}
	start := len(dst)
	dst = append(dst, f.tag...)
	body := len(dst)
	dst, ok := r.value(dst, v, f)
	if r.isLeftOut(ok) || ok && !f.presence && f.zero(dst[body:]) {
		return dst[:start], true
	}
	return dst, ok
}

// elements appends a list.
func (r *reader) elements(dst []byte, v jsontree.Value, f *field) ([]byte, bool) {
	if !v.Is(jsontree.Array) {
		return dst, r.fail(refused)
	}
	if !v.First().Exists() {
		return dst, true
	}
	start := len(dst)
	if f.packed {
		dst = append(append(dst, f.tagged...), 0)
	}
	body := len(dst)
	for e := v.First(); e.Exists(); e = e.Next() {
		before := len(dst)
		if !f.packed {
			dst = append(dst, f.tag...)
		}
		var ok bool
		if dst, ok = r.value(dst, e, f); r.isLeftOut(ok) {
			dst = dst[:before]
		} else if !ok {
			return dst, false
		}
	}
	if !f.packed {
		return dst, true
	}
	if len(dst) == body {
		return dst[:start], true
	}
	return frame(dst, body-1), true
}

// entries appends a map, in the order of its keys.
func (r *reader) entries(dst []byte, v jsontree.Value, f *field) ([]byte, bool) {
	if !v.Is(jsontree.Object) {
		return dst, r.fail(refused)
	}
	// Of metadata, what is no text is its JSON, null is nothing, and lone surrogates are U+FFFD.
	texts := r.textual && f.key.kind == protoreflect.StringKind && f.value.kind == protoreflect.StringKind
	start, ascends, doubled := len(dst), true, v.Doubled()
	var last []byte // the name before
	for e := v.First(); e.Exists(); e = e.Next() {
		if doubled && e.Repeats() || texts && e.Is(jsontree.Null) {
			continue
		}
		before := len(dst)
		dst = append(append(append(dst, f.tag...), 0), f.key.tag...)
		var ok bool
		if dst, ok = r.key(dst, e, f.key); !ok && !texts {
			return dst, r.fail(refused)
		}
		dst = append(dst, f.value.tag...)
		body := len(dst)
		switch {
		case texts && e.Is(jsontree.String):
			dst = frame(e.AppendText(append(dst, 0)), body)
		case texts:
			dst = frame(e.AppendOnce(append(dst, 0)), body)
		default:
			if dst, ok = r.value(dst, e, f.value); r.isLeftOut(ok) {
				dst = dst[:before]
				continue
			} else if !ok {
				return dst, false
			}
		}
		dst = frame(dst, before+len(f.tag))
		name, plain := e.RawName()
		ascends = ascends && plain && (last == nil || f.key.kind == protoreflect.StringKind && bytes.Compare(last, name) < 0)
		last = name
	}
	if !ascends && !r.order(dst[start:], f) && !texts {
		return dst, r.fail(refused)
	}
	return dst, true
}

// key appends the name of a member as a key.
func (r *reader) key(dst []byte, e jsontree.Value, f *field) ([]byte, bool) {
	name, plain := e.RawName()
	if !plain {
		r.text = e.AppendNameText(r.text[:0])
		name = r.text
	}
	switch {
	case f.kind == protoreflect.StringKind:
		return append(protowire.AppendVarint(dst, uint64(len(name))), name...), plain || !e.Lone()
	case f.kind == protoreflect.BoolKind:
		switch string(name) {
		case "true":
			return append(dst, 1), true
		case "false":
			return append(dst, 0), true
		}
		return dst, false
	case f.signed:
		n, err := strconv.ParseInt(string(name), 10, f.bits)
		return f.appendNumber(dst, uint64(n)), err == nil
	}
	n, err := strconv.ParseUint(string(name), 10, f.bits)
	return f.appendNumber(dst, n), err == nil
}

// order puts fields that were written into the order of their numbers, or if f is
// not nil the entries of that map into the order of their keys. It is false where
// something stands twice.
func (r *reader) order(wire []byte, f *field) bool {
	spans, unique := r.spans[:0], true
	for at := 0; at < len(wire); {
		number, _, n := protowire.ConsumeField(wire[at:])
		if len(spans) == cap(spans) {
			spans = slices.Grow(spans, (len(wire)-at)/n) // if all are like this one
		}
		s := span{key: entry{number: uint64(number)}, start: at, end: at + n}
		if f != nil {
			s.key = f.keyAt(wire[at:])
		}
		spans = append(spans, s)
		at += n
	}
	slices.SortStableFunc(spans, func(a, b span) int { return a.key.compare(&b.key) })
	r.spare = r.spare[:0]
	for i, s := range spans {
		unique = unique && (i == 0 || spans[i-1].key.compare(&s.key) != 0)
		r.spare = append(r.spare, wire[s.start:s.end]...)
	}
	copy(wire, r.spare)
	clear(spans)
	r.spans = spans[:0]
	return unique
}

// keyAt returns the key of the entry that was written at the beginning of wire.
func (f *field) keyAt(wire []byte) entry {
	wire = wire[len(f.tag):]
	_, n := protowire.ConsumeVarint(wire)
	wire = wire[n+len(f.key.tag):]
	if f.key.kind == protoreflect.StringKind {
		text, _ := consumeBytes(wire)
		return entry{text: text}
	}
	v, _ := f.key.number64(wire)
	return entry{number: f.key.flip(v)}
}

// frame puts the length of what follows the byte at start into it, and makes room
// where it takes more than that byte.
func frame(dst []byte, start int) []byte {
	size := len(dst) - start - 1
	if size < 0x80 {
		dst[start] = byte(size)
		return dst
	}
	var room [8]byte
	extra := protowire.SizeVarint(uint64(size)) - 1
	dst = append(dst, room[:extra]...)
	copy(dst[start+1+extra:], dst[start+1:start+1+size])
	protowire.AppendVarint(dst[:start], uint64(size))
	return dst
}
