package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/errmap/errmap/internal/explain"
	"github.com/errmap/errmap/internal/listing"
)

// writeJSON writes the listing for tools.
func writeJSON(w io.Writer, l *listing.Listing, wires bool) error {
	entry := l.Entry
	if wires {
		entry = l.EntryWithWires
	}
	var entries []listing.Entry
	for _, d := range l.Errors() {
		entries = append(entries, entry(d))
	}
	return listing.WriteJSON(w, entries)
}

// writeText writes the listing for people, domain by domain.
func writeText(w io.Writer, l *listing.Listing, wires bool) error {
	out := bufio.NewWriter(w)
	domain := ""
	for i, d := range l.Errors() {
		if d.Domain() != domain || i == 0 {
			if i > 0 {
				fmt.Fprintln(out)
			}
			domain = d.Domain()
			fmt.Fprintln(out, domain)
		}
		fmt.Fprintln(out)
		writeEntry(out, l.Entry(d))
		if wires {
			var b strings.Builder
			for _, x := range l.Examples(d) {
				writeWire(&b, x)
			}
			_, _ = out.WriteString(b.String()) // Flush reports it
		}
	}
	return out.Flush()
}

func writeEntry(w io.Writer, e listing.Entry) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "    %-9s %s\n", label, explain.Printable(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintf(w, "  %s: %s\n", e.Reason, explain.Printable(e.Title))
	if e.Comment != "" {
		fmt.Fprintf(w, "    %s\n", explain.Printable(e.Comment))
	}
	line("Code", "%s, HTTP %d, JSON-RPC %d", e.Code, e.HTTPStatus, e.JSONRPCCode)
	line("Defined", "as %s", e.Name)
	if e.Message != "" {
		line("Message", "%s", e.Message)
	}
	if e.ProblemType != "" {
		line("Type", "%s", e.ProblemType)
	}
	for i, f := range e.Fields {
		label := "Fields"
		if i > 0 {
			label = ""
		}
		text := fmt.Sprintf("%s %s", f.Type, f.Name)
		if f.Detail {
			text += ", a detail of its own"
		} else if f.Key != f.Name {
			text += ", metadata " + f.Key
		}
		if f.Comment != "" {
			text += ": " + f.Comment
		}
		line(label, "%s", text)
	}
	for _, key := range slices.Sorted(maps.Keys(e.Metadata)) {
		line("Always", "%s: %s", key, e.Metadata[key])
	}
	if e.Retryable != nil {
		line("Retry", "%s", map[bool]string{true: "yes, with growing pauses", false: "no"}[*e.Retryable])
	}
	for i, method := range e.ReturnedBy {
		label := "From"
		if i > 0 {
			label = ""
		}
		line(label, "%s", method)
	}
}

func writeWire(b *strings.Builder, x listing.Example) {
	name := x.Name
	if x.HTTPStatus != 0 {
		name = fmt.Sprintf("%s, HTTP %d", name, x.HTTPStatus)
	}
	fmt.Fprintf(b, "    %s\n", name)
	for line := range strings.Lines(string(x.Output)) {
		fmt.Fprintf(b, "      %s\n", explain.Printable(strings.TrimRight(line, "\n")))
	}
	for _, note := range x.Notes {
		fmt.Fprintf(b, "      (%s)\n", explain.Printable(note))
	}
}
