package adaptertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// An Ending is a way in which the context of a call ends, and what the call must
// then return.
type Ending struct {
	Begin func(context.Context) (context.Context, context.CancelFunc)
	Code  code.Code
	Err   error
}

// Endings are the ways in which the context of a call ends.
func Endings() map[string]Ending {
	return map[string]Ending{
		"canceled": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		}, code.Code_CANCELLED, context.Canceled},
		"canceled before": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, code.Code_CANCELLED, context.Canceled},
		"expired": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, code.Code_DEADLINE_EXCEEDED, context.DeadlineExceeded},
		"expired before": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Unix(0, 0))
		}, code.Code_DEADLINE_EXCEEDED, context.DeadlineExceeded},
	}
}

// CheckLocal tells whether an error is of a call that failed here, with the error
// is in its chain and no other context error.
func CheckLocal(t *testing.T, err error, want code.Code, is error) {
	t.Helper()
	e, ok := errors.AsType[*errmap.Error](err)
	if !ok || e.Code() != want || !e.Local() || e.Remote() {
		t.Fatalf("got %v, want %v, Local", err, want)
	}
	if is != nil && !errors.Is(err, is) {
		t.Errorf("errors.Is does not find %v in %v", is, err)
	}
	for _, other := range []error{context.Canceled, context.DeadlineExceeded} {
		if is != other && errors.Is(err, other) {
			t.Errorf("errors.Is finds %v, too", other)
		}
	}
}
