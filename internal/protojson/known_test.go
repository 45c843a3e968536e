package protojson_test

import (
	"bytes"
	"strings"
	"testing"

	libjson "google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// libraryKnown is what ReadKnown is to do, by way of protobuf's protojson.
func libraryKnown(mt protoreflect.MessageType, v jsontree.Value) ([]byte, bool) {
	lenient := func(text []byte, m proto.Message) bool {
		err := libjson.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true}.Unmarshal(text, m)
		if err != nil {
			proto.Reset(m)
		}
		return err == nil
	}
	m := mt.New().Interface()
	if strings.HasPrefix(string(mt.Descriptor().FullName()), "google.protobuf.") {
		value := v.Get("value")
		if !value.Exists() || !lenient(value.AppendOnce(nil), m) {
			return nil, false
		}
		out, err := proto.Marshal(m)
		return out, err == nil
	}
	var members [][]byte
	for e := v.First(); e.Exists(); e = e.Next() {
		if e.Repeats() || e.NameIs("@type") {
			continue
		}
		value := e.AppendOnce(nil)
		if e.NameIs("metadata") && mt.Descriptor().FullName() == "google.rpc.ErrorInfo" && e.Is(jsontree.Object) {
			value = readable(e)
		}
		members = append(members, append(append(jsontree.AppendString(nil, e.NameText()), ':'), value...))
	}
	object := func(members ...[]byte) []byte {
		out := []byte{'{'}
		for i, one := range members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, one...)
		}
		return append(out, '}')
	}
	if !lenient(object(members...), m) {
		return nil, false
	}
	out, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	return out, err == nil
}

// readable makes strings of the values of metadata.
func readable(v jsontree.Value) []byte {
	out := []byte{'{'}
	for e := v.First(); e.Exists(); e = e.Next() {
		if e.Repeats() || e.Is(jsontree.Null) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		text := string(e.AppendOnce(nil))
		if e.Is(jsontree.String) {
			text = e.Text()
		}
		out = jsontree.AppendString(append(jsontree.AppendString(out, e.NameText()), ':'), text)
	}
	return append(out, '}')
}

// checkKnown compares what is read of one text with what the library reads of it.
func checkKnown(t *testing.T, codec *protojson.Codec, text []byte) bool {
	t.Helper()
	var tree jsontree.Tree
	if tree.Parse(text, depth) != nil || tree.Root().Lone() {
		return false
	}
	root := tree.Root()
	typeURL, value, ok := codec.ReadKnown(root)
	mt, err := global.FindMessageByURL(root.Get("@type").Text())
	if err != nil {
		if ok {
			t.Fatalf("%s: read %x of an unknown type", text, value)
		}
		return false
	}
	want, wantOK := libraryKnown(mt, root)
	if ok != wantOK || ok && (typeURL != root.Get("@type").Text() || !codec.Equal(typeURL, value, want)) {
		t.Fatalf("%s: read %x (%t), want %x (%t)", text, value, ok, want, wantOK)
	}
	if ok && !ascends(t, mt.Descriptor(), value) {
		t.Fatalf("%s: %x does not ascend", text, value)
	}
	return ok
}

// What is read of garbled JSON with what is unknown left out is what protobuf's protojson reads.
func TestCodec_ReadKnown_asLibrary(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	g := newGenerator(4)
	count := 0
	for _, mt := range messageTypes() {
		for range rounds {
			m := mt.New()
			g.fill(m, 2)
			wire, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m.Interface())
			if err != nil {
				t.Fatal(err)
			}
			text, err := libraryText(anyOf(mt, wire))
			if err != nil {
				continue
			}
			for range 6 {
				if checkKnown(t, codec, text) {
					count++
				}
				text = g.garble(text)
			}
		}
	}
	if count < 1000 {
		t.Errorf("only %d were read", count)
	}
}

func TestCodec_ReadKnown(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	const info, everything = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo",`, `{"@type":"type.googleapis.com/shop.v1.Everything",`
	for _, row := range []struct{ name, text, want string }{
		{"an unknown member", info + `"reason":"R","x":[1]}`, info + `"reason":"R"}`},
		{"a member of the wrong type", info + `"reason":1,"domain":"d"}`, ``},
		{"nothing is read", info + `"reason":1}`, ``},
		{"metadata that are no texts", info + `"metadata":{"a":1.0,"b":null,"c":{"x":[ 1, "\u0061" ]},"d":true,"e":"\ud800"}}`,
			info + `"metadata":{"a":"1.0","c":"{\"x\":[1,\"\\u0061\"]}","d":"true","e":"\ufffd"}}`},
		{"metadata that are no object", info + `"metadata":[],"reason":"R"}`, ``},
		{"metadata twice", info + `"metadata":{"a":"1","a":"2"},"metadata":{"b":"1"}}`, info + `"metadata":{"a":"1"}}`},
		{"an unknown enum value", everything + `"color":"BLUE","i32":1}`, everything + `"i32":1}`},
		{"two of one oneof", everything + `"right":{"sku":"a"},"left":"b"}`, ``},
		{"two of one oneof, a message last", everything + `"left":"b","right":{"sku":"a"}}`, ``},
		{"both names of a message", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s","retry_delay":"2s"}`,
			``},
		{"a type of google.protobuf", `{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s","x":1}`, `{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}`},
		{"the same without value", `{"@type":"type.googleapis.com/google.protobuf.Duration","x":1}`, ``},
		{"Empty without value", `{"@type":"type.googleapis.com/google.protobuf.Empty","x":1}`, ``},
		{"a type that is not linked", `{"@type":"type.googleapis.com/no.Such"}`, ``},
		{"no type", `{}`, ``},
		{"a number too exact", everything + `"f64":0.12345678901234567890}`, everything + `"f64":0.12345678901234568}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var tree jsontree.Tree
			if err := tree.Parse([]byte(row.text), depth); err != nil {
				t.Fatal(err)
			}
			typeURL, value, ok := codec.ReadKnown(tree.Root())
			if !strings.Contains(row.text, "google.protobuf") && !strings.Contains(row.text, "metadata") && codec.Linked(tree.Root().Get("@type").Text()) {
				var alone jsontree.Tree
				if err := alone.Parse([]byte("{"+row.text[strings.Index(row.text, ",")+1:]), depth); err != nil {
					t.Fatal(err)
				}
				if got, also := codec.ReadMessage(tree.Root().Get("@type").Text(), alone.Root()); also != ok || !bytes.Equal(got, value) {
					t.Errorf("without its type read %x (%t), with it %x (%t)", got, also, value, ok)
				}
			}
			if !ok {
				if row.want != "" {
					t.Fatal("nothing was read")
				}
				return
			}
			got, fidelity := codec.AppendAny(nil, typeURL, value, depth)
			if fidelity != protojson.Exact || !sameText(t, string(got), row.want) {
				t.Errorf("read %s, want %s", got, row.want)
			}
		})
	}
}

// sameText tells whether two texts are the same but for escapes.
func sameText(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y jsontree.Tree
	return x.Parse([]byte(a), depth) == nil && y.Parse([]byte(b), depth) == nil && jsontree.Same(x.Root(), y.Root())
}
