package inflight_test

import (
	"strings"
	"testing"

	"github.com/errmap/errmap/internal/inflight"
)

func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`0`: 1, `""`: 1, `{}`: 2, `[0,0]`: 3, `{"a":[0,{},"x"],"b":0}`: 7,
		`"a,b{["`: 1, `["\"",","]`: 3, `["\\",0]`: 3, `["\\\",",0]`: 3, `["`: 2, `"\`: 1, ``: 1,
		"[" + strings.Repeat("{},", 999) + "{}]": 2001,
	} {
		if got := inflight.Values([]byte(text)); got != want {
			t.Errorf("%.40s: %d values, want %d", text, got, want)
		}
	}
	b := inflight.New(4 << 20)
	if got := [...]int64{b.Weighed(10), b.Weighed(1000), b.Weighed(1 << 20)}; got != [...]int64{0, 96_000, 1 << 20} {
		t.Errorf("weighed as %v", got)
	}
}
