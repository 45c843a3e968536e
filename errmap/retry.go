package errmap

import (
	"time"

	"github.com/errmap/errmap/internal/wire"
)

// RetryDelay returns the delay of the first RetryInfo detail that has one which
// can be read, not below 0. Without a delay a RetryInfo says nothing.
func (e *Error) RetryDelay() (time.Duration, bool) {
	if e == nil {
		return 0, false
	}
	return wire.RetryDelay(&e.hub, e.known().schema())
}

// RetryAfter returns the value of the Retry-After header that an HTTP response
// with this error has: the delay of RetryInfo in whole seconds, rounded up; ""
// without one (RFC 9110 section 10.2.3).
func (e *Error) RetryAfter() string {
	delay, ok := e.RetryDelay()
	if !ok {
		return ""
	}
	return wire.WholeSeconds(delay)
}

// ParseRetryAfter reads a Retry-After value in either form: seconds, or a date,
// which counts from received. A moment that has passed is 0. It is false where
// the value is neither.
func ParseRetryAfter(value string, received time.Time) (time.Duration, bool) {
	return wire.ParseRetryAfter(value, received)
}
