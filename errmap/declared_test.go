package errmap_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
	libraryv1 "github.com/errmap/errmap/internal/testproto/gen/library/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

func TestUndeclared(t *testing.T) {
	t.Parallel()
	identified := func(domain, reason string) *errmap.Error {
		return errmap.NewCode(code.Code_NOT_FOUND, "x").WithDetail(&errdetails.ErrorInfo{Domain: domain, Reason: reason})
	}
	for name, test := range map[string]struct {
		procedure string
		e         *errmap.Error
		want      bool
	}{
		"declared":             {"/shop.v1.Cart/Get", errmap.New(&shopv1.StockEmptyError{}), false},
		"declared, by a peer":  {"/shop.v1.Cart/Get", identified("shop.example.com", "STOCK_EMPTY"), false},
		"of another domain":    {"/shop.v1.Cart/Get", identified("other.example.com", "STOCK_EMPTY"), true},
		"of another method":    {"/shop.v1.Cart/Get", errmap.New(&libraryv1.BookNotFoundError{}), true},
		"declared, not linked": {"/shop.v1.Cart/Get", identified("any.example.com", "UNKNOWN_TO_EVERYBODY"), false},
		"no identity":          {"/shop.v1.Cart/Get", errmap.NewCode(code.Code_NOT_FOUND, "x"), false},
		"nil":                  {"/shop.v1.Cart/Get", nil, false},
		"without a promise":    {"/shop.v1.Cart/Watch", identified("a.example.com", "X"), false},
		"a method of the same name that promises nothing": {"/shop.v1.Orders/Get", identified("a.example.com", "X"), false},
		"unknown method":  {"/shop.v1.Cart/None", identified("a.example.com", "X"), false},
		"unknown service": {"/shop.v1.None/Get", identified("a.example.com", "X"), false},
		"a message":       {"/shop.v1.GetRequest/Get", identified("a.example.com", "X"), false},
		"of HTTP":         {"GET /books/{id}", identified("a.example.com", "X"), false},
		"nothing":         {"", identified("a.example.com", "X"), false},
	} {
		if got := errmap.Undeclared(test.procedure, test.e); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDeclaredErrors(t *testing.T) {
	t.Parallel()
	var got []string
	for _, d := range errmap.DeclaredErrors("/shop.v1.Cart/Get") {
		got = append(got, string(d.FullName()))
	}
	if diff := cmp.Diff([]string{"shop.v1.StockEmptyError"}, got); diff != "" {
		t.Error(diff)
	}
	if got := errmap.DeclaredErrors("/shop.v1.Cart/Watch"); got != nil {
		t.Error(got)
	}
}

func TestWithUndeclared(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		action errmap.UndeclaredAction
		err    error
		code   code.Code
		logged bool
	}{
		"sent":             {errmap.SendUndeclared, &libraryv1.BookNotFoundError{}, code.Code_NOT_FOUND, false},
		"logged":           {errmap.LogUndeclared, &libraryv1.BookNotFoundError{}, code.Code_NOT_FOUND, true},
		"hidden":           {errmap.HideUndeclared, &libraryv1.BookNotFoundError{}, code.Code_INTERNAL, true},
		"hidden, declared": {errmap.HideUndeclared, &shopv1.StockEmptyError{}, code.Code_FAILED_PRECONDITION, false},
	} {
		var reports []errmap.Report
		g := errmap.NewGuard(errmap.WithUndeclared(test.action), errmap.WithLog(func(_ context.Context, r errmap.Report) { reports = append(reports, r) }))
		got := g.Outgoing(errmap.WithProcedure(t.Context(), "/shop.v1.Cart/Get"), test.err)
		if got.Code() != test.code || (len(reports) == 1) != test.logged {
			t.Errorf("%s: %v, reports %+v", name, got, reports)
			continue
		}
		if !test.logged {
			continue
		}
		r := reports[0]
		info, _ := errmap.Detail[*errdetails.RequestInfo](got)
		if !r.Undeclared || r.ID != info.GetRequestId() || r.Procedure != "/shop.v1.Cart/Get" ||
			!strings.HasPrefix(r.Err.Error(), "/shop.v1.Cart/Get does not declare library.example.com/BOOK_NOT_FOUND: ") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// The generated function finds an error that came from far, for a switch.
func TestAsCartGetError(t *testing.T) {
	t.Parallel()
	body := errmap.EncodeStatusJSON(errmap.New(&shopv1.StockEmptyError{Sku: "A1"}))
	e, err := errmap.DecodeStatusJSON(body)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	switch e := shopv1.AsCartGetError(fmt.Errorf("get: %w", e)).(type) {
	case *shopv1.StockEmptyError:
		got = e.GetSku()
	default:
		t.Errorf("got %T", e)
	}
	if got != "A1" {
		t.Errorf("sku %q", got)
	}
	other := errmap.New(&libraryv1.BookNotFoundError{})
	if got := shopv1.AsCartGetError(other); got != error(other) {
		t.Errorf("got %v of another error", got)
	}
	if got := shopv1.AsCartGetError(nil); got != nil {
		t.Errorf("got %v of nil", got)
	}
}
