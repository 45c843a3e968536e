package wirejson_test

import (
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
}

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
		}`), schema); err != nil {
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
// in no order and with zeros spelt out, so a lazy field is declined.
func TestMessage_oddSchemas(t *testing.T) { //nolint:paralleltest // it completes a type
	known := oddTable(t)
	for _, text := range []string{`{"fooBar":"a"}`, `{"foo_bar":"a"}`} {
		m := new(odd)
		if _, ok := known.Read([]byte(text), m, nil); !ok {
			t.Errorf("%s was declined", text)
		}
		checkRead(t, []byte(text), m)
	}
	for _, text := range []string{`{"[third]":"a"}`, `{"lazy":{}}`, `{"fooBar":"a","foo_bar":"b"}`} {
		if m := new(odd); true {
			if _, ok := known.Read([]byte(text), m, nil); ok {
				t.Errorf("%s was read as %v", text, m)
			}
		}
	}
	if out, ok := known.Append([]byte("x"), &odd{Lazy: new(odd)}); ok || string(out) != "x" {
		t.Errorf("a lazy field was written as %s", out)
	}
	both := &odd{First: proto.String("a"), Second: proto.String("b"), Third: proto.String("c")}
	if out, ok := known.Append(nil, both); !ok || string(out) != string(written(t, both)) {
		t.Errorf("got %s, want %s", out, written(t, both))
	}
}
