package adapter_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// Not parallel: it counts allocations.
func TestObserver_unset(t *testing.T) {
	const procedure = "/shop.v1.Cart/Get"
	ctx, e, guard := context.Background(), errmap.NewCode(code.Code_NOT_FOUND, "gone"), errmap.NewGuard()
	s, c, call := &adapter.Server{Guard: guard}, new(adapter.Client), &adapter.Call{Procedure: procedure}
	alone := testing.AllocsPerRun(100, func() { _ = guard.Outgoing(errmap.WithProcedure(ctx, procedure), e) })
	if n := testing.AllocsPerRun(100, func() { _ = s.Outgoing(ctx, procedure, errmap.WireGRPC, e) }); n != alone {
		t.Errorf("%v allocations on a server, %v of its guard alone", n, alone)
	}
	if n := testing.AllocsPerRun(100, func() { _ = c.Failed(ctx, call, errmap.WireGRPC, e) }); n != 0 {
		t.Errorf("%v allocations on a client", n)
	}
}

// The error of a stream shows in each of its operations, and its end is none.
func TestClient_Failed(t *testing.T) {
	t.Parallel()
	var told []errmap.Event
	c := &adapter.Client{Observer: func(_ context.Context, e errmap.Event) { told = append(told, e) }}
	call, gone := new(adapter.Call), errmap.NewCode(code.Code_NOT_FOUND, "gone").WithRemote()
	for _, err := range []error{nil, io.EOF, gone, gone, errors.New("x")} {
		if got := c.Failed(t.Context(), call, errmap.WireGRPC, err); got != err { //nolint:errorlint // the very error
			t.Errorf("Failed(%v) = %v", err, got)
		}
	}
	if len(told) != 1 || told[0].Sent != gone {
		t.Errorf("told %+v", told)
	}
}
