package wire

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/schema"
)

// maxRetryAfter bounds a delay to what time.Duration and google.protobuf.Duration
// can both say.
const maxRetryAfter = 250 * 365 * 24 * time.Hour

// RetryDelay returns the delay of the first RetryInfo that has one, not below 0.
func RetryDelay(e *hub.Error, catalog *schema.Catalog) (time.Duration, bool) {
	seconds, nanos, ok := retryDelay(e, catalog.Codec())
	if !ok {
		return 0, false
	}
	return max((&durationpb.Duration{Seconds: seconds, Nanos: nanos}).AsDuration(), 0), true
}

// WholeSeconds returns a delay in whole seconds, rounded up.
func WholeSeconds(delay time.Duration) string {
	seconds := int64(delay / time.Second)
	if delay%time.Second > 0 {
		seconds++
	}
	return strconv.FormatInt(seconds, 10)
}

// ParseRetryAfter reads a Retry-After value in either form (RFC 9110 section 10.2.3).
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
