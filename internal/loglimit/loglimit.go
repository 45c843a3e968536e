// Package loglimit keeps what strangers can have a server log from filling its log.
package loglimit

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// How many records a second are logged, how many at once, and how long a text in them
// may be.
const (
	perSecond = 10
	burst     = 50
	maxText   = 1 << 10
)

// A Limiter says which records are logged. It is safe for concurrent use.
type Limiter struct {
	rate   *rate.Limiter
	missed atomic.Int64
}

// New returns a Limiter.
func New() *Limiter { return &Limiter{rate: rate.NewLimiter(perSecond, burst)} }

// Allow reports whether a record is logged, and how many before it were not.
func (l *Limiter) Allow() (missed int64, ok bool) {
	if !l.rate.Allow() {
		l.missed.Add(1)
		return 0, false
	}
	return l.missed.Swap(0), true
}

// Clip shortens a text to what a record may have of it.
func Clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// Handler returns a handler that logs what Allow allows, with their messages clipped and
// an attribute that counts those before it that were not logged.
func (l *Limiter) Handler(next slog.Handler) slog.Handler { return handler{next, l} }

type handler struct {
	slog.Handler
	limit *Limiter
}

// Handle implements [slog.Handler].
func (h handler) Handle(ctx context.Context, record slog.Record) error {
	missed, ok := h.limit.Allow()
	if !ok {
		return nil
	}
	clipped := slog.NewRecord(record.Time, record.Level, Clip(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clipped.AddAttrs(a)
		return true
	})
	if missed > 0 {
		clipped.AddAttrs(slog.Int64("not_logged", missed))
	}
	return h.Handler.Handle(ctx, clipped)
}

// WithAttrs implements [slog.Handler].
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs), h.limit}
}

// WithGroup implements [slog.Handler].
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.limit}
}
