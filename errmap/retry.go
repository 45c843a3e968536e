package errmap

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"
)

// maxRetryAfter bounds a delay to what time.Duration and google.protobuf.Duration
// can both say.
const maxRetryAfter = 250 * 365 * 24 * time.Hour

// RetryAfter returns the value of the Retry-After header that an HTTP response
// with this error has: the delay of RetryInfo in whole seconds, rounded up; ""
// without one (RFC 9110 section 10.2.3).
func (e *Error) RetryAfter() string {
	delay, ok := e.RetryDelay()
	if !ok {
		return ""
	}
	return wholeSeconds(delay)
}

// wholeSeconds returns a delay in whole seconds, rounded up.
func wholeSeconds(delay time.Duration) string {
	seconds := int64(delay / time.Second)
	if delay%time.Second > 0 {
		seconds++
	}
	return strconv.FormatInt(seconds, 10)
}

// ParseRetryAfter reads a Retry-After value in either form: seconds, or a date,
// which counts from received. A moment that has passed is 0. It is false where
// the value is neither.
func ParseRetryAfter(value string, received time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if digits := strings.TrimLeft(value, "0123456789"); digits == "" && value != "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && n < 0 {
		return 0, true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return min(max(date.Sub(received), 0), maxRetryAfter), true
}

// addRetryAfter appends what a Retry-After header says as a RetryInfo, unless
// the error has one.
func addRetryAfter(e *Error, value string, received time.Time) {
	delay, ok := ParseRetryAfter(value, received)
	if !ok {
		e.notes.add("Retry-After %q is neither seconds nor a date", clip(value, 64))
		return
	}
	for _, d := range e.details {
		if d.Name() != nameRetryInfo {
			continue
		}
		if e.RetryAfter() != wholeSeconds(delay) {
			e.notes.add("Retry-After %q is not the delay of the RetryInfo, which stands", clip(value, 64))
		}
		return
	}
	d, err := detailOf(&errdetails.RetryInfo{RetryDelay: durationpb.New(delay)})
	if err == nil {
		e.details = append(e.details, d)
	}
}
