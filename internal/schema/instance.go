package schema

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
)

// deterministic is how every detail that is made here is marshalled.
var deterministic = proto.MarshalOptions{Deterministic: true, AllowPartial: true}

// Encode returns what an instance of the definition says: its text and its
// details, the ErrorInfo first, then the detail fields by number, then the
// option's Help where no field is one. What could not be said is in the notes.
// A nil message is one with no field set; one of another type says nothing
// beyond the definition. The details are nil where there is none but the ErrorInfo.
// A nil Definition says nothing.
func (d *Definition) Encode(m proto.Message) (text string, info hub.Detail, details []hub.Detail, notes []string) {
	if d == nil {
		return "", hub.Detail{}, nil, nil
	}
	d, r := d.of(m)
	in := d.instanceOf(m, r)
	text, constant := d.template.constant()
	switch {
	case constant:
	case r == nil || len(d.template) == 0:
		text = d.title
	default:
		var room [128]byte
		if b, ok := d.template.append(room[:0], &in, d.types); ok {
			text = string(b)
		} else {
			text = d.title
		}
	}
	info.TypeURL, info.Named = hub.URLErrorInfo, d.named
	var room [256]byte
	value, hidden, notes := d.appendErrorInfo(room[:0], &in)
	info.Value = bytes.Clone(value)
	if len(d.details) > 0 || d.help != nil {
		var detailNotes []string
		details = append(make([]hub.Detail, 0, 2+len(d.details)), info)
		details, detailNotes = d.appendDetails(details, r)
		notes = append(notes, detailNotes...)
	}
	if r != nil && (len(r.GetUnknown()) > 0 || hidden) {
		notes = append(notes, string(d.FullName())+": fields that its schema does not know are left out")
	}
	return text, info, details, notes
}

// Decode sets the fields of into from the ErrorInfo and, by type, from the
// first detail that find returns. Fields that it finds nothing readable for
// stay as they are. A message of another type is left alone.
func (d *Definition) Decode(into proto.Message, info *errdetails.ErrorInfo, find func(name string) ([]byte, bool)) {
	lookup := func(key string) (string, bool) {
		text, ok := info.GetMetadata()[key]
		return text, ok
	}
	d.DecodeFrom(into, lookup, info.GetMetadata, find)
}

// DecodeFrom is Decode for metadata that is looked up; all is asked for only
// where the type has extensions.
func (d *Definition) DecodeFrom(into proto.Message, lookup func(key string) (string, bool), all func() map[string]string, find func(name string) ([]byte, bool)) {
	if d == nil || into == nil {
		return
	}
	d, m := d.of(into)
	if m == nil || !m.IsValid() {
		return
	}
	in := d.instanceOf(into, m)
	for i := range d.entries {
		field := d.entries[i].field
		if field == nil || i > 0 && d.entries[i-1].key == field.key {
			continue
		}
		text, ok := lookup(field.key)
		switch {
		case !ok:
		case field.place >= 0 && in.fields.IsValid():
			in.fields.Field(field.place).SetString(jsontree.Clean(text))
		default:
			field.set(m, text, d.types)
		}
	}
	if d.extensible {
		d.decodeExtensions(m, all())
	}
	for i := range d.details {
		detail := &d.details[i]
		value, ok := find(detail.name)
		if oneof := detail.desc.ContainingOneof(); !ok || oneof != nil && m.WhichOneof(oneof) != nil {
			continue
		}
		field := m.NewField(detail.desc)
		options := proto.UnmarshalOptions{AllowPartial: true, Resolver: d.types}
		if UnmarshalProto(options, value, field.Message().Interface()) == nil {
			m.Set(detail.desc, field)
		}
	}
}

// of returns the definition for the very descriptor of m, and m to read: nil
// where there is no message of the definition's type.
func (d *Definition) of(m proto.Message) (*Definition, protoreflect.Message) {
	if m == nil {
		return d, nil
	}
	r := m.ProtoReflect()
	if r.Descriptor() == d.desc {
		return d, r
	}
	// The same message of other files, such as a dynamic one: field
	// descriptors do not serve messages of another descriptor.
	if other, err := DefinitionOf(r.Descriptor()); err == nil && other.FullName() == d.FullName() {
		return other, r
	}
	return d, nil
}

