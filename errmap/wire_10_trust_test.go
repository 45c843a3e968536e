package errmap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
	a2av1 "github.com/errmap/errmap/gen/errmap/a2a/v1"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

const secret = "dial tcp 10.0.0.7:5432: user=app"

// watched returns a Guard and what it kept from callers.
func watched(opts ...errmap.GuardOption) (*errmap.Guard, *[]errmap.Report) {
	var reports []errmap.Report
	log := errmap.WithLog(func(_ context.Context, r errmap.Report) { reports = append(reports, r) })
	return errmap.NewGuard(append(opts, log)...), &reports
}

// libraryError stands for an error of an RPC library.
type libraryError struct{ text string }

func (e libraryError) Error() string { return e.text }

func TestWire_10_only_errors_made_for_the_caller_speak(t *testing.T) {
	t.Parallel()
	made := errmap.NewCode(code.Code_NOT_FOUND, "gone")
	for name, test := range map[string]struct {
		err   error
		code  code.Code
		text  string
		hides bool
	}{
		"an annotated message":           {&shopv1.StockEmptyError{Sku: "A1"}, 9, "No A1 left", false},
		"wrapped":                        {fmt.Errorf("%s: %w", secret, &shopv1.StockEmptyError{Sku: "A1"}), 9, "No A1 left", false},
		"joined":                         {errors.Join(errors.New(secret), &shopv1.StockEmptyError{Sku: "A1"}), 9, "No A1 left", false},
		"an Error":                       {fmt.Errorf("%s: %w", secret, made), 5, "gone", false},
		"an Error with a cause":          {made.WithCause(errors.New(secret)), 5, "gone", false},
		"any other error":                {errors.New(secret), 13, "internal error", true},
		"a received one":                 {errmap.NewCode(5, secret).WithRemote(), 13, "internal error", true},
		"a received one, wrapped":        {fmt.Errorf("w: %w", errmap.NewCode(5, secret).WithRemote()), 13, "internal error", true},
		"a received one, forwarded":      {errmap.Forward(made.WithRemote()), 5, "gone", false},
		"one of a call that failed":      {errmap.NewCode(14, secret).WithLocal(), 13, "internal error", true},
		"received beside a made one":     {errors.Join(errmap.NewCode(5, secret).WithRemote(), made), 5, "gone", false},
		"a typed nil":                    {(*errmap.Error)(nil), 13, "internal error", true},
		"another's context is over":      {fmt.Errorf("%s: %w", secret, context.DeadlineExceeded), 13, "internal error", true},
		"another's context is over 2":    {fmt.Errorf("%s: %w", secret, context.Canceled), 13, "internal error", true},
		"io.EOF":                         {io.EOF, 13, "internal error", true},
		"a library's that speaks":        {fmt.Errorf("w: %w", libraryError{"speaks"}), 7, "speaks", false},
		"a library's that does not":      {fmt.Errorf("w: %w", libraryError{secret}), 13, "internal error", true},
		"a nil annotated message":        {(*shopv1.StockEmptyError)(nil), 9, "The stock is empty", false},
		"a made one behind its own wrap": {fmt.Errorf("%s: %w", secret, fmt.Errorf("%s: %w", secret, made)), 5, "gone", false},
	} {
		g, reports := watched(errmap.WithRecognizer(func(link error) (*errmap.Error, bool) {
			e, ok := link.(libraryError)
			if !ok || e.text == secret {
				return nil, ok
			}
			return errmap.NewCode(7, e.text), true
		}))
		e := g.Outgoing(t.Context(), test.err)
		if e.Code() != test.code || e.Message() != test.text || (len(*reports) == 1) != test.hides {
			t.Errorf("%s: %s, %v", name, describe(e), *reports)
		}
		if test.hides {
			if name == "a typed nil" && !strings.Contains((*reports)[0].Err.Error(), "nil *errmap.Error") {
				t.Errorf("%s: %v", name, (*reports)[0].Err)
			}
			id, ok := errmap.Detail[*errdetails.RequestInfo](e)
			if !ok || id.GetRequestId() == "" || id.GetRequestId() != (*reports)[0].ID || name != "a typed nil" && !errors.Is((*reports)[0].Err, test.err) {
				t.Errorf("%s: id %v, report %v", name, id, *reports)
			}
		}
		for _, w := range allWires {
			if p := w.encode(e); strings.Contains(p.String(), "10.0.0.7") {
				t.Errorf("%s, %s: %s", name, w.name, p)
			}
		}
	}
	if e := new(errmap.Guard).Outgoing(t.Context(), nil); e != nil {
		t.Errorf("nil is %v", e)
	}
}

