package plugin

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// Field numbers in google/protobuf/descriptor.proto and errmap/v1/error.proto
// that source paths are made of.
const (
	fileMessages   = 4
	fileServices   = 6
	fileOptions    = 8
	messageFields  = 2
	messageNested  = 3
	messageOptions = 7
	messageOneofs  = 8
	serviceMethods = 2
	methodOptions  = 4
	optionCode     = 1
	optionInfo     = 2
	optionTitle    = 3
	optionMessage  = 4
	optionJSONRPC  = 5
	optionHTTP     = 6
	optionProblem  = 7
	optionHelp     = 8
	optionRetry    = 9
	infoReason     = 1
	infoDomain     = 2
	infoMetadata   = 3
)

// PathOf returns the path of a file, message, field, oneof, service or method in its
// file's descriptor, followed by more. The path of a file is empty.
func PathOf(d protoreflect.Descriptor, more ...int32) protoreflect.SourcePath {
	var path protoreflect.SourcePath
	switch d := d.(type) {
	case protoreflect.MessageDescriptor:
		if _, nested := d.Parent().(protoreflect.MessageDescriptor); nested {
			path = PathOf(d.Parent(), messageNested, int32(d.Index()))
		} else {
			path = protoreflect.SourcePath{fileMessages, int32(d.Index())}
		}
	case protoreflect.FieldDescriptor:
		path = PathOf(d.Parent(), messageFields, int32(d.Index()))
	case protoreflect.OneofDescriptor:
		path = PathOf(d.Parent(), messageOneofs, int32(d.Index()))
	case protoreflect.ServiceDescriptor:
		path = protoreflect.SourcePath{fileServices, int32(d.Index())}
	case protoreflect.MethodDescriptor:
		path = PathOf(d.Parent(), serviceMethods, int32(d.Index()))
	}
	return slices.Concat(path, more)
}

// optionPath returns the path of a place inside the (errmap.v1.error) option.
func (d *Definition) optionPath(inside ...int32) protoreflect.SourcePath {
	return slices.Concat(PathOf(d.Message, messageOptions, int32(errmapv1.E_Error.TypeDescriptor().Number())), inside)
}

// Locate returns the position of path in file: its own, else that of the
// nearest element around it, else the beginning of the file.
func Locate(file protoreflect.FileDescriptor, path protoreflect.SourcePath) protoreflect.SourceLocation {
	for n := len(path); n > 0; n-- {
		if location := file.SourceLocations().ByPath(path[:n]); len(location.Path) > 0 {
			return location
		}
	}
	return protoreflect.SourceLocation{}
}
