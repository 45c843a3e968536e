package gateway

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/errmap/errmap/errmap"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Schema is what a service says of itself: its methods, their types and their
// errors. It is immutable.
type Schema struct {
	services []protoreflect.ServiceDescriptor
	catalog  *errmap.Catalog
	warnings []string
}

// Services returns the services in the order of their names.
func (s *Schema) Services() []protoreflect.ServiceDescriptor { return slices.Clone(s.services) }

// Catalog returns the errors and the message types of the schema.
func (s *Schema) Catalog() *errmap.Catalog { return s.catalog }

// Warnings tells what of the schema could not be used, such as an error that a
// method names and that no file has.
func (s *Schema) Warnings() []string { return slices.Clone(s.warnings) }

// NewSchema makes a schema of a descriptor set, as `buf build` and `protoc
// --include_imports` write it. Imports of google/protobuf, google/rpc and
// google/api that the set lacks are taken from the program.
func NewSchema(set *descriptorpb.FileDescriptorSet) (*Schema, error) {
	files := &fileSet{protos: map[string]*descriptorpb.FileDescriptorProto{}}
	for _, f := range set.GetFile() {
		files.add(f)
	}
	var names []protoreflect.FullName
	for _, f := range set.GetFile() {
		for _, s := range f.GetService() {
			names = append(names, protoreflect.FullName(f.GetPackage()).Append(protoreflect.Name(s.GetName())))
		}
	}
	return files.schema(names, nil)
}

// fileSet gathers the files of a schema.
type fileSet struct {
	protos map[string]*descriptorpb.FileDescriptorProto
	order  []string
}

func (s *fileSet) add(f *descriptorpb.FileDescriptorProto) {
	if s.protos[f.GetName()] == nil {
		s.protos[f.GetName()] = f
		s.order = append(s.order, f.GetName())
	}
}

// schema links the files and picks the services out of them.
func (s *fileSet) schema(names []protoreflect.FullName, warnings []string) (*Schema, error) {
	linked := new(protoregistry.Files)
	for _, name := range s.order {
		if err := s.link(linked, name, nil); err != nil {
			return nil, err
		}
	}
	out := &Schema{warnings: warnings}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		d, err := linked.FindDescriptorByName(name)
		sd, ok := d.(protoreflect.ServiceDescriptor)
		if err != nil || !ok {
			return nil, fmt.Errorf("gateway: the schema has no service %s", name)
		}
		out.services = append(out.services, sd)
	}
	var files []protoreflect.FileDescriptor
	linked.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		files = append(files, f)
		return true
	})
	slices.SortFunc(files, func(a, b protoreflect.FileDescriptor) int { return strings.Compare(a.Path(), b.Path()) })
	catalog, err := errmap.NewCatalog(files...)
	if err != nil {
		return nil, fmt.Errorf("gateway: the errors of the schema: %w", err)
	}
	out.catalog = catalog
	return out, nil
}

// link registers a file after those that it imports.
func (s *fileSet) link(linked *protoregistry.Files, name string, importing []string) error {
	if _, err := linked.FindFileByPath(name); err == nil {
		return nil
	}
	if slices.Contains(importing, name) {
		return fmt.Errorf("gateway: %s imports itself", name)
	}
	f := s.protos[name]
	if f == nil {
		if !strings.HasPrefix(name, "google/") {
			return fmt.Errorf("gateway: the schema lacks %s, which %s imports", name, importing[len(importing)-1])
		}
		ours, err := protoregistry.GlobalFiles.FindFileByPath(name)
		if err != nil {
			return fmt.Errorf("gateway: the schema lacks %s, which %s imports", name, importing[len(importing)-1])
		}
		f = protodesc.ToFileDescriptorProto(ours)
	}
	for _, imported := range f.GetDependency() {
		if err := s.link(linked, imported, append(importing, name)); err != nil {
			return err
		}
	}
	fd, err := protodesc.NewFile(f, linked)
	if err == nil {
		err = linked.RegisterFile(fd)
	}
	if err != nil {
		return fmt.Errorf("gateway: %s: %w", name, err)
	}
	return nil
}

// errorNames returns the full names in the (errmap.v1.errors) options of the
// methods of a file.
func errorNames(f *descriptorpb.FileDescriptorProto) []protoreflect.FullName {
	var names []protoreflect.FullName
	for _, s := range f.GetService() {
		for _, m := range s.GetMethod() {
			raw, err := proto.Marshal(m.GetOptions())
			options := new(descriptorpb.MethodOptions)
			if err != nil || proto.Unmarshal(raw, options) != nil {
				continue
			}
			named, _ := proto.GetExtension(options, errmapv1.E_Errors).([]string)
			for _, name := range named {
				names = append(names, protoreflect.FullName(name))
			}
		}
	}
	return names
}

var errNoServices = errors.New("gateway: the upstream has no services")
