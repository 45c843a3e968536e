package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
)

// A Field is a field report about what a handler returns, and the check of what
// its caller gets.
type Field struct {
	Fail  func(context.Context) error
	Check func(*testing.T, *errmap.Error, error)
}

// Fields are the field reports that hold for each adapter alike, by the names of
// their tests.
func Fields() map[string]Field {
	invalid := &shopv1.InvalidCartError{Fields: &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
		{Field: "items[1].sku", Description: "pattern"}, {Field: "qty", Description: "gt"},
	}}}
	var none *shopv1.StockEmptyError
	return map[string]Field{
		"022_text_that_is_no_UTF8": {
			Return(errmap.NewCode(code.Code_NOT_FOUND, "caf\xe9").WithDetail(&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com", Metadata: map[string]string{"sku": "A\xff"}})),
			func(t *testing.T, e *errmap.Error, _ error) {
				if e.Message() != "caf\uFFFD" || e.Reason() != "STOCK_EMPTY" || e.ErrorInfo().GetMetadata()["sku"] != "A\uFFFD" {
					t.Errorf("got %v", e)
				}
			},
		},
		"023_line_breaks_in_the_message": {
			Return(errmap.NewCode(code.Code_ABORTED, "line1\r\nline2 é 100%")),
			func(t *testing.T, e *errmap.Error, _ error) {
				if e.Message() != "line1\r\nline2 é 100%" {
					t.Errorf("got %q", e.Message())
				}
			},
		},
		"060_wrapped_errors_are_found": {
			Return(fmt.Errorf("save: %w", errors.Join(io.EOF, fmt.Errorf("row: %w", StockEmpty())))),
			func(t *testing.T, e *errmap.Error, err error) {
				CheckStockEmpty(t, err)
				if strings.Contains(e.Message(), "save") {
					t.Errorf("message %q", e.Message())
				}
			},
		},
		"069_violations_of_fields": {
			Return(invalid),
			func(t *testing.T, e *errmap.Error, err error) {
				got, ok := errors.AsType[*shopv1.InvalidCartError](err)
				if !ok || len(got.GetFields().GetFieldViolations()) != 2 || e.Reason() != "INVALID_CART" {
					t.Errorf("got %v", err)
				}
			},
		},
		"072_first_of_joined_errors": {
			Return(errors.Join(StockEmpty(), invalid, errors.New(Secret))),
			func(t *testing.T, e *errmap.Error, err error) {
				CheckStockEmpty(t, err)
				if strings.Contains(e.Message(), secretPart) {
					t.Errorf("message %q", e.Message())
				}
			},
		},
		"075_nil_pointer_of_a_message": {
			Return(none),
			func(t *testing.T, e *errmap.Error, _ error) {
				if e.Reason() != "STOCK_EMPTY" || e.Message() != "The stock is empty" {
					t.Errorf("got %v", e)
				}
			},
		},
		"119_not_found_and_forbidden_alike": {
			Return(errmap.NewCode(code.Code_NOT_FOUND, "no such cart").WithCause(errors.New(Secret))),
			func(t *testing.T, e *errmap.Error, _ error) {
				if len(e.Details()) != 0 || e.Message() != "no such cart" {
					t.Errorf("got %v", e)
				}
			},
		},
	}
}

// CheckFields runs the field reports through one adapter.
func CheckFields(t *testing.T, run func(*testing.T, func(context.Context) error, func(*testing.T, error, *Wire))) {
	for name, field := range Fields() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, field.Fail, func(t *testing.T, err error, w *Wire) {
				e, ok := errors.AsType[*errmap.Error](err)
				if !ok || !e.Remote() {
					t.Fatalf("got %v", err)
				}
				field.Check(t, e, err)
				CheckUntold(t, w)
			})
		})
	}
}
