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

func TestCut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"nil":                    {nil, false},
		"a text":                 {errors.New("no such cart"), false},
		"the end of a stream":    {io.EOF, false},
		"refused":                {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, false},
		"canceled":               {fmt.Errorf("%w: %w", context.Canceled, io.ErrUnexpectedEOF), false},
		"too late":               {os.ErrDeadlineExceeded, false},
		"inside an answer":       {fmt.Errorf("read message: %w", io.ErrUnexpectedEOF), true},
		"reset":                  {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, true},
		"GOAWAY":                 {errors.New(`http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=""`), true},
		"lost":                   {errors.New("http2: client connection lost"), true},
		"a reset stream":         {errors.New("read message: stream error: stream ID 1; INTERNAL_ERROR; received from peer"), true},
		"without a cause":        {errors.New("stream error: stream ID 1; CANCEL"), true},
		"too many calls":         {errors.New("stream error: stream ID 1; ENHANCE_YOUR_CALM; received from peer"), false},
		"a breach":               {errors.New("stream error: stream ID 1; PROTOCOL_ERROR; malformed header"), false},
		"grpc-go's reset":        {errors.New("stream terminated by RST_STREAM with error code: CANCEL"), true},
		"grpc-go's breach":       {errors.New("stream terminated by RST_STREAM with error code: PROTOCOL_ERROR"), false},
		"grpc-go's lost end":     {errors.New("server closed the stream without sending trailers"), false},
		"no stream error at all": {errors.New("stream error: stream ID 1"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := cause.Cut(test.err); got != test.want {
				t.Errorf("Cut(%v) = %v, want %v", test.err, got, test.want)
			}
		})
	}
}

func TestEndsEarly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, " ": false, "{": true, `{"a":"b`: true, `{"a":tru`: true, `[1`: true, `{}`: false, `{"a"}`: false, "<html>": false, `{"a":1} {`: false,
	} {
		if got := cause.EndsEarly([]byte(text)); got != want {
			t.Errorf("EndsEarly(%q) = %v", text, got)
		}
	}
}
