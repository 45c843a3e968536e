package protojson

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// ascend puts the fields of a message in the order of their numbers, at every depth:
// the library has oneofs last.
func (c *Codec) ascend(wire []byte, m *Message) {
	r := getReader(c)
	defer r.put()
	r.ascend(wire, m)
}

func (r *reader) ascend(wire []byte, m *Message) {
	r.order(wire)
	for len(wire) > 0 {
		number, kind, n := protowire.ConsumeTag(wire)
		rest := wire[n:]
		size := protowire.ConsumeFieldValue(number, kind, rest)
		wire = rest[size:]
		f := m.numbered(number)
		switch {
		case f == nil:
		case kind == protowire.StartGroupType && f.message != nil:
			content, _ := protowire.ConsumeGroup(number, rest)
			r.ascend(content, f.message)
		case kind != protowire.BytesType || f.kind != protoreflect.MessageKind:
		case f.value != nil && f.value.message != nil:
			if content, _ := protowire.ConsumeBytes(rest); true {
				_, _, key := protowire.ConsumeField(content)
				_, _, tag := protowire.ConsumeTag(content[key:])
				value, _ := protowire.ConsumeBytes(content[key+tag:])
				r.ascend(value, f.value.message)
			}
		case f.message != nil:
			content, _ := protowire.ConsumeBytes(rest)
			r.ascend(content, f.message)
			if f.message.form == formAny {
				r.ascendAny(content)
			}
		}
	}
}

func (r *reader) ascendAny(wire []byte) {
	var w writer
	if typeURL, value, ok := w.anyFields(wire, &Message{}); ok {
		if l := r.codec.linkBytes(typeURL); l != nil {
			r.ascend(value, l.table)
		}
	}
}
