package schema

import (
	"fmt"
	"strings"
)

// Part is one piece of the template of an error's message. The runtime renders it,
// the generators compile it, and the lint rules check it.
type Part struct {
	// Text is the literal text, braces unescaped, or the name of the field
	// that the placeholder stands for.
	Text string
	// Placeholder tells which of the two Text is.
	Placeholder bool
}

// ParseTemplate splits a template: "{name}" is a placeholder, "{{" and "}}" stand for
// braces. Literal pieces that touch are one part, and the empty template has
// no parts. Every other brace must belong to a placeholder, so that a slip of
// the pen is an error and not a text on a wire: the error says what is wrong,
// at which byte, and how to write a brace.
func ParseTemplate(text string) ([]Part, error) {
	var (
		parts   []Part
		literal strings.Builder
	)
	flush := func() {
		if literal.Len() > 0 {
			parts = append(parts, Part{Text: literal.String()})
			literal.Reset()
		}
	}
	for at := 0; at < len(text); {
		plain := strings.IndexAny(text[at:], "{}")
		if plain < 0 {
			literal.WriteString(text[at:])
			break
		}
		literal.WriteString(text[at : at+plain])
		at += plain
		if strings.HasPrefix(text[at+1:], text[at:at+1]) {
			literal.WriteByte(text[at])
			at += 2
			continue
		}
		if text[at] == '}' {
			return nil, fmt.Errorf(`"}" at byte %d closes no placeholder, write "}}" for a brace`, at)
		}
		name, _, closed := strings.Cut(text[at+1:], "}")
		if !closed {
			return nil, fmt.Errorf(`"{" at byte %d opens a placeholder that is not closed, write "{{" for a brace`, at)
		}
		if !isName(name) {
			return nil, fmt.Errorf(`"{%s}" at byte %d holds no field name, write "{{" and "}}" for braces`, name, at)
		}
		flush()
		parts = append(parts, Part{Text: name, Placeholder: true})
		at += len(name) + 2
	}
	flush()
	return parts, nil
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
