package schema

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/float"
)

// textShape says how the value of a field is written as metadata text, and so
// how such text is read.
type textShape uint8

const (
	shapeJSON   textShape = iota // compact ProtoJSON
	shapeQuoted                  // a message whose ProtoJSON is a string or number: that text without quotes
	shapeString
	shapeBool
	shapeInt32
	shapeInt64
	shapeUint32
	shapeUint64
	shapeFloat
	shapeDouble
	shapeBytes
	shapeEnum
	shapeNull    // google.protobuf.NullValue, whose ProtoJSON is null
	shapeStrings // a list of strings: compact ProtoJSON, but worth a way of its own
)

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

// metadataField is one field of an error as an entry of ErrorInfo.metadata.
// It is immutable.
type metadataField struct {
	desc  protoreflect.FieldDescriptor
	key   string
	shape textShape
	place int // in the Go struct, see stringPlace
}

func newMetadataField(fd protoreflect.FieldDescriptor) *metadataField {
	return &metadataField{desc: fd, key: fd.JSONName(), shape: shapeOf(fd), place: -1}
}

// appendText appends the metadata text of the field in m, which must be
// populated there. Text that is not UTF-8 is repaired, and repaired says so.
// It fails, and appends nothing, where the value has no ProtoJSON.
func (f *metadataField) appendText(dst []byte, m protoreflect.Message, types Resolver) (_ []byte, repaired bool, err error) {
	switch f.shape {
	case shapeString:
		s := m.Get(f.desc).String()
		if utf8.ValidString(s) {
			return append(dst, s...), false, nil
		}
		return append(dst, Repair(s)...), true, nil
	case shapeBool:
		return strconv.AppendBool(dst, m.Get(f.desc).Bool()), false, nil
	case shapeInt32, shapeInt64:
		return strconv.AppendInt(dst, m.Get(f.desc).Int(), 10), false, nil
	case shapeUint32, shapeUint64:
		return strconv.AppendUint(dst, m.Get(f.desc).Uint(), 10), false, nil
	case shapeFloat:
		return float.Append(dst, m.Get(f.desc).Float(), 32), false, nil
	case shapeDouble:
		return float.Append(dst, m.Get(f.desc).Float(), 64), false, nil
	case shapeBytes:
		return base64.StdEncoding.AppendEncode(dst, m.Get(f.desc).Bytes()), false, nil
	case shapeEnum:
		number := m.Get(f.desc).Enum()
		if value := f.desc.Enum().Values().ByNumber(number); value != nil {
			return append(dst, value.Name()...), false, nil
		}
		return strconv.AppendInt(dst, int64(number), 10), false, nil
	case shapeNull:
		return append(dst, "null"...), false, nil
	case shapeStrings:
		dst, repaired = appendStrings(dst, m.Get(f.desc).List())
		return dst, repaired, nil
	}
	return f.appendProtoJSON(dst, m, types)
}

// appendProtoJSON appends the compact ProtoJSON of the field in m, without its
// quotes for a shapeQuoted field.
func (f *metadataField) appendProtoJSON(dst []byte, m protoreflect.Message, types Resolver) (_ []byte, repaired bool, err error) {
	// ProtoJSON is a matter of messages, so a list or map is rendered inside a
	// message of its own kind that holds nothing else.
	holder := m.Get(f.desc)
	single := f.desc.Message() != nil && !f.desc.IsList() && !f.desc.IsMap()
	var target proto.Message
	if single {
		target = holder.Message().Interface()
	} else {
		alone := m.New()
		alone.Set(f.desc, holder)
		target = alone.Interface()
	}
	options := protojson.MarshalOptions{AllowPartial: true, Resolver: types}
	text, err := MarshalProtoJSON(options, target)
	if err != nil {
		// Text that is not UTF-8 may be all that is wrong.
		clone := proto.Clone(target)
		RepairMessage(clone.ProtoReflect())
		repaired = true
		if text, err = MarshalProtoJSON(options, clone); err != nil {
			return dst, false, err
		}
	}
	// protojson puts spaces in at random.
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return dst, false, err
	}
	text = compact.Bytes()
	if !single {
		text = onlyMember(text)
	}
	if f.shape == shapeQuoted && len(text) > 0 && text[0] == '"' {
		dst, err = jsontext.AppendUnquote(dst, text)
		return dst, repaired, err
	}
	return append(dst, text...), repaired, nil
}

// appendStrings appends a list of strings as compact JSON.
func appendStrings(dst []byte, list protoreflect.List) (_ []byte, repaired bool) {
	dst = append(dst, '[')
	for i := range list.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		s := list.Get(i).String()
		repaired = repaired || !utf8.ValidString(s)
		dst, _ = jsontext.AppendQuote(dst, Repair(s)) // fails for nothing else
	}
	return append(dst, ']'), repaired
}

// set reads text as the field's type and sets the field in m. Text that does
// not parse leaves the field unset, and so does a member of a oneof that has
// one already.
func (f *metadataField) set(m protoreflect.Message, text string, types Resolver) {
	if oneof := f.desc.ContainingOneof(); oneof != nil && m.WhichOneof(oneof) != nil {
		return
	}
	text = Repair(text)
	switch f.shape {
	case shapeJSON, shapeStrings:
		// The text stands inside an object below: it must be one value.
		if json.Valid([]byte(text)) {
			f.setJSON(m, []byte(text), types)
		}
		return
	case shapeString:
		m.Set(f.desc, protoreflect.ValueOfString(text))
		return
	}
	if value, ok := parseScalar(f.desc, f.shape, text); ok {
		m.Set(f.desc, value)
		return
	}
	switch f.shape {
	case shapeInt32, shapeInt64, shapeUint32, shapeUint64, shapeFloat, shapeDouble, shapeQuoted:
		// ProtoJSON reads numbers in strings, so all of these can stand in one.
		if quoted, err := jsontext.AppendQuote(nil, text); err == nil {
			f.setJSON(m, quoted, types)
		}
	}
}

