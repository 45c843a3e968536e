package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/errmap/errmap/internal/adapter"
	"google.golang.org/genproto/googleapis/rpc/code"
)

func TestCut(t *testing.T) {
	t.Parallel()
	cut := fmt.Errorf("read message: %w", io.ErrUnexpectedEOF)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if e := adapter.Cut(t.Context(), errors.New("x")); e != nil {
		t.Errorf("of another error: %v", e)
	}
	for _, text := range []string{
		"internal: protocol error: %w", "protocol error: %w", "internal: protocol error: promised 9 bytes in enveloped message, got 4 bytes: %w",
		"internal: protocol error: no Grpc-Status trailer: %w",
	} {
		if e := adapter.Cut(t.Context(), fmt.Errorf(text, io.ErrUnexpectedEOF)); e != nil {
			t.Errorf("ended in order: "+text+": %v", io.ErrUnexpectedEOF, e)
		}
	}
	for name, test := range map[string]struct {
		ctx  context.Context
		want code.Code
		is   error
	}{
		"running":  {t.Context(), code.Code_UNAVAILABLE, io.ErrUnexpectedEOF},
		"canceled": {canceled, code.Code_CANCELLED, context.Canceled},
		"late":     {late, code.Code_DEADLINE_EXCEEDED, context.DeadlineExceeded},
	} {
		e := adapter.Cut(test.ctx, cut)
		if e.Code() != test.want || !e.Local() || !errors.Is(e, test.is) || !errors.Is(e, cut) || e.Retryable() != (name == "running") {
			t.Errorf("%s: %v", name, e)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]code.Code{
		"unmarshal message: proto: unexpected EOF":                     code.Code_UNAVAILABLE,
		"unmarshal end stream message: unexpected end of JSON input":   code.Code_UNAVAILABLE,
		"decompress: gzip: invalid header":                             code.Code_INTERNAL,
		"unmarshal message: proto: syntax error (line 1:1): invalid x": code.Code_INTERNAL,
		"name must not be empty":                                       code.Code_OK,
	} {
		if e := adapter.Unreadable(t.Context(), text, errors.New(text)); e.Code() != want || e != nil && !e.Local() {
			t.Errorf("%s: %v", text, e)
		}
	}
}

// A deadline counts before the timer of its context fires.
func TestEndedWith(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := errors.Join(adapter.Ended(ctx), adapter.EndedWith(ctx, code.Code_DEADLINE_EXCEEDED)); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if err := adapter.EndedWith(ctx, code.Code_DEADLINE_EXCEEDED); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := adapter.EndedWith(ctx, code.Code_CANCELLED); err != nil {
			t.Error(err)
		}
	})
}
