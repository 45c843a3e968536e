package cause_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/errmap/errmap/internal/cause"
)

func TestOfCall(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"nil":            {nil, false},
		"a text":         {errors.New("no such cart"), false},
		"end of file":    {io.EOF, false},
		"refused":        {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
		"url":            {&url.Error{Op: "Post", URL: "http://10.0.0.7", Err: errors.New("x")}, true},
		"wrapped":        {fmt.Errorf("call: %w", context.DeadlineExceeded), true},
		"canceled":       {context.Canceled, true},
		"a deadline":     {os.ErrDeadlineExceeded, true},
		"broken off":     {io.ErrUnexpectedEOF, true},
		"broken pipe":    {syscall.EPIPE, true},
		"closed":         {net.ErrClosed, true},
		"a reset stream": {errors.New("stream error: stream ID 1; CANCEL; received from peer"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := cause.OfCall(test.err); got != test.want {
				t.Errorf("OfCall(%v) = %v, want %v", test.err, got, test.want)
			}
		})
	}
}
