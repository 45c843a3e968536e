// Package schema holds what annotated descriptors say, compiled once: the code,
// identity and texts of each error, the way from its fields to details and back,
// and the catalogues that find errors and types. The runtime, the generators, the
// lint rules and whatever lists errors read a schema here and nowhere else.
package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/hub"
)

// Definition is what every instance of one annotated message shares: code,
// identity and texts, and the way from its fields to details and back,
// compiled once. It is immutable and safe for concurrent use. A nil Definition
// is that of no error: its methods return zero values.
type Definition struct {
	desc       protoreflect.MessageDescriptor
	options    *errmapv1.ErrorOptions
	reason     string
	domain     string
	title      string
	problem    string
	template   messageTemplate
	prefix     []byte    // reason and domain as fields of an ErrorInfo
	named      [4]uint32 // where they stand there
	entries    []metadataEntry
	details    []detailField
	help       []byte // of a google.rpc.Help, nil where there is none
	extensible bool
	types      *Catalog
	goType     reflect.Type // of its generated messages, nil where there are none
}

// metadataEntry is one source of an entry of ErrorInfo.metadata: a field, or a
// constant, which stands in where no field of its key is set.
type metadataEntry struct {
	key      string
	field    *metadataField // nil for a constant
	constant string
}

// detailField is a field that travels as a detail of its own.
type detailField struct {
	desc    protoreflect.FieldDescriptor
	name    string
	typeURL string
}

// compiled is what the cache of DefinitionOf holds for one descriptor.
type compiled struct {
	definition *Definition
	err        error
}

// compiledDefinitions caches by descriptor, and only descriptors that are
// linked into the program: those live as long as it does, while a gateway may
// fetch others again and again.
var compiledDefinitions sync.Map // protoreflect.MessageDescriptor to compiled

// DefinitionOf returns the definition of an annotated message. The descriptor
// may come from generated code or from foreign files, with any copy of the
// errmap.v1 schema. It returns ErrNotAnnotated for a message without the
// option and for nil, and an error that names the message where the option
// makes no error: a code that is OK or none of google.rpc.Code, no domain in
// option or file, or a message template that does not parse or names no field.
func DefinitionOf(md protoreflect.MessageDescriptor) (*Definition, error) {
	if md == nil {
		return nil, ErrNotAnnotated
	}
	if known, ok := compiledDefinitions.Load(md); ok {
		c := known.(compiled)
		return c.definition, c.err
	}
	if linked, _ := protoregistry.GlobalFiles.FindDescriptorByName(md.FullName()); linked != md {
		return compile(md, new(Catalog)) // whose codec goes with the definition
	}
	definition, err := compile(md, linkedTypes)
	known, _ := compiledDefinitions.LoadOrStore(md, compiled{definition, err})
	c := known.(compiled)
	return c.definition, c.err
}

// DescriptorOf returns the descriptor of m, nil where a foreign type that embeds a
// message holds none, for it panics when it is asked.
func DescriptorOf(m proto.Message) (md protoreflect.MessageDescriptor) {
	defer func() { _ = recover() }()
	return m.ProtoReflect().Descriptor()
}

// GoType returns the type of the generated Go messages of the definition, a pointer
// to a struct; nil where there are none.
func (d *Definition) GoType() reflect.Type {
	if d == nil {
		return nil
	}
	return d.goType
}

// Identifies tells whether an ErrorInfo is that of the definition. The reason that
// A2A's -32007 had before version 1.0 is that of the error of today.
func (d *Definition) Identifies(domain, reason string) bool {
	if d == nil || domain != d.domain {
		return false
	}
	return reason == d.reason || domain == DomainA2A && d.reason == reasonExtendedCard && reason == reasonCardBefore10
}

// FullName returns the full name of the message.
func (d *Definition) FullName() protoreflect.FullName {
	if d == nil {
		return ""
	}
	return d.desc.FullName()
}

// Descriptor returns the descriptor of the message.
func (d *Definition) Descriptor() protoreflect.MessageDescriptor {
	if d == nil {
		return nil
	}
	return d.desc
}

// Code returns the code of the error: one of 1 to 16, OK for nil.
func (d *Definition) Code() code.Code {
	if d == nil {
		return code.Code_OK
	}
	return d.options.GetCode()
}

// Reason returns the reason of the ErrorInfo: the option's, else the one that
// the message's name makes.
func (d *Definition) Reason() string {
	if d == nil {
		return ""
	}
	return d.reason
}

// Domain returns the domain of the ErrorInfo: the option's, else the file's.
func (d *Definition) Domain() string {
	if d == nil {
		return ""
	}
	return d.domain
}

// Title returns the static text that names the kind of error: the option's,
// else the reason.
func (d *Definition) Title() string {
	if d == nil {
		return ""
	}
	return d.title
}

// MessageTemplate returns the template of the developer-facing text as the
// option has it, "" where it has none.
func (d *Definition) MessageTemplate() string {
	if d == nil {
		return ""
	}
	return d.options.GetMessage()
}

