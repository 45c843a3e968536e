package errmap_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
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
	for _, d := range errmap.Linked().Definitions() {
		mt, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
		if err != nil {
			continue
		}
		made, dynamic := mt.New(), dynamicpb.NewMessage(mt.Descriptor())
		setTexts(made, texts...)
		setTexts(dynamic, texts...)
		text, details, notes := errmap.EncodeInstance(d, made.Interface())
		wantText, wantDetails, wantNotes := errmap.EncodeInstance(d, dynamic)
		if text != wantText || !cmp.Equal(details, wantDetails, cmp.AllowUnexported(errmap.RawDetail{})) || !cmp.Equal(notes, wantNotes) {
			t.Fatalf("%s with %q says\n\t%q %q %q, dynamic\n\t%q %q %q", d.FullName(), texts, text, details, notes, wantText, wantDetails, wantNotes)
		}
		e := errmap.New(made.Interface())
		read, readDynamic := mt.New().Interface(), dynamicpb.NewMessage(mt.Descriptor())
		setTexts(read.ProtoReflect(), "was", "there", "before")
		setTexts(readDynamic, "was", "there", "before")
		if !e.Fill(read) || !e.Fill(readDynamic) {
			t.Fatalf("%s with %q fills nothing", d.FullName(), texts)
		}
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

// A nil message of a generated type says what its definition does.
func TestGoStruct_nil(t *testing.T) {
	t.Parallel()
	e := errmap.New((*libraryv1.BookLentError)(nil))
	if e.Message() != "The book is lent" || e.Reason() != "BOOK_LENT" || len(e.ErrorInfo().GetMetadata()) != 0 {
		t.Errorf("%v", e)
	}
}

// As finds the same whether a target of the type was seen before or not, and
// leaves one alone that is not it.
func TestError_As_again(t *testing.T) {
	t.Parallel()
	e := errmap.New(&libraryv1.BookLentError{Name: "books/1", Reader: "r-7"})
	for range 3 {
		target := &libraryv1.BookLentError{Name: "before", Reader: "before"}
		before := target
		if !errors.As(e, &target) || target == before || before.GetName() != "before" {
			t.Fatalf("%v", target)
		}
		if diff := cmp.Diff(&libraryv1.BookLentError{Name: "books/1", Reader: "r-7"}, target, protocmp.Transform()); diff != "" {
			t.Fatal(diff)
		}
		other := &a2av1.TaskNotFoundError{TaskId: "before"}
		if errors.As(e, &other) || other.GetTaskId() != "before" {
			t.Fatalf("%v", other)
		}
		if e.As((**libraryv1.BookLentError)(nil)) {
			t.Fatal("a nil target was set")
		}
	}
}
