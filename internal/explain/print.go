package explain

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/errmap/errmap/internal/translate"
)

// TextOption sets how WriteText writes.
type TextOption func(*printer)

// WithColour has labels in colours, by escapes that terminals know.
func WithColour() TextOption { return func(p *printer) { p.colour = true } }

type printer struct {
	strings.Builder
	colour bool
}

const (
	bold  = "1"
	faint = "2"
	red   = "1;31"
)

func (p *printer) styled(style, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// WriteText writes the report for people. What a peer wrote is shown in it and steers
// no terminal. It fails where w does.
func (r *Report) WriteText(w io.Writer, opts ...TextOption) error {
	p := new(printer)
	for _, opt := range opts {
		opt(p)
	}
	fmt.Fprintf(p, "This is %s (recognized by %s)", Printable(r.What), Printable(r.RecognizedBy))
	if r.HTTPStatus != 0 {
		fmt.Fprintf(p, ", received with HTTP status %d", r.HTTPStatus)
	}
	p.WriteString(".\n")
	if len(r.Inside) > 0 {
		fmt.Fprintf(p, "It stands in %s.\n", Printable(strings.Join(r.Inside, ", there in ")))
	}
	for _, x := range r.Readings {
		if r.Form == string(translate.JSONRPC) {
			fmt.Fprintf(p, "\nUnder %s\n", profileWords(x.Profiles))
		}
		p.WriteByte('\n')
		p.reading(x, r.Known)
		if len(x.Wires) > 0 {
			p.WriteString("\n  " + p.styled(bold, "On the other wires") + "\n")
		}
		for _, wire := range x.Wires {
			p.wire(wire)
		}
	}
	if r.Redacted {
		p.WriteString("\nWhere it says " + Redacted + ", credentials, cookies or ids of sessions stood.\n")
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func profileWords(names []string) string {
	switch len(names) {
	case len(Profiles()):
		return "every profile"
	case 1:
		return "the profile " + names[0]
	}
	return "the profiles " + strings.Join(names, " and ")
}

// reading writes what an error says, a label before each part.
func (p *printer) reading(x Reading, known []Fact) {
	line := func(label, text string) {
		if label != "" {
			label = fmt.Sprintf("%-9s", label)
		} else {
			label = strings.Repeat(" ", 9)
		}
		fmt.Fprintf(p, "  %s %s\n", p.styled(bold, label), Printable(text))
	}
	list := func(label string, lines []string) {
		for i, text := range lines {
			if i > 0 {
				label = ""
			}
			line(label, text)
		}
	}
	what := x.Code
	if x.Number != 0 && codeNumber(x.Code) != x.Number {
		what = fmt.Sprintf("%s, private number %d", what, x.Number)
	}
	fmt.Fprintf(p, "  %s %s: %s\n", p.styled(bold, fmt.Sprintf("%-9s", "What")), p.styled(red, what), x.Meaning)
	line("Message", orNone(x.Message))
	list("Whose", x.Whose)
	for _, fact := range known {
		line(fact.Label, fact.Text)
	}
	line("Retry", x.Retry.Advice)
	fields := make([]string, len(x.Fields))
	for i, f := range x.Fields {
		fields[i] = f.Label + " = " + f.Text
	}
	list("Fields", fields)
	list("Details", x.Details)
	list("Received", x.Received)
	list("Notes", x.Notes)
}

func codeNumber(name string) int32 { return int32(statusCodes[name]) }

func (p *printer) wire(w Wire) {
	name := w.Name
	if w.HTTPStatus != 0 {
		name = fmt.Sprintf("%s, HTTP %d", name, w.HTTPStatus)
	}
	fmt.Fprintf(p, "    %s\n", p.styled(faint, name))
	for line := range strings.Lines(w.Text) {
		fmt.Fprintf(p, "      %s\n", Printable(strings.TrimRight(line, "\n")))
	}
	for _, note := range w.Notes {
		fmt.Fprintf(p, "      (%s)\n", Printable(note))
	}
}

// WriteJSON writes the report for tools, as one object. It fails where w does.
func (r *Report) WriteJSON(w io.Writer) error {
	text, err := json.Marshal(r, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, c := range string(text) {
		if c != '\n' && steers(c) { // within a string: JSON has such nowhere else
			for _, unit := range utf16Units(c) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			continue
		}
		b.WriteRune(c)
	}
	_, err = io.WriteString(w, b.String()+"\n")
	return err
}

func utf16Units(c rune) []rune {
	if c < 0x10000 {
		return []rune{c}
	}
	c -= 0x10000
	return []rune{0xd800 + c>>10, 0xdc00 + c&0x3ff}
}

// steers tells whether a character steers a terminal, or changes the order in which
// others are shown, or is not seen at all.
func steers(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Printable returns a text in which what would steer the terminal is shown as an
// escape of Go, such as \x1b or \u202e.
func Printable(s string) string {
	if strings.IndexFunc(s, steers) < 0 {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if steers(c) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
