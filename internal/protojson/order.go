package protojson

import (
	"math"
	"slices"
	"sync"
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

// maxVarint is how long a length may be.
const maxVarint = 5

// part is a field in its bytes, with its tag.
type part struct {
	field            *field
	start, body, end uint32 // the body is its value
	dead             bool
}

// arrange finds out whether the fields of a message stand in the order of the
// schema, each singular field once, one field of each oneof, and no unknown ones.
// Where they do not they are parted: the parts, in that order, are then the last in
// the room, from its base, and [writer.gather] has their bytes. Where that takes away
// or merges fields the bytes must have been checked.
func (w *writer) arrange(m *Message, wire []byte) (parted, ok bool) {
	w.need()
	if len(wire) > longMessage {
		w.room.parts = slices.Grow(w.room.parts, countFields(wire))
	}
	base := len(w.room.parts)
	last := -1
	var seen, oneofs set
	for at := 0; at < len(wire); {
		number, kind, n := consumeTag(wire[at:])
		if n < 0 {
			return false, w.fail(refused)
		}
		f, body := m.numbered(number), at+n
		if f == nil || !f.takes(kind) {
			if n = w.skip(m, f, number, kind, wire[body:]); n < 0 {
				return false, false
			}
			parted = true
			at = body + n
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, wire[body:]); n < 0 || body+n > math.MaxUint32 {
			return false, w.fail(refused)
		}
		parted = parted || f.place < last
		if repeats := f.repeated || f.value != nil; !repeats && (!seen.add(f.place) || f.oneof >= 0 && !oneofs.add(f.oneof)) {
			if w.mode < careful {
				return false, w.fail(unordered)
			}
			parted = true
		}
		last = f.place
		w.room.parts = append(w.room.parts, part{field: f, start: uint32(at), body: uint32(body), end: uint32(body + n)})
		at = body + n
	}
	parts := w.room.parts[base:]
	if !parted {
		w.room.parts = w.room.parts[:base]
		return false, true
	}
	if w.mode == careful {
		clearOneofs(parts)
	}
	sortParts(parts)
	w.room.base = base
	return true, true
}

// sortParts sorts by place, those of one place as they stand. Few parts are mostly out
// of place, the oneofs of Go: then putting in each is fastest.
func sortParts(parts []part) {
	if len(parts) > 64 {
		slices.SortStableFunc(parts, func(a, b part) int { return a.field.place - b.field.place })
		return
	}
	for i := 1; i < len(parts); i++ {
		p, j := parts[i], i
		for ; j > 0 && parts[j-1].field.place > p.field.place; j-- {
			parts[j] = parts[j-1]
		}
		parts[j] = p
	}
}

// longMessage is the size from which the fields of a message are counted first.
const longMessage = 4096

// countFields returns how many fields bytes begin with.
func countFields(wire []byte) (count int) {
	for len(wire) > 0 {
		_, _, n := protowire.ConsumeField(wire)
		if n < 0 {
			break
		}
		wire = wire[n:]
		count++
	}
	return count
}

// gather returns the bytes of all parts of one field, of which the first is at i, and
// where the next field is.
func (w *writer) gather(wire []byte, i int) (run []byte, next int, ok bool) {
	parts := w.room.parts[i:]
	f, count := parts[0].field, 1
	together := true
	for count < len(parts) && parts[count].field == f {
		together = together && parts[count].start == parts[count-1].end
		count++
	}
	parts, next = parts[:count], i+count
	repeats := f.repeated || f.value != nil
	if !repeats {
		// Scalars count where they stand last, and messages are merged.
		alive := parts[:0]
		for _, p := range parts {
			if !p.dead {
				alive = append(alive, p)
			}
		}
		if parts = alive; f.message == nil && len(alive) > 1 {
			parts = alive[len(alive)-1:]
		}
	}
	switch {
	case len(parts) == 0:
		return nil, next, true
	case len(parts) == 1 || repeats && together:
		return wire[parts[0].start:parts[len(parts)-1].end], next, true
	}
	size := 0
	for _, p := range parts {
		size += int(p.end-p.start) + maxVarint
	}
	if !w.copies(size) {
		return nil, next, false
	}
	out := w.room.take(size)
	if repeats {
		for _, p := range parts {
			out = append(out, wire[p.start:p.end]...)
		}
	} else {
		out = appendMerged(out, wire, f, parts)
	}
	return out, next, true
}

// take returns room for size bytes that stays as it is until the writer is done.
func (r *room) take(size int) []byte {
	if cap(r.bytes)-len(r.bytes) < size {
		r.bytes = make([]byte, 0, max(size, 1024))
	}
	start := len(r.bytes)
	r.bytes = r.bytes[:start+size]
	return r.bytes[start:start:len(r.bytes)]
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

// appendMerged appends the field that holds what all parts of a message hold.
func appendMerged(out, wire []byte, f *field, parts []part) []byte {
	size := 0
	for _, p := range parts {
		content, _ := consumeBytes(wire[p.body:p.end])
		size += len(content)
	}
	out = protowire.AppendVarint(append(out, f.tag...), uint64(size))
	for _, p := range parts {
		content, _ := consumeBytes(wire[p.body:p.end])
		out = append(out, content...)
	}
	return out
}

// only returns the bytes of the one field that a message holds, put in order where
// the mode is so.
func (w *writer) only(m *Message, wire []byte) (run []byte, ok bool) {
	if w.mode == straight {
		return wire, true
	}
	parted, ok := w.arrange(m, wire)
	if !ok || !parted {
		return wire, ok
	}
	base := w.room.base
	for i := base; i < len(w.room.parts) && len(run) == 0; {
		if run, i, ok = w.gather(wire, i); !ok {
			return nil, false
		}
	}
	w.room.parts = w.room.parts[:base]
	return run, true
}

// room is what a writer needs that puts fields in order. Its lists are stacks: what is
// open in a message stands before what is open in those inside it.
type room struct {
	parts   []part
	base    int // where those of the last message begin
	bytes   []byte
	entries []entry
}

var rooms = sync.Pool{New: func() any { return new(room) }}

func (w *writer) need() {
	if w.room == nil {
		w.room = rooms.Get().(*room)
	}
}

// copies tells whether n bytes more may be copied: messages in messages that are each
// in pieces take as much for every level.
func (w *writer) copies(n int) bool {
	w.limit -= n
	return w.limit >= 0 || w.fail(refused)
}

// maxCopies is how often the bytes of a message may be copied.
const maxCopies = 8

func (r *room) reset() {
	if r != nil {
		clear(r.entries[:cap(r.entries)])
		r.parts, r.bytes, r.entries = r.parts[:0], r.bytes[:0], r.entries[:0]
	}
}
