package errmap_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
)

// What the budget drops is in a log line where nobody asked for the notes. The
// test changes the default logger, so it does not run beside others.
func TestWire_5_budget_is_logged(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	e := errmap.NewCode(code.Code_INTERNAL, "m").WithDetail(&errdetails.DebugInfo{Detail: strings.Repeat("x", 10_000)})
	errmap.EncodeGRPC(e)
	if !strings.Contains(log.String(), "google.rpc.DebugInfo of 10003 bytes dropped") {
		t.Errorf("log: %s", log.String())
	}
	log.Reset()
	errmap.EncodeGRPC(e, errmap.WithNotes(func(string) {}))
	errmap.EncodeGRPC(e, errmap.WithBudget(-1))
	if log.Len() > 0 {
		t.Errorf("log: %s", log.String())
	}
}
