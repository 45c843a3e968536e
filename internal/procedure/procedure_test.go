package procedure_test

import (
	"context"
	"testing"

	"github.com/errmap/errmap/internal/procedure"
)

type own struct{}

func TestWith(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancel(context.WithValue(t.Context(), own{}, "mine"))
	ctx := procedure.With(parent, "/s.v1.S/M")
	if got := procedure.Of(ctx); got != "/s.v1.S/M" {
		t.Errorf("of the context %q", got)
	}
	if procedure.Of(parent) != "" || procedure.With(parent, "") != parent || procedure.With(ctx, "/s.v1.S/M") != ctx {
		t.Error("a context was made for nothing")
	}
	inner, done := context.WithCancel(procedure.With(ctx, "/s.v1.S/N"))
	defer done()
	if got := procedure.Of(inner); got != "/s.v1.S/N" {
		t.Errorf("of the inner context %q", got)
	}
	if inner.Value(own{}) != "mine" {
		t.Error("the values of the parent are lost")
	}
	cancel()
	<-inner.Done()
	if inner.Err() == nil {
		t.Error("the cancellation of the parent is lost")
	}
}
