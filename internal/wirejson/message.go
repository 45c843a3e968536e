package wirejson

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxFields is the number of fields of the largest message in the tables,
	// which a set of bits has room for.
	maxFields = 64

	// maxDenseNumber is the largest field number that is looked up in a list.
	maxDenseNumber = 127

	// maxDepth is how deep messages may nest.
	maxDepth = 64
)

// A Message is what is known of a message type. It is immutable once it is made
// and safe for concurrent use.
type Message struct {
	desc     protoreflect.MessageDescriptor
	fields   []field
	byName   map[string]*field
	byNumber []*field // up to maxDenseNumber, nil for none
}

// field is a field of a message; its place is that in the descriptor.
type field struct {
	place    int
	kind     protoreflect.Kind // 0 for one that is not in the tables
	wire     protowire.Type    // of one value
	tag      []byte            // of one value
	repeated bool
	oneof    uint64 // the bit of its oneof, 0 for none
	name     []byte // in ProtoJSON, quoted, with the colon
	enum     protoreflect.EnumDescriptor
	message  *Message
}

// A Set holds the messages of one program or of one server. The zero Set is
// ready; it is not safe for concurrent use.
type Set struct {
	messages map[protoreflect.MessageDescriptor]*Message
}

// Message returns what is known of a message type, made at the first call. It is
// nil for one that has no tables.
func (s *Set) Message(desc protoreflect.MessageDescriptor) *Message {
	if m, ok := s.messages[desc]; ok {
		return m
	}
	if s.messages == nil {
		s.messages = make(map[protoreflect.MessageDescriptor]*Message)
	}
	// The types of google.protobuf have forms of their own in ProtoJSON.
	if strings.HasPrefix(string(desc.FullName()), "google.protobuf.") || desc.Fields().Len() > maxFields ||
		desc.ExtensionRanges().Len() > 0 || desc.Oneofs().Len() > maxFields {
		s.messages[desc] = nil
		return nil
	}
	m := &Message{desc: desc, fields: make([]field, desc.Fields().Len()), byName: make(map[string]*field)}
	s.messages[desc] = m // before its fields, which may be of its own type
	for i := range m.fields {
		fd := desc.Fields().Get(i)
		f := &m.fields[i]
		*f = s.field(fd)
		if fd.Number() <= maxDenseNumber {
			for len(m.byNumber) <= int(fd.Number()) {
				m.byNumber = append(m.byNumber, nil)
			}
			m.byNumber[fd.Number()] = f
		}
	}
	m.learnName(protoreflect.FieldDescriptor.TextName, desc.Fields().ByTextName)
	m.learnName(protoreflect.FieldDescriptor.JSONName, desc.Fields().ByJSONName) // these win over the others
	return m
}

// learnName adds one kind of name. Of two fields of one name, which old schemas may
// have, protojson takes the one that the descriptor finds, and a name in brackets
// for that of an extension.
func (m *Message) learnName(nameOf func(protoreflect.FieldDescriptor) string, find func(string) protoreflect.FieldDescriptor) {
	for i := range m.fields {
		name := nameOf(m.desc.Fields().Get(i))
		if fd := find(name); fd != nil && !strings.HasPrefix(name, "[") {
			m.byName[name] = &m.fields[fd.Index()]
		}
	}
}

func (s *Set) field(fd protoreflect.FieldDescriptor) field {
	name, _ := jsontext.AppendQuote(nil, fd.JSONName())
	f := field{place: fd.Index(), repeated: fd.IsList(), name: append(name, ':')}
	if oneof := fd.ContainingOneof(); oneof != nil {
		f.oneof = 1 << oneof.Index()
	}
	switch kind := fd.Kind(); kind {
	case protoreflect.BoolKind, protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Uint64Kind:
		f.kind, f.wire = kind, protowire.VarintType
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		f.kind, f.wire = kind, protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		f.kind, f.wire = kind, protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind:
		f.kind, f.wire = kind, protowire.BytesType
	case protoreflect.EnumKind:
		// NullValue has a form of its own, and what a closed enum does not know
		// is no field.
		if f.enum = fd.Enum(); f.enum.FullName() != "google.protobuf.NullValue" && !f.enum.IsClosed() {
			f.kind, f.wire = kind, protowire.VarintType
		}
	case protoreflect.MessageKind:
		// What was not looked at yet of a lazy field is marshalled as its peer wrote
		// it: in any order, with zeros spelt out.
		if lazy, ok := fd.(interface{ IsLazy() bool }); fd.IsMap() || ok && lazy.IsLazy() {
			break
		}
		if f.message = s.Message(fd.Message()); f.message != nil {
			f.kind, f.wire = kind, protowire.BytesType
		}
	}
	f.tag = protowire.AppendTag(nil, fd.Number(), f.wire)
	return f
}

func (m *Message) numbered(number protowire.Number) *field {
	if int(number) < len(m.byNumber) {
		return m.byNumber[number]
	}
	return nil
}
