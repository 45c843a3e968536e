package errmap_test

import (
	"strings"
	"testing"
	"time"

	"github.com/errmap/errmap/errmap"
)

// A delay beyond the longest that is believed is that one, and not what is left of it when
// it overflows.
func TestFinding_A21_longest_delay(t *testing.T) {
	t.Parallel()
	longest, ok := errmap.ParseRetryAfter(strings.Repeat("9", 30), time.Time{})
	if !ok || longest <= 0 {
		t.Fatalf("%v %t", longest, ok)
	}
	for _, value := range []string{"9223372037", "9223372036854775807", "18446744074"} {
		if got, ok := errmap.ParseRetryAfter(value, time.Time{}); !ok || got != longest {
			t.Errorf("%s: %v %t, want %v", value, got, ok, longest)
		}
	}
}

// Of a call that failed here not even a RetryInfo leaves that says more than a delay.
func TestFinding_A21_RetryInfo_that_says_more(t *testing.T) {
	t.Parallel()
	for _, element := range []string{
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s","host":"10.0.0.7"}`,
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"10.0.0.7"}`,
	} {
		e := decodeText(t, "jsonrpc/generic", `{"code":-31503,"message":"m","data":[`+element+`]}`, 0)
		out := errmap.NewGuard(errmap.WithDebugInfo()).Outgoing(t.Context(), errmap.Forward(e.WithLocal()))
		for _, w := range allWires {
			if p := w.encode(out).String(); strings.Contains(p, "10.0.0.7") {
				t.Errorf("%s: %s", w.name, p)
			}
		}
	}
}
