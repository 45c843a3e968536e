package protojson_test

import (
	"fmt"
	"strings"
	"testing"

	libjson "google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// oddSchema has what the tables do not hold.
const oddSchema = `
name: "odd.proto" package: "odd" syntax: "proto2"
message_type { name: "Names"
	field { name: "foo_bar" json_name: "fooBar" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING }
	field { name: "fooBar" json_name: "fooBar" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING }
	field { name: "third" json_name: "[third]" number: 3 label: LABEL_OPTIONAL type: TYPE_STRING }
	field { name: "fourth" json_name: "@type" number: 4 label: LABEL_OPTIONAL type: TYPE_STRING }
	field { name: "fifth" json_name: "fifth" number: 5 label: LABEL_OPTIONAL type: TYPE_STRING }
}
message_type { name: "Odd"
	field { name: "required" json_name: "required" number: 9 label: LABEL_REQUIRED type: TYPE_STRING }
	field { name: "shade" json_name: "shade" number: 5 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".odd.Shade" }
	field { name: "shades" json_name: "shades" number: 6 label: LABEL_REPEATED type: TYPE_ENUM type_name: ".odd.Shade" options { packed: true } }
	field { name: "pair" json_name: "pair" number: 7 label: LABEL_OPTIONAL type: TYPE_GROUP type_name: ".odd.Odd.Pair" }
	field { name: "inner" json_name: "inner" number: 3 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".odd.Odd" }
	field { name: "left" json_name: "left" number: 30 label: LABEL_OPTIONAL type: TYPE_STRING oneof_index: 0 }
	field { name: "right" json_name: "right" number: 2 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 }
	field { name: "far" json_name: "far" number: 5000 label: LABEL_OPTIONAL type: TYPE_BOOL default_value: "true" }
	nested_type { name: "Pair" field { name: "a" json_name: "a" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 } }
	oneof_decl { name: "choice" }
	extension_range { start: 100 end: 200 }
}
enum_type { name: "Shade" value { name: "DARK" number: 1 } value { name: "BLACK" number: 1 } value { name: "LIGHT" number: 2 } options { allow_alias: true } }
extension { name: "more" json_name: "more" number: 101 label: LABEL_OPTIONAL type: TYPE_STRING extendee: ".odd.Odd" }
`

// odd is a resolver for oddSchema.
func odd(t testing.TB) (types *protoregistry.Types, file protoreflect.FileDescriptor) {
	t.Helper()
	schema := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(oddSchema), schema); err != nil {
		t.Fatal(err)
	}
	file, err := protodesc.FileOptions{AllowUnresolvable: true}.New(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	types = new(protoregistry.Types)
	for i := range file.Messages().Len() {
		if err := types.RegisterMessage(dynamicpb.NewMessageType(file.Messages().Get(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := types.RegisterExtension(dynamicpb.NewExtensionType(file.Extensions().Get(0))); err != nil {
		t.Fatal(err)
	}
	return types, file
}

// What the tables do not hold is read and written by the library, where it comes
// back.
func TestCodec_oddSchemas(t *testing.T) {
	t.Parallel()
	types, _ := odd(t)
	codec := protojson.NewCodec(types)
	const names, message = `{"@type":"x/odd.Names"`, `{"@type":"x/odd.Odd"`
	for _, row := range []struct {
		text  string
		whole bool
	}{
		{names + `,"fooBar":"a"}`, true},
		{names + `,"foo_bar":"a"}`, true},
		{names + `,"fifth":"a"}`, true},
		{names + `,"[third]":"a"}`, false},
		{message + `,"shade":"DARK","shades":["LIGHT"],"required":"r"}`, true},
		{message + `,"shade":"BLACK"}`, true},
		{message + `,"shade":7}`, true}, // messages without generated code keep it
		{message + `,"shade":1}`, false},
		{message + `,"pair":{"a":1}}`, true},
		{message + `,"pair":{"b":1}}`, false},
		{message + `,"right":1,"inner":[{"left":"l"},{"pair":{}}]}`, true},
		{message + `,"[odd.more]":"text","far":false}`, true},
		{message + `,"[odd.less]":"text"}`, false},
		{message + `,"pair":{"a":1.0}}`, true},
	} {
		var tree jsontree.Tree
		if err := tree.Parse([]byte(row.text), depth); err != nil {
			t.Fatal(err)
		}
		typeURL, value, whole := codec.ReadAny(tree.Root())
		if whole != row.whole {
			t.Errorf("%s: read whole: %t", row.text, whole)
		}
		if !whole {
			continue
		}
		mt, err := types.FindMessageByURL(typeURL)
		if err != nil || !ascends(t, mt.Descriptor(), value) {
			t.Errorf("%s: %x does not ascend", row.text, value)
		}
		out, fidelity := codec.AppendAny(nil, typeURL, value, depth)
		want, err := libjson.MarshalOptions{Resolver: types, AllowPartial: true}.Marshal(&anypb.Any{TypeUrl: typeURL, Value: value})
		if fidelity != protojson.Exact || err != nil || !sameText(t, string(out), string(want)) {
			t.Errorf("%s: written as %s (%d), the library writes %s (%v)", row.text, out, fidelity, want, err)
		}
	}
	for _, row := range []struct {
		name, typeURL, wire string
		want                protojson.Fidelity
	}{
		{"two fields of one JSON name", "x/odd.Names", "\x0a\x01a\x12\x01b", protojson.None},
		{"the second of them alone", "x/odd.Names", "\x12\x01b", protojson.None},
		{"a name of an extension", "x/odd.Names", "\x1a\x01a", protojson.None},
		{"the name @type", "x/odd.Names", "\x22\x01a", protojson.None},
		// A closed enum's unknown value is an unknown field of generated messages only.
		{"a closed enum's unknown value", "x/odd.Odd", "\x28\x07", protojson.Exact},
		{"the same, replaced", "x/odd.Odd", "\x28\x07\x28\x01", protojson.Exact},
		{"the same in a list", "x/odd.Odd", "\x32\x02\x01\x07", protojson.Exact},
		{"an unknown number that may be an extension", "x/odd.Odd", "\xb0\x06\x01", protojson.Known},
		{"text that is not UTF-8", "x/odd.Odd", "\x4a\x01\xff", protojson.None},
		{"a group that does not end", "x/odd.Odd", "\x3b\x08\x01", protojson.None},
	} {
		if out, fidelity := codec.AppendAny(nil, row.typeURL, []byte(row.wire), depth); fidelity != row.want {
			t.Errorf("%s: fidelity %d, want %d: %s", row.name, fidelity, row.want, out)
		}
		codec.AppendMessage(nil, row.typeURL, []byte(row.wire), depth)
		codec.Equal(row.typeURL, []byte(row.wire), nil)
		if unknown := codec.HasUnknown(row.typeURL, []byte(row.wire)); unknown != (row.want == protojson.Known) {
			t.Errorf("%s: unknown fields %t", row.name, unknown)
		}
	}
}

// A type that has a well-known name alone does not make anything panic.
func TestCodec_falseNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Any", "Timestamp", "Duration", "FieldMask", "Struct", "ListValue", "Value", "Empty", "BoolValue", "StringValue", "BytesValue", "DoubleValue"} {
		schema := &descriptorpb.FileDescriptorProto{
			Name: proto.String("false.proto"), Package: proto.String("google.protobuf"), Syntax: proto.String("proto3"),
			MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String(name), Field: []*descriptorpb.FieldDescriptorProto{{
				Name: proto.String("f"), JsonName: proto.String("f"), Number: proto.Int32(7),
				Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_SINT64.Enum(),
			}}}},
		}
		file, err := protodesc.NewFile(schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		types := new(protoregistry.Types)
		if err := types.RegisterMessage(dynamicpb.NewMessageType(file.Messages().Get(0))); err != nil {
			t.Fatal(err)
		}
		codec := protojson.NewCodec(types)
		typeURL := "type.googleapis.com/google.protobuf." + name
		for _, wire := range []string{"", "\x38\x02", "\x0a\x00", "\x08\x01"} {
			codec.AppendAny(nil, typeURL, []byte(wire), depth)
			codec.AppendMessage(nil, typeURL, []byte(wire), depth)
		}
		for _, value := range []string{`{}`, `"1s"`, `1`, `null`, `[]`, `{"f":"1"}`} {
			var tree jsontree.Tree
			if err := tree.Parse([]byte(fmt.Sprintf(`{"@type":%q,"value":%s}`, typeURL, value)), depth); err != nil {
				t.Fatal(err)
			}
			codec.ReadAny(tree.Root())
			codec.ReadKnown(tree.Root())
		}
	}
}

// A table has room for as many fields as a schema has.
func TestCodec_manyFields(t *testing.T) {
	t.Parallel()
	for _, n := range []int{64, 65, 700} {
		schema := &descriptorpb.FileDescriptorProto{
			Name: proto.String("many.proto"), Syntax: proto.String("proto3"), MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("Many")}},
		}
		var text strings.Builder
		text.WriteString(`{"@type":"x/Many"`)
		for i := range n {
			name := proto.String(fmt.Sprintf("f%d", i))
			schema.MessageType[0].Field = append(schema.MessageType[0].Field, &descriptorpb.FieldDescriptorProto{
				Name: name, JsonName: name, Number: proto.Int32(int32(n - i)),
				Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
			})
			fmt.Fprintf(&text, `,"f%d":"v"`, i)
		}
		file, err := protodesc.NewFile(schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		types := new(protoregistry.Types)
		if err := types.RegisterMessage(dynamicpb.NewMessageType(file.Messages().Get(0))); err != nil {
			t.Fatal(err)
		}
		codec := protojson.NewCodec(types)
		var tree jsontree.Tree
		for _, end := range []string{"}", `,"f0":"again"}`} {
			if err := tree.Parse([]byte(text.String()+end), depth); err != nil {
				t.Fatal(err)
			}
			typeURL, value, whole := codec.ReadAny(tree.Root())
			if !whole || !ascends(t, file.Messages().Get(0), value) {
				t.Fatalf("%d fields: read %t, %x", n, whole, value)
			}
			if out, fidelity := codec.AppendAny(nil, typeURL, value, depth); fidelity != protojson.Exact || string(out) != text.String()+"}" {
				t.Errorf("%d fields: %s", n, out)
			}
		}
	}
}
