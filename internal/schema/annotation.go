package schema

import (
	"errors"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// ErrNotAnnotated says that a message carries no (errmap.v1.error) option, so
// it is no error. Compare with errors.Is.
var ErrNotAnnotated = errors.New("errmap: the message carries no (errmap.v1.error) option")

// detailTypes are the google.rpc types that travel as details of their own. An
// ErrorInfo is not among them: there is one already, and the message is it.
var detailTypes = map[protoreflect.FullName]bool{
	"google.rpc.BadRequest":          true,
	"google.rpc.RetryInfo":           true,
	"google.rpc.QuotaFailure":        true,
	"google.rpc.PreconditionFailure": true,
	"google.rpc.ResourceInfo":        true,
	"google.rpc.RequestInfo":         true,
	"google.rpc.Help":                true,
	"google.rpc.LocalizedMessage":    true,
	"google.rpc.DebugInfo":           true,
}

// Annotation is what the (errmap.v1.error) option of a message says, with what it
// leaves out filled in. It may be mistaken: DefinitionOf and the lint rules look.
type Annotation struct {
	// Message is the annotated message.
	Message protoreflect.MessageDescriptor
	// Options is its option, never nil.
	Options *errmapv1.ErrorOptions
	// Domain is the option's domain, else the file's, else "".
	Domain string
	// DomainErr says why the option of the file cannot be read; nil where it is not
	// needed.
	DomainErr error
	// Reason is the option's reason, else the one that the name makes.
	Reason string
	// Title is the option's title, else the reason.
	Title string
	// Template is the message in parts, nil where there is none or where
	// TemplateErr says what is wrong with it.
	Template []Part
	// TemplateErr says why the message does not parse.
	TemplateErr error
}

// AnnotationOf reads the option of md. It returns ErrNotAnnotated where there is
// none, and the error of protobuf where it cannot be read.
func AnnotationOf(md protoreflect.MessageDescriptor) (*Annotation, error) {
	options, ok, err := Option[*errmapv1.ErrorOptions](md.Options(), new(descriptorpb.MessageOptions), errmapv1.E_Error)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, ErrNotAnnotated
	}
	a := &Annotation{
		Message: md,
		Options: options,
		Domain:  options.GetInfo().GetDomain(),
		Reason:  options.GetInfo().GetReason(),
		Title:   options.GetTitle(),
	}
	if a.Domain == "" {
		a.Domain, a.DomainErr = FileDomain(md.ParentFile())
	}
	if a.Reason == "" {
		a.Reason = DefaultReason(string(md.Name()))
	}
	if a.Title == "" {
		a.Title = a.Reason
	}
	a.Template, a.TemplateErr = ParseTemplate(options.GetMessage())
	return a, nil
}

// FileDomain returns the (errmap.v1.domain) option of a file, "" where there is
// none and for nil.
func FileDomain(file protoreflect.FileDescriptor) (string, error) {
	if file == nil {
		return "", nil
	}
	domain, _, err := Option[string](file.Options(), new(descriptorpb.FileOptions), errmapv1.E_Domain)
	return domain, err
}

// Option returns the value of an extension of options, and whether it is set. The
// options are read again, into a new message of theirs: in descriptors that come
// from a compiler or from reflection the extension is an unknown field, or a
// message of a foreign copy of its schema.
func Option[T any](options, into proto.Message, extension protoreflect.ExtensionType) (value T, set bool, err error) {
	if options == nil || !options.ProtoReflect().IsValid() {
		return value, false, nil
	}
	bytes, err := proto.MarshalOptions{AllowPartial: true}.Marshal(options)
	if err != nil {
		return value, false, err
	}
	err = proto.UnmarshalOptions{AllowPartial: true, Resolver: extensionSet{extension}}.Unmarshal(bytes, into)
	if err != nil || !proto.HasExtension(into, extension) {
		return value, false, err
	}
	value, set = proto.GetExtension(into, extension).(T)
	return value, set, nil
}

// IsDetail tells whether fd travels as a detail of its own: a singular field of one
// of the google.rpc detail types.
func IsDetail(fd protoreflect.FieldDescriptor) bool {
	return fd.Cardinality() != protoreflect.Repeated && fd.Message() != nil && detailTypes[fd.Message().FullName()]
}

// IsDetailType tells whether messages of that name travel as details of their own.
func IsDetailType(name protoreflect.FullName) bool { return detailTypes[name] }
