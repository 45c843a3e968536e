package protojson

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

// AppendField appends the ProtoJSON of one populated field of a message, without
// white space. Depth is how deep it may nest. It is [None], and appends nothing, where
// the field has none, and where text in it is not UTF-8.
func (c *Codec) AppendField(dst []byte, message protoreflect.Message, fd protoreflect.FieldDescriptor, depth int) ([]byte, Fidelity) {
	if !message.Has(fd) {
		return dst, None
	}
	var prefix []byte // what stands before the value
	holder := message.New()
	if fd.Message() != nil && !fd.IsList() && !fd.IsMap() {
		holder = message.Get(fd).Message()
	} else {
		holder.Set(fd, message.Get(fd))
		prefix = append(jsontree.AppendString([]byte{'{'}, fieldName(fd)), ':')
		depth++
	}
	wire, err := marshal(nil, holder.Interface())
	if err != nil {
		return dst, None
	}
	room := getReader(c)
	defer room.put()
	out, fidelity := c.append(room.out[:0], &link{mt: holder.Type(), table: c.Message(holder.Descriptor())}, wire, depth, alone)
	room.out = out
	value, ok := bytes.CutPrefix(out, prefix)
	if fidelity == None || !ok {
		return dst, None
	}
	if prefix != nil {
		value = value[:len(value)-1]
	}
	return append(dst, value...), fidelity
}

// fieldName returns the name that ProtoJSON has for a field.
func fieldName(fd protoreflect.FieldDescriptor) string {
	if fd.IsExtension() {
		return "[" + string(fd.FullName()) + "]"
	}
	return fd.JSONName()
}

// SetField sets one field of a message to what ProtoJSON reads in v, and leaves out
// what the schema does not know. It is false, and sets nothing, where ProtoJSON
// refuses v; null sets nothing but where it is a value.
func (c *Codec) SetField(message protoreflect.Message, fd protoreflect.FieldDescriptor, v jsontree.Value) bool {
	m := c.Message(fd.ContainingMessage())
	f := m.numbered(fd.Number())
	if f == nil || m.form == formLibrary {
		return c.librarySet(message, fd, v)
	}
	if v.Is(jsontree.Null) && !f.nullable() {
		return true
	}
	r := getReader(c)
	defer r.put()
	r.lenient = true
	out, ok := r.field(r.out[:0], v, f)
	r.out = out
	switch {
	case ok:
		return merge(out, message, fd)
	case r.trouble == foreign:
		return c.librarySet(message, fd, v)
	}
	return false
}

// librarySet is SetField where the tables do not hold the field.
func (c *Codec) librarySet(message protoreflect.Message, fd protoreflect.FieldDescriptor, v jsontree.Value) bool {
	text := append(jsontree.AppendString([]byte{'{'}, fieldName(fd)), ':')
	text = append(v.AppendOnce(text), '}')
	read := message.New()
	if c.parse(text, read.Interface(), protojson.UnmarshalOptions{DiscardUnknown: true}) != nil {
		return false
	}
	if read.Has(fd) {
		message.Set(fd, read.Get(fd))
	}
	return true
}

// merge sets a field to what wire, which holds nothing else, says.
func merge(wire []byte, message protoreflect.Message, fd protoreflect.FieldDescriptor) bool {
	message.Clear(fd)
	return Unmarshal(proto.UnmarshalOptions{Merge: true, AllowPartial: true}, wire, message.Interface()) == nil
}
