package errmap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

func TestField_060_wrapped_domain_error(t *testing.T) {
	t.Parallel()
	stock := &shopv1.StockEmptyError{Sku: "A1"}
	for name, err := range map[string]error{
		"wrapped": fmt.Errorf("save: %w", stock), "joined": errors.Join(io.EOF, stock),
		"deep": fmt.Errorf("a: %w", errors.Join(io.EOF, fmt.Errorf("b: %w", errors.Join(io.ErrNoProgress, stock)))),
	} {
		e := new(errmap.Guard).Outgoing(t.Context(), err)
		if e.Code() != code.Code_FAILED_PRECONDITION || e.Message() != "No A1 left" || e.ErrorInfo().GetMetadata()["sku"] != "A1" {
			t.Errorf("%s: %s", name, describe(e))
		}
		for _, w := range allWires {
			if p := w.encode(e).String(); strings.Contains(p, "save") || strings.Contains(p, "EOF") {
				t.Errorf("%s, %s: %s", name, w.name, p)
			}
		}
	}
}

func TestField_071_conversion_twice_is_conversion_once(t *testing.T) {
	t.Parallel()
	remote := decodeText(t, "grpc", "grpc-status: 5\ngrpc-message: gone\ngrpc-status-details-bin: "+vectorST5, 0).WithRemote()
	once := errmap.From(fmt.Errorf("ctx: %w", remote))
	twice := errmap.From(fmt.Errorf("ctx: %w", once))
	if s := difference(remote, once, exactly) + difference(remote, twice, exactly); s != "" || twice.Message() != "gone" || len(twice.Details()) != 1 {
		t.Errorf("%s: %s", s, describe(twice))
	}
}

func TestField_072_joins_have_a_primary_error(t *testing.T) {
	t.Parallel()
	joined := errors.Join(&shopv1.StockEmptyError{Sku: "A1"}, &a2av1.TaskNotFoundError{TaskId: "t"}, errors.New("plain secret"))
	e := new(errmap.Guard).Outgoing(t.Context(), joined)
	if e.Reason() != "STOCK_EMPTY" || len(e.Notes()) != 1 || e.Notes()[0] != "1 further errors of the join are not sent" {
		t.Errorf("%s", describe(e))
	}
	for _, w := range allWires {
		p := w.encode(e)
		if strings.Contains(p.String(), "secret") || strings.Contains(p.String(), "TASK_NOT_FOUND") {
			t.Errorf("%s: %s", w.name, p)
		}
		if back, err := w.decode(p); err != nil || difference(e, back, plainly) != "" {
			t.Errorf("%s: %v, %v", w.name, back, err)
		}
	}
	if _, ok := errors.AsType[*a2av1.TaskNotFoundError](error(e)); !ok {
		t.Error("the second is not in the cause")
	}
}

func TestField_073_identity_over_the_wire(t *testing.T) {
	t.Parallel()
	sentinel := errmap.New(&shopv1.StockEmptyError{})
	for _, w := range allWires {
		back, err := w.decode(w.encode(errmap.New(&shopv1.StockEmptyError{Sku: "A1"}).WithMessage("another text")))
		if err != nil || !errors.Is(back, sentinel) || !errors.Is(fmt.Errorf("w: %w", back), sentinel) {
			t.Errorf("%s: %s, %v", w.name, describe(back), err)
		}
		canceled, err := w.decode(w.encode(errmap.NewCode(code.Code_CANCELLED, "context canceled")))
		if err != nil || errors.Is(canceled, context.Canceled) {
			t.Errorf("%s: a received cancel is context.Canceled", w.name)
		}
	}
	if e := errmap.From(fmt.Errorf("a: %w", fmt.Errorf("b: %w", context.DeadlineExceeded))); e.Code() != code.Code_DEADLINE_EXCEEDED || !errors.Is(e, context.DeadlineExceeded) {
		t.Errorf("%s", describe(e))
	}
}

func TestField_075_boxed_nil_pointers(t *testing.T) {
	t.Parallel()
	var typed *shopv1.StockEmptyError
	var own *errmap.Error
	if e := errmap.From(typed); e.Reason() != "STOCK_EMPTY" || e.Message() != "The stock is empty" {
		t.Errorf("a nil message is the error with no field set: %s", describe(e))
	}
	if e := errmap.From(own); e != nil {
		t.Errorf("%s", describe(e))
	}
	g, reports := watched()
	if e := g.Outgoing(t.Context(), own); e.Code() != code.Code_INTERNAL || len(*reports) != 1 {
		t.Errorf("a handler that returns a boxed nil *Error: %s", describe(e))
	}
}

