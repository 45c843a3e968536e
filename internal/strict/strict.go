// Package strict has what specifications ask of JSON beyond ProtoJSON: that a message is
// written with the fields that its schema marks REQUIRED even where they are empty, and
// that a request names no enum value that nobody knows.
package strict

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/internal/jsontree"
)

// IsRequired tells whether google.api.field_behavior marks a field REQUIRED.
func IsRequired(fd protoreflect.FieldDescriptor) bool {
	// Descriptors that came by reflection have not linked the option.
	raw, err := proto.Marshal(fd.Options())
	options := new(descriptorpb.FieldOptions)
	if err != nil || proto.Unmarshal(raw, options) != nil {
		return false
	}
	behaviors, _ := proto.GetExtension(options, annotations.E_FieldBehavior).([]annotations.FieldBehavior)
	return slices.Contains(behaviors, annotations.FieldBehavior_REQUIRED)
}

// required has the REQUIRED fields that ProtoJSON leaves out where they are empty, by
// the descriptor of their message. A gateway meets new descriptors as its upstreams
// change, so it begins anew after maxRequired.
var (
	required      sync.Map
	requiredCount atomic.Int32
)

const maxRequired = 10_000

func requiredOf(md protoreflect.MessageDescriptor) []protoreflect.FieldDescriptor {
	if known, ok := required.Load(md); ok {
		return known.([]protoreflect.FieldDescriptor) //nolint:forcetypeassert // nothing else is stored
	}
	var found []protoreflect.FieldDescriptor
	for i := range md.Fields().Len() {
		if fd := md.Fields().Get(i); !fd.HasPresence() && IsRequired(fd) {
			found = append(found, fd)
		}
	}
	if requiredCount.Add(1) > maxRequired {
		required.Clear()
		requiredCount.Store(0)
	}
	required.Store(md, found)
	return found
}

// Append appends to the JSON object of a message, which ends dst, the REQUIRED fields of
// the message itself that are empty and not there.
func Append(dst []byte, m protoreflect.Message) []byte {
	fields := requiredOf(m.Descriptor())
	if fields == nil || len(dst) < 2 || dst[len(dst)-1] != '}' {
		return dst
	}
	for _, fd := range fields {
		if m.Has(fd) {
			continue
		}
		dst = dst[:len(dst)-1]
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(jsontree.AppendString(dst, fd.JSONName()), ':'), empty(fd)...)
		dst = append(dst, '}')
	}
	return dst
}

// empty returns what ProtoJSON writes of a field that is empty.
func empty(fd protoreflect.FieldDescriptor) string {
	switch {
	case fd.IsMap():
		return "{}"
	case fd.IsList():
		return "[]"
	}
	switch fd.Kind() {
	case protoreflect.StringKind, protoreflect.BytesKind:
		return `""`
	case protoreflect.BoolKind:
		return "false"
	case protoreflect.EnumKind:
		return strconv.Quote(string(fd.Enum().Values().Get(0).Name()))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return `"0"`
	}
	return "0"
}

// UnknownEnum returns the path of the first enum in the JSON of a message whose name
// the schema does not have, which lenient readers of ProtoJSON ignore; "" where there is
// none. What else is wrong with the JSON is not looked at.
func UnknownEnum(text []byte, md protoreflect.MessageDescriptor) string {
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(text, maxDepth) != nil {
		return ""
	}
	return unknownIn(tree.Root(), md)
}

const maxDepth = 1000

func unknownIn(object jsontree.Value, md protoreflect.MessageDescriptor) string {
	if md.ParentFile().Package() == "google.protobuf" { // with a JSON form of its own
		return ""
	}
	for member := object.First(); member.Exists(); member = member.Next() {
		name := member.NameText()
		fd := md.Fields().ByJSONName(name)
		if fd == nil {
			fd = md.Fields().ByTextName(name)
		}
		if fd == nil {
			continue
		}
		if path := unknownAt(member, fd); path != "" {
			return path
		}
	}
	return ""
}

func unknownAt(v jsontree.Value, fd protoreflect.FieldDescriptor) string {
	name := fd.JSONName()
	switch {
	case fd.IsMap() && v.Is(jsontree.Object), fd.IsList() && v.Is(jsontree.Array):
		of := fd
		if fd.IsMap() {
			of = fd.MapValue()
		}
		place := 0
		for el := v.First(); el.Exists(); el = el.Next() {
			if path, bad := unknownValue(el, of); bad {
				at := strconv.Itoa(place)
				if fd.IsMap() {
					at = strconv.Quote(el.NameText())
				}
				return join(name+"["+at+"]", path)
			}
			place++
		}
	case !fd.IsMap() && !fd.IsList():
		if path, bad := unknownValue(v, fd); bad {
			return join(name, path)
		}
	}
	return ""
}

// unknownValue looks at one value; path is that within it.
func unknownValue(v jsontree.Value, fd protoreflect.FieldDescriptor) (path string, bad bool) {
	switch {
	case fd.Enum() != nil && v.Is(jsontree.String):
		return "", fd.Enum().Values().ByName(protoreflect.Name(v.Text())) == nil
	case fd.Message() != nil && v.Is(jsontree.Object):
		path = unknownIn(v, fd.Message())
		return path, path != ""
	}
	return "", false
}

func join(name, path string) string {
	if path == "" {
		return name
	}
	return name + "." + path
}