// brittle is an error of a library that takes no nil receiver.
type brittle struct{ inner error }

func (b *brittle) Error() string   { return b.inner.Error() }
func (b *brittle) Unwrap() error   { return b.inner }
func (b *brittle) Is(e error) bool { return b.inner == e }

// A boxed nil pointer of somebody else's type costs nothing but its text.
func TestGuard_links_that_panic(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range map[string]error{
		"alone": (*brittle)(nil), "wrapped": fmt.Errorf("w: %w", error((*brittle)(nil))), "joined": errors.Join((*brittle)(nil), io.EOF),
	} {
		for _, ctx := range []context.Context{t.Context(), over} {
			g, reports := watched()
			if e := g.Outgoing(ctx, err); e.Code() != code.Code_INTERNAL || len(*reports) != 1 {
				t.Errorf("%s: %s", name, describe(e))
			}
		}
		if e := errmap.From(err); e.Code() != code.Code_INTERNAL {
			t.Errorf("%s: %s", name, describe(e))
		}
		_ = errmap.Forward(err)
	}
	if e := errmap.From(errors.Join((*brittle)(nil), &shopv1.StockEmptyError{Sku: "A1"})); e.Reason() != "STOCK_EMPTY" {
		t.Errorf("%s", describe(e))
	}
	if e := new(errmap.Guard).Outgoing(over, errors.Join(uncomparable{nil}, context.Canceled)); e.Code() != code.Code_CANCELLED {
		t.Errorf("%s", describe(e))
	}
}

// uncomparable is an error whose values Go cannot compare.
type uncomparable []error

func (uncomparable) Error() string { return "uncomparable" }

func TestWire_10_hidden_text_on_JSONRPC(t *testing.T) {
	t.Parallel()
	g, _ := watched(errmap.WithHiddenMessage("Internal error"))
	e := g.Outgoing(t.Context(), errors.New(secret))
	if e.Message() != "Internal error" || e.Code() != code.Code_INTERNAL {
		t.Errorf("%s", describe(e))
	}
}

func TestWire_10_panics(t *testing.T) {
	t.Parallel()
	for _, value := range []any{"secret=42", 42, errors.New(secret), errmap.NewCode(5, "speaks otherwise"), &shopv1.StockEmptyError{Sku: "A1"}, nil} {
		g, reports := watched()
		var e *errmap.Error
		func() {
			defer func() { e = g.Panicked(t.Context(), recover()) }()
			panic(value)
		}()
		if e.Code() != code.Code_INTERNAL || e.Message() != "internal error" || len(*reports) != 1 || len((*reports)[0].Stack) == 0 {
			t.Errorf("%v: %s, %v", value, describe(e), *reports)
		}
		if r := (*reports)[0].Err.Error(); !strings.HasPrefix(r, "panic: ") || value != nil && !strings.Contains(r, fmt.Sprint(value)) {
			t.Errorf("%v is reported as %s", value, r)
		}
		if _, ok := errors.AsType[*shopv1.StockEmptyError](error(e.WithCause(nil))); ok {
			t.Error("the value of a panic speaks")
		}
		for _, w := range allWires {
			if p := w.encode(e).String(); strings.Contains(p, "42") && value == "secret=42" && strings.Contains(p, "secret") || strings.Contains(p, "STOCK_EMPTY") {
				t.Errorf("%v, %s: %s", value, w.name, p)
			}
		}
	}
}

func TestWire_10_DebugInfo_stays(t *testing.T) {
	t.Parallel()
	e := errmap.NewCode(5, "m").WithDetail(&errdetails.DebugInfo{Detail: secret}).WithDetail(&errdetails.RequestInfo{RequestId: "r"})
	if got := new(errmap.Guard).Outgoing(t.Context(), e); len(got.Details()) != 1 || got.Details()[0].Name() != "google.rpc.RequestInfo" {
		t.Errorf("%s", describe(got))
	}
	if len(e.Details()) != 2 {
		t.Error("the handler's error was changed")
	}
	g, _ := watched(errmap.WithDebugInfo())
	if got := g.Outgoing(t.Context(), e); len(got.Details()) != 2 {
		t.Errorf("%s", describe(got))
	}
	if got := errmap.From(e); len(got.Details()) != 2 {
		t.Errorf("a codec strips: %s", describe(got))
	}
}

