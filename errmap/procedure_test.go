package errmap_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// The log says what was called, where the context of the request does.
func TestWithProcedure(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		ctx  context.Context
		want string
	}{
		{"not told", t.Context(), ""},
		{"told", errmap.WithProcedure(t.Context(), "/shop.v1.Cart/Get"), "/shop.v1.Cart/Get"},
		{"told twice", errmap.WithProcedure(errmap.WithProcedure(t.Context(), "POST /"), "/shop.v1.Cart/Get"), "/shop.v1.Cart/Get"},
		{"told, and not told", errmap.WithProcedure(errmap.WithProcedure(t.Context(), "POST /"), ""), "POST /"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var reports []errmap.Report
			g := errmap.NewGuard(errmap.WithLog(func(_ context.Context, r errmap.Report) { reports = append(reports, r) }))
			g.Outgoing(row.ctx, errors.New("boom"))
			g.Panicked(row.ctx, "boom")
			if len(reports) != 2 || reports[0].Procedure != row.want || reports[1].Procedure != row.want {
				t.Errorf("reports %v, want the procedure %q", reports, row.want)
			}
		})
	}
}

// It stands in the lines of the default log too. The test has that log to itself,
// so it is not parallel.
func TestWithProcedure_default_log(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	errmap.NewGuard().Outgoing(errmap.WithProcedure(t.Context(), "/shop.v1.Cart/Get"), errors.New("boom"))
	errmap.NewGuard().Outgoing(t.Context(), errors.New("boom"))
	if got := log.String(); strings.Count(got, " error=boom") != 2 || strings.Count(got, " procedure=/shop.v1.Cart/Get") != 1 || strings.Count(got, "procedure=") != 1 {
		t.Errorf("got %s", got)
	}
}

// A nil Recognizer recognizes nothing, as other nil options do nothing.
func TestWithRecognizer_nil(t *testing.T) {
	t.Parallel()
	g := errmap.NewGuard(errmap.WithRecognizer(nil), errmap.WithLog(func(context.Context, errmap.Report) {}))
	if e := g.Outgoing(t.Context(), errors.New("x")); e.Code() != code.Code_INTERNAL {
		t.Errorf("got %v", e)
	}
}
