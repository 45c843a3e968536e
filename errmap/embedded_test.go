package errmap_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/errmap/errmap/errmap"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/hybrid2023"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/mixed2024"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/names"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/opaque2023"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/opaque2024"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/open2023"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/proto2"
	_ "github.com/errmap/errmap/internal/plugin/testdata/gen/fixture/proto3"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
)

// boxed is an error of a program that embeds a message, and may hold none.
type boxed struct{ proto.Message }

func (*boxed) Error() string { return "boxed" }

// wrapped embeds a generated one.
type wrapped struct{ *libraryv1.BookLentError }

func (*wrapped) Error() string { return "wrapped" }

// Types that embed messages are not those messages: what holds none costs no panic
// and is no error that anybody knows.
func TestError_embeddedMessages(t *testing.T) {
	t.Parallel()
	e := errmap.New(&libraryv1.BookLentError{Name: "books/1"})
	for _, err := range []error{e, fmt.Errorf("in: %w", e), errors.Join(errors.New("else"), e)} {
		if b, ok := errors.AsType[*boxed](err); ok || b != nil {
			t.Errorf("found %v", b)
		}
		if w, ok := errors.AsType[*wrapped](err); ok || w != nil {
			t.Errorf("found %v", w)
		}
		if errors.Is(err, &boxed{}) || !errors.Is(err, &wrapped{}) || !errors.Is(err, &boxed{new(libraryv1.BookLentError)}) {
			t.Error("the identity is another one")
		}
	}
	var dynamic *dynamicpb.Message
	if e.As(&dynamic) || e.As(nil) || e.As(3) || e.As(&e) || e.Fill(&boxed{}) || e.Fill(new(dynamicpb.Message)) || e.Fill(dynamic) {
		t.Error("something was set")
	}
	for _, m := range []proto.Message{&boxed{}, new(dynamicpb.Message), dynamic} {
		if hidden := errmap.New(m); hidden.Code() != code.Code_INTERNAL || hidden.Unwrap() == nil {
			t.Errorf("%T says %v", m, hidden)
		}
	}
	for _, err := range []error{&boxed{}, fmt.Errorf("in: %w", &boxed{})} {
		if hidden := errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {})).Outgoing(t.Context(), err); hidden.Code() != code.Code_INTERNAL {
			t.Errorf("a guard lets %v out", hidden)
		}
		if from := errmap.From(err); from.Code() == code.Code_OK {
			t.Errorf("%v is %v", err, from)
		}
	}
	full := &boxed{&libraryv1.BookLentError{Name: "books/1"}}
	for _, err := range []error{full, &wrapped{&libraryv1.BookLentError{Name: "books/1"}}} {
		if got := errmap.From(err).ErrorInfo().GetMetadata()["name"]; got != "books/1" {
			t.Errorf("%v has the name %q", err, got)
		}
	}
}

// Many look for the same and for other types at once, of errors that they share.
func TestError_As_atOnce(t *testing.T) {
	t.Parallel()
	e := errmap.New(&libraryv1.BookLentError{Name: "books/1", Reader: "r-7"})
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 200 {
				lent, ok := errors.AsType[*libraryv1.BookLentError](e)
				if !ok || lent.GetReader() != "r-7" {
					t.Errorf("%v", lent)
				}
				lent.Reader = "mine"
				if _, ok := errors.AsType[*boxed](e); ok {
					t.Error("boxed")
				}
				if into := new(libraryv1.BookLentError); !e.Fill(into) || into.GetName() != "books/1" {
					t.Errorf("%v", into)
				}
			}
		})
	}
	all.Wait()
}