func TestWire_10_context_errors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shutdown := make(chan struct{})
		g, reports := watched(errmap.WithShutdown(shutdown))
		deadline, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if e := g.Outgoing(deadline, context.DeadlineExceeded); e.Code() != code.Code_INTERNAL {
			t.Errorf("a nested call's timeout: %s", describe(e))
		}
		time.Sleep(2 * time.Second)
		if e := g.Outgoing(deadline, fmt.Errorf("%s: %w", secret, context.DeadlineExceeded)); e.Code() != code.Code_DEADLINE_EXCEEDED || !errors.Is(e, context.DeadlineExceeded) {
			t.Errorf("the request's own deadline: %s", describe(e))
		}
		if e := g.Outgoing(deadline, fmt.Errorf("x: %w", context.Canceled)); e.Code() != code.Code_DEADLINE_EXCEEDED {
			t.Errorf("cancelled by the deadline: %s", describe(e))
		}
		if e := g.Outgoing(deadline, errors.New(secret)); e.Code() != code.Code_INTERNAL {
			t.Errorf("something else after the deadline: %s", describe(e))
		}
		if e := g.Outgoing(deadline, &a2av1.TaskNotFoundError{}); e.Code() != code.Code_NOT_FOUND {
			t.Errorf("an error that speaks: %s", describe(e))
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if e := g.Outgoing(gone, context.Canceled); e.Code() != code.Code_CANCELLED || !errors.Is(e, context.Canceled) {
			t.Errorf("the caller has gone: %s", describe(e))
		}
		close(shutdown)
		if e := g.Outgoing(gone, context.Canceled); e.Code() != code.Code_UNAVAILABLE {
			t.Errorf("the server shuts down: %s", describe(e))
		}
		if e := g.Outgoing(deadline, context.DeadlineExceeded); e.Code() != code.Code_DEADLINE_EXCEEDED {
			t.Errorf("a deadline during the shutdown: %s", describe(e))
		}
		if len(*reports) != 2 {
			t.Errorf("%d reports", len(*reports))
		}
	})
}

// A log that panics costs neither the answer nor the report.
func TestGuard_log(t *testing.T) {
	var b strings.Builder
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	defer slog.SetDefault(before)
	g := errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) { panic("the log is broken") }))
	if e := g.Outgoing(t.Context(), errors.New(secret)); e.Code() != code.Code_INTERNAL {
		t.Errorf("%s", describe(e))
	}
	if e := (*errmap.Guard)(nil).Outgoing(t.Context(), errors.New(secret)); e.Code() != code.Code_INTERNAL {
		t.Errorf("%s", describe(e))
	}
	if e := (*errmap.Guard)(nil).Panicked(t.Context(), "boom"); e.Code() != code.Code_INTERNAL {
		t.Errorf("%s", describe(e))
	}
	for _, want := range []string{"the log is broken", secret, "panic: boom", "request_id=", "stack="} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in the log:\n%s", want, b.String())
		}
	}
}

func TestGuard_forwarded_local_error_keeps_its_text(t *testing.T) {
	t.Parallel()
	e, err := errmap.DecodeHTTP([]byte(`{"message":"`+secret+`","trace":"`+secret+`","status":"`+secret+`","details":[{"x":"`+secret+`"},`+
		`{"@type":"type.googleapis.com/google.rpc.Help","links":[{"url":"`+secret+`"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}]}`),
		errmap.WithHTTPStatus(503))
	if err != nil {
		t.Fatal(err)
	}
	out := errmap.NewGuard().Outgoing(t.Context(), errmap.Forward(e.WithLocal()))
	for _, w := range allWires {
		if p := w.encode(out); strings.Contains(string(p.body)+fmt.Sprint(p.headers), "10.0.0.7") {
			t.Errorf("%s: %s", w.name, p.body)
		}
	}
	if delay, ok := out.RetryDelay(); !ok || delay != 2*time.Second || out.Code() != code.Code_UNAVAILABLE || out.Received() != nil {
		t.Error(describe(out))
	}
}
