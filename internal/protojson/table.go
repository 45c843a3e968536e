package protojson

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

// maxDenseNumber is the largest field number that is looked up in a list.
const maxDenseNumber = 255

// form is how ProtoJSON writes the messages of a type.
type form uint8

const (
	formFields  form = iota // an object of its fields
	formEmpty               // the same, of google.protobuf.Empty, which may stand under "value" in an Any
	formAny                 // the forms from here on stand under "value" in an Any
	formTime                // google.protobuf.Timestamp
	formSpan                // google.protobuf.Duration
	formMask                // google.protobuf.FieldMask
	formWrapper             // the one field alone
	formStruct              // the entries of its one field
	formList                // the elements of its one field
	formValue               // google.protobuf.Value
	formLibrary             // not in the tables: the library reads and writes it
)

// A Message is what is known of one message type. It is immutable once a program
// has it and safe for concurrent use. A nil Message declines everything.
type Message struct {
	codec     *Codec
	desc      protoreflect.MessageDescriptor
	form      form
	wellKnown bool    // of google.protobuf
	fields    []field // in the order of the schema, which is that of ProtoJSON
	byName    map[string]*field
	byNumber  []*field // up to maxDenseNumber, nil for none
	sparse    map[protowire.Number]*field
	ranges    protoreflect.FieldRanges // of extensions; nil for none
	unruly    bool                     // bytes are often in another order: Go puts oneofs last
}

// field is one field of a message, or one of the two of a map's entry.
type field struct {
	kind     protoreflect.Kind // GroupKind for one that is left to the library
	wire     protowire.Type    // of one value
	repeated bool              // a list; a map is none
	packed   bool
	signed   bool // an integer that may be negative
	presence bool // zero is written
	strange  bool // shares a JSON name with another field, or with "@type"
	bits     int  // how wide a number is
	number   protowire.Number
	place    int    // in the schema
	oneof    int    // the place of its oneof, -1 for none
	json     string // its name in ProtoJSON
	name     []byte // the same, quoted, with the colon
	tag      []byte // of one value
	tagged   []byte // of a packed list
	enum     *enum
	message  *Message // of a map, that of its entries
	key      *field   // of a map
	value    *field   // of a map
}

// enum is what is known of an enum type.
type enum struct {
	null   bool // google.protobuf.NullValue
	closed bool
	names  map[int32][]byte // quoted
	byName map[string]int32
}

// compile returns the table of desc and makes those of all types below it. The
// codec is locked.
func (c *Codec) compile(desc protoreflect.MessageDescriptor) *Message {
	if m, ok := c.tables[desc]; ok {
		return m
	}
	m := &Message{
		codec: c, desc: desc, fields: make([]field, desc.Fields().Len()),
		wellKnown: strings.HasPrefix(string(desc.FullName()), "google.protobuf."),
	}
	c.tables[desc] = m // before its fields, which may be of its own type
	if desc.ExtensionRanges().Len() > 0 {
		m.ranges = desc.ExtensionRanges()
	}
	for i := range m.fields {
		f := &m.fields[i]
		c.compileField(f, desc.Fields().Get(i))
		m.learnNumber(f)
		m.unruly = m.unruly || f.oneof >= 0 || i > 0 && f.number < m.fields[i-1].number
	}
	m.learnNames()
	if m.form = formOf(m); isMessageSet(desc) {
		m.form = formLibrary
	}
	return m
}

func (m *Message) learnNumber(f *field) {
	if f.number > maxDenseNumber {
		if m.sparse == nil {
			m.sparse = make(map[protowire.Number]*field)
		}
		m.sparse[f.number] = f
		return
	}
	for len(m.byNumber) <= int(f.number) {
		m.byNumber = append(m.byNumber, nil)
	}
	m.byNumber[f.number] = f
}

// learnNames fills the names under which ProtoJSON reads fields. Of fields that
// share one, which old schemas may have, the descriptor says whose it is.
func (m *Message) learnNames() {
	fields := m.desc.Fields()
	m.byName = make(map[string]*field, 2*len(m.fields))
	written := make(map[string]*field, len(m.fields))
	for i := range m.fields {
		f, fd := &m.fields[i], fields.Get(i)
		if name := fd.TextName(); !reserved(name) && fields.ByTextName(name) != nil && fields.ByJSONName(name) == nil {
			m.byName[name] = &m.fields[fields.ByTextName(name).Index()]
		}
		if f.strange = reserved(f.json); !f.strange {
			m.byName[f.json] = &m.fields[fields.ByJSONName(f.json).Index()]
		}
		if other := written[f.json]; other != nil {
			f.strange, other.strange = true, true
		}
		written[f.json] = f
	}
}

// reserved tells whether a name is that of the type in an Any or of an extension.
func reserved(name string) bool { return name == "@type" || strings.HasPrefix(name, "[") }

