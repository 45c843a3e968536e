package errmap

import (
	"log/slog"
	"slices"
)

// LogValue returns the error as a group for log/slog: code, message, reason,
// domain, metadata, the types of the other details, whether a peer sent it, its
// notes and its cause. It holds what the error says, so it belongs in the
// program's own log.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.AnyValue(nil)
	}
	attrs := []slog.Attr{slog.String("code", e.Code().String())}
	if !canonical(e.number) {
		attrs = append(attrs, slog.Int("number", int(e.number)))
	}
	attrs = append(attrs, slog.String("message", e.message))
	if info := e.ErrorInfo(); info != nil {
		attrs = append(attrs, slog.String("reason", info.GetReason()), slog.String("domain", info.GetDomain()))
		var metadata []any
		for _, key := range sortedKeys(info.GetMetadata()) {
			metadata = append(metadata, slog.String(key, info.GetMetadata()[key]))
		}
		if metadata != nil {
			attrs = append(attrs, slog.Group("metadata", metadata...))
		}
	}
	var types []string
	for _, d := range e.details {
		if d.Name() != nameErrorInfo {
			types = append(types, string(d.Name()))
		}
	}
	if types != nil {
		attrs = append(attrs, slog.Any("details", types))
	}
	if e.remote {
		attrs = append(attrs, slog.Bool("remote", true))
	}
	if e.local {
		attrs = append(attrs, slog.Bool("local", true))
	}
	if e.notes != nil {
		attrs = append(attrs, slog.Any("notes", []string(e.notes)))
	}
	if e.cause != nil {
		attrs = append(attrs, slog.String("cause", e.cause.Error()))
	}
	return slog.GroupValue(attrs...)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
