package schema

import (
	"iter"
	"strings"
	"sync"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// ownExtensions resolves the options of errmap.v1 and nothing else.
var ownExtensions = extensionSet{errmapv1.E_Error, errmapv1.E_Domain, errmapv1.E_Errors}

// baseTypes are the message types that every catalogue knows, nil too.
var baseTypes = sync.OnceValue(func() map[protoreflect.FullName]protoreflect.MessageType {
	types := make(map[protoreflect.FullName]protoreflect.MessageType)
	for _, file := range []protoreflect.FileDescriptor{
		errdetails.File_google_rpc_error_details_proto,
		status.File_google_rpc_status_proto,
		anypb.File_google_protobuf_any_proto,
		durationpb.File_google_protobuf_duration_proto,
		emptypb.File_google_protobuf_empty_proto,
		fieldmaskpb.File_google_protobuf_field_mask_proto,
		structpb.File_google_protobuf_struct_proto,
		timestamppb.File_google_protobuf_timestamp_proto,
		wrapperspb.File_google_protobuf_wrappers_proto,
		errmapv1.File_errmap_v1_carried_proto,
		errmapv1.File_errmap_v1_error_proto,
	} {
		for md := range Messages(file.Messages()) {
			if linked, ok := linkedType(md); ok {
				types[md.FullName()] = linked
			}
		}
	}
	return types
})

// extensionSet is a handful of extensions as a resolver.
type extensionSet []protoreflect.ExtensionType

// FindExtensionByName implements protoregistry.ExtensionTypeResolver.
func (s extensionSet) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	for _, extension := range s {
		if extension.TypeDescriptor().FullName() == name {
			return extension, nil
		}
	}
	return nil, protoregistry.NotFound
}

// FindExtensionByNumber implements protoregistry.ExtensionTypeResolver.
func (s extensionSet) FindExtensionByNumber(message protoreflect.FullName, number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	for _, extension := range s {
		fd := extension.TypeDescriptor()
		if fd.Number() == number && fd.ContainingMessage().FullName() == message {
			return extension, nil
		}
	}
	return nil, protoregistry.NotFound
}

// add takes in the types of a file; those that are there already stand. A
// descriptor that is linked into the program keeps its Go type.
func (c *Catalog) add(file protoreflect.FileDescriptor) {
	c.addExtensions(file.Extensions())
	for md := range Messages(file.Messages()) {
		c.addExtensions(md.Extensions())
		mt, linked := linkedType(md)
		if !linked {
			mt = dynamicpb.NewMessageType(md)
		}
		_ = c.types.RegisterMessage(mt) // fails for what is there
	}
}

func (c *Catalog) addExtensions(extensions protoreflect.ExtensionDescriptors) {
	for i := range extensions.Len() {
		fd := extensions.Get(i)
		xt, err := protoregistry.GlobalTypes.FindExtensionByName(fd.FullName())
		if err != nil || xt.TypeDescriptor().Descriptor() != fd {
			xt = dynamicpb.NewExtensionType(fd)
		}
		_ = c.types.RegisterExtension(xt)
	}
}

// resolver finds the types that not every catalogue knows.
func (c *Catalog) resolver() *protoregistry.Types {
	switch {
	case c == nil:
		return noTypes
	case c.types == nil:
		return protoregistry.GlobalTypes
	}
	return c.types
}

var noTypes = new(protoregistry.Types)

// FindMessageByURL returns the type that the last segment of a type URL names,
// protoregistry.NotFound where the catalogue does not know it. With the other
// Find methods it makes a Catalog a resolver for protojson and anypb.
func (c *Catalog) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	return c.FindMessageByName(protoreflect.FullName(url[strings.LastIndexByte(url, '/')+1:]))
}

// FindMessageByName returns a message type by its full name,
// protoregistry.NotFound where the catalogue does not know it.
func (c *Catalog) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	if known, ok := baseTypes()[name]; ok {
		return known, nil
	}
	return c.resolver().FindMessageByName(name)
}

// FindExtensionByName returns an extension by its full name,
// protoregistry.NotFound where the catalogue does not know it.
func (c *Catalog) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	if known, err := ownExtensions.FindExtensionByName(name); err == nil {
		return known, nil
	}
	return c.resolver().FindExtensionByName(name)
}

// FindExtensionByNumber returns the extension of a message by its number,
// protoregistry.NotFound where the catalogue does not know it.
func (c *Catalog) FindExtensionByNumber(message protoreflect.FullName, number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	if known, err := ownExtensions.FindExtensionByNumber(message, number); err == nil {
		return known, nil
	}
	return c.resolver().FindExtensionByNumber(message, number)
}

// linkedType returns the Go type of a descriptor that is linked into the
// program; a foreign descriptor of the same name has none.
func linkedType(md protoreflect.MessageDescriptor) (protoreflect.MessageType, bool) {
	mt, err := protoregistry.GlobalTypes.FindMessageByName(md.FullName())
	return mt, err == nil && mt.Descriptor() == md
}

// Messages yields the messages of a list, and after each those nested in it, without
// the entries of maps.
func Messages(list protoreflect.MessageDescriptors) iter.Seq[protoreflect.MessageDescriptor] {
	return func(yield func(protoreflect.MessageDescriptor) bool) {
		for i := range list.Len() {
			md := list.Get(i)
			if md.IsMapEntry() {
				continue
			}
			if !yield(md) {
				return
			}
			for nested := range Messages(md.Messages()) {
				if !yield(nested) {
					return
				}
			}
		}
	}
}
