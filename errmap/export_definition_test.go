package errmap

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// EncodeInstance is Definition.encode for the tests.
func EncodeInstance(d *Definition, m proto.Message) (string, []RawDetail, []string) {
	if d == nil {
		return "", nil, nil
	}
	text, info, details, notes := d.encode(m)
	if details == nil {
		details = []RawDetail{info}
	}
	return text, details, notes
}

// DecodeInstance is Definition.decode for the tests.
func DecodeInstance(d *Definition, into proto.Message, info *errdetails.ErrorInfo, find func(protoreflect.FullName) ([]byte, bool)) {
	d.decode(into, info, find)
}

// MetadataText is metadataText with the linked types, for the tests.
func MetadataText(m protoreflect.Message, fd protoreflect.FieldDescriptor) (string, error) {
	return metadataText(m, fd, protoregistry.GlobalTypes)
}

// DefaultProblemType is defaultProblemType for the tests.
func DefaultProblemType(domain, reason string) string { return defaultProblemType(domain, reason) }

// UnmarshalProto is unmarshalProto with the linked types, for the tests.
func UnmarshalProto(b []byte, m proto.Message) error {
	return unmarshalProto(proto.UnmarshalOptions{}, b, m)
}
