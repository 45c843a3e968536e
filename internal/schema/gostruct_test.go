package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/schema"
	_ "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	_ "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

// setTexts sets the fields of m that are texts to those, in turn, and its numbers
// and truths to something.
func setTexts(m protoreflect.Message, texts ...string) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd, text := fields.Get(i), texts[i%len(texts)]
		switch {
		case fd.IsList() && fd.Kind() == protoreflect.StringKind:
			list := m.Mutable(fd).List()
			list.Append(protoreflect.ValueOfString(text))
		case fd.IsList() || fd.IsMap():
		case fd.Kind() == protoreflect.StringKind:
			m.Set(fd, protoreflect.ValueOfString(text))
		case fd.Kind() == protoreflect.Int32Kind:
			m.Set(fd, protoreflect.ValueOfInt32(int32(len(text))))
		case fd.Kind() == protoreflect.Int64Kind:
			m.Set(fd, protoreflect.ValueOfInt64(int64(len(text))))
		case fd.Kind() == protoreflect.BoolKind:
			m.Set(fd, protoreflect.ValueOfBool(text != ""))
		}
	}
}

// compareStructs compares, for every error that is linked, what is read and set in
// the Go struct with what is read and set in a dynamic message.
func compareStructs(t *testing.T, texts ...string) (short int) {
	t.Helper()
	for _, d := range schema.Linked().Definitions() {
		mt, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
		if err != nil {
			continue
		}
		made, dynamic := mt.New(), dynamicpb.NewMessage(mt.Descriptor())
		setTexts(made, texts...)
		setTexts(dynamic, texts...)
		text, details, notes := encode(d, made.Interface())
		wantText, wantDetails, wantNotes := encode(d, dynamic)
		if text != wantText || !cmp.Equal(details, wantDetails) || !cmp.Equal(notes, wantNotes) {
			t.Fatalf("%s with %q says\n\t%q %v %q, dynamic\n\t%q %v %q", d.FullName(), texts, text, details, notes, wantText, wantDetails, wantNotes)
		}
		info := detailsOf(t, details)[0].(*errdetails.ErrorInfo)
		find := func(name string) ([]byte, bool) {
			i := slices.IndexFunc(details, func(detail hub.Detail) bool { return detail.Is(name) })
			return details[max(i, 0)].Value, i >= 0
		}
		read, readDynamic := mt.New().Interface(), dynamicpb.NewMessage(mt.Descriptor())
		setTexts(read.ProtoReflect(), "was", "there", "before")
		setTexts(readDynamic, "was", "there", "before")
		d.Decode(read, info, find)
		d.Decode(readDynamic, info, find)
		if diff := cmp.Diff(readDynamic.Interface(), read, protocmp.Transform()); diff != "" {
			t.Fatalf("%s with %q: -dynamic +struct\n%s", d.FullName(), texts, diff)
		}
		short++
	}
	return short
}

func TestGoStruct(t *testing.T) {
	t.Parallel()
	for _, texts := range [][]string{
		{""}, {"a"}, {"a", "", "b"}, {"\xff", "a\xc3"}, {"näch\u2028ste \"Zeile\"\n\x00", "{", "a/b"},
		{string(make([]byte, 127)), string(make([]byte, 200)), string(make([]byte, 20000))},
	} {
		if n := compareStructs(t, texts...); n < 10 {
			t.Errorf("only %d errors are linked", n)
		}
	}
}

// The length of an entry has a byte more from 128 bytes on.
func TestGoStruct_lengths(t *testing.T) {
	t.Parallel()
	for n := 100; n < 128; n++ {
		compareStructs(t, strings.Repeat("x", n))
	}
}

func FuzzGoStruct(f *testing.F) {
	f.Add("books/1", "r-7", "")
	f.Add("\xff", "é", "\"")
	f.Fuzz(func(t *testing.T, a, b, c string) { compareStructs(t, a, b, c) })
}
