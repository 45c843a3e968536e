package loglimit_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/errmap/errmap/internal/loglimit"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(loglimit.New().Handler(slog.NewTextHandler(&out, nil))).With("a", 1).WithGroup("g")
		for range 1000 {
			log.Warn(strings.Repeat("x", 1<<20), "b", 2)
		}
		if lines := strings.Count(out.String(), "\n"); lines != 50 || out.Len() > 80<<10 {
			t.Errorf("%d lines of %d bytes", lines, out.Len())
		}
		out.Reset()
		time.Sleep(time.Second)
		log.Warn("again")
		if got := out.String(); !strings.Contains(got, "a=1") || !strings.Contains(got, "not_logged=950") {
			t.Errorf("after a pause: %s", got)
		}
	})
}
