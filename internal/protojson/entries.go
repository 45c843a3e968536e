package protojson

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// An entry is one entry of a map in its bytes: its key as number or text, its value
// without a tag, nil where it is the zero value.
type entry struct {
	text   []byte
	number uint64
	value  []byte
}

// entries appends a map: the entries at the beginning of wire that are of one field.
func (w *writer) entries(dst, wire []byte, f *field, depth int) (_, rest []byte, ok bool) {
	if depth <= 0 {
		return dst, wire, w.fail(refused)
	}
	count, end, ok := w.ordered(wire, f)
	if !ok {
		return dst, wire, false
	}
	dst = append(dst, '{')
	run, rest := wire[:end], wire[end:]
	var e entry
	if count < 0 {
		w.need()
		base := len(w.room.entries)
		w.room.entries = slices.Grow(w.room.entries, -count)
		list, ok := w.sorted(w.room.entries, run, f)
		if !ok {
			return dst, wire, false
		}
		w.room.entries = list
		for i := base; i < len(list); i++ {
			if i > base {
				dst = append(dst, ',')
			}
			if dst, ok = w.entry(dst, &list[i], f, depth-1); !ok {
				return dst, wire, false
			}
		}
		w.room.entries = w.room.entries[:base]
		return append(dst, '}'), rest, true
	}
	for i := 0; i < count; i++ {
		_, _, n := consumeTag(run)
		content, size := consumeBytes(run[n:])
		run = run[n+size:]
		if i > 0 {
			dst = append(dst, ',')
		}
		if !w.split(&e, content, f) {
			return dst, wire, false
		}
		if dst, ok = w.entry(dst, &e, f, depth-1); !ok {
			return dst, wire, false
		}
	}
	return append(dst, '}'), rest, true
}

// ordered returns how many entries of a map wire begins with, negative where their
// keys do not ascend, and where they end.
func (w *writer) ordered(wire []byte, f *field) (count, end int, ok bool) {
	var last, e entry
	ascends := true
	for rest := wire; len(rest) > 0; count++ {
		number, kind, n := consumeTag(rest)
		if n < 0 || number != f.number || kind != protowire.BytesType {
			break
		}
		content, size := consumeBytes(rest[n:])
		if size < 0 || !w.split(&e, content, f) {
			if size < 0 {
				w.trouble = refused
			}
			return 0, 0, false
		}
		ascends = ascends && (count == 0 || last.compare(&e) < 0)
		last = e
		rest = rest[n+size:]
		end = len(wire) - len(rest)
	}
	if !ascends {
		count = -count
	}
	return count, end, true
}

// compare orders entries by their keys: one of the two parts is the same in both.
func (e *entry) compare(other *entry) int {
	switch {
	case e.number < other.number:
		return -1
	case e.number > other.number:
		return 1
	}
	return bytes.Compare(e.text, other.text)
}

// split reads an entry. Of fields that stand twice in it the last counts, but for
// messages, which are merged; others are dropped, as all readers do.
func (w *writer) split(e *entry, content []byte, f *field) bool {
	if w.splitUsual(e, content, f) {
		return true
	}
	*e = entry{number: f.key.zeroKey()}
	keyed := false
	for len(content) > 0 {
		number, kind, n := consumeTag(content)
		if n < 0 {
			return w.fail(refused)
		}
		content = content[n:]
		size := protowire.ConsumeFieldValue(number, kind, content)
		if size < 0 {
			return w.fail(refused)
		}
		value := content[:size]
		content = content[size:]
		switch {
		case number == 1 && kind == f.key.wire:
			if keyed && w.mode < careful {
				return w.fail(unordered)
			}
			keyed = true
			if f.key.kind == protoreflect.StringKind {
				e.text, _ = consumeBytes(value)
			} else {
				e.number = f.key.sortable(value)
			}
		case number == 2 && kind == f.value.wire:
			if e.value != nil && w.mode < careful {
				return w.fail(unordered)
			}
			if e.value != nil && f.value.kind == protoreflect.MessageKind {
				if !w.copies(len(e.value) + len(value)) {
					return false
				}
				value = joined(e.value, value)
			}
			e.value = value
		}
	}
	return true
}

// splitUsual reads an entry of a text and something in bytes, each short and each
// once; false where it is another one.
func (w *writer) splitUsual(e *entry, content []byte, f *field) bool {
	if len(content) < 4 || f.key.kind != protoreflect.StringKind || f.value.wire != protowire.BytesType || content[0] != f.key.tag[0] {
		return false
	}
	end := 2 + int(content[1])
	if end > 2+0x7f || end+2 > len(content) || content[end] != f.value.tag[0] ||
		content[end+1] > 0x7f || end+2+int(content[end+1]) != len(content) {
		return false
	}
	e.text, e.number, e.value = content[2:end], 0, content[end+1:]
	return true
}

// joined returns the bytes field that holds what two of them hold.
func joined(a, b []byte) []byte {
	a, _ = consumeBytes(a)
	b, _ = consumeBytes(b)
	size := len(a) + len(b)
	both := protowire.AppendVarint(make([]byte, 0, size+5), uint64(size))
	return append(append(both, a...), b...)
}

// entry appends the member that an entry of a map is.
func (w *writer) entry(dst []byte, e *entry, f *field, depth int) ([]byte, bool) {
	if f.key.kind == protoreflect.StringKind {
		var ok bool
		if dst, ok = appendText(dst, e.text); !ok {
			return dst, w.fail(refused)
		}
	} else {
		dst = append(f.key.appendKey(append(dst, '"'), e.number), '"')
	}
	dst = append(dst, ':')
	value := e.value
	if value == nil {
		value = zeros[:]
	}
	dst, n := w.value(dst, value, f.value, depth)
	return dst, n >= 0
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
