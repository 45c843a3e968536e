package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/plugin"
	"github.com/errmap/errmap/internal/translate"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// catalogEntry is one error as JSON for tools.
type catalogEntry struct {
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
	Fields      []catalogField             `json:"fields,omitempty"`
	ReturnedBy  []string                   `json:"returned_by,omitempty"`
	Wires       map[string]json.RawMessage `json:"wires,omitempty"`
}

// catalogField is one field: an entry of metadata under its key, or a detail.
type catalogField struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Key     string `json:"key,omitempty"`
	Detail  bool   `json:"detail,omitempty"`
	Comment string `json:"comment,omitempty"`
}

func (l *listing) entry(d *errmap.Definition) catalogEntry {
	e := catalogEntry{
		Domain: d.Domain(), Reason: d.Reason(), Name: string(d.FullName()), Code: d.Code().String(), Title: d.Title(),
		Message: d.MessageTemplate(), Comment: comment(d.Descriptor()), HTTPStatus: errmap.HTTPStatus(d.Code()),
		ProblemType: d.ProblemType(), Metadata: d.Metadata(), ReturnedBy: l.returnedBy[d.FullName()],
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
		f := catalogField{Name: string(fd.Name()), Type: typeName(fd), Comment: comment(fd)}
		if plugin.IsDetail(fd) {
			f.Detail = true
		} else {
			f.Key = fd.JSONName()
		}
		e.Fields = append(e.Fields, f)
	}
	return e
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

// json writes the listing for tools.
func (l *listing) json(w io.Writer, wires bool) error {
	var out struct {
		Errors []catalogEntry `json:"errors"`
	}
	for _, d := range l.errors {
		e := l.entry(d)
		if wires {
			e.Wires = map[string]json.RawMessage{}
			for _, x := range l.examples(d) {
				text := json.RawMessage(x.Output)
				if x.form == translate.GRPC {
					text, _ = json.Marshal(string(x.Output)) // a string always marshals
				}
				e.Wires[x.name] = text
			}
		}
		out.Errors = append(out.Errors, e)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// text writes the listing for people, domain by domain.
func (l *listing) text(w io.Writer, wires bool) error {
	out := bufio.NewWriter(w)
	domain := ""
	for i, d := range l.errors {
		if d.Domain() != domain || i == 0 {
			if i > 0 {
				fmt.Fprintln(out)
			}
			domain = d.Domain()
			fmt.Fprintln(out, domain)
		}
		fmt.Fprintln(out)
		l.writeEntry(out, l.entry(d))
		if wires {
			var b strings.Builder
			for _, x := range l.examples(d) {
				writeWire(&b, x.name, x.Result)
			}
			_, _ = out.WriteString(b.String()) // Flush reports it
		}
	}
	return out.Flush()
}

func (l *listing) writeEntry(w io.Writer, e catalogEntry) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "    %-9s %s\n", label, printable(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintf(w, "  %s: %s\n", e.Reason, printable(e.Title))
	if e.Comment != "" {
		fmt.Fprintf(w, "    %s\n", printable(e.Comment))
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
	for _, key := range sortedKeys(e.Metadata) {
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

// example is one error on one wire.
type example struct {
	form translate.Form
	name string
	translate.Result
}

// examples writes an error with every field set on every wire.
func (l *listing) examples(d *errmap.Definition) []example {
	mt, err := l.catalog.FindMessageByName(d.FullName())
	if err != nil {
		return nil
	}
	m := mt.New()
	for _, fd := range fieldsOf(d) {
		setSample(m, fd)
	}
	e := errmap.New(m.Interface())
	var out []example
	for _, form := range translate.Forms() {
		if form != translate.JSONRPC {
			out = append(out, example{form, string(form), translate.Encode(e, form, errmap.ProfileGeneric, errmap.WithCatalog(l.catalog))})
			continue
		}
		for _, p := range profiles {
			out = append(out, example{form, "jsonrpc " + p.String(), translate.Encode(e, form, p, errmap.WithCatalog(l.catalog))})
		}
	}
	return out
}

// sampleMessages are the messages that a field is set to; one of another type
// stays unset.
var sampleMessages = map[protoreflect.FullName]proto.Message{
	"google.rpc.RetryInfo":      &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 1, Nanos: 500_000_000}},
	"google.protobuf.Duration":  &durationpb.Duration{Seconds: 1, Nanos: 500_000_000},
	"google.protobuf.Timestamp": &timestamppb.Timestamp{Seconds: 1767322800},
}

// setSample gives a field a value that can be told from others.
func setSample(m protoreflect.Message, fd protoreflect.FieldDescriptor) {
	switch {
	case fd.ContainingOneof() != nil && m.WhichOneof(fd.ContainingOneof()) != nil, fd.IsMap():
		return
	case fd.Message() != nil:
		if message := sampleMessages[fd.Message().FullName()]; message != nil && !fd.IsList() {
			setMessage(m, fd, message)
		}
		return
	case fd.IsList():
		m.Mutable(fd).List().Append(sample(fd))
		return
	}
	m.Set(fd, sample(fd))
}

func sample(fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(strings.ReplaceAll(string(fd.Name()), "_", "-") + "-1")
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{1, 2, 3})
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(values.Len() - 1).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(7)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(7)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(7)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(1.5)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(1.5)
	}
	return protoreflect.ValueOfInt64(7)
}

// setMessage sets a field to what m says, in whatever type the field has.
func setMessage(parent protoreflect.Message, fd protoreflect.FieldDescriptor, m proto.Message) {
	raw, err := proto.Marshal(m)
	if err == nil {
		err = proto.Unmarshal(raw, parent.Mutable(fd).Message().Interface())
	}
	if err != nil {
		parent.Clear(fd)
	}
}
