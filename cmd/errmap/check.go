package main

import (
	"slices"
	"strings"

	"github.com/errmap/errmap/internal/plugin"
	"github.com/errmap/errmap/server/gateway"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// check returns what the generators would refuse. Names that clash in Go alone
// are no matter of a catalogue.
func check(files []protoreflect.FileDescriptor) plugin.Mistakes {
	return plugin.NewSchema(files, plugin.WithoutGoNames()).Check(plugin.GeneratorRules()...)
}

// checkSet returns the mistakes of a descriptor set as plugin.Mistakes. A set that
// does not link is for the gateway to refuse, which tells what it lacks.
func checkSet(set *descriptorpb.FileDescriptorSet) error {
	set = proto.CloneOf(set)
	have := map[string]bool{}
	for _, file := range set.GetFile() {
		have[file.GetName()] = true
	}
	for i := 0; i < len(set.GetFile()); i++ { // it grows
		for _, name := range set.GetFile()[i].GetDependency() {
			linked, err := protoregistry.GlobalFiles.FindFileByPath(name)
			if have[name] || err != nil {
				continue
			}
			have[name] = true
			set.File = append(set.File, protodesc.ToFileDescriptorProto(linked))
		}
	}
	linked, err := protodesc.NewFiles(set)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	var files []protoreflect.FileDescriptor
	linked.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		files = append(files, file)
		return true
	})
	if mistakes := check(files); len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// filesOf returns the files of a schema that have its errors and services, and
// what those import, in the order of their paths.
func filesOf(schema *gateway.Schema) []protoreflect.FileDescriptor {
	files := map[string]protoreflect.FileDescriptor{}
	var add func(file protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if files[file.Path()] != nil || file.IsPlaceholder() {
			return
		}
		files[file.Path()] = file
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}
	}
	for _, s := range schema.Services() {
		add(s.ParentFile())
	}
	for _, d := range schema.Catalog().Definitions() {
		add(d.Descriptor().ParentFile())
	}
	all := make([]protoreflect.FileDescriptor, 0, len(files))
	for _, file := range files {
		all = append(all, file)
	}
	slices.SortFunc(all, func(a, b protoreflect.FileDescriptor) int { return strings.Compare(a.Path(), b.Path()) })
	return all
}
