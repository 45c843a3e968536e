package schema

import (
	"bytes"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// maxNesting is how deep the JSON of metadata may nest.
const maxNesting = 1000

// quotedTypes are the well-known types whose ProtoJSON is one string, and the
// wrappers of numbers, whose ProtoJSON is a string for some values or widths.
var quotedTypes = map[protoreflect.FullName]bool{
	"google.protobuf.Timestamp":   true,
	"google.protobuf.Duration":    true,
	"google.protobuf.FieldMask":   true,
	"google.protobuf.StringValue": true,
	"google.protobuf.BytesValue":  true,
	"google.protobuf.Int32Value":  true,
	"google.protobuf.UInt32Value": true,
	"google.protobuf.Int64Value":  true,
	"google.protobuf.UInt64Value": true,
	"google.protobuf.FloatValue":  true,
	"google.protobuf.DoubleValue": true,
}

// metadataField is one field of an error as an entry of ErrorInfo.metadata: a
// string as it is, any other value whose ProtoJSON is a string or a number as that
// text without quotes, the rest as compact ProtoJSON. It is immutable.
type metadataField struct {
	desc  protoreflect.FieldDescriptor
	key   string
	bare  bool // text stands without quotes
	place int  // in the Go struct, see stringPlace
}

func newMetadataField(fd protoreflect.FieldDescriptor) *metadataField {
	single := !fd.IsList() && !fd.IsMap()
	return &metadataField{
		desc: fd, key: fd.JSONName(), place: -1,
		bare: single && (fd.Message() == nil || quotedTypes[fd.Message().FullName()]),
	}
}

// appendText appends the metadata text of the field in m, which must be
// populated there. Text that is not UTF-8 is repaired, and repaired says so.
// It is None, and appends nothing, where the value has no ProtoJSON.
func (f *metadataField) appendText(dst []byte, m protoreflect.Message, types *Catalog) (_ []byte, repaired bool, fidelity protojson.Fidelity) {
	kind := f.desc.Kind()
	switch {
	case f.desc.IsList() && kind == protoreflect.StringKind:
		dst, repaired = appendStrings(dst, m.Get(f.desc).List())
		return dst, repaired, protojson.Exact
	case !f.bare:
	case kind == protoreflect.StringKind:
		text := m.Get(f.desc).String()
		clean := jsontree.Clean(text)
		return append(dst, clean...), len(clean) != len(text), protojson.Exact
	case kind == protoreflect.BoolKind:
		return strconv.AppendBool(dst, m.Get(f.desc).Bool()), false, protojson.Exact
	case isSigned(kind):
		return strconv.AppendInt(dst, m.Get(f.desc).Int(), 10), false, protojson.Exact
	case isUnsigned(kind):
		return strconv.AppendUint(dst, m.Get(f.desc).Uint(), 10), false, protojson.Exact
	}
	out, fidelity := types.Codec().AppendField(dst, m, f.desc, maxNesting)
	if fidelity == protojson.None { // text that is not UTF-8 may be all that is wrong
		clone := proto.Clone(m.Interface()).ProtoReflect()
		RepairMessage(clone)
		repaired = true
		if out, fidelity = types.Codec().AppendField(dst, clone, f.desc, maxNesting); fidelity == protojson.None {
			return dst, false, protojson.None
		}
	}
	if f.bare && out[len(dst)] == '"' {
		tree := jsontree.Get()
		defer tree.Release()
		if tree.Parse(bytes.Clone(out[len(dst):]), 0) == nil { // the clone keeps dst on the stack
			out = append(dst, tree.Root().Text()...)
		}
	}
	return out, repaired, fidelity
}

// appendStrings appends a list of strings as compact JSON.
func appendStrings(dst []byte, list protoreflect.List) (_ []byte, repaired bool) {
	dst = append(dst, '[')
	for i := range list.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		text := list.Get(i).String()
		clean := jsontree.Clean(text)
		repaired = repaired || len(clean) != len(text)
		dst = jsontree.AppendString(dst, clean)
	}
	return append(dst, ']'), repaired
}

// set reads text as the field's type and sets the field in m. Text that does
// not parse leaves the field unset, and so does a member of a oneof that has
// one already. Members that the schema does not know cost the caller no others: a
// newer peer may know more.
func (f *metadataField) set(m protoreflect.Message, text string, types *Catalog) {
	if oneof := f.desc.ContainingOneof(); oneof != nil && m.WhichOneof(oneof) != nil {
		return
	}
	text = jsontree.Clean(text)
	quoted := f.bare
	if kind := f.desc.Kind(); f.bare {
		switch kind {
		case protoreflect.StringKind:
			m.Set(f.desc, protoreflect.ValueOfString(text))
			return
		case protoreflect.BoolKind:
			if quoted = false; text != "true" && text != "false" {
				return
			}
		case protoreflect.BytesKind:
			if strings.ContainsAny(text, "\r\n") { // readers of base64 skip line breaks
				return
			}
		case protoreflect.EnumKind:
			if f.desc.Enum().FullName() == "google.protobuf.NullValue" {
				quoted = text != "null"
			} else {
				quoted = !jsontree.IsNumber([]byte(text))
			}
		default:
			if value, ok := plainInteger(kind, text); ok {
				m.Set(f.desc, value)
				return
			}
			// ProtoJSON reads numbers in strings, too.
		}
	}
	token := []byte(text)
	if quoted {
		token = jsontree.AppendString(make([]byte, 0, len(text)+2), text)
	}
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(token, maxNesting) == nil && !tree.Root().Doubled() && !tree.Root().Lone() {
		types.Codec().SetField(m, f.desc, tree.Root())
	}
}

// plainInteger reads an integer without fraction and exponent; false is for other
// kinds too. ProtoJSON may read what it does not.
func plainInteger(kind protoreflect.Kind, text string) (v protoreflect.Value, ok bool) {
	bits := 64
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		bits = 32
	}
	if !jsontree.IsNumber([]byte(text)) { // strconv takes more
		return v, false
	}
	switch {
	case isSigned(kind):
		n, err := strconv.ParseInt(text, 10, bits)
		if v = protoreflect.ValueOfInt64(n); bits == 32 {
			v = protoreflect.ValueOfInt32(int32(n)) //nolint:gosec // it was read so
		}
		return v, err == nil
	case isUnsigned(kind):
		n, err := strconv.ParseUint(text, 10, bits)
		if v = protoreflect.ValueOfUint64(n); bits == 32 {
			v = protoreflect.ValueOfUint32(uint32(n)) //nolint:gosec // it was read so
		}
		return v, err == nil
	}
	return v, false
}

func isSigned(kind protoreflect.Kind) bool {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return true
	}
	return false
}

func isUnsigned(kind protoreflect.Kind) bool {
	switch kind {
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return true
	}
	return false
}
