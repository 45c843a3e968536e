package protojson

import (
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxNesting is how deep messages may nest at most, as in protobuf's readers.
const maxNesting = protowire.DefaultRecursionLimit

// check tells whether bytes are a message, with all that is in it but for what an
// Any holds. It notes in met whether there are unknown fields, which may stand where
// something later takes them away.
func (w *writer) check(m *Message, wire []byte) bool { return w.checkFields(m, wire, maxNesting) }

func (w *writer) checkFields(m *Message, wire []byte, levels int) bool {
	if levels == 0 {
		return w.fail(refused)
	}
	if m.form == formLibrary {
		return w.fail(foreign)
	}
	for len(wire) > 0 {
		number, kind, n := consumeTag(wire)
		if n < 0 {
			return w.fail(refused)
		}
		wire = wire[n:]
		f := m.numbered(number)
		if f == nil || !f.takes(kind) {
			if m.isForeign(f, number) {
				return w.fail(foreign)
			}
			w.met = true
		}
		if n = protowire.ConsumeFieldValue(number, kind, wire); n < 0 {
			return w.fail(refused)
		}
		if f != nil && f.takes(kind) && !w.checkValue(f, kind, wire[:n], levels) {
			return false
		}
		wire = wire[n:]
	}
	return true
}

func (w *writer) checkValue(f *field, kind protowire.Type, value []byte, levels int) bool {
	if kind != protowire.BytesType {
		if f.enum != nil && f.enum.closed {
			return w.checkEnum(f.enum, value)
		}
		return true
	}
	content, _ := consumeBytes(value)
	switch {
	case f.value != nil:
		return w.checkEntry(f, content, levels-1)
	case f.wire != kind:
		for len(content) > 0 {
			n := protowire.ConsumeFieldValue(f.number, f.wire, content)
			if n < 0 {
				return w.fail(refused)
			}
			if f.enum != nil && f.enum.closed && !w.checkEnum(f.enum, content) {
				return false
			}
			content = content[n:]
		}
	case f.message != nil:
		return w.checkFields(f.message, content, levels-1)
	case f.utf8 && !utf8.Valid(content):
		return w.fail(refused)
	}
	return true
}

func (w *writer) checkEnum(e *enum, value []byte) bool {
	v, _ := protowire.ConsumeVarint(value)
	return e.names[int32(v)] != nil || w.fail(foreign)
}

func (w *writer) checkEntry(f *field, content []byte, levels int) bool {
	for len(content) > 0 {
		number, kind, n := consumeTag(content)
		if n < 0 {
			return w.fail(refused)
		}
		content = content[n:]
		if n = protowire.ConsumeFieldValue(number, kind, content); n < 0 {
			return w.fail(refused)
		}
		switch {
		case number == 1 && kind == f.key.wire:
			if !w.checkValue(f.key, kind, content[:n], levels) {
				return false
			}
		case number == 2 && kind == f.value.wire:
			if !w.checkValue(f.value, kind, content[:n], levels) {
				return false
			}
		}
		content = content[n:]
	}
	return true
}

// part is a field in its bytes, with its tag.
type part struct {
	field *field
	start int
	end   int
	body  int // where its value begins
	dead  bool
}

// arrange returns the bytes of a message with its fields in the order of the schema,
// each singular field once, one field of each oneof, and no unknown ones: a message
// that has the same ProtoJSON. Where that takes away or merges fields the bytes must
// have been checked.
func (w *writer) arrange(m *Message, wire []byte) ([]byte, bool) {
	base := len(w.room.parts)
	parts, arranged, last := w.room.parts, true, -1
	var seen, oneofs set
	for at := 0; at < len(wire); {
		number, kind, n := consumeTag(wire[at:])
		if n < 0 {
			return nil, w.fail(refused)
		}
		f := m.numbered(number)
		size := protowire.ConsumeFieldValue(number, kind, wire[at+n:])
		if size < 0 {
			return nil, w.fail(refused)
		}
		end := at + n + size
		if f == nil || !f.takes(kind) {
			if w.skip(m, f, number, kind, wire[at+n:]) < 0 {
				return nil, false
			}
			arranged = false
			at = end
			continue
		}
		arranged = arranged && f.place >= last
		if repeats := f.repeated || f.value != nil; !repeats && (!seen.add(f.place) || f.oneof >= 0 && !oneofs.add(f.oneof)) {
			if w.mode < careful {
				return nil, w.fail(unordered)
			}
			arranged = false
		}
		last = f.place
		parts = append(parts, part{field: f, start: at, end: end, body: at + n})
		at = end
	}
	w.room.parts = parts[:base]
	if parts = parts[base:]; arranged {
		return wire, true
	}
	if w.mode == careful {
		clearOneofs(parts)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.field.place - b.field.place })
	start, out := len(w.room.bytes), w.room.bytes
	for i := 0; i < len(parts); {
		f, end := parts[i].field, i+1
		for end < len(parts) && parts[end].field == f {
			end++
		}
		out = appendParts(out, wire, f, parts[i:end])
		i = end
	}
	w.room.bytes = out
	return out[start:len(out):len(out)], true
}

// clearOneofs marks as dead what a later field of the same oneof takes away.
func clearOneofs(parts []part) {
	var winners map[int]*field // by oneof; a nil field has ended its reign
	for i := len(parts) - 1; i >= 0; i-- {
		p := &parts[i]
		if p.field.oneof < 0 {
			continue
		}
		winner, seen := winners[p.field.oneof]
		switch {
		case !seen:
			if winners == nil {
				winners = make(map[int]*field)
			}
			winners[p.field.oneof] = p.field
		case winner != p.field:
			winners[p.field.oneof], p.dead = nil, true
		}
	}
}

// appendParts appends what all parts of one field come to.
func appendParts(out, wire []byte, f *field, parts []part) []byte {
	if f.repeated || f.value != nil {
		for _, p := range parts {
			out = append(out, wire[p.start:p.end]...)
		}
		return out
	}
	size, last := 0, -1
	for i, p := range parts {
		if !p.dead {
			content, _ := consumeBytes(wire[p.body:p.end])
			size += len(content)
			last = i
		}
	}
	switch {
	case last < 0:
		return out
	case f.message == nil:
		return append(out, wire[parts[last].start:parts[last].end]...)
	}
	out = protowire.AppendVarint(append(out, f.tag...), uint64(size))
	for _, p := range parts {
		if !p.dead {
			content, _ := consumeBytes(wire[p.body:p.end])
			out = append(out, content...)
		}
	}
	return out
}

// sorted returns the entries of a map by their keys, of those with the same key the
// last, at the end of list.
func (w *writer) sorted(list []entry, run []byte, f *field) ([]entry, bool) {
	base := len(list)
	for len(run) > 0 {
		_, _, n := consumeTag(run)
		content, size := consumeBytes(run[n:])
		run = run[n+size:]
		var e entry
		if !w.split(&e, content, f) {
			return nil, false
		}
		list = append(list, e)
	}
	all := list
	list = list[base:]
	slices.SortStableFunc(list, func(a, b entry) int { return a.compare(&b) })
	kept := list[:0]
	for i := range list {
		if i+1 < len(list) && list[i].compare(&list[i+1]) == 0 {
			if w.mode < careful { // what is dropped must be checked, too
				return nil, w.fail(unordered)
			}
			continue
		}
		kept = append(kept, list[i])
	}
	return all[:base+len(kept)], true
}
