// Package listing tells of the errors of a catalogue: to programs as JSON, and to
// people as Markdown and as a page of HTML. It is what the catalog command and
// the documentation generator share.
package listing

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/plugin"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Listing is the errors to tell of, and who returns them. It is filled once,
// with Add and AddMethods, and may then be read by several goroutines at once.
type Listing struct {
	catalog    *errmap.Catalog
	errors     []*errmap.Definition
	returnedBy map[protoreflect.FullName][]string
}

// Entry is one error, with the members that it has as JSON.
type Entry struct {
	Domain      string                     `json:"domain"`
	Reason      string                     `json:"reason"`
	Name        string                     `json:"name"`
	Code        string                     `json:"code"`
	Title       string                     `json:"title"`
	Message     string                     `json:"message,omitempty"`
	Comment     string                     `json:"comment,omitempty"`
	HTTPStatus  int                        `json:"http_status"`
	JSONRPCCode int64                      `json:"jsonrpc_code"`
	ProblemType string                     `json:"problem_type,omitempty"`
	Retryable   *bool                      `json:"retryable,omitempty"`
	Metadata    map[string]string          `json:"metadata,omitempty"`
	Fields      []Field                    `json:"fields,omitempty"`
	ReturnedBy  []string                   `json:"returned_by,omitempty"`
	Wires       map[string]json.RawMessage `json:"wires,omitempty"`
}

// Field is one field of an error: an entry of metadata under its key, or a
// detail.
type Field struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Key     string `json:"key,omitempty"`
	Detail  bool   `json:"detail,omitempty"`
	Comment string `json:"comment,omitempty"`
}

// New returns a listing without errors, whose examples are made with catalog.
func New(catalog *errmap.Catalog) *Listing {
	return &Listing{catalog: catalog, returnedBy: make(map[protoreflect.FullName][]string)}
}

// Add puts an error behind those that are there.
func (l *Listing) Add(d *errmap.Definition) { l.errors = append(l.errors, d) }

// AddMethods notes which errors the methods of a service return.
func (l *Listing) AddMethods(s protoreflect.ServiceDescriptor) {
	for i := range s.Methods().Len() {
		m := s.Methods().Get(i)
		for _, name := range plugin.Returns(m) {
			full, method := protoreflect.FullName(name), fmt.Sprintf("%s/%s", s.FullName(), m.Name())
			if !slices.Contains(l.returnedBy[full], method) {
				l.returnedBy[full] = append(l.returnedBy[full], method)
			}
		}
	}
}

// Catalog returns the catalogue that the listing was made with.
func (l *Listing) Catalog() *errmap.Catalog { return l.catalog }

// Errors returns the errors in the order in which they were added.
func (l *Listing) Errors() []*errmap.Definition { return slices.Clone(l.errors) }

// ReturnedBy returns the methods that name the error of that full name, nil for
// none, each as service/method.
func (l *Listing) ReturnedBy(name protoreflect.FullName) []string {
	return slices.Clone(l.returnedBy[name])
}

// Entry returns what there is to say of an error, without examples.
func (l *Listing) Entry(d *errmap.Definition) Entry {
	e := Entry{
		Domain: d.Domain(), Reason: d.Reason(), Name: string(d.FullName()), Code: d.Code().String(), Title: d.Title(),
		Message: d.MessageTemplate(), Comment: comment(d.Descriptor()), HTTPStatus: errmap.HTTPStatus(d.Code()),
		ProblemType: d.ProblemType(), Metadata: d.Metadata(), ReturnedBy: l.ReturnedBy(d.FullName()),
	}
	if status, ok := d.HTTPStatus(); ok {
		e.HTTPStatus = status
	}
	if number, ok := d.JSONRPCCode(); ok {
		e.JSONRPCCode = int64(number)
	} else {
		_, e.JSONRPCCode = errmap.AppendJSONRPC(nil, errmap.NewCode(d.Code(), ""), errmap.ProfileGeneric)
	}
	if retryable, known := d.Retryable(); known {
		e.Retryable = &retryable
	}
	for _, fd := range fieldsOf(d) {
		f := Field{Name: string(fd.Name()), Type: typeName(fd), Comment: comment(fd)}
		if plugin.IsDetail(fd) {
			f.Detail = true
		} else {
			f.Key = fd.JSONName()
		}
		e.Fields = append(e.Fields, f)
	}
	return e
}

// EntryWithWires returns what there is to say of an error, with an example on
// every wire. One that is not JSON is a JSON string.
func (l *Listing) EntryWithWires(d *errmap.Definition) Entry {
	e := l.Entry(d)
	e.Wires = make(map[string]json.RawMessage)
	for _, x := range l.Examples(d) {
		text := json.RawMessage(x.Output)
		if !x.Form.IsJSON() {
			text, _ = json.Marshal(string(x.Output)) // a string always marshals
		}
		e.Wires[x.Name] = text
	}
	return e
}

// WriteJSON writes entries as one JSON object, for tools.
func WriteJSON(w io.Writer, entries []Entry) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Errors []Entry `json:"errors"`
	}{entries})
}

// comment returns what stands before a descriptor in its file, in one line.
func comment(d protoreflect.Descriptor) string {
	location := d.ParentFile().SourceLocations().ByDescriptor(d)
	return oneLine(location.LeadingComments)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// fieldsOf returns the fields of an error by number.
func fieldsOf(d *errmap.Definition) []protoreflect.FieldDescriptor {
	fields := d.Descriptor().Fields()
	out := make([]protoreflect.FieldDescriptor, fields.Len())
	for i := range fields.Len() {
		out[i] = fields.Get(i)
	}
	slices.SortFunc(out, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number() - b.Number()) })
	return out
}

func typeName(fd protoreflect.FieldDescriptor) string {
	name := fd.Kind().String()
	switch {
	case fd.IsMap():
		return fmt.Sprintf("map<%s, %s>", typeName(fd.MapKey()), typeName(fd.MapValue()))
	case fd.Message() != nil:
		name = string(fd.Message().FullName())
	case fd.Enum() != nil:
		name = string(fd.Enum().FullName())
	}
	if fd.IsList() {
		return "repeated " + name
	}
	return name
}
