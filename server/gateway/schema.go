package gateway

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/errmap/errmap/errmap"
	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Schema is what a service says of itself: its methods, their types and their
// errors. It is immutable.
type Schema struct {
	services []protoreflect.ServiceDescriptor
	catalog  *errmap.Catalog
	unread   []protoreflect.FullName
	warnings []string
	sum      [sha256.Size]byte
}

// Services returns the services in the order of their names.
func (s *Schema) Services() []protoreflect.ServiceDescriptor { return slices.Clone(s.services) }

// Catalog returns the errors and the message types of the schema.
func (s *Schema) Catalog() *errmap.Catalog { return s.catalog }

// Warnings tells what of the schema could not be used, such as an error that a
// method names and that no file has, or a service that cannot be read.
func (s *Schema) Warnings() []string { return slices.Clone(s.warnings) }

// Unread returns the services that the upstream named and whose schema it did not
// give, or not in full; a warning says why of each. A program that has them from
// elsewhere uses [NewSchema].
func (s *Schema) Unread() []protoreflect.FullName { return slices.Clone(s.unread) }

// Equal tells whether two schemas say the same. A gateway compares the schema that
// it serves with that which its upstream has now.
func (s *Schema) Equal(other *Schema) bool {
	if s == nil || other == nil {
		return s == other
	}
	return s.sum == other.sum
}

// NewSchema makes a schema of a descriptor set, as `buf build` and `protoc
// --include_imports` write it. Imports of google/protobuf, google/rpc and
// google/api that the set lacks are taken from the program. It fails where a file
// cannot be used, and where the errors in the set contradict each other.
func NewSchema(set *descriptorpb.FileDescriptorSet) (*Schema, error) {
	files := newFileSet()
	for _, f := range set.GetFile() {
		files.add(f)
	}
	linked, failures := files.link(math.MaxInt, files.order)
	if len(failures) > 0 {
		return nil, failures[0]
	}
	catalog, err := errmap.NewCatalog(linked.list()...)
	if err != nil {
		return nil, fmt.Errorf("gateway: the errors of the schema: %w", err)
	}
	var services []protoreflect.ServiceDescriptor
	for _, f := range set.GetFile() {
		fd, err := linked.FindFileByPath(f.GetName())
		if err != nil {
			return nil, fmt.Errorf("gateway: %w", err)
		}
		for i := range fd.Services().Len() {
			services = append(services, fd.Services().Get(i))
		}
	}
	return newSchema(services, catalog, linked), nil
}

func newSchema(services []protoreflect.ServiceDescriptor, catalog *errmap.Catalog, linked *linkedFiles) *Schema {
	slices.SortFunc(services, func(a, b protoreflect.ServiceDescriptor) int {
		return strings.Compare(string(a.FullName()), string(b.FullName()))
	})
	services = slices.CompactFunc(services, func(a, b protoreflect.ServiceDescriptor) bool { return a.FullName() == b.FullName() })
	sum := sha256.New()
	for _, s := range services {
		fmt.Fprintf(sum, "%s\n", s.FullName())
	}
	for _, f := range linked.list() {
		raw, _ := proto.MarshalOptions{Deterministic: true}.Marshal(protodesc.ToFileDescriptorProto(f))
		fmt.Fprintf(sum, "%d\n%s", len(raw), raw)
	}
	return &Schema{services: services, catalog: catalog, sum: [sha256.Size]byte(sum.Sum(nil))}
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
