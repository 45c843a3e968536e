package protojson_test

import (
	"bytes"
	"testing"

	libjson "google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// rounds is how many messages of each type a test makes.
const rounds = 20 / share

const depth = 100

// What is written is what protobuf's protojson writes, for bytes in any order; what
// is Exact reads back as the same message.
func TestCodec_AppendAny_asLibrary(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	g := newGenerator(1)
	counts := map[protojson.Fidelity]int{}
	for _, mt := range messageTypes() {
		for i := range rounds {
			m := mt.New()
			g.fill(m, 3)
			wire, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m.Interface())
			if err != nil {
				t.Fatal(err)
			}
			if i%2 == 1 {
				wire = g.disturb(wire)
			}
			counts[checkAppend(t, codec, mt, wire)]++
		}
	}
	t.Logf("None, Known, Exact: %d, %d, %d", counts[protojson.None], counts[protojson.Known], counts[protojson.Exact])
	if counts[protojson.None] < 10 || counts[protojson.Known] < 10 || counts[protojson.Exact] < 1000 {
		t.Errorf("too few of some: %v", counts)
	}
}

func checkAppend(t *testing.T, codec *protojson.Codec, mt protoreflect.MessageType, wire []byte) protojson.Fidelity {
	t.Helper()
	any := anyOf(mt, wire)
	out, fidelity := codec.AppendAny([]byte("x"), any.GetTypeUrl(), wire, depth)
	alone, also := codec.AppendMessage([]byte("x"), any.GetTypeUrl(), wire, depth)
	if fidelity != also {
		t.Fatalf("%s %x: Any %d, alone %d", any.GetTypeUrl(), wire, fidelity, also)
	}
	m := mt.New().Interface()
	err := proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(wire, m)
	want, wantErr := libraryText(any)
	if fidelity == protojson.None {
		if string(out) != "x" || string(alone) != "x" {
			t.Fatalf("None, and %s and %s", out, alone)
		}
		if err == nil && wantErr == nil {
			// The library drops what does not come back.
			back := new(anypb.Any)
			if libjson.Unmarshal(want, back) == nil && codec.Equal(any.GetTypeUrl(), wire, back.GetValue()) {
				t.Fatalf("%s %x: None, the library writes %s", any.GetTypeUrl(), wire, want)
			}
		}
		return fidelity
	}
	if err != nil || wantErr != nil {
		t.Fatalf("%s %x: wrote %s, the library says %v, %v", any.GetTypeUrl(), wire, out, err, wantErr)
	}
	if string(out) != "x"+string(want) {
		t.Fatalf("%s %x: wrote\n%s, want\n%s", any.GetTypeUrl(), wire, out, want)
	}
	if want, _ := libraryText(m); string(alone) != "x"+string(want) {
		t.Fatalf("%s %x: alone wrote\n%s, want\n%s", any.GetTypeUrl(), wire, alone, want)
	}
	if unknown := codec.HasUnknown(any.GetTypeUrl(), wire); unknown != (fidelity == protojson.Known) {
		t.Fatalf("%s %x: fidelity %d, unknown fields %t", any.GetTypeUrl(), wire, fidelity, unknown)
	}
	var tree jsontree.Tree
	if err := tree.Parse(out[1:], depth); err != nil {
		t.Fatal(err)
	}
	back := new(anypb.Any)
	if err := libjson.Unmarshal(want, back); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if same := codec.Equal(any.GetTypeUrl(), wire, back.GetValue()); same != (fidelity == protojson.Exact) {
		t.Fatalf("%s %x: fidelity %d, comes back %t", any.GetTypeUrl(), wire, fidelity, same)
	}
	typeURL, value, whole := codec.ReadAny(tree.Root())
	if !whole || typeURL != any.GetTypeUrl() || !codec.Equal(typeURL, value, back.GetValue()) {
		t.Fatalf("%s: read %x (%t), want %x", want, value, whole, back.GetValue())
	}
	if !ascends(t, mt.Descriptor(), value) {
		t.Fatalf("%s: %x does not ascend", want, value)
	}
	return fidelity
}

// What is read of garbled JSON is what protobuf's protojson reads.
func TestCodec_ReadAny_asLibrary(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(nil)
	g := newGenerator(2)
	counts := map[bool]int{}
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
				text = g.garble(text)
				counts[checkRead(t, codec, text)]++
			}
		}
	}
	t.Logf("%d read, %d refused", counts[true], counts[false])
	if counts[true] < 1000/share || counts[false] < 1000/share {
		t.Errorf("too few of some: %v", counts)
	}
}

// checkRead compares what is read of one text with what the library reads, and tells
// whether it was.
func checkRead(t *testing.T, codec *protojson.Codec, text []byte) bool {
	t.Helper()
	var tree jsontree.Tree
	if tree.Parse(text, depth) != nil {
		return false
	}
	root := tree.Root()
	typeURL, value, whole := codec.ReadAny(root)
	codec.ReadKnown(root)
	read := new(anypb.Any)
	err := libjson.UnmarshalOptions{AllowPartial: true}.Unmarshal(root.AppendOnce(nil), read)
	if !whole {
		if err == nil && root.Get("@type").Exists() && !root.HasNumber() {
			t.Fatalf("%s: refused, the library reads %v", text, read)
		}
		return false
	}
	if err != nil {
		t.Fatalf("%s: read %x, the library says %v", text, value, err)
	}
	if typeURL != read.GetTypeUrl() || !codec.Equal(typeURL, value, read.GetValue()) {
		t.Fatalf("%s: read %s %x, want %s %x", text, typeURL, value, read.GetTypeUrl(), read.GetValue())
	}
	return true
}

// A type that is known from its descriptor alone reads and writes alike.
func TestCodec_dynamic(t *testing.T) {
	t.Parallel()
	codec := protojson.NewCodec(dynamic{global})
	linked := protojson.NewCodec(nil)
	g := newGenerator(3)
	for _, mt := range messageTypes() {
		for range rounds / 3 {
			m := mt.New()
			g.fill(m, 2)
			wire, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m.Interface())
			if err != nil {
				t.Fatal(err)
			}
			wire = g.disturb(wire)
			typeURL := anyOf(mt, nil).GetTypeUrl()
			out, fidelity := codec.AppendAny(nil, typeURL, wire, depth)
			want, wantFidelity := linked.AppendAny(nil, typeURL, wire, depth)
			if fidelity != wantFidelity || !bytes.Equal(out, want) {
				t.Fatalf("%s %x: %d %s, linked %d %s", typeURL, wire, fidelity, out, wantFidelity, want)
			}
		}
	}
}

// dynamic finds the linked types, without their generated code.
type dynamic struct{ protojson.Resolver }

func (dynamic) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	mt, err := global.FindMessageByURL(url)
	if err != nil {
		return nil, err
	}
	return dynamicpb.NewMessageType(mt.Descriptor()), nil
}
