// Package cause tells errors that the network and the context make from those
// that programs write.
package cause

import (
	"bytes"
	"context"
	"encoding/json"
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

// Cut tells whether an error is what a call leaves whose transport ended before its
// answer did: a reset of the connection or of the stream, a GOAWAY, an end of file
// inside an answer or between the messages of a stream. A peer may not have seen
// the call, or have done all of it.
func Cut(err error) bool {
	if err == nil || OfContext(err) || errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	for _, end := range []error{io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return CutText(err.Error())
}

// CutText is Cut for an error of which there is no more than its text. Neither
// net/http nor grpc-go has types for these.
func CutText(text string) bool {
	for _, end := range []string{
		"server sent GOAWAY and closed the connection", "http2: client connection lost", "http2: client connection force closed",
		"connection error: PROTOCOL_ERROR",
	} {
		if strings.Contains(text, end) {
			return true
		}
	}
	_, reset, ok := strings.Cut(text, "stream error: stream ID ")
	if ok {
		_, reset, ok = strings.Cut(reset, "; ")
	} else {
		_, reset, ok = strings.Cut(text, "RST_STREAM with error code: ")
	}
	if !ok {
		return false
	}
	reset, _, _ = strings.Cut(reset, ";")
	switch strings.TrimSpace(reset) {
	case "NO_ERROR", "INTERNAL_ERROR", "CANCEL", "REFUSED_STREAM", "STREAM_CLOSED", "CONNECT_ERROR":
		return true // as servers reset streams whose handlers die, and proxies those of servers that do
	}
	return false // what the peer holds against the call, such as ENHANCE_YOUR_CALM
}

// EndsEarly tells whether JSON ends before it is whole. Empty text is no JSON that
// began.
func EndsEarly(text []byte) bool {
	var whole json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&whole), io.ErrUnexpectedEOF)
}
