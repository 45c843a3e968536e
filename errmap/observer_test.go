package errmap_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

func TestObserver_Observe(t *testing.T) {
	t.Parallel()
	var got []errmap.Event
	o := errmap.Observer(func(_ context.Context, e errmap.Event) { got = append(got, e) })
	empty := &shopv1.StockEmptyError{}
	secret := errors.New("dial tcp 10.0.0.7")
	hidden := errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {})).Outgoing(t.Context(), secret)
	info, _ := errmap.Detail[*errdetails.RequestInfo](hidden)

	o.Observe(t.Context(), errmap.Event{})
	if got != nil {
		t.Errorf("told of nothing: %+v", got)
	}
	for name, test := range map[string]struct {
		event errmap.Event
		err   error
		code  code.Code
		id    string
		tries int
	}{
		"hidden":        {errmap.Event{Err: secret, Sent: hidden}, secret, code.Code_INTERNAL, info.GetRequestId(), 1},
		"of a cause":    {errmap.Event{Sent: hidden}, secret, code.Code_INTERNAL, info.GetRequestId(), 1},
		"without Sent":  {errmap.Event{Err: empty, Attempt: 3}, empty, code.Code_FAILED_PRECONDITION, "", 3},
		"without cause": {errmap.Event{Sent: errmap.NewCode(code.Code_ABORTED, "x")}, nil, code.Code_ABORTED, "", 1},
	} {
		got = nil
		o.Observe(t.Context(), test.event)
		if len(got) != 1 || test.err != nil && !errors.Is(got[0].Err, test.err) || got[0].Err == nil ||
			got[0].Sent.Code() != test.code || got[0].RequestID != test.id || got[0].Attempt != test.tries {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestObserver_panics(t *testing.T) {
	t.Parallel()
	errmap.Observer(func(context.Context, errmap.Event) { panic("x") }).Observe(t.Context(), errmap.Event{Err: errors.New("y")})
}

// Not parallel: it counts allocations.
func TestObserver_unset(t *testing.T) {
	var o errmap.Observer
	ctx, err := context.Background(), errors.New("x")
	e := errmap.NewCode(code.Code_NOT_FOUND, "x")
	if n := testing.AllocsPerRun(100, func() {
		o.Observe(ctx, errmap.Event{Procedure: "/shop.v1.Cart/Get", Wire: errmap.WireConnect, Err: err, Sent: e})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleObserver() {
	// Counts of errors by identity, and those that no method declares.
	var count errmap.Observer = func(_ context.Context, e errmap.Event) {
		reason := e.Sent.Reason()
		if reason == "" {
			reason = e.Sent.Code().String()
		}
		fmt.Println(e.Side, e.Procedure, reason, e.Err)
	}
	// errmapconnect.NewServer(errmapconnect.WithObserver(count)) would call it.
	count.Observe(context.Background(), errmap.Event{Procedure: "/shop.v1.Cart/Get", Err: &shopv1.StockEmptyError{Sku: "A1"}})
	// Output:
	// server /shop.v1.Cart/Get STOCK_EMPTY FAILED_PRECONDITION shop.example.com/STOCK_EMPTY: No A1 left
}
