package protojson_test

import (
	"testing"

	libjson "google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// Whole messages are written and read as protobuf's protojson does, or declined.
func TestMessage_asLibrary(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	g := newGenerator(5)
	wrote, read := 0, 0
	var room []byte
	for _, mt := range messageTypes() {
		known := codec.Message(mt.Descriptor())
		for range rounds {
			m := mt.New()
			g.fill(m, 2)
			out, ok := known.Append([]byte("x"), m.Interface())
			text, err := libjson.Marshal(m.Interface())
			want, compactErr := libraryText(m.Interface())
			if ok && (err != nil || compactErr != nil || string(out) != "x"+string(want)) || !ok && string(out) != "x" {
				t.Fatalf("%s: wrote (%t) %s, want %s (%v)", mt.Descriptor().FullName(), ok, out, want, err)
			}
			if err != nil {
				continue
			}
			if ok {
				wrote++
			}
			for range 4 {
				back, expected := mt.New().Interface(), mt.New().Interface()
				if room, ok = known.Read(text, back, room); ok {
					read++
					if err := libjson.Unmarshal(text, expected); err != nil || !sameMessage(t, codec, back, expected) {
						t.Fatalf("%s\n%s: read %v, want %v (%v)", mt.Descriptor().FullName(), text, back, expected, err)
					}
				}
				text = g.garble(text)
			}
		}
	}
	t.Logf("%d written, %d read", wrote, read)
	if wrote < 1000 || read < 1000 {
		t.Errorf("only %d were written, %d read", wrote, read)
	}
}

func sameMessage(t *testing.T, codec *protojson.Codec, a, b proto.Message) bool {
	t.Helper()
	x, err := proto.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := proto.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return codec.Equal("x/"+string(a.ProtoReflect().Descriptor().FullName()), x, y)
}

func TestMessage_declines(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	everything := codec.Message((*shopv1.Everything)(nil).ProtoReflect().Descriptor())
	unknown := &shopv1.Everything{}
	unknown.ProtoReflect().SetUnknown(protoreflect.RawFields{0x98, 0x06, 1})
	for name, m := range map[string]proto.Message{
		"nil": nil, "another type": &shopv1.GetRequest{}, "text that is not UTF-8": &shopv1.Everything{Text: "\xff"}, "unknown fields": unknown,
	} {
		if out, ok := everything.Append([]byte("x"), m); ok || string(out) != "x" {
			t.Errorf("%s: wrote %s", name, out)
		}
	}
	for _, text := range []string{
		``, `null`, `[]`, `{`, `{}}`, `{"text":"a","text":"b"}`, `{"text":"\ud800"}`, "{\"text\":\"\xff\"}", `{"text":1}`, `{"nope":1}`,
		`{"left":"a","right":{}}`, `{"boxedLong":"1","boxed_long":"1"}`, `{"value":1e400}`, `{"i32":1.5}`, `{"u32":-1}`, `{"color":"BLUE"}`,
		`{"any":{"@type":"x/no.Such"}}`, `{"any":{"a":1}}`, `{"at":"2020"}`, `{"lasts":"1"}`, `{"mask":"a_b"}`, `{"byNumber":{"1":true,"01":true}}`,
	} {
		if _, ok := everything.Read([]byte(text), new(shopv1.Everything), nil); ok {
			t.Errorf("%s was read", text)
		}
	}
	var none *protojson.Message
	if _, ok := none.Append(nil, unknown); ok {
		t.Error("a nil Message wrote")
	}
	if _, ok := none.Read([]byte(`{}`), unknown, nil); ok {
		t.Error("a nil Message read")
	}
	if codec.Message(nil) != nil {
		t.Error("no descriptor has a table")
	}
}

// Each field of a message is written and read alone, as it is within the message.
func TestCodec_AppendField(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	g := newGenerator(6)
	for _, mt := range messageTypes() {
		for range rounds / 3 {
			m := mt.New()
			g.fill(m, 2)
			m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
				alone := mt.New()
				alone.Set(fd, v)
				wrapped := alone.Interface()
				single := fd.Message() != nil && !fd.IsList() && !fd.IsMap()
				if single {
					wrapped = v.Message().Interface()
				}
				want, err := libraryText(wrapped)
				var tree jsontree.Tree
				if err == nil {
					if err := tree.Parse(want, 1000); err != nil {
						t.Fatal(err)
					}
				}
				value := tree.Root()
				if err == nil && !single && value.Is(jsontree.Object) && mt.Descriptor().FullName().Parent() != "google.protobuf" {
					value = value.First()
				} else if !single {
					return true
				}
				out, fidelity := codec.AppendField([]byte("x"), m, fd, depth)
				if fidelity == protojson.None {
					if err == nil && fd.Kind() != protoreflect.MessageKind && fd.Enum() == nil {
						t.Errorf("%s has no JSON, want %s", fd.FullName(), value.Raw())
					}
					return string(out) == "x" || t.Failed()
				}
				if err != nil || string(out) != "x"+string(value.Raw()) {
					t.Fatalf("%s: wrote %s, want %s (%v)", fd.FullName(), out, value.Raw(), err)
				}
				back := mt.New()
				if !codec.SetField(back, fd, value) {
					t.Fatalf("%s: refused %s", fd.FullName(), value.Raw())
				}
				if again, fidelity := codec.AppendField([]byte("x"), back, fd, depth); fidelity != protojson.None && string(again) != string(out) {
					t.Fatalf("%s: read %s from %s", fd.FullName(), again, out)
				}
				return true
			})
		}
	}
}

func TestCodec_SetField(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	for _, row := range []struct{ field, text, want string }{
		{"self", `{"i32":1,"unknown":[2]}`, `{"self":{"i32":1}}`},
		{"many", `["a"]`, `{"many":["a"]}`},
		{"many", `[1]`, ``},
		{"many", `null`, `{}`},
		{"value", `null`, `{"value":null}`},
		{"i64", `"12"`, `{"i64":"12"}`},
		{"at", `"yesterday"`, ``},
		{"by_number", `{"1":true}`, `{"byNumber":{"1":true}}`},
		{"any", `{"a":1}`, `{"any":{}}`},
	} {
		var tree jsontree.Tree
		if err := tree.Parse([]byte(row.text), depth); err != nil {
			t.Fatal(err)
		}
		m := new(shopv1.Everything)
		fd := m.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(row.field))
		ok := codec.SetField(m.ProtoReflect(), fd, tree.Root())
		if got, _ := libraryText(m); ok != (row.want != "") || ok && string(got) != row.want {
			t.Errorf("%s %s: set %s (%t), want %s", row.field, row.text, got, ok, row.want)
		}
	}
}
