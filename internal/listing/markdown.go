package listing

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// WriteMarkdown writes the listing as Markdown (GitHub's dialect) with that title.
// Text of the schema stands in it as text, whatever it holds. It fails where w
// does.
func (l *Listing) WriteMarkdown(w io.Writer, title string) error {
	out := bufio.NewWriter(w)
	p := l.page(title)
	fmt.Fprintf(out, "# %s\n", escaped(p.Title))
	for _, d := range p.Domains {
		fmt.Fprintf(out, "\n<a id=\"%s\"></a>\n\n## %s\n\n", d.ID, escaped(d.Name))
		fmt.Fprint(out, "| Error | Code | HTTP | JSON-RPC | Retry |\n|---|---|---|---|---|\n")
		for _, e := range d.Errors {
			fmt.Fprintf(out, "| [%s](#%s) | %s | %d | %d | %s |\n", escaped(e.Reason), e.ID, escaped(e.Code), e.HTTPStatus, e.JSONRPCCode, escaped(e.Retry))
		}
		for _, e := range d.Errors {
			writeMarkdownError(out, e)
		}
	}
	return out.Flush()
}

func writeMarkdownError(w io.Writer, e pageError) {
	fmt.Fprintf(w, "\n<a id=\"%s\"></a>\n\n### %s\n\n**%s**\n", e.ID, escaped(e.Reason), escaped(e.Title))
	if e.Comment != "" {
		fmt.Fprintf(w, "\n%s\n", escaped(e.Comment))
	}
	code := e.Numbers()
	if e.Meaning != "" {
		code += ": " + e.Meaning
	}
	fmt.Fprintf(w, "\n- Code: %s\n- Retry: %s\n", escaped(code), escaped(e.Retry))
	if e.Message != "" {
		fmt.Fprintf(w, "- Message: %s\n", codeSpan(e.Message))
	}
	if e.ProblemType != "" {
		fmt.Fprintf(w, "- Problem type: %s\n", codeSpan(e.ProblemType))
	}
	fmt.Fprintf(w, "- Defined as %s\n", codeSpan(e.Name))
	switch len(e.ReturnedBy) {
	case 0:
		fmt.Fprint(w, "- Returned by no method that names it\n")
	default:
		spans := make([]string, len(e.ReturnedBy))
		for i, method := range e.ReturnedBy {
			spans[i] = codeSpan(method)
		}
		fmt.Fprintf(w, "- Returned by %s\n", strings.Join(spans, ", "))
	}
	for _, key := range slices.Sorted(maps.Keys(e.Metadata)) {
		fmt.Fprintf(w, "- Always says %s: %s\n", codeSpan(key), escaped(e.Metadata[key]))
	}
	if len(e.Fields) > 0 {
		fmt.Fprint(w, "\nFields:\n\n")
	}
	for _, f := range e.Fields {
		fmt.Fprintf(w, "- %s (%s)", codeSpan(f.Name), escaped(f.What()))
		if f.Comment != "" {
			fmt.Fprintf(w, ": %s", escaped(f.Comment))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "\nOn the wire:\n")
	for _, x := range e.Wires {
		status := ""
		if x.Status != 0 {
			status = fmt.Sprintf(", HTTP %d", x.Status)
		}
		fence := strings.Repeat("`", max(3, longestRun(x.Text)+1))
		fmt.Fprintf(w, "\n<details>\n<summary>%s%s</summary>\n\n%s%s\n%s\n%s\n", x.Label, status, fence, x.Language, x.Text, fence)
		for _, note := range x.Notes {
			fmt.Fprintf(w, "\n%s\n", escaped(note))
		}
		fmt.Fprint(w, "\n</details>\n")
	}
}

// escaped returns text as one line of Markdown that shows it as it is.
func escaped(text string) string {
	var b strings.Builder
	line := []rune(oneLine(text))
	at := func(i int) rune {
		if i < 0 || i >= len(line) {
			return ' '
		}
		return line[i]
	}
	for i, r := range line {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case unicode.IsControl(r):
			b.WriteRune(unicode.ReplacementChar)
		case strings.ContainsRune("\\`*[]#|~$", r),
			r == '_' && !(isWord(at(i-1)) && isWord(at(i+1))),
			// What makes a list or a rule of the line, and a link of an address.
			i == 0 && strings.ContainsRune("-+=", r),
			(r == '.' || r == ')') && isNumber(line[:i]),
			r == ':' && at(i+1) == '/', r == '.' && at(i-1) == 'w', r == '@':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isNumber(text []rune) bool {
	return len(text) > 0 && !slices.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// codeSpan returns text as code in a line of Markdown.
func codeSpan(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, oneLine(text))
	if text == "" {
		return escaped("(nothing)")
	}
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// longestRun returns how many backticks follow each other at most.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
