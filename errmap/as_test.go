package errmap_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
)

// A nil message of a generated type says what its definition does.
func TestNew_nil_message(t *testing.T) {
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
