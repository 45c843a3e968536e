package plugin

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/naming"
	"github.com/errmap/errmap/internal/template"
)

// detailTypes are the google.rpc types that travel as details of their own.
var detailTypes = map[protoreflect.FullName]bool{
	"google.rpc.BadRequest":          true,
	"google.rpc.DebugInfo":           true,
	"google.rpc.Help":                true,
	"google.rpc.LocalizedMessage":    true,
	"google.rpc.PreconditionFailure": true,
	"google.rpc.QuotaFailure":        true,
	"google.rpc.RequestInfo":         true,
	"google.rpc.ResourceInfo":        true,
	"google.rpc.RetryInfo":           true,
}

// Definition is one annotated message as its file says it, defaults filled in.
// It may be mistaken: Check tells. It is not changed once read.
type Definition struct {
	// Message is the annotated message.
	Message protoreflect.MessageDescriptor
	// Options is its option, never nil.
	Options *errmapv1.ErrorOptions
	// Domain is the option's domain, else the file's, else "".
	Domain string
	// Reason is the option's reason, else the one that the name makes.
	Reason string
	// Title is the option's title, else the reason.
	Title string
	// Template is the message in parts, nil where there is none or where
	// TemplateErr says what is wrong with it.
	Template []template.Part
	// TemplateErr says why the message does not parse.
	TemplateErr error
}

// Define returns the definition of md, and nil where md carries no
// (errmap.v1.error) option.
func Define(md protoreflect.MessageDescriptor) *Definition {
	options, ok := extension[*errmapv1.ErrorOptions](md.Options(), new(descriptorpb.MessageOptions), errmapv1.E_Error)
	if !ok {
		return nil
	}
	d := &Definition{
		Message: md,
		Options: options,
		Domain:  options.GetInfo().GetDomain(),
		Reason:  options.GetInfo().GetReason(),
		Title:   options.GetTitle(),
	}
	if d.Domain == "" {
		d.Domain, _ = extension[string](md.ParentFile().Options(), new(descriptorpb.FileOptions), errmapv1.E_Domain)
	}
	if d.Reason == "" {
		d.Reason = naming.Reason(string(md.Name()))
	}
	if d.Title == "" {
		d.Title = d.Reason
	}
	d.Template, d.TemplateErr = template.Parse(options.GetMessage())
	return d
}

// Definitions returns the definitions of the annotated messages in file,
// nested ones after the message that they stand in.
func Definitions(file protoreflect.FileDescriptor) []*Definition {
	var all []*Definition
	for md := range messages(file.Messages()) {
		if d := Define(md); d != nil {
			all = append(all, d)
		}
	}
	return all
}

// Returns returns the full names of the errors that method names in its
// (errmap.v1.errors) option, as they stand there.
func Returns(method protoreflect.MethodDescriptor) []string {
	names, _ := extension[[]string](method.Options(), new(descriptorpb.MethodOptions), errmapv1.E_Errors)
	return names
}

// Field returns the field that a placeholder stands for, nil for none.
func (d *Definition) Field(placeholder string) protoreflect.FieldDescriptor {
	return d.Message.Fields().ByName(protoreflect.Name(placeholder))
}

// Keys returns the keys that ErrorInfo.metadata may have: those of the fields
// that are no details, and those of the constants.
func (d *Definition) Keys() map[string]bool {
	keys := make(map[string]bool)
	for fd := range fields(d.Message) {
		if !IsDetail(fd) {
			keys[fd.JSONName()] = true
		}
	}
	for key := range d.Options.GetInfo().GetMetadata() {
		keys[key] = true
	}
	return keys
}

// IsDetail tells whether fd travels as a detail of its own: a singular field
// of one of the google.rpc detail types.
func IsDetail(fd protoreflect.FieldDescriptor) bool {
	return fd.Message() != nil && fd.Cardinality() != protoreflect.Repeated && detailTypes[fd.Message().FullName()]
}

// messages yields the messages of a list and those nested in them, without the
// entries of maps.
func messages(list protoreflect.MessageDescriptors) func(yield func(protoreflect.MessageDescriptor) bool) {
	return func(yield func(protoreflect.MessageDescriptor) bool) {
		for i := range list.Len() {
			md := list.Get(i)
			if md.IsMapEntry() {
				continue
			}
			if !yield(md) {
				return
			}
			for nested := range messages(md.Messages()) {
				if !yield(nested) {
					return
				}
			}
		}
	}
}

func fields(md protoreflect.MessageDescriptor) func(yield func(protoreflect.FieldDescriptor) bool) {
	return func(yield func(protoreflect.FieldDescriptor) bool) {
		for i := range md.Fields().Len() {
			if !yield(md.Fields().Get(i)) {
				return
			}
		}
	}
}

func methods(file protoreflect.FileDescriptor) func(yield func(protoreflect.MethodDescriptor) bool) {
	return func(yield func(protoreflect.MethodDescriptor) bool) {
		for i := range file.Services().Len() {
			list := file.Services().Get(i).Methods()
			for j := range list.Len() {
				if !yield(list.Get(j)) {
					return
				}
			}
		}
	}
}

// extension returns the value of an option and whether it is set.
func extension[T any](options, into proto.Message, xt protoreflect.ExtensionType) (value T, ok bool) {
	if options == nil || !options.ProtoReflect().IsValid() {
		return value, false
	}
	// The options are read again: a compiler hands them over with extensions
	// of its own making, or as unknown fields.
	bytes, err := proto.MarshalOptions{AllowPartial: true}.Marshal(options)
	if err != nil {
		return value, false
	}
	err = proto.UnmarshalOptions{AllowPartial: true, Resolver: protoregistry.GlobalTypes}.Unmarshal(bytes, into)
	if err != nil || !proto.HasExtension(into, xt) {
		return value, false
	}
	value, ok = proto.GetExtension(into, xt).(T)
	return value, ok
}
