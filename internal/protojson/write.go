package protojson

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// trouble is why a writer or a reader did not come to its end.
type trouble uint8

const (
	refused trouble = iota // no ProtoJSON says it, or it is none
	odd                    // fields stand twice or in an odd order: the library may put that right
	foreign                // the tables do not hold it: the library may
	leftOut                // the schema does not know it, which does not matter
)

// A writer writes ProtoJSON while it passes once over Protobuf bytes.
type writer struct {
	codec   *Codec
	normal  bool // the library wrote the bytes
	unknown bool // there are fields that the schema does not know
	inAny   int  // how many of google.protobuf.Any are open
	trouble trouble
}

func (w *writer) fail(t trouble) bool {
	w.trouble = t
	return false
}

// refuse is fail for a value that ProtoJSON does not say: what comes later may take
// its place, which the library knows.
func (w *writer) refuse() bool {
	if !w.normal {
		return w.fail(odd)
	}
	return w.fail(refused)
}

// skip returns the size of a field that is unknown, after its tag: one that the table
// does not hold, or whose wire type is not that of f. It is negative, and trouble is
// set, where that ends the writing.
func (w *writer) skip(m *Message, f *field, number protowire.Number, kind protowire.Type, rest []byte) int {
	if m.isForeign(f, number) {
		w.trouble = foreign
		return -1
	}
	n := protowire.ConsumeFieldValue(number, kind, rest)
	if n < 0 || w.inAny > 0 {
		w.trouble = refused
		return -1
	}
	w.unknown = true
	return n
}

// next returns the first field of wire that the schema knows, its value without the
// tag, and what follows; a nil field where there is none.
func (w *writer) next(wire []byte, m *Message) (f *field, value, rest []byte, ok bool) {
	for len(wire) > 0 {
		number, kind, n := consumeTag(wire)
		if n < 0 {
			return nil, nil, nil, w.fail(refused)
		}
		wire = wire[n:]
		if f = m.numbered(number); f != nil && f.takes(kind) {
			if n = consumeValue(number, kind, wire); n < 0 {
				return nil, nil, nil, w.fail(refused)
			}
			return f, wire[:n], wire[n:], true
		}
		if n = w.skip(m, f, number, kind, wire); n < 0 {
			return nil, nil, nil, false
		}
		wire = wire[n:]
	}
	return nil, nil, nil, true
}

// message appends the ProtoJSON of a message. Depth is how many objects and lists
// may be open in it.
func (w *writer) message(dst, wire []byte, m *Message, depth int) ([]byte, bool) {
	if m.form == formFields || m.form == formEmpty {
		if depth <= 0 {
			return dst, w.fail(refused)
		}
		return w.fields(append(dst, '{'), wire, m, depth-1, false)
	}
	return w.special(dst, wire, m, depth)
}

// any appends the ProtoJSON of a google.protobuf.Any.
func (w *writer) any(dst []byte, typeURL, value []byte, depth int) ([]byte, bool) {
	if depth <= 0 {
		return dst, w.fail(refused)
	}
	if len(typeURL) == 0 {
		if len(value) > 0 {
			return dst, w.fail(refused)
		}
		return append(dst, "{}"...), true
	}
	l := w.codec.linkBytes(typeURL)
	if l == nil || l.open == nil {
		return dst, w.fail(refused)
	}
	return w.opened(dst, l, value, depth)
}

// opened appends the ProtoJSON of a google.protobuf.Any whose type is found.
func (w *writer) opened(dst []byte, l *link, value []byte, depth int) (_ []byte, ok bool) {
	dst = append(dst, l.open...)
	if l.table.form < formAny {
		return w.fields(dst, value, l.table, depth-1, true)
	}
	dst, ok = w.message(append(dst, `,"value":`...), value, l.table, depth-1)
	return append(dst, '}'), ok
}

