package gateway

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// logInterval is the least time between two lines, since an upstream that is
// gone fails every call.
const logInterval = time.Second

// maxCause bounds the text of one cause, part of which a peer may have written.
const maxCause = 1 << 10

// failureLog logs the failures of calls to an upstream.
type failureLog struct {
	logger *slog.Logger

	mu     sync.Mutex
	last   time.Time // of the last line
	silent int       // failures since then
}

// failed logs one failure, or counts it for the next line.
func (l *failureLog) failed(ctx context.Context, procedure, what string, cause error) {
	l.mu.Lock()
	now := time.Now()
	if !l.last.IsZero() && now.Sub(l.last) < logInterval {
		l.silent++
		l.mu.Unlock()
		return
	}
	silent := l.silent
	l.last, l.silent = now, 0
	l.mu.Unlock()
	logger := l.logger
	if logger == nil {
		logger = slog.Default()
	}
	attrs := []slog.Attr{slog.String("procedure", procedure), slog.String("error", clip(cause.Error()))}
	if silent > 0 {
		attrs = append(attrs, slog.Int("failures_not_logged", silent))
	}
	logger.LogAttrs(ctx, slog.LevelWarn, what, attrs...)
}

func clip(text string) string {
	if len(text) <= maxCause {
		return text
	}
	return strings.ToValidUTF8(text[:maxCause], "") + "…"
}
