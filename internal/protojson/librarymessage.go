package protojson

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// libraryEqual is Equal.
func (c *Codec) libraryEqual(l *link, a, b []byte) bool {
	x, err := c.unmarshal(l, a)
	if err != nil {
		return false
	}
	y, err := c.unmarshal(l, b)
	return err == nil && c.same(x, y)
}

// same tells whether two messages are the same, with what their Anys hold.
func (c *Codec) same(a, b proto.Message) bool {
	if proto.Equal(a, b) {
		return true
	}
	c.unify(a.ProtoReflect(), equalDepth)
	c.unify(b.ProtoReflect(), equalDepth)
	return proto.Equal(a, b)
}

// unify gives all Anys in m, at any depth, the bytes that their messages have here.
func (c *Codec) unify(m protoreflect.Message, levels int) {
	if levels == 0 {
		return
	}
	if m.Descriptor().FullName() != "google.protobuf.Any" {
		rangeMessages(m, func(inner protoreflect.Message) bool {
			c.unify(inner, levels-1)
			return true
		})
		return
	}
	if inner := c.opened(m); inner != nil {
		c.unify(inner.ProtoReflect(), levels-1)
		if value, err := marshal(nil, inner); err == nil {
			m.Set(m.Descriptor().Fields().ByNumber(2), protoreflect.ValueOfBytes(value))
		}
	}
}

// opened returns the message that an Any holds, nil where it cannot be read.
func (c *Codec) opened(m protoreflect.Message) proto.Message {
	fields := m.Descriptor().Fields()
	typeURL, value := fields.ByNumber(1), fields.ByNumber(2)
	if typeURL == nil || value == nil || typeURL.Kind() != protoreflect.StringKind || value.Kind() != protoreflect.BytesKind {
		return nil
	}
	l := c.link(m.Get(typeURL).String())
	if l == nil {
		return nil
	}
	inner, err := c.unmarshal(l, m.Get(value).Bytes())
	if err != nil {
		return nil
	}
	return inner
}

// deeper tells whether messages nest deeper in m than that, in Anys, too.
func (c *Codec) deeper(m protoreflect.Message, levels int) bool {
	if levels == 0 {
		return true
	}
	if m.Descriptor().FullName() == "google.protobuf.Any" {
		inner := c.opened(m)
		return inner != nil && c.deeper(inner.ProtoReflect(), levels-1)
	}
	deep := false
	rangeMessages(m, func(inner protoreflect.Message) bool {
		deep = c.deeper(inner, levels-1)
		return !deep
	})
	return deep
}

func hasUnknown(m protoreflect.Message) bool {
	found := len(m.GetUnknown()) > 0
	if !found {
		rangeMessages(m, func(inner protoreflect.Message) bool {
			found = hasUnknown(inner)
			return !found
		})
	}
	return found
}

func dropUnknown(m protoreflect.Message) {
	m.SetUnknown(nil)
	rangeMessages(m, func(inner protoreflect.Message) bool {
		dropUnknown(inner)
		return true
	})
}

// rangeMessages calls f for each message that a field of m holds, until it is false.
func rangeMessages(m protoreflect.Message, f func(protoreflect.Message) bool) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		more := true
		switch {
		case fd.IsMap():
			if fd.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					more = f(v.Message())
					return more
				})
			}
		case fd.Message() == nil:
		case fd.IsList():
			for i := 0; more && i < v.List().Len(); i++ {
				more = f(v.List().Get(i).Message())
			}
		default:
			more = f(v.Message())
		}
		return more
	})
}
