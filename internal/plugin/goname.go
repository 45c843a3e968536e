package plugin

import (
	"fmt"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"

	"github.com/errmap/errmap/internal/schema"
)

// goMethod is the one method that the Go generator adds to an error.
const goMethod = "Error"

func checkGoNames(s *Schema, report func(Mistake)) {
	for _, d := range s.definitions {
		for _, clash := range s.goClashes(d.Message) {
			kind := "field"
			if _, ok := clash.(protoreflect.OneofDescriptor); ok {
				kind = "oneof"
			}
			report(Mistake{
				File: d.Message.ParentFile(),
				Path: PathOf(clash),
				What: fmt.Sprintf("%s %s of %s is named %s in Go, like the method that makes the message an error",
					kind, clash.Name(), d.Message.Name(), goMethod),
				Expected: "expected another name, or the opaque API",
				Remedy:   fmt.Sprintf("rename the %s, or set features.(pb.go).api_level = API_OPAQUE", kind),
			})
		}
	}
}

// goTypeClashes reports the annotated messages whose Go type is also that of
// another message or of an enum: protoc-gen-go gives "Outer.InnerError" and
// "Outer_InnerError" one name, and what it writes then does not compile.
func goTypeClashes(files []*protogen.File) Mistakes {
	types := make(map[protogen.GoIdent][]protoreflect.Descriptor)
	var add func(messages []*protogen.Message, enums []*protogen.Enum)
	add = func(messages []*protogen.Message, enums []*protogen.Enum) {
		for _, enum := range enums {
			types[enum.GoIdent] = append(types[enum.GoIdent], enum.Desc)
		}
		for _, message := range messages {
			if !message.Desc.IsMapEntry() { // has no type
				types[message.GoIdent] = append(types[message.GoIdent], message.Desc)
			}
			add(message.Messages, message.Enums)
		}
	}
	for _, file := range files {
		add(file.Messages, file.Enums)
	}
	var found Mistakes
	for _, file := range files {
		if !file.Generate {
			continue
		}
		for _, message := range annotatedMessages(file.Messages) {
			for _, other := range types[message.GoIdent] {
				if other.FullName() == message.Desc.FullName() {
					continue
				}
				found = append(found, Mistake{
					Rule:     "ERRMAP_GO_NAME",
					File:     file.Desc,
					Path:     PathOf(message.Desc),
					What:     fmt.Sprintf("%s and %s are both %s in Go", other.FullName(), message.Desc.FullName(), message.GoIdent.GoName),
					Expected: "expected names that differ in camel case, nested ones with those before them",
					Remedy:   "rename one of them",
				})
			}
		}
	}
	found.sort()
	return found
}

// goClashes returns the fields and oneofs of md whose Go name is that of the
// method, where the API has struct fields. It knows no parameters of
// protoc-gen-go; the Go generator, which does, has a judgement of its own.
func goClashes(md protoreflect.MessageDescriptor) []protoreflect.Descriptor {
	if goAPILevel(md) == gofeaturespb.GoFeatures_API_OPAQUE {
		return nil
	}
	// These are all the names that protoc-gen-go turns into Error.
	clashing := func(name protoreflect.Name) bool { return name == "error" || name == "Error" }
	return structMembers(md, func(d protoreflect.Descriptor) bool { return clashing(d.Name()) })
}

// structMembers returns the fields and oneofs that are members of the Go struct
// and match. A field in a oneof is a member of its wrapper instead.
func structMembers(md protoreflect.MessageDescriptor, match func(protoreflect.Descriptor) bool) []protoreflect.Descriptor {
	var members []protoreflect.Descriptor
	for fd := range fields(md) {
		if oneof := fd.ContainingOneof(); (oneof == nil || oneof.IsSynthetic()) && match(fd) {
			members = append(members, fd)
		}
	}
	for i := range md.Oneofs().Len() {
		if oneof := md.Oneofs().Get(i); !oneof.IsSynthetic() && match(oneof) {
			members = append(members, oneof)
		}
	}
	return members
}

// goAPILevel returns the API that features choose for md: its own, else that of
// what it stands in, else that of the edition.
func goAPILevel(md protoreflect.MessageDescriptor) gofeaturespb.GoFeatures_APILevel {
	const unset = gofeaturespb.GoFeatures_API_LEVEL_UNSPECIFIED
	for d := protoreflect.Descriptor(md); d != nil; d = d.Parent() {
		var features *descriptorpb.FeatureSet
		switch options := d.Options().(type) {
		case *descriptorpb.MessageOptions:
			features = options.GetFeatures()
		case *descriptorpb.FileOptions:
			features = options.GetFeatures()
		}
		if features == nil {
			continue
		}
		chosen, ok, _ := schema.Option[*gofeaturespb.GoFeatures](features, new(descriptorpb.FeatureSet), gofeaturespb.E_Go)
		if level := chosen.GetApiLevel(); ok && level != unset {
			return level
		}
	}
	if fd, ok := md.ParentFile().(interface{ Edition() int32 }); ok && fd.Edition() >= int32(descriptorpb.Edition_EDITION_2024) {
		return gofeaturespb.GoFeatures_API_OPAQUE
	}
	return gofeaturespb.GoFeatures_API_OPEN
}
