package plugin

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/schema"
)

// Definition is one annotated message as its file says it, defaults filled in.
// It may be mistaken: Check tells. It is not changed once read.
type Definition struct{ schema.Annotation }

// Define returns the definition of md, and nil where md carries no
// (errmap.v1.error) option.
func Define(md protoreflect.MessageDescriptor) *Definition {
	a, err := schema.AnnotationOf(md)
	if err != nil {
		return nil
	}
	return &Definition{*a}
}

// Definitions returns the definitions of the annotated messages in file,
// nested ones after the message that they stand in.
func Definitions(file protoreflect.FileDescriptor) []*Definition {
	var all []*Definition
	for md := range schema.Messages(file.Messages()) {
		if d := Define(md); d != nil {
			all = append(all, d)
		}
	}
	return all
}

// Returns returns the full names of the errors that method names in its
// (errmap.v1.errors) option, as they stand there.
func Returns(method protoreflect.MethodDescriptor) []string {
	names, _, _ := schema.Option[[]string](method.Options(), new(descriptorpb.MethodOptions), errmapv1.E_Errors)
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
func IsDetail(fd protoreflect.FieldDescriptor) bool { return schema.IsDetail(fd) }

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
