package gateway

import (
	"slices"
	"strings"
	"unicode"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// mend returns a file as protoc would have written it, where it comes of protobufjs,
// as the reflection of grpc-js has it: without imports, with names that are relative
// to where they stand, and with names of its own for the entries of maps. It returns
// nil where there is nothing to mend.
func (s *fileSet) mend(f *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	if s.types == nil {
		s.types = make(map[protoreflect.FullName]string)
		for _, name := range s.order {
			s.index(s.protos[name])
		}
	}
	mended := proto.CloneOf(f)
	m := &mender{set: s, file: mended}
	pkg := protoreflect.FullName(f.GetPackage())
	for _, d := range mended.GetMessageType() {
		m.message(pkg, d)
	}
	m.fields(pkg, mended.GetExtension())
	for _, service := range mended.GetService() {
		for _, method := range service.GetMethod() {
			m.resolve(pkg, method.InputType)
			m.resolve(pkg, method.OutputType)
		}
	}
	if proto.Equal(f, mended) {
		return nil
	}
	return mended
}

// index notes in which file each type is.
func (s *fileSet) index(f *descriptorpb.FileDescriptorProto) {
	note := func(name protoreflect.FullName) {
		if _, taken := s.types[name]; !taken {
			s.types[name] = f.GetName()
		}
	}
	var messages func(protoreflect.FullName, []*descriptorpb.DescriptorProto)
	enums := func(scope protoreflect.FullName, list []*descriptorpb.EnumDescriptorProto) {
		for _, e := range list {
			note(scope.Append(protoreflect.Name(e.GetName())))
		}
	}
	messages = func(scope protoreflect.FullName, list []*descriptorpb.DescriptorProto) {
		for _, d := range list {
			name := scope.Append(protoreflect.Name(d.GetName()))
			note(name)
			enums(name, d.GetEnumType())
			messages(name, d.GetNestedType())
		}
	}
	pkg := protoreflect.FullName(f.GetPackage())
	enums(pkg, f.GetEnumType())
	messages(pkg, f.GetMessageType())
}

// fileOf returns the file of a type. Those of google come from the program where it
// has them, since protobufjs makes one file of each package, of which that of
// google.protobuf cannot be linked.
func (s *fileSet) fileOf(name protoreflect.FullName) (string, bool) {
	if strings.HasPrefix(string(name), "google.") {
		if d, err := protoregistry.GlobalFiles.FindDescriptorByName(name); err == nil && strings.HasPrefix(d.ParentFile().Path(), "google/") {
			return d.ParentFile().Path(), true
		}
	}
	file, ok := s.types[name]
	return file, ok
}

// mender mends one file.
type mender struct {
	set  *fileSet
	file *descriptorpb.FileDescriptorProto
}

func (m *mender) message(scope protoreflect.FullName, d *descriptorpb.DescriptorProto) {
	name := scope.Append(protoreflect.Name(d.GetName()))
	if d.GetOptions().GetMapEntry() && !isEntry(d) {
		d.Options.MapEntry = nil // which protobufjs also writes to the message around an entry
	}
	m.fields(name, d.GetField())
	m.fields(name, d.GetExtension())
	for _, nested := range d.GetNestedType() {
		m.message(name, nested)
		if nested.GetOptions().GetMapEntry() {
			nameEntry(name, nested, d.GetField())
		}
	}
}

func isEntry(d *descriptorpb.DescriptorProto) bool {
	fields := d.GetField()
	return len(fields) == 2 && fields[0].GetName() == "key" && fields[1].GetName() == "value"
}

func (m *mender) fields(scope protoreflect.FullName, fields []*descriptorpb.FieldDescriptorProto) {
	for _, f := range fields {
		m.resolve(scope, f.TypeName)
		m.resolve(scope, f.Extendee)
	}
}

// resolve makes a name absolute, and imports the file that has the type.
func (m *mender) resolve(scope protoreflect.FullName, name *string) {
	if name == nil {
		return
	}
	relative, absolute := strings.CutPrefix(*name, ".")
	if absolute {
		scope = ""
	}
	for ; ; scope = scope.Parent() {
		full := protoreflect.FullName(relative)
		if scope != "" {
			full = scope + "." + full
		}
		if file, ok := m.set.fileOf(full); ok {
			*name = "." + string(full)
			if file != m.file.GetName() && !slices.Contains(m.file.Dependency, file) {
				m.file.Dependency = append(m.file.Dependency, file)
			}
			return
		}
		if scope == "" {
			return
		}
	}
}

// nameEntry gives the entry of a map the name that goes with its field.
func nameEntry(scope protoreflect.FullName, entry *descriptorpb.DescriptorProto, fields []*descriptorpb.FieldDescriptorProto) {
	old := "." + string(scope.Append(protoreflect.Name(entry.GetName())))
	for _, f := range fields {
		if f.GetTypeName() != old {
			continue
		}
		var name strings.Builder
		upper := true
		for _, c := range f.GetName() {
			if c == '_' {
				upper = true
				continue
			}
			if upper {
				c, upper = unicode.ToUpper(c), false
			}
			name.WriteRune(c)
		}
		entry.Name = proto.String(name.String() + "Entry")
		f.TypeName = proto.String("." + string(scope.Append(protoreflect.Name(entry.GetName()))))
	}
}