// appendErrorInfo appends the ErrorInfo of m in its deterministic encoding. Hidden
// says that a message in it has fields that its schema does not know.
func (d *Definition) appendErrorInfo(dst []byte, m *instance) (_ []byte, hidden bool, notes []string) {
	dst = append(dst, d.prefix...)
	entries := d.entries
	if d.extensible && m.Message != nil {
		entries = d.withExtensions(m.Message)
	}
	written := -1
	for i := range entries {
		entry := &entries[i]
		twice := written >= 0 && entries[written].key == entry.key
		start := len(dst)
		if entry.field == nil {
			if !twice {
				dst = frameEntry(append(dst, entry.constant...), start, entry.key)
			}
			continue
		}
		direct, isDirect := m.text(entry.field)
		if isDirect && !twice && utf8.ValidString(direct) {
			if direct != "" {
				dst = appendEntry(dst, entry.key, direct)
				written = i
			}
			continue
		}
		if m.Message == nil || !m.Has(entry.field.desc) {
			continue
		}
		name := string(entry.field.desc.FullName())
		if twice {
			notes = append(notes, "field "+name+" left out: another field has its JSON name")
			continue
		}
		text, repaired, fidelity := entry.field.appendText(dst, m.Message, d.types)
		hidden = hidden || fidelity == protojson.Known
		if fidelity == protojson.None {
			notes = append(notes, "field "+name+" left out: its value has no ProtoJSON")
			continue
		}
		if repaired {
			notes = append(notes, "field "+name+" repaired: its text is not UTF-8")
		}
		dst = frameEntry(text, start, entry.key)
		written = i
	}
	return dst, hidden, notes
}

// appendDetails appends the detail fields of m that are set, and the option's
// Help where none of them is one.
func (d *Definition) appendDetails(details []hub.Detail, m protoreflect.Message) (_ []hub.Detail, notes []string) {
	helped := d.help == nil
	for i := range d.details {
		field := &d.details[i]
		if m == nil || !m.Has(field.desc) {
			continue
		}
		// AIP-193 attaches each type of detail at most once.
		if slices.ContainsFunc(details, func(other hub.Detail) bool { return other.TypeURL == field.typeURL }) {
			notes = append(notes, "field "+string(field.desc.FullName())+" left out: another field is a "+field.name)
			continue
		}
		detail, err := DetailOf(m.Get(field.desc).Message().Interface())
		if err != nil {
			notes = append(notes, "field "+string(field.desc.FullName())+" left out: it cannot be marshalled")
			continue
		}
		details = append(details, detail)
		helped = helped || field.name == hub.NameHelp
	}
	if !helped {
		details = append(details, hub.Detail{TypeURL: hub.URLPrefix + hub.NameHelp, Value: d.help})
	}
	return details, notes
}

// withExtensions returns the entries of the definition with those of the
// extensions that are set in m. ProtoJSON keys an extension "[full.name]". They
// are metadata whatever their type: a reader that does not know the extension
// could give a detail of its own to no field.
func (d *Definition) withExtensions(m protoreflect.Message) []metadataEntry {
	entries := d.entries
	m.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if fd.IsExtension() {
			field := newMetadataField(fd)
			entries = append(slices.Clip(entries), metadataEntry{key: field.key, field: field})
		}
		return true
	})
	if len(entries) > len(d.entries) {
		slices.SortFunc(entries, compareEntries)
	}
	return entries
}

// decodeExtensions sets the extensions of m that metadata names and that are
// known here.
func (d *Definition) decodeExtensions(m protoreflect.Message, metadata map[string]string) {
	for key, text := range metadata {
		name, opened := strings.CutPrefix(key, "[")
		name, closed := strings.CutSuffix(name, "]")
		if !opened || !closed {
			continue
		}
		extension, err := d.types.FindExtensionByName(protoreflect.FullName(name))
		if err != nil {
			continue
		}
		fd := extension.TypeDescriptor()
		if fd.ContainingMessage().FullName() == d.FullName() && d.desc.ExtensionRanges().Has(fd.Number()) {
			newMetadataField(fd).set(m, text, d.types)
		}
	}
}
