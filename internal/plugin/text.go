package plugin

import (
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxShownElements is how many placeholders a diagnostic offers.
const maxShownElements = 8

// placeholderLike is what a placeholder looks like, also where it is none.
var placeholderLike = regexp.MustCompile(`\{ *[A-Za-z_][A-Za-z0-9_.]* *\}`)

// checkTitle refuses what looks like a placeholder: a title is sent as it
// stands, so that the braces would be on the wire.
func checkTitle(d *Definition, report func(Mistake)) {
	for _, found := range placeholderLike.FindAllString(d.Options.GetTitle(), -1) {
		report(Mistake{
			Path:     d.optionPath(optionTitle),
			What:     fmt.Sprintf("title: %s is no placeholder here, and would be sent as it stands", found),
			Expected: "expected a text that is the same for every instance",
			Remedy:   "move it to message",
		})
	}
}

func checkMessage(d *Definition, report func(Mistake)) {
	path := d.optionPath(optionMessage)
	if d.TemplateErr != nil {
		what, remedy, _ := strings.Cut(d.TemplateErr.Error(), ", ")
		report(Mistake{
			Path:     path,
			What:     "message: " + what,
			Expected: "expected text with placeholders such as {order_id}",
			Remedy:   remedy,
		})
		return
	}
	for _, part := range d.Template {
		if !part.Placeholder {
			continue
		}
		fd := d.Field(part.Text)
		switch {
		case fd == nil:
			report(Mistake{
				Path:     path,
				What:     fmt.Sprintf("message: placeholder {%s} names no field of %s", part.Text, d.Message.Name()),
				Expected: "expected " + placeholders(d.Message),
				Remedy:   "name one, or add the field",
			})
		case IsDetail(fd):
			report(Mistake{
				Path:     path,
				What:     fmt.Sprintf("message: placeholder {%s} names a detail, which has no text", part.Text),
				Expected: "expected " + placeholders(d.Message),
				Remedy:   "name another field",
			})
		}
	}
}

// placeholders tells which placeholders a message of md may have.
func placeholders(md protoreflect.MessageDescriptor) string {
	var names []string
	for fd := range fields(md) {
		if !IsDetail(fd) {
			names = append(names, "{"+string(fd.Name())+"}")
		}
	}
	switch {
	case len(names) == 0:
		return "no placeholder, since no field has a text"
	case len(names) > maxShownElements:
		names = append(names[:maxShownElements], "…")
	}
	return strings.Join(names, " or ")
}