// fields appends the members of an object that is open, and closes it. Depth is how
// many objects and lists may be open in a member; more says that there are members
// already.
func (w *writer) fields(dst, wire []byte, m *Message, depth int, more bool) (_ []byte, ok bool) {
	if m.unruly {
		return w.arranged(dst, wire, m, depth, more)
	}
	dst, _, ok = w.members(dst, wire, m, depth, more)
	return append(dst, '}'), ok
}

// run is where all that a message has of one field stands.
type run struct {
	place, start, end int
}

// arranged is fields of a message that may not be in the order of the schema.
func (w *writer) arranged(dst, wire []byte, m *Message, depth int, more bool) (_ []byte, ok bool) {
	var few [16]run
	runs, ascends, ok := w.runs(few[:0], wire, m)
	switch {
	case !ok:
		return dst, false
	case ascends: // what is unknown stands between them
		runs = append(runs[:0], run{end: len(wire)})
	}
	for _, r := range runs {
		if dst, more, ok = w.members(dst, wire[r.start:r.end], m, depth, more); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// runs appends where the fields of a message stand, in the order of the schema, and
// tells whether they stand in it.
func (w *writer) runs(runs []run, wire []byte, m *Message) (_ []run, ascends, ok bool) {
	last := -1
	ascends = true
	var seen, oneofs set
	for rest := wire; ; {
		f, _, after, ok := w.next(rest, m)
		switch {
		case !ok:
			return runs, false, false
		case f == nil:
			if !ascends {
				slices.SortFunc(runs, func(a, b run) int { return a.place - b.place })
			}
			return runs, ascends, true
		}
		if start, end := len(wire)-len(rest), len(wire)-len(after); f.place == last && (f.repeated || f.value != nil) {
			runs[len(runs)-1].end = end
		} else {
			if !seen.add(f.place) || f.oneof >= 0 && !oneofs.add(f.oneof) {
				return runs, false, w.fail(odd)
			}
			runs = append(runs, run{f.place, start, end})
		}
		ascends = ascends && f.place >= last
		last, rest = f.place, after
	}
}

// members appends the members of an object, and tells whether there are any now.
func (w *writer) members(dst, wire []byte, m *Message, depth int, more bool) (_ []byte, some, ok bool) {
	last := -1
	var oneofs set
	for len(wire) > 0 {
		number, kind, n := consumeTag(wire)
		if n < 0 {
			return dst, more, w.fail(refused)
		}
		f := m.numbered(number)
		if f == nil || !f.takes(kind) {
			size := w.skip(m, f, number, kind, wire[n:])
			if size < 0 {
				return dst, more, false
			}
			wire = wire[n+size:]
			continue
		}
		// ProtoJSON goes by the order of the schema.
		if f.place <= last || f.oneof >= 0 && !oneofs.add(f.oneof) {
			return dst, more, w.fail(odd)
		}
		if f.strange {
			return dst, more, w.fail(foreign)
		}
		last = f.place
		start := len(dst)
		if more {
			dst = append(dst, ',')
		}
		dst = append(dst, f.name...)
		var ok bool
		wrote := true
		switch {
		case f.value != nil:
			dst, wire, ok = w.entries(dst, wire, f, depth)
		case f.repeated:
			dst, wire, wrote, ok = w.elements(dst, wire, f, depth)
		case !f.presence && f.zero(wire[n:]):
			n += protowire.ConsumeFieldValue(number, kind, wire[n:])
			wire, wrote, ok = wire[n:], false, true
		default:
			wire = wire[n:]
			if dst, n = w.value(dst, wire, f, depth); n >= 0 {
				wire, ok = wire[n:], true
			}
		}
		if !ok {
			return dst, more, false
		}
		if wrote {
			more = true
		} else {
			dst = dst[:start]
		}
	}
	return dst, more, true
}

// takes tells whether values of a wire type are those of the field.
func (f *field) takes(kind protowire.Type) bool {
	return kind == f.wire && kind != protowire.StartGroupType || f.repeated && kind == protowire.BytesType && f.kind != protoreflect.GroupKind
}

// elements appends a list: the values at the beginning of wire that are of one
// field. Wrote is false where there are none.
func (w *writer) elements(dst, wire []byte, f *field, depth int) (_, rest []byte, wrote, ok bool) {
	if depth <= 0 {
		return dst, wire, false, w.fail(refused)
	}
	dst = append(dst, '[')
	for len(wire) > 0 {
		number, kind, n := consumeTag(wire)
		if n < 0 || number != f.number || !f.takes(kind) {
			break // whatever it is, the caller sees to it
		}
		if kind == f.wire {
			if wrote {
				dst = append(dst, ',')
			}
			wire = wire[n:]
			if dst, n = w.value(dst, wire, f, depth-1); n < 0 {
				return dst, wire, false, false
			}
			wire, wrote = wire[n:], true
			continue
		}
		packed, size := consumeBytes(wire[n:])
		if size < 0 {
			return dst, wire, false, w.fail(refused)
		}
		wire = wire[n+size:]
		for len(packed) > 0 {
			if wrote {
				dst = append(dst, ',')
			}
			if dst, n = w.value(dst, packed, f, depth-1); n < 0 {
				return dst, wire, false, false
			}
			packed, wrote = packed[n:], true
		}
	}
	return append(dst, ']'), wire, wrote, true
}

// consumeTag is protowire's, faster for small numbers, and refuses those that are too
// large, as all readers do.
func consumeTag(wire []byte) (protowire.Number, protowire.Type, int) {
	if len(wire) > 0 && wire[0] < 0x80 && wire[0] >= 8 {
		return protowire.Number(wire[0] >> 3), protowire.Type(wire[0] & 7), 1
	}
	number, kind, n := protowire.ConsumeTag(wire)
	if number > protowire.MaxValidNumber {
		n = -1
	}
	return number, kind, n
}

// consumeBytes is protowire's, faster for what is short.
func consumeBytes(wire []byte) ([]byte, int) {
	if len(wire) > 0 && wire[0] < 0x80 {
		if n := int(wire[0]) + 1; n <= len(wire) {
			return wire[1:n], n
		}
	}
	return protowire.ConsumeBytes(wire)
}

// consumeValue is protowire's ConsumeFieldValue, faster for what is short.
func consumeValue(number protowire.Number, kind protowire.Type, wire []byte) int {
	if len(wire) > 0 && wire[0] < 0x80 {
		if kind == protowire.VarintType {
			return 1
		}
		if n := int(wire[0]) + 1; kind == protowire.BytesType && n <= len(wire) {
			return n
		}
	}
	return protowire.ConsumeFieldValue(number, kind, wire)
}

// NextField returns the first field of wire: its number, its wire type, its value, of
// bytes without their length; and what follows it. It is false where wire is malformed,
// or empty.
func NextField(wire []byte) (number protowire.Number, kind protowire.Type, value, rest []byte, ok bool) {
	if len(wire) > 1 && wire[0] < 0x80 && wire[0] >= 8 && wire[0]&7 == byte(protowire.BytesType) && wire[1] < 0x80 {
		if end := 2 + int(wire[1]); end <= len(wire) {
			return protowire.Number(wire[0] >> 3), protowire.BytesType, wire[2:end:end], wire[end:], true
		}
	}
	number, kind, tag := consumeTag(wire)
	if tag < 0 {
		return 0, 0, nil, nil, false
	}
	size := protowire.ConsumeFieldValue(number, kind, wire[tag:])
	if size < 0 {
		return 0, 0, nil, nil, false
	}
	value, rest = wire[tag:tag+size], wire[tag+size:]
	if kind == protowire.BytesType {
		value, _ = protowire.ConsumeBytes(value)
	}
	return number, kind, value, rest, true
}

// zeros are the zero value of every type on the wire.
var zeros [8]byte
