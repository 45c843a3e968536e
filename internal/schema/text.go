package schema

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// messageTemplate is the developer-facing text of an error, parsed once. The
// zero value has no parts and renders nothing.
type messageTemplate []templatePart

// templatePart is a piece of literal text or, where field is set, a
// placeholder for that field.
type templatePart struct {
	literal string
	field   *metadataField
}

// append appends the text for m to dst. It reports false, and what it appended
// is of no use, where a placeholder's field is unset or has no text: then the
// title is sent instead.
func (t messageTemplate) append(dst []byte, m *instance, types *Catalog) ([]byte, bool) {
	for _, part := range t {
		if part.field == nil {
			dst = append(dst, part.literal...)
			continue
		}
		if text, ok := m.text(part.field); ok {
			if text == "" {
				return dst, false
			}
			dst = append(dst, jsontree.Clean(text)...)
			continue
		}
		if !m.Has(part.field.desc) {
			return dst, false
		}
		var fidelity protojson.Fidelity
		if dst, _, fidelity = part.field.appendText(dst, m.Message, types); fidelity == protojson.None {
			return dst, false
		}
	}
	return dst, true
}

// constant returns the whole text of a template without placeholders.
func (t messageTemplate) constant() (string, bool) {
	switch {
	case len(t) == 0:
		return "", false
	case len(t) == 1 && t[0].field == nil:
		return t[0].literal, true
	}
	return "", false
}

// compileTemplate finds the fields of a template in md, and in its Go struct.
func compileTemplate(parts []Part, md protoreflect.MessageDescriptor, pointer reflect.Type) (messageTemplate, error) {
	compiled := make(messageTemplate, 0, len(parts))
	for _, part := range parts {
		if !part.Placeholder {
			compiled = append(compiled, templatePart{literal: part.Text})
			continue
		}
		fd := md.Fields().ByName(protoreflect.Name(part.Text))
		if fd == nil {
			return nil, fmt.Errorf("placeholder {%s} names no field of the message", part.Text)
		}
		field := newMetadataField(fd)
		field.place = stringPlace(pointer, fd)
		compiled = append(compiled, templatePart{field: field})
	}
	return compiled, nil
}
