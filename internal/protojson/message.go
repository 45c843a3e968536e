package protojson

import (
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/jsontree"
)

// maxDepth is how deep the JSON of Append and Read may nest: deeper is declined.
const maxDepth = 100

// Append appends the ProtoJSON of message, without white space. It is false where it
// declines, which it does for whatever it is not certain to write as protobuf's
// protojson would, and for all that this one refuses; dst is then as it was. It
// cannot tell fields of a message within another one that the program itself made
// unknown, with SetUnknown, under numbers that the schema knows: they are written.
func (m *Message) Append(dst []byte, message proto.Message) ([]byte, bool) {
	if m == nil || message == nil {
		return dst, false
	}
	r := message.ProtoReflect()
	if r.Descriptor() != m.desc || r.ProtoMethods() == nil || len(r.GetUnknown()) > 0 {
		return dst, false
	}
	// The wire bytes go where the JSON is to be, which goes after them first.
	start := len(dst)
	wire, err := proto.MarshalOptions{}.MarshalAppend(dst, message)
	if err != nil {
		return dst, false
	}
	end := len(wire)
	w := writer{codec: m.codec}
	out, ok := w.message(wire, wire[start:end:end], m, maxDepth)
	if !ok {
		return dst[:start], false
	}
	return out[:start+copy(out[start:], out[end:])], true
}

// Read sets message to what the ProtoJSON in text says. It is false where it
// declines, which it does for all that protobuf's protojson refuses and more;
// message may be changed then. It works in room, which it returns so that it can be
// used again once message is set.
func (m *Message) Read(text []byte, message proto.Message, room []byte) ([]byte, bool) {
	if m == nil || message == nil {
		return room, false
	}
	if r := message.ProtoReflect(); r.Descriptor() != m.desc || r.ProtoMethods() == nil || !r.IsValid() || !utf8.Valid(text) {
		return room, false
	}
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(text, maxDepth) != nil || tree.Root().Doubled() || tree.Root().Lone() {
		return room, false
	}
	r := getReader(m.codec)
	wire, ok := r.message(room[:0], tree.Root(), m)
	r.put()
	return wire, ok && proto.UnmarshalOptions{}.Unmarshal(wire, message) == nil
}
