package plugin

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"
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
		chosen, ok := extension[*gofeaturespb.GoFeatures](features, new(descriptorpb.FeatureSet), gofeaturespb.E_Go)
		if level := chosen.GetApiLevel(); ok && level != unset {
			return level
		}
	}
	if fd, ok := md.ParentFile().(interface{ Edition() int32 }); ok && fd.Edition() >= int32(descriptorpb.Edition_EDITION_2024) {
		return gofeaturespb.GoFeatures_API_OPAQUE
	}
	return gofeaturespb.GoFeatures_API_OPEN
}