// Metadata returns a copy of the constant entries of ErrorInfo.metadata, nil
// where there are none.
func (d *Definition) Metadata() map[string]string {
	if d == nil {
		return nil
	}
	return maps.Clone(d.options.GetInfo().GetMetadata())
}

// JSONRPCCode returns the number of the error in JSON-RPC, and false where it
// has none of its own. 0 is never an error's number and counts as none.
func (d *Definition) JSONRPCCode() (int32, bool) {
	if d == nil {
		return 0, false
	}
	number := d.options.GetJsonrpcCode()
	return number, number != 0
}

// HTTPStatus returns the HTTP status of the error on HTTP+JSON, and false where
// it is the one that the code stands for. A number outside 400 to 599 is no
// status of an error and counts as none.
func (d *Definition) HTTPStatus() (int, bool) {
	if d == nil {
		return 0, false
	}
	status := int(d.options.GetHttpStatus())
	if status < 400 || status > 599 {
		return 0, false
	}
	return status, true
}

// ProblemType returns the type URI of the error in an RFC 9457 problem: the
// option's, else https://<domain>/errors/<reason-in-kebab-case> where that is
// a valid URI, else "".
func (d *Definition) ProblemType() string {
	if d == nil {
		return ""
	}
	return d.problem
}

// Help returns a copy of the help links that every instance has, nil where
// there are none.
func (d *Definition) Help() *errdetails.Help {
	if d == nil || len(d.options.GetHelp()) == 0 {
		return nil
	}
	return proto.CloneOf(&errdetails.Help{Links: d.options.GetHelp()})
}

// Retryable tells whether the same call may succeed when it is made again, and
// whether the option says anything of it.
func (d *Definition) Retryable() (retryable, known bool) {
	if d == nil {
		return false, false
	}
	return d.options.GetRetryable(), d.options.Retryable != nil
}

// compile reads the option of md and makes the definition.
func compile(md protoreflect.MessageDescriptor, types *Catalog) (*Definition, error) {
	fail := func(format string, args ...any) (*Definition, error) {
		return nil, fmt.Errorf("errmap: %s: "+format, append([]any{md.FullName()}, args...)...)
	}
	a, err := AnnotationOf(md)
	switch {
	case errors.Is(err, ErrNotAnnotated):
		return nil, err
	case err != nil:
		return fail("the (errmap.v1.error) option cannot be read: %w", err)
	}
	d := &Definition{
		desc:       md,
		options:    a.Options,
		reason:     a.Reason,
		domain:     a.Domain,
		title:      a.Title,
		problem:    a.Options.GetProblemType(),
		extensible: md.ExtensionRanges().Len() > 0,
		types:      types,
		goType:     goType(md),
	}
	if c := a.Options.GetCode(); !hub.Canonical(int32(c)) {
		return fail("code %s is not the code of an error; choose another of google.rpc.Code", c)
	}
	switch {
	case a.DomainErr != nil:
		return fail("the (errmap.v1.domain) option of the file cannot be read: %w", a.DomainErr)
	case a.Domain == "":
		return fail("there is no domain; set (errmap.v1.domain) in the file or info.domain in the option")
	case a.TemplateErr != nil:
		return fail("message: %w", a.TemplateErr)
	}
	if d.problem == "" {
		d.problem = DefaultProblemType(d.domain, d.reason)
	}
	if d.template, err = compileTemplate(a.Template, md, d.goType); err != nil {
		return fail("message: %w", err)
	}
	if help := d.Help(); help != nil {
		if d.help, err = deterministic.Marshal(help); err != nil {
			return fail("help: %w", err)
		}
	}
	d.prefix, d.named = appendNames(nil, d.reason, d.domain)
	d.compileFields()
	return d, nil
}

// compileFields sorts the fields into details and metadata, the latter with the
// constant entries, by key.
func (d *Definition) compileFields() {
	fields := d.desc.Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if IsDetail(fd) {
			name := string(fd.Message().FullName())
			d.details = append(d.details, detailField{desc: fd, name: name, typeURL: hub.URLPrefix + name})
			continue
		}
		field := newMetadataField(fd)
		field.place = stringPlace(d.goType, fd)
		d.entries = append(d.entries, metadataEntry{key: field.key, field: field})
	}
	for key, constant := range d.options.GetInfo().GetMetadata() {
		d.entries = append(d.entries, metadataEntry{key: key, constant: constant})
	}
	slices.SortFunc(d.details, func(a, b detailField) int { return int(a.desc.Number()) - int(b.desc.Number()) })
	slices.SortFunc(d.entries, compareEntries)
}

// compareEntries orders by key. Of one key, the field goes before a constant,
// and of two fields, which old schemas may have, the lower number.
func compareEntries(a, b metadataEntry) int {
	return cmp.Or(
		strings.Compare(a.key, b.key),
		cmp.Compare(a.number(), b.number()),
	)
}

// number returns the number of the entry's field, that of no field for a
// constant.
func (e metadataEntry) number() protoreflect.FieldNumber {
	if e.field == nil {
		return math.MaxInt32
	}
	return e.field.desc.Number()
}
