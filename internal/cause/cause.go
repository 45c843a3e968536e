// Package cause tells errors that the network and the context make from those
// that programs write.
package cause

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// OfCall tells whether an error is what a failed call leaves: a network error, a
// connection that broke off, a deadline, a cancellation. Its text may hold
// addresses.
func OfCall(err error) bool {
	if err == nil {
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok { // *url.Error, *net.OpError, timeouts
		return true
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return true
	}
	if OfContext(err) || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return true
	}
	// The errors of net/http's own HTTP/2 have no exported types.
	text := err.Error()
	return strings.HasPrefix(text, "stream error: ") || strings.HasPrefix(text, "http2: ")
}

// OfContext tells whether an error is that of a context.
func OfContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
