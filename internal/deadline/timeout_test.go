package deadline_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/errmap/errmap/internal/deadline"
)

func TestTimeout(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		connect, grpc string
		want          time.Duration
		set           bool
		err           string
	}{
		"neither":         {},
		"Connect":         {connect: "250", want: 250 * time.Millisecond, set: true},
		"zero":            {connect: "0", set: true},
		"hours":           {grpc: "2H", want: 2 * time.Hour, set: true},
		"minutes":         {grpc: "2M", want: 2 * time.Minute, set: true},
		"seconds":         {grpc: "2S", want: 2 * time.Second, set: true},
		"milliseconds":    {grpc: "2m", want: 2 * time.Millisecond, set: true},
		"microseconds":    {grpc: "2u", want: 2 * time.Microsecond, set: true},
		"nanoseconds":     {grpc: "2n", want: 2, set: true},
		"the less":        {connect: "3000", grpc: "2S", want: 2 * time.Second, set: true},
		"the less again":  {connect: "1000", grpc: "2S", want: time.Second, set: true},
		"longer than all": {grpc: "99999999H", want: math.MaxInt64, set: true},
		"a sign":          {connect: "+1", err: "Connect-Timeout-Ms is not 1 to 10 digits"},
		"eleven digits":   {connect: "12345678901", err: "Connect-Timeout-Ms is not 1 to 10 digits"},
		"a fraction":      {connect: "1.5", err: "Connect-Timeout-Ms is not 1 to 10 digits"},
		"no unit":         {grpc: "1", err: "Grpc-Timeout is not 1 to 8 digits and a unit"},
		"no digits":       {grpc: "S", err: "Grpc-Timeout is not 1 to 8 digits and a unit"},
		"nine digits":     {grpc: "123456789S", err: "Grpc-Timeout is not 1 to 8 digits and a unit"},
		"another unit":    {grpc: "1d", err: "Grpc-Timeout is not 1 to 8 digits and a unit"},
		"one is enough":   {connect: "x", grpc: "1S", err: "Connect-Timeout-Ms is not 1 to 10 digits"},
	} {
		header := http.Header{}
		if test.connect != "" {
			header.Set("Connect-Timeout-Ms", test.connect)
		}
		if test.grpc != "" {
			header.Set("Grpc-Timeout", test.grpc)
		}
		got, set, err := deadline.Timeout(header)
		if test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%s: error %v, want %s", name, err, test.err)
			}
			continue
		}
		if err != nil || set != test.set || set && got != test.want {
			t.Errorf("%s: got %v, %t, %v", name, got, set, err)
		}
	}
}
