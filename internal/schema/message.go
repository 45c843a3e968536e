package schema

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/hub"
)

// DetailOf returns m as a detail, its text repaired where it is not UTF-8. It fails
// where protobuf cannot marshal m even so.
func DetailOf(m proto.Message) (hub.Detail, error) {
	value, err := deterministic.Marshal(m)
	if err != nil {
		m = proto.Clone(m)
		RepairMessage(m.ProtoReflect())
		if value, err = deterministic.Marshal(m); err != nil {
			return hub.Detail{}, err
		}
	}
	return hub.Detail{TypeURL: hub.URLPrefix + string(m.ProtoReflect().Descriptor().FullName()), Value: value}, nil
}

// HasUnknown tells whether m holds unknown fields, at any depth.
func HasUnknown(m protoreflect.Message) bool {
	found := len(m.GetUnknown()) > 0
	if !found {
		RangeMessages(m, func(inner protoreflect.Message) bool {
			found = HasUnknown(inner)
			return !found
		})
	}
	return found
}

// RangeMessages calls f for each message that a populated field of m holds, until
// it returns false.
func RangeMessages(m protoreflect.Message, f func(protoreflect.Message) bool) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool { return messagesIn(fd, v, f) })
}

// messagesIn calls f for each message that the value of a field holds, and returns
// false where f did.
func messagesIn(fd protoreflect.FieldDescriptor, v protoreflect.Value, f func(protoreflect.Message) bool) bool {
	switch {
	case fd.IsMap():
		if fd.MapValue().Message() == nil {
			return true
		}
		more := true
		v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
			more = f(v.Message())
			return more
		})
		return more
	case fd.Message() == nil:
		return true
	case fd.IsList():
		for i := range v.List().Len() {
			if !f(v.List().Get(i).Message()) {
				return false
			}
		}
		return true
	}
	return f(v.Message())
}