func (c *Codec) compileField(f *field, fd protoreflect.FieldDescriptor) {
	*f = field{
		kind: fd.Kind(), repeated: fd.IsList(), packed: fd.IsPacked(), presence: fd.HasPresence() || fd.ContainingMessage().IsMapEntry(),
		number: fd.Number(), place: fd.Index(), oneof: -1,
	}
	f.json = fd.JSONName()
	f.name = append(jsontree.AppendString(nil, f.json), ':')
	if oneof := fd.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
		f.oneof = oneof.Index()
	}
	f.wire = protowire.BytesType
	switch f.kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		f.signed = true
	}
	switch f.bits = 64; f.kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind,
		protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		f.bits = 32
	}
	switch f.kind {
	case protoreflect.BoolKind, protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Uint64Kind:
		f.wire = protowire.VarintType
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		f.wire = protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		f.wire = protowire.Fixed64Type
	case protoreflect.EnumKind:
		f.wire, f.enum = protowire.VarintType, c.compileEnum(fd.Enum())
	case protoreflect.GroupKind:
		f.wire, f.message = protowire.StartGroupType, c.compile(fd.Message())
	case protoreflect.MessageKind:
		f.message = c.compile(fd.Message())
		if !fd.IsMap() {
			break
		}
		f.key, f.value = &f.message.fields[0], &f.message.fields[1]
		if fd.MapValue().Kind() == protoreflect.GroupKind {
			f.kind = protoreflect.GroupKind
		}
	}
	f.tag = protowire.AppendTag(nil, f.number, f.wire)
	f.tagged = protowire.AppendTag(nil, f.number, protowire.BytesType)
}

func (c *Codec) compileEnum(desc protoreflect.EnumDescriptor) *enum {
	if e, ok := c.enums[desc]; ok {
		return e
	}
	values := desc.Values()
	e := &enum{
		null: desc.FullName() == "google.protobuf.NullValue", closed: desc.IsClosed(),
		names: make(map[int32][]byte, values.Len()), byName: make(map[string]int32, values.Len()),
	}
	for i := range values.Len() {
		value := values.Get(i)
		number := int32(value.Number())
		if e.names[number] == nil { // the first of aliases is written
			e.names[number] = jsontree.AppendString(nil, string(value.Name()))
		}
		e.byName[string(value.Name())] = number
	}
	c.enums[desc] = e
	return e
}

// wellKnownForms has the forms of the types of google.protobuf that ProtoJSON writes
// otherwise, and of each the fields that it needs.
var wellKnownForms = map[string]struct {
	form   form
	fields string
}{
	"Any":         {formAny, "1 optional string 2 optional bytes"},
	"Timestamp":   {formTime, "1 optional int64 2 optional int32"},
	"Duration":    {formSpan, "1 optional int64 2 optional int32"},
	"FieldMask":   {formMask, "1 repeated string"},
	"Struct":      {formStruct, "1 map message"},
	"ListValue":   {formList, "1 repeated message"},
	"Value":       {formValue, "1 optional enum 2 optional double 3 optional string 4 optional bool 5 optional message 6 optional message"},
	"Empty":       {formEmpty, ""},
	"BoolValue":   {formWrapper, "1 optional bool"},
	"BytesValue":  {formWrapper, "1 optional bytes"},
	"StringValue": {formWrapper, "1 optional string"},
	"Int32Value":  {formWrapper, "1 optional int32"},
	"Int64Value":  {formWrapper, "1 optional int64"},
	"UInt32Value": {formWrapper, "1 optional uint32"},
	"UInt64Value": {formWrapper, "1 optional uint64"},
	"FloatValue":  {formWrapper, "1 optional float"},
	"DoubleValue": {formWrapper, "1 optional double"},
}

// formOf returns the form of a type. A type that has a well-known name and other
// fields than that name stands for is left to the library.
func formOf(m *Message) form {
	name, _ := strings.CutPrefix(string(m.desc.FullName()), "google.protobuf.")
	known, ok := wellKnownForms[name]
	if !ok || !m.wellKnown {
		return formFields
	}
	var fields []string
	for i := range m.fields {
		fd := m.desc.Fields().Get(i)
		cardinality := fd.Cardinality().String()
		if fd.IsMap() {
			cardinality = "map"
		}
		fields = append(fields, fmt.Sprint(fd.Number()), cardinality, fd.Kind().String())
	}
	if strings.Join(fields, " ") != known.fields || m.ranges != nil {
		return formLibrary
	}
	return known.form
}

func isMessageSet(desc protoreflect.MessageDescriptor) bool {
	m, ok := desc.(interface{ IsMessageSet() bool })
	return ok && m.IsMessageSet()
}

// numbered returns the field of that number, nil for none.
func (m *Message) numbered(number protowire.Number) *field {
	if uint(number) < uint(len(m.byNumber)) {
		return m.byNumber[number]
	}
	return m.sparse[number]
}

// isForeign tells whether a field, which is nil or is not taken, is a group or may be
// an extension: then the library knows more of it.
func (m *Message) isForeign(f *field, number protowire.Number) bool {
	return f != nil && f.kind == protoreflect.GroupKind || m.ranges != nil && m.ranges.Has(number)
}

// set is a set of places in a schema.
type set struct {
	low  uint64
	more []uint64
}

// add puts n in and tells whether it was not there.
func (s *set) add(n int) bool {
	word := &s.low
	if n >= 64 {
		for len(s.more) < n/64 {
			s.more = append(s.more, 0)
		}
		word = &s.more[n/64-1]
	}
	bit := uint64(1) << (n % 64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}
