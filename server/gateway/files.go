package gateway

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// fileSet gathers the files of a schema.
type fileSet struct {
	protos  map[string]*descriptorpb.FileDescriptorProto
	order   []string
	missing map[string]error                 // why imports did not come
	types   map[protoreflect.FullName]string // the file of each, once anything has to be mended
}

func newFileSet() *fileSet {
	return &fileSet{protos: make(map[string]*descriptorpb.FileDescriptorProto), missing: make(map[string]error)}
}

// add takes a file, and tells whether it is a new one.
func (s *fileSet) add(f *descriptorpb.FileDescriptorProto) bool {
	if s.protos[f.GetName()] != nil {
		return false
	}
	s.protos[f.GetName()] = f
	s.order = append(s.order, f.GetName())
	return true
}

// cut forgets the files after the first n.
func (s *fileSet) cut(n int) {
	for _, name := range s.order[n:] {
		delete(s.protos, name)
	}
	s.order = s.order[:n]
}

// linkedFiles are files with what they import.
type linkedFiles struct {
	protoregistry.Files
	failed map[string]error // by name
}

// list returns the files in the order of their names.
func (l *linkedFiles) list() []protoreflect.FileDescriptor {
	var files []protoreflect.FileDescriptor
	l.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		files = append(files, f)
		return true
	})
	slices.SortFunc(files, func(a, b protoreflect.FileDescriptor) int { return strings.Compare(a.Path(), b.Path()) })
	return files
}

// link links the files of these names whose imports are there and nest no deeper
// than that, and returns why others were left out. Of two that define the same the
// first stands.
func (s *fileSet) link(depth int, names []string) (linked *linkedFiles, failures []error) {
	linked = &linkedFiles{failed: make(map[string]error)}
	for _, name := range names {
		if _, failed := linked.failed[name]; failed {
			continue
		}
		if err := s.linkFile(linked, name, nil, depth); err != nil {
			failures = append(failures, err)
		}
	}
	return linked, failures
}

// services returns the file of each service.
func (s *fileSet) services() map[protoreflect.FullName]string {
	at := make(map[protoreflect.FullName]string)
	for _, file := range s.order {
		f := s.protos[file]
		for _, service := range f.GetService() {
			name := protoreflect.FullName(f.GetPackage()).Append(protoreflect.Name(service.GetName()))
			if _, taken := at[name]; !taken {
				at[name] = file
			}
		}
	}
	return at
}

// linkFile registers a file after those that it imports.
func (s *fileSet) linkFile(linked *linkedFiles, name string, importing []string, depth int) error {
	if err, failed := linked.failed[name]; failed {
		return err
	}
	if _, err := linked.FindFileByPath(name); err == nil {
		return nil
	}
	err := s.linkNew(linked, name, importing, depth)
	if err != nil {
		linked.failed[name] = err
	}
	return err
}

func (s *fileSet) linkNew(linked *linkedFiles, name string, importing []string, depth int) error {
	f, ours := s.protos[name], programs(name)
	if f == nil {
		f = ours
	}
	if f == nil {
		err := fmt.Errorf("gateway: the schema lacks %s, which %s imports", name, importing[len(importing)-1])
		if why := s.missing[name]; why != nil {
			err = fmt.Errorf("%w: %w", err, why)
		}
		return err
	}
	if len(importing) >= depth {
		return fmt.Errorf("gateway: %s: imports nest deeper than %d", importing[0], depth)
	}
	linked.failed[name] = fmt.Errorf("gateway: %s imports itself", name) // until it is linked
	importing = append(importing, name)
	err := s.linkProto(linked, f, importing, depth)
	if err != nil {
		if mended := s.mend(f); mended != nil {
			err = s.linkProto(linked, mended, importing, depth)
		}
	}
	if err != nil && ours != nil {
		err = s.linkProto(linked, ours, importing, depth)
	}
	if err == nil {
		delete(linked.failed, name)
	}
	return err
}

// programs returns the file of google that the program has, nil for others.
func programs(name string) *descriptorpb.FileDescriptorProto {
	if !strings.HasPrefix(name, "google/") {
		return nil
	}
	f, err := protoregistry.GlobalFiles.FindFileByPath(name)
	if err != nil {
		return nil
	}
	return protodesc.ToFileDescriptorProto(f)
}

func (s *fileSet) linkProto(linked *linkedFiles, f *descriptorpb.FileDescriptorProto, importing []string, depth int) error {
	for _, imported := range f.GetDependency() {
		if err := s.linkFile(linked, imported, importing, depth); err != nil {
			return err
		}
	}
	fd, err := protodesc.NewFile(f, linked)
	if err == nil {
		err = linked.RegisterFile(fd)
	}
	if err != nil {
		return fmt.Errorf("gateway: %s: %w", f.GetName(), err)
	}
	return nil
}
