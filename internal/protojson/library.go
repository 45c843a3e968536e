package protojson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/jsontree"
)

// What stands here is for types that the tables do not hold. The library's work is
// checked by reading it back.

// place says where a message stands.
type place uint8

const (
	alone place = iota
	inAny
)

var errGaveUp = errors.New("protobuf gave up")

// recovered makes an error of a panic. A message without generated code panics on a
// map entry that has its key or value twice, the second time in another wire type
// (seen in protobuf-go 1.36.12): the bytes of a peer must not do that to us.
func recovered(err *error) {
	if recover() != nil {
		*err = errGaveUp
	}
}

func (c *Codec) unmarshal(l *link, value []byte) (_ proto.Message, err error) {
	defer recovered(&err)
	m := l.mt.New().Interface()
	return m, proto.UnmarshalOptions{Resolver: c.types, AllowPartial: true}.Unmarshal(value, m)
}

func marshal(dst []byte, m proto.Message) (_ []byte, err error) {
	defer recovered(&err)
	return proto.MarshalOptions{AllowPartial: true, Deterministic: true}.MarshalAppend(dst, m)
}

// render returns the compact ProtoJSON of a message.
func (c *Codec) render(m proto.Message) (_ []byte, err error) {
	defer recovered(&err)
	text, err := protojson.MarshalOptions{Resolver: c.types, AllowPartial: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, text) // the library puts white space in at random
	return compact.Bytes(), err
}

func (c *Codec) parse(text []byte, m proto.Message, options protojson.UnmarshalOptions) (err error) {
	defer recovered(&err)
	options.Resolver, options.AllowPartial = c.types, true
	return options.Unmarshal(text, m)
}

// libraryAppend is AppendAny and AppendMessage.
func (c *Codec) libraryAppend(dst []byte, l *link, value []byte, depth int, at place) ([]byte, Fidelity) {
	m, err := c.unmarshal(l, value)
	// An Any is rendered anew at each level, so they are counted first.
	if err != nil || c.deeper(m.ProtoReflect(), 3*depth) {
		return dst, None
	}
	var shown, back proto.Message = m, l.mt.New().Interface()
	if at == inAny {
		shown, back = &anypb.Any{TypeUrl: l.url, Value: value}, new(anypb.Any)
	}
	text, err := c.render(shown)
	if err != nil {
		return dst, None
	}
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(text, depth) != nil || c.parse(text, back, protojson.UnmarshalOptions{}) != nil {
		return dst, None
	}
	if read, ok := back.(*anypb.Any); ok && at == inAny {
		if back, err = c.unmarshal(l, read.GetValue()); err != nil {
			return dst, None
		}
	}
	fidelity := Exact
	if hasUnknown(m.ProtoReflect()) {
		fidelity = Known
		dropUnknown(m.ProtoReflect())
	}
	if !c.same(m, back) {
		return dst, None
	}
	return append(dst, text...), fidelity
}

// libraryRead is ReadAny.
func (c *Codec) libraryRead(l *link, v jsontree.Value) (string, []byte, bool) {
	read := new(anypb.Any)
	if c.parse(v.AppendOnce(nil), read, protojson.UnmarshalOptions{}) != nil {
		return "", nil, false
	}
	if v.HasNumber() {
		text, fidelity := c.AppendAny(nil, l.url, read.GetValue(), equalDepth)
		tree := jsontree.Get()
		defer tree.Release()
		if fidelity == None || tree.Parse(text, equalDepth) != nil || !numbersComeBack(v, tree.Root()) {
			return "", nil, false
		}
	}
	value := clone(read.GetValue())
	c.ascend(value, l.table)
	return l.url, value, true
}

// libraryKnown is ReadKnown.
func (c *Codec) libraryKnown(l *link, v jsontree.Value) ([]byte, bool) {
	if strings.HasPrefix(string(l.table.desc.FullName()), wellKnown) {
		return c.libraryMessage(l, v.Get("value").AppendOnce(nil))
	}
	return c.libraryMessage(l, appendMembers(nil, v))
}

// libraryMessage is ReadMessage.
func (c *Codec) libraryMessage(l *link, text []byte) ([]byte, bool) {
	m := l.mt.New().Interface()
	if c.parse(text, m, protojson.UnmarshalOptions{DiscardUnknown: true}) != nil {
		return nil, false
	}
	value, err := marshal(nil, m)
	if err != nil {
		return nil, false
	}
	value = clone(value)
	c.ascend(value, l.table)
	return value, true
}

// appendMembers appends an object without its "@type" and what stands twice.
func appendMembers(dst []byte, v jsontree.Value) []byte {
	dst = append(dst, '{')
	for e := v.First(); e.Exists(); e = e.Next() {
		if e.Repeats() || e.NameIs("@type") {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = e.AppendOnce(append(e.AppendName(dst), ':'))
	}
	return append(dst, '}')
}

// libraryField is AppendField: of all of m if there is no field.
func (c *Codec) libraryField(dst []byte, m protoreflect.Message, fd protoreflect.FieldDescriptor) ([]byte, bool) {
	text, err := c.render(m.Interface())
	if err != nil {
		return dst, false
	}
	if fd == nil {
		return append(dst, text...), true
	}
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(text, equalDepth) != nil || tree.Root().Len() != 1 {
		return dst, false
	}
	return append(dst, tree.Root().First().Raw()...), true
}

// librarySet is SetField.
func (c *Codec) librarySet(message protoreflect.Message, fd protoreflect.FieldDescriptor, v jsontree.Value) bool {
	name := fd.JSONName()
	if fd.IsExtension() {
		name = "[" + string(fd.FullName()) + "]"
	}
	text := append(jsontree.AppendString([]byte{'{'}, name), ':')
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
func merge(wire []byte, message protoreflect.Message, fd protoreflect.FieldDescriptor) (ok bool) {
	var err error
	defer recovered(&err)
	message.Clear(fd)
	return proto.UnmarshalOptions{Merge: true, AllowPartial: true}.Unmarshal(wire, message.Interface()) == nil
}
