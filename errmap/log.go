package errmap

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/wire"
)

// LogAttr returns any error as an attribute "error" for log/slog: what [Error.LogValue]
// has of one that is an *Error or an annotated message, or wraps one; the text of any
// other.
//
//	slog.ErrorContext(ctx, "charge failed", errmap.LogAttr(err))
func LogAttr(err error) slog.Attr {
	const key = "error"
	if found := speakers(err, nil, true); found.e != nil {
		return slog.Attr{Key: key, Value: found.within(err).LogValue()}
	}
	if err == nil {
		return slog.Any(key, nil)
	}
	return slog.String(key, fmt.Sprint(err)) // Sprint survives a nil pointer
}

// LogValue returns the error as a group for log/slog: code, message, reason,
// domain, metadata, the types of the other details, whether a peer sent it, its
// notes and its cause. It holds what the error says, so it belongs in the
// program's own log.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.AnyValue(nil)
	}
	attrs := []slog.Attr{slog.String("code", e.Code().String())}
	if !hub.Canonical(e.hub.Number) {
		attrs = append(attrs, slog.Int("number", int(e.hub.Number)))
	}
	attrs = append(attrs, slog.String("message", e.hub.Message))
	if in, ok := e.identity(); ok {
		attrs = append(attrs, slog.String("reason", string(in.Reason())), slog.String("domain", string(in.Domain())))
		entries := in.Metadata()
		var metadata []any
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			metadata = append(metadata, slog.String(key, entries[key]))
		}
		if metadata != nil {
			attrs = append(attrs, slog.Group("metadata", metadata...))
		}
	}
	var types []string
	for i := range e.hub.Details {
		if d := &e.hub.Details[i]; !d.Is(hub.NameErrorInfo) {
			types = append(types, d.Name())
		}
	}
	if types != nil {
		attrs = append(attrs, slog.Any("details", types))
	}
	if e.Remote() {
		attrs = append(attrs, slog.Bool("remote", true))
	}
	if e.Local() {
		attrs = append(attrs, slog.Bool("local", true))
	}
	if e.hub.Notes != nil {
		attrs = append(attrs, slog.Any("notes", []string(e.hub.Notes)))
	}
	if e.cause != nil {
		attrs = append(attrs, slog.String("cause", fmt.Sprint(e.cause)))
	}
	return slog.GroupValue(attrs...)
}

// Format writes the error for logs: the text of Error for %v and %s, quoted for %q; for
// %+v also, a line each, its details as JSON, its notes and its cause. What was received
// beside the details is not written, nor what a cause keeps behind its own text, such
// as headers.
func (e *Error) Format(f fmt.State, verb rune) {
	switch {
	case f == nil:
		return
	case verb == 'q':
		fmt.Fprintf(f, "%q", e.Error())
		return
	case verb != 'v' && verb != 's':
		fmt.Fprintf(f, "%%!%c(*errmap.Error=%s)", verb, e.Error())
		return
	}
	_, _ = io.WriteString(f, e.Error())
	if e == nil || verb != 'v' || !f.Flag('+') {
		return
	}
	for i := range e.hub.Details {
		fmt.Fprintf(f, "\n    detail: %s", wire.Text(&e.hub.Details[i], e.known().schema()))
	}
	for _, note := range e.hub.Notes {
		fmt.Fprintf(f, "\n    note: %s", note)
	}
	if e.cause != nil {
		fmt.Fprintf(f, "\n    cause: %v", e.cause)
	}
}

// MarshalJSON returns the error as a caller of a server would get it, in the ProtoJSON
// of google.rpc.Status: without its cause and DebugInfo, and for an error that was not
// made for callers nothing but INTERNAL and a fixed text. It is null for nil.
func (e *Error) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	shown, _ := spoken(e, nil, false)
	if shown == nil {
		shown = hidden(nil)
	}
	return EncodeStatusJSON((*Guard)(nil).With().strip(shown)), nil
}
