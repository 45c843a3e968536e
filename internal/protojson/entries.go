package protojson

import (
	"bytes"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// An entry is one entry of a map in its bytes: its key as text, or as a number that
// orders as the keys do, its value without a tag, nil where it is the zero value.
type entry struct {
	text   []byte
	number uint64
	value  []byte
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

// flip makes a number that orders as integers of the kind do, and back.
func (f *field) flip(v uint64) uint64 {
	if f.signed {
		return v ^ 1<<63
	}
	return v
}

// fewEntries is how many entries of a map are kept on the stack while it is written.
const fewEntries = 8

// entries appends a map: the entries at the beginning of wire that are of one field.
func (w *writer) entries(dst, wire []byte, f *field, depth int) (_, rest []byte, ok bool) {
	if depth <= 0 {
		return dst, wire, w.fail(refused)
	}
	var few [fewEntries]entry
	list, ascends := few[:0], true
	for rest = wire; len(rest) > 0; {
		number, kind, n := consumeTag(rest)
		if n < 0 || number != f.number || kind != protowire.BytesType {
			break // whatever it is, the caller sees to it
		}
		content, size := consumeBytes(rest[n:])
		if size < 0 {
			return dst, wire, w.fail(refused)
		}
		if len(list) == cap(list) {
			list = slices.Grow(list, len(rest)/(n+size)) // if all are like this one
		}
		list = append(list, entry{})
		e := &list[len(list)-1]
		if !w.split(e, content, f) {
			return dst, wire, false
		}
		ascends = ascends && (len(list) == 1 || list[len(list)-2].compare(e) < 0)
		rest = rest[n+size:]
	}
	if !ascends {
		slices.SortFunc(list, func(a, b entry) int { return a.compare(&b) })
		for i := 1; i < len(list); i++ {
			if list[i-1].compare(&list[i]) == 0 {
				return dst, wire, w.fail(odd)
			}
		}
	}
	dst = append(dst, '{')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, ok = w.entry(dst, &list[i], f, depth-1); !ok {
			return dst, wire, false
		}
	}
	return append(dst, '}'), rest, true
}

// split reads an entry. What is neither key nor value is dropped, as all readers do.
func (w *writer) split(e *entry, content []byte, f *field) bool {
	if f.key.kind != protoreflect.StringKind {
		e.number = f.key.flip(0)
	}
	keyed := false
	for len(content) > 0 {
		number, kind, n := consumeTag(content)
		size := -1
		if n > 0 {
			size = consumeValue(number, kind, content[n:])
		}
		if size < 0 {
			return w.fail(refused)
		}
		value := content[n : n+size]
		content = content[n+size:]
		switch {
		case number == 1 && kind == f.key.wire:
			if keyed {
				return w.fail(odd)
			}
			if keyed = true; kind == protowire.BytesType {
				e.text, _ = consumeBytes(value)
			} else {
				e.number, _ = f.key.number64(value)
				e.number = f.key.flip(e.number)
			}
		case number == 2 && kind == f.value.wire:
			if e.value != nil {
				return w.fail(odd)
			}
			e.value = value
		}
	}
	return true
}

// entry appends the member that an entry of a map is.
func (w *writer) entry(dst []byte, e *entry, f *field, depth int) ([]byte, bool) {
	switch f.key.kind {
	case protoreflect.StringKind:
		var ok bool
		if dst, ok = appendText(dst, e.text); !ok {
			return dst, w.fail(refused)
		}
	case protoreflect.BoolKind:
		dst = append(strconv.AppendBool(append(dst, '"'), e.number != 0), '"')
	default:
		dst = append(f.key.appendInteger(append(dst, '"'), f.key.flip(e.number)), '"')
	}
	value := e.value
	if value == nil {
		value = zeros[:]
	}
	dst, n := w.value(append(dst, ':'), value, f.value, depth)
	return dst, n >= 0
}
