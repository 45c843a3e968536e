// Package deadline bounds how long servers over HTTP wait: for the end of a call
// whose client says when it stops to wait, and for the body of a request.
package deadline

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

const (
	headerConnectTimeout = "Connect-Timeout-Ms"
	headerGRPCTimeout    = "Grpc-Timeout"

	maxConnectDigits = 10
	maxGRPCDigits    = 8
)

// Timeout returns how long the client waits, by Connect-Timeout-Ms and Grpc-Timeout,
// of both the less; false where it does not say. The error tells the client which
// of them is malformed.
func Timeout(header http.Header) (time.Duration, bool, error) {
	least, set := time.Duration(math.MaxInt64), false
	if value := first(header[headerConnectTimeout]); value != "" {
		n, err := digits(value, maxConnectDigits)
		if err != nil {
			return 0, false, fmt.Errorf("%s is not 1 to %d digits", headerConnectTimeout, maxConnectDigits)
		}
		least, set = min(least, span(n, time.Millisecond)), true
	}
	if value := first(header[headerGRPCTimeout]); value != "" {
		unit, known := grpcUnits(value[len(value)-1])
		n, err := digits(value[:len(value)-1], maxGRPCDigits)
		if err != nil || !known {
			return 0, false, fmt.Errorf("%s is not 1 to %d digits and a unit", headerGRPCTimeout, maxGRPCDigits)
		}
		least, set = min(least, span(n, unit)), true
	}
	return least, set, nil
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

func grpcUnits(unit byte) (time.Duration, bool) {
	switch unit {
	case 'H':
		return time.Hour, true
	case 'M':
		return time.Minute, true
	case 'S':
		return time.Second, true
	case 'm':
		return time.Millisecond, true
	case 'u':
		return time.Microsecond, true
	case 'n':
		return time.Nanosecond, true
	}
	return 0, false
}

// digits reads a number of nothing but digits.
func digits(text string, limit int) (int64, error) {
	if len(text) == 0 || len(text) > limit || text[0] == '+' || text[0] == '-' {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(text, 10, 64)
}

// span is n times unit, or the longest time where that is more.
func span(n int64, unit time.Duration) time.Duration {
	if n > math.MaxInt64/int64(unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
}
