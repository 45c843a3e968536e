package protojson

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

const (
	errorInfo = "google.rpc.ErrorInfo"
	wellKnown = "google.protobuf."
)

// ReadKnown reads what an object with a string "@type" says as its type. Members that
// the schema does not know are left out, and so are names of enum values. Types of
// google.protobuf are read from the member "value". Metadata of a google.rpc.ErrorInfo
// that are no strings read as their JSON text, null as nothing.
//
// It is false where the type is not linked, and where ProtoJSON refuses what it knows:
// then no part of the object counts. The value is as that of [Codec.ReadAny].
func (c *Codec) ReadKnown(v jsontree.Value) (typeURL string, value []byte, ok bool) {
	l := c.linkOf(v)
	if l == nil {
		return "", nil, false
	}
	r := getReader(c)
	r.lenient = true
	out, ok := r.known(r.out[:0], v, l)
	r.out = out
	switch {
	case ok:
		typeURL, value = l.url, clone(out)
	case r.trouble == foreign:
		typeURL = l.url
		value, ok = c.libraryKnown(l, v)
	}
	r.put()
	return typeURL, value, ok
}

func (r *reader) known(dst []byte, v jsontree.Value, l *link) ([]byte, bool) {
	name := l.table.desc.FullName()
	if strings.HasPrefix(string(name), wellKnown) {
		value := v.Get("value")
		if !value.Exists() {
			return dst, r.fail(refused)
		}
		return r.message(dst, value, l.table)
	}
	if l.table.form == formLibrary {
		return dst, r.fail(foreign)
	}
	r.textual = name == errorInfo
	return r.fields(dst, v, l.table, typedObject)
}

// ReadMessage reads an object as a message of a linked type, as [Codec.ReadKnown] does,
// but without "@type".
func (c *Codec) ReadMessage(typeURL string, v jsontree.Value) (value []byte, ok bool) {
	l := c.link(typeURL)
	if l == nil {
		return nil, false
	}
	r := getReader(c)
	r.lenient = true
	out, ok := r.message(r.out[:0], v, l.table)
	r.out = out
	switch {
	case ok:
		value = clone(out)
	case r.trouble == foreign:
		value, ok = c.libraryMessage(l, v.AppendOnce(nil))
	}
	r.put()
	return value, ok
}

// AppendField appends the ProtoJSON of one populated field of a message, without
// white space. Depth is how deep it may nest. It is false, and appends nothing, where
// the field has none, and where text in it is not UTF-8.
func (c *Codec) AppendField(dst []byte, message protoreflect.Message, fd protoreflect.FieldDescriptor, depth int) ([]byte, bool) {
	var m *Message
	var f *field
	alone := message
	if single := fd.Message() != nil && !fd.IsList() && !fd.IsMap(); single {
		alone, m = message.Get(fd).Message(), c.Message(fd.Message())
	} else {
		alone = message.New()
		if !message.Has(fd) {
			return dst, false
		}
		alone.Set(fd, message.Get(fd))
		m = c.Message(fd.ContainingMessage())
		if f = m.numbered(fd.Number()); f == nil || m.form == formLibrary {
			return c.libraryField(dst, alone, fd)
		}
	}
	wire, err := marshal(nil, alone.Interface())
	if err != nil {
		return dst, false
	}
	w := newWriter(c, len(wire))
	out, ok := w.whole(dst, wire, m, f, depth)
	switch {
	case ok:
		return out, true
	case w.trouble != foreign:
		return dst, false
	case f == nil:
		fd = nil
	}
	return c.libraryField(dst, alone, fd)
}

// lone appends the value of the one field that wire holds.
func (w *writer) lone(dst, wire []byte, f *field, depth int) (_ []byte, ok bool) {
	switch {
	case f.kind == protoreflect.GroupKind:
		return dst, w.fail(foreign)
	case f.value != nil:
		dst, wire, ok = w.entries(dst, wire, f, depth)
	case f.repeated:
		dst, wire, _, ok = w.elements(dst, wire, f, depth)
	default:
		n := 0
		if len(wire) > 0 {
			_, _, n = protowire.ConsumeTag(wire)
		} else {
			wire = zeros[:]
		}
		if dst, n = w.value(dst, wire[n:], f, depth); n >= 0 {
			return dst, true
		}
		return dst, false
	}
	if ok && len(wire) > 0 {
		return dst, w.fail(unordered)
	}
	return dst, ok
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
