package adaptertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Secret is a text that must be in no response.
const Secret = "dial tcp 10.0.0.7:5432: user=app"

// secretPart is a part of Secret that no wire escapes.
const secretPart = "10.0.0.7"

// StockEmpty returns an annotated message with a text that is not ASCII and a
// detail.
func StockEmpty() *shopv1.StockEmptyError {
	return &shopv1.StockEmptyError{
		Sku:   "A1 é",
		Retry: &errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)},
	}
}

// CheckStockEmpty tells whether a client got the error that StockEmpty made.
func CheckStockEmpty(t *testing.T, err error) {
	t.Helper()
	got, ok := errors.AsType[*shopv1.StockEmptyError](err)
	if !ok {
		t.Fatalf("got %v, want a StockEmptyError", err)
	}
	if got.GetSku() != "A1 é" || got.GetRetry().GetRetryDelay().AsDuration() != 1500*time.Millisecond {
		t.Errorf("got %v", got)
	}
	e, ok := errors.AsType[*errmap.Error](err)
	if !ok || !e.Remote() || e.Local() {
		t.Errorf("not Remote: %v", err)
	}
	if e.Code() != code.Code_FAILED_PRECONDITION || e.Message() != "No A1 é left" {
		t.Errorf("got %v", e)
	}
	if !errors.Is(err, &shopv1.StockEmptyError{Sku: "another"}) {
		t.Error("errors.Is does not find the identity")
	}
}

// Hidden are handlers of which the caller must learn nothing. An RPC library
// adds its own received errors.
func Hidden() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"error":               Return(errors.New(Secret)),
		"panic":               func(context.Context) error { panic(Secret) },
		"panic with an error": func(context.Context) error { panic(errmap.NewCode(code.Code_NOT_FOUND, Secret)) },
		"received":            Return(errmap.NewCode(code.Code_NOT_FOUND, Secret).WithRemote()),
		"received, wrapped":   Return(fmt.Errorf("inventory: %w", errmap.NewCode(code.Code_NOT_FOUND, Secret).WithRemote())),
		"failed call":         Return(errmap.NewCode(code.Code_UNAVAILABLE, Secret).WithLocal()),
		"nested deadline":     Return(fmt.Errorf("%s: %w", Secret, context.DeadlineExceeded)),
		"nested cancel":       Return(fmt.Errorf("%s: %w", Secret, context.Canceled)),
		"nil pointer":         Return((*errmap.Error)(nil)),
	}
}

// CheckHidden tells whether a caller learned nothing but an id, and the log all.
func CheckHidden(t *testing.T, name string, err error, w *Wire, logged *Journal) {
	t.Helper()
	e, ok := errors.AsType[*errmap.Error](err)
	if !ok || e.Code() != code.Code_INTERNAL || e.Message() != "internal error" {
		t.Fatalf("got %v, want INTERNAL: internal error", err)
	}
	if strings.Contains(fmt.Sprintf("%+v", err), secretPart) {
		t.Errorf("the secret is in the client's error: %+v", err)
	}
	CheckUntold(t, w)
	info, ok := errmap.Detail[*errdetails.RequestInfo](err)
	if !ok {
		t.Fatal("no RequestInfo")
	}
	report, ok := logged.Find(info.GetRequestId())
	if !ok {
		t.Fatalf("no log entry has the id %q", info.GetRequestId())
	}
	if !strings.HasPrefix(name, "nil") && !strings.Contains(report.Err.Error(), Secret) {
		t.Errorf("the log has %v", report.Err)
	}
	if report.Procedure == "" {
		t.Error("the log does not say what was called")
	}
	if panicked := strings.HasPrefix(name, "panic"); panicked != (report.Stack != nil) {
		t.Errorf("the log has the stack %q", report.Stack)
	}
}

// CheckUntold tells whether no secret is in the bytes of a server.
func CheckUntold(t *testing.T, w *Wire) {
	t.Helper()
	if bytes.Contains(w.Bytes(), []byte(secretPart)) {
		t.Errorf("the secret is on the wire: %q", w.Bytes())
	}
}

// Return returns a handler's part that answers with one error.
func Return(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

// Journal keeps what a Guard logged.
type Journal struct {
	mu      sync.Mutex
	reports []errmap.Report
}

// Guard returns a Guard that logs to the journal.
func (j *Journal) Guard(opts ...errmap.GuardOption) *errmap.Guard {
	return errmap.NewGuard(append(opts, errmap.WithLog(func(_ context.Context, r errmap.Report) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.reports = append(j.reports, r)
	}))...)
}

// Find returns the report with an id.
func (j *Journal) Find(id string) (errmap.Report, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.reports {
		if r.ID == id {
			return r, true
		}
	}
	return errmap.Report{}, false
}

// Len returns how many reports there are.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.reports)
}
