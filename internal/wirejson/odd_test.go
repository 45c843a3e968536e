package wirejson_test

import (
	"fmt"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/internal/wirejson"
)

// odd is a message of a schema that no compiler of today writes without a word.
type odd struct {
	First  *string `protobuf:"bytes,1,opt,name=foo_bar,json=fooBar"`
	Second *string `protobuf:"bytes,2,opt,name=fooBar,json=fooBar"`
	Third  *string `protobuf:"bytes,3,opt,name=third,json=[third]"`
	Lazy   *odd    `protobuf:"bytes,4,opt,name=lazy"`
	Shade  *shade  `protobuf:"varint,5,opt,name=shade,enum=Shade"`
}

// shade is a closed enum.
type shade int32

func (shade) Descriptor() protoreflect.EnumDescriptor {
	return oddInfo.Desc.ParentFile().Enums().Get(0)
}
func (shade) Type() protoreflect.EnumType       { return shadeType{} }
func (s shade) Number() protoreflect.EnumNumber { return protoreflect.EnumNumber(s) }

type shadeType struct{}

func (shadeType) New(n protoreflect.EnumNumber) protoreflect.Enum { return shade(n) }
func (shadeType) Descriptor() protoreflect.EnumDescriptor         { return shade(0).Descriptor() }

var oddInfo = protoimpl.MessageInfo{GoReflectType: reflect.TypeFor[*odd]()}

func (m *odd) ProtoReflect() protoreflect.Message { return oddInfo.MessageOf(m) }

// oddTable makes the type of odd, and what is known of it.
func oddTable(t *testing.T) *wirejson.Message {
	t.Helper()
	schema := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(`
		name: "odd.proto" syntax: "proto2" message_type { name: "Odd"
			field { name: "foo_bar" json_name: "fooBar" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING }
			field { name: "fooBar" json_name: "fooBar" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING }
			field { name: "third" json_name: "[third]" number: 3 label: LABEL_OPTIONAL type: TYPE_STRING }
			field { name: "lazy" json_name: "lazy" number: 4 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".Odd" options { lazy: true } }
			field { name: "shade" json_name: "shade" number: 5 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".Shade" }
		}
		enum_type { name: "Shade" value { name: "DARK" number: 1 } }`), schema); err != nil {
		t.Fatal(err)
	}
	file, err := protodesc.NewFile(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	if oddInfo.Desc = file.Messages().Get(0); oddInfo.Desc == nil {
		t.Fatal("no descriptor")
	}
	return new(wirejson.Set).Message(oddInfo.Desc)
}

// Where two fields have one name protojson gives it to the first, and a name in
// brackets to an extension. What was read lazily has the bytes that its peer wrote,
// in no order and with zeros spelt out, so a lazy field is declined; and so is an
// enum that is closed, of which protojson sets numbers that no wire does.
func TestMessage_oddSchemas(t *testing.T) { //nolint:paralleltest // it completes a type
	known := oddTable(t)
	for _, text := range []string{`{"fooBar":"a"}`, `{"foo_bar":"a"}`} {
		m := new(odd)
		if _, ok := known.Read([]byte(text), m, nil); !ok {
			t.Errorf("%s was declined", text)
		}
		checkRead(t, []byte(text), m)
	}
	for _, text := range []string{`{"[third]":"a"}`, `{"lazy":{}}`, `{"shade":7}`, `{"shade":"DARK"}`, `{"fooBar":"a","foo_bar":"b"}`} {
		if m := new(odd); true {
			if _, ok := known.Read([]byte(text), m, nil); ok {
				t.Errorf("%s was read as %v", text, m)
			}
		}
	}
	if out, ok := known.Append([]byte("x"), &odd{Lazy: new(odd)}); ok || string(out) != "x" {
		t.Errorf("a lazy field was written as %s", out)
	}
	// proto.Marshal lets texts of proto2 be anything.
	if out, ok := known.Append(nil, &odd{Second: proto.String("\xff")}); ok {
		t.Errorf("text that is not UTF-8 was written as %q", out)
	}
	for n, takes := range map[int]bool{1: true, 64: true, 65: false} {
		schema := &descriptorpb.FileDescriptorProto{Name: proto.String("many.proto"), MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("Many")}}}
		for i := range n {
			schema.MessageType[0].Field = append(schema.MessageType[0].Field, &descriptorpb.FieldDescriptorProto{
				Name: proto.String(fmt.Sprintf("f%d", i)), Number: proto.Int32(int32(i + 1)),
				Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
			})
		}
		file, err := protodesc.NewFile(schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		if many := new(wirejson.Set).Message(file.Messages().Get(0)); (many != nil) != takes {
			t.Errorf("a message of %d fields has tables: %t", n, many != nil)
		}
	}
	both := &odd{First: proto.String("a"), Second: proto.String("b"), Third: proto.String("c")}
	if out, ok := known.Append(nil, both); !ok || string(out) != string(written(t, both)) {
		t.Errorf("got %s, want %s", out, written(t, both))
	}
}
