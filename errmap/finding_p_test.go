package errmap_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"

	"github.com/errmap/errmap/errmap"
)

// What ended a call says more than that it was canceled, wherever it stands in a join.
func TestFinding_P27_canceled_beside_a_cause(t *testing.T) {
	t.Parallel()
	canceled, cause := errmap.NewCode(code.Code_CANCELLED, "canceled"), &shopv1.StockEmptyError{Sku: "A1"}
	for _, err := range []error{errors.Join(canceled, cause), errors.Join(cause, canceled), errors.Join(canceled, canceled, cause)} {
		for _, e := range []*errmap.Error{errmap.From(err), new(errmap.Guard).Outgoing(t.Context(), err)} {
			if e.Reason() != "STOCK_EMPTY" || len(e.Notes()) == 0 {
				t.Errorf("%v: %s", err, describe(e))
			}
		}
	}
	if e := errmap.From(errors.Join(canceled, canceled)); e.Code() != code.Code_CANCELLED {
		t.Errorf("%s", describe(e))
	}
}

// Services that exist put what their database says under INTERNAL and UNKNOWN.
func TestFinding_P30_text_under_INTERNAL(t *testing.T) {
	t.Parallel()
	const secret = "pq: password of 10.0.0.7"
	var logged []errmap.Report
	g := errmap.NewGuard(errmap.WithHiddenCodes(code.Code_INTERNAL, code.Code_UNKNOWN, 99),
		errmap.WithLog(func(_ context.Context, r errmap.Report) { logged = append(logged, r) }))
	for _, c := range []code.Code{code.Code_INTERNAL, code.Code_UNKNOWN, 42} {
		e := g.Outgoing(t.Context(), errmap.NewCode(c, secret))
		if e.Code() != code.Code_INTERNAL || e.Message() != "internal error" {
			t.Errorf("%v: %s", c, describe(e))
		}
		info, ok := errmap.Detail[*errdetails.RequestInfo](e)
		last := logged[len(logged)-1]
		if !ok || info.GetRequestId() != last.ID || !strings.Contains(last.Err.Error(), secret) {
			t.Errorf("%v: %v logged as %v", c, info, last)
		}
		if again := g.Outgoing(t.Context(), e); again != e {
			t.Errorf("%v: hidden twice: %s", c, describe(again))
		}
	}
	count := len(logged)
	for _, err := range []error{errmap.NewCode(code.Code_NOT_FOUND, "gone"), &shopv1.StockEmptyError{}, errmap.NewCode(code.Code_INTERNAL, "m").WithDetail(&errdetails.ErrorInfo{Reason: "R"})} {
		if e := g.Outgoing(t.Context(), err); e.Message() == "internal error" || len(logged) != count {
			t.Errorf("%v: %s", err, describe(e))
		}
	}
}