// setJSON sets the field in m to what ProtoJSON reads in value.
func (f *metadataField) setJSON(m protoreflect.Message, value []byte, types Resolver) {
	text := make([]byte, 0, len(value)+len(f.key)+8)
	text = append(text, '{')
	text, err := jsontext.AppendQuote(text, f.key)
	if err != nil {
		return
	}
	text = append(text, ':')
	text = append(text, value...)
	text = append(text, '}')

	// A newer peer may know more members of a nested message than we do: they
	// stay in the ErrorInfo, and need not cost the caller the ones we know.
	options := protojson.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true, Resolver: types}
	alone := m.New()
	if err := options.Unmarshal(text, alone.Interface()); err != nil {
		return
	}
	if alone.Has(f.desc) {
		m.Set(f.desc, alone.Get(f.desc))
	}
}

// MetadataText returns the metadata text of one populated field of m, after
// the rules of section 2 of the wire contract: a string as it is, any other
// value whose ProtoJSON is a string or a number as that text without quotes,
// the rest as compact ProtoJSON. It fails where the value has no ProtoJSON.
func MetadataText(m protoreflect.Message, fd protoreflect.FieldDescriptor, types Resolver) (string, error) {
	text, _, err := newMetadataField(fd).appendText(nil, m, types)
	return string(text), err
}

func shapeOf(fd protoreflect.FieldDescriptor) textShape {
	switch {
	case fd.IsList() && fd.Kind() == protoreflect.StringKind:
		return shapeStrings
	case fd.IsList() || fd.IsMap():
		return shapeJSON
	}
	switch fd.Kind() {
	case protoreflect.StringKind:
		return shapeString
	case protoreflect.BoolKind:
		return shapeBool
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return shapeInt32
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return shapeInt64
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return shapeUint32
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return shapeUint64
	case protoreflect.FloatKind:
		return shapeFloat
	case protoreflect.DoubleKind:
		return shapeDouble
	case protoreflect.BytesKind:
		return shapeBytes
	case protoreflect.EnumKind:
		if fd.Enum().FullName() == "google.protobuf.NullValue" {
			return shapeNull
		}
		return shapeEnum
	}
	if quotedTypes[fd.Message().FullName()] {
		return shapeQuoted
	}
	return shapeJSON
}

// parseScalar reads the plain spellings of scalars. Where it reports false the
// text may still be one that ProtoJSON reads, such as 1e3 for an integer.
func parseScalar(fd protoreflect.FieldDescriptor, shape textShape, text string) (protoreflect.Value, bool) {
	switch shape {
	case shapeBool:
		switch text {
		case "true":
			return protoreflect.ValueOfBool(true), true
		case "false":
			return protoreflect.ValueOfBool(false), true
		}
	case shapeInt32:
		if n, ok := parsePlainInt(text, 32); ok {
			return protoreflect.ValueOfInt32(int32(n)), true
		}
	case shapeInt64:
		if n, ok := parsePlainInt(text, 64); ok {
			return protoreflect.ValueOfInt64(n), true
		}
	case shapeUint32:
		if n, ok := parsePlainUint(text, 32); ok {
			return protoreflect.ValueOfUint32(uint32(n)), true
		}
	case shapeUint64:
		if n, ok := parsePlainUint(text, 64); ok {
			return protoreflect.ValueOfUint64(n), true
		}
	case shapeBytes:
		if b, ok := parseBase64(text); ok {
			return protoreflect.ValueOfBytes(b), true
		}
	case shapeEnum, shapeNull:
		if value := fd.Enum().Values().ByName(protoreflect.Name(text)); value != nil {
			return protoreflect.ValueOfEnum(value.Number()), true
		}
		if shape == shapeNull {
			return protoreflect.ValueOfEnum(0), text == "null"
		}
		if n, ok := parsePlainInt(text, 32); ok {
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)), true
		}
	}
	return protoreflect.Value{}, false
}

// parsePlainInt reads a JSON integer without fraction and exponent.
func parsePlainInt(text string, bits int) (int64, bool) {
	if !isPlainInteger(strings.TrimPrefix(text, "-")) {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, bits)
	return n, err == nil
}

func parsePlainUint(text string, bits int) (uint64, bool) {
	if !isPlainInteger(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, bits)
	return n, err == nil
}

func isPlainInteger(digits string) bool {
	if digits == "" || digits[0] == '0' && len(digits) > 1 {
		return false
	}
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// parseBase64 reads either alphabet, padded or not, as ProtoJSON asks of a
// reader.
func parseBase64(text string) ([]byte, bool) {
	// The decoder of encoding/base64 skips line breaks; they are no base64.
	if strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	b, err := encoding.DecodeString(text)
	return b, err == nil
}

// onlyMember returns the value of the only member of a compact JSON object.
func onlyMember(object []byte) []byte {
	for i := 2; i < len(object); i++ {
		switch object[i] {
		case '\\':
			i++
		case '"':
			return object[i+2 : len(object)-1]
		}
	}
	return nil
}