func TestField_078_driver_text_on_every_surface(t *testing.T) {
	t.Parallel()
	g, reports := watched()
	e := g.Outgoing(t.Context(), errors.New(secret))
	for _, w := range allWires {
		p := w.encode(e).String()
		for _, part := range []string{"dial", "10.0.0.7", "5432", "user=app", "errorString"} {
			if strings.Contains(p, part) {
				t.Errorf("%s: %s", w.name, p)
			}
		}
		if back, err := w.decode(w.encode(e)); err != nil || back.Code() != code.Code_INTERNAL || back.Message() != "internal error" {
			t.Errorf("%s: %v, %v", w.name, back, err)
		}
	}
	if len(*reports) != 1 || (*reports)[0].Err.Error() != secret || !strings.Contains(encodeText(t, "http", e), (*reports)[0].ID) {
		t.Errorf("%+v", *reports)
	}
}

func TestField_080_value_of_a_panic(t *testing.T) {
	t.Parallel()
	for _, value := range []any{"secret=42", &shopv1.StockEmptyError{Sku: "secret=42"}, errmap.NewCode(5, "secret=42")} {
		g, _ := watched()
		e := g.Panicked(t.Context(), value)
		for _, w := range allWires {
			if p := w.encode(e).String(); strings.Contains(p, "secret") || strings.Contains(p, "goroutine") {
				t.Errorf("%s: %s", w.name, p)
			}
		}
		if e.Code() != code.Code_INTERNAL {
			t.Errorf("%s", describe(e))
		}
	}
}

func TestField_081_data_that_cannot_be_marshalled(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]any{"a channel": make(chan int), "NaN": map[string]any{"n": nan()}, "a function": []any{func() {}}} {
		e, err := errmap.FromMap(map[string]any{"code": 4001, "message": "m", "data": data}, errmap.ProfileGeneric)
		if err != nil || e.Message() != "m" || encodeText(t, generic, e) != `{"code":4001,"message":"m"}` || len(e.Notes()) != 1 {
			t.Errorf("%s: %s, %v", name, describe(e), err)
		}
	}
	e, err := errmap.FromMap(map[string]any{"code": 4001, "message": "m", "data": map[string]any{"a": 1}}, errmap.ProfileGeneric)
	if got, ok := errmap.Detail[*shopv1.StockEmptyError](fmt.Errorf("x: %w", e)); err != nil || ok || got != nil {
		t.Errorf("%v, %v", got, err)
	}
	if got := encodeText(t, generic, errmap.From(fmt.Errorf("x: %w", e))); got != `{"code":4001,"message":"m","data":{"a":1}}` {
		t.Errorf("a wrapped error loses its data: %s", got)
	}
}

func TestField_083_hops_do_not_count(t *testing.T) {
	t.Parallel()
	made := errmap.New(&shopv1.StockEmptyError{Sku: "A1"})
	var e error = made
	for range 5 {
		for _, w := range allWires {
			p := w.encode(new(errmap.Guard).Outgoing(t.Context(), errmap.Forward(fmt.Errorf("hop: %w", e))))
			back, err := w.decode(p)
			if err != nil || difference(made, back, exactly) != "" {
				t.Fatalf("%s: %s in %s, %v", w.name, difference(made, back, exactly), p, err)
			}
			e = back.WithRemote()
		}
	}
}

func TestField_084_what_a_client_would_have_received(t *testing.T) {
	t.Parallel()
	e := errmap.New(&shopv1.StockEmptyError{Sku: "A1"}).WithRemote()
	got, ok := errors.AsType[*shopv1.StockEmptyError](error(e))
	if !e.Remote() || !ok || got.GetSku() != "A1" {
		t.Errorf("%s", describe(e))
	}
	g, _ := watched()
	if out := g.Outgoing(t.Context(), e); out.Code() != code.Code_INTERNAL {
		t.Errorf("it speaks: %s", describe(out))
	}
}

func nan() float64 {
	var zero float64
	return zero / zero
}
