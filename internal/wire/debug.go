package wire

import (
	"bytes"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/schema"
)

// WithoutDebug returns an error without what is for debugging alone: each
// google.rpc.DebugInfo, in an Any inside a detail too, in a Struct that says to be one
// and in JSON, and the members that peers put beside what their wires define, in which
// frameworks put stacks. It returns e itself where there is nothing of the kind.
func WithoutDebug(e *hub.Error, catalog *schema.Catalog) *hub.Error {
	if !hasDebug(e) {
		return e
	}
	c := *e
	c.Details = make([]hub.Detail, 0, len(e.Details))
	for _, d := range e.Details {
		if mayHoldDebug(&d) {
			var ok bool
			if d, ok = withoutDebug(d, catalog); !ok {
				continue
			}
		}
		c.Details = append(c.Details, d)
	}
	c.Received = make([]hub.Received, 0, len(e.Received))
	for _, r := range e.Received {
		if r.Members = nil; !r.Empty() {
			c.Received = append(c.Received, r)
		}
	}
	return &c
}

func hasDebug(e *hub.Error) bool {
	for i := range e.Details {
		if mayHoldDebug(&e.Details[i]) {
			return true
		}
	}
	for i := range e.Received {
		if len(e.Received[i].Members) > 0 {
			return true
		}
	}
	return false
}

// mayHoldDebug tells whether a detail is a DebugInfo or names one somewhere. In JSON a
// name may be hidden behind escapes.
func mayHoldDebug(d *hub.Detail) bool {
	switch {
	case d.Is(hub.NameDebugInfo):
		return true
	case d.JSON != nil:
		return bytes.Contains(d.JSON, []byte(hub.NameDebugInfo)) || bytes.Contains(d.JSON, []byte(`\`))
	case d.Is(hub.NameErrorInfo):
		return false // it holds text alone
	}
	return bytes.Contains(d.Value, []byte(hub.NameDebugInfo))
}

// withoutDebug takes a DebugInfo out of a detail; false where nothing is left of it, or
// where it cannot be looked into.
func withoutDebug(d hub.Detail, catalog *schema.Catalog) (hub.Detail, bool) {
	if d.Is(hub.NameDebugInfo) {
		return d, false
	}
	if d.JSON != nil {
		t := tree(d.JSON)
		defer t.Release()
		return d, t.Root().Exists() && !saysDebug(t.Root())
	}
	mt, err := catalog.FindMessageByURL(d.TypeURL)
	if err != nil || d.Is(hub.NameCarried) {
		return d, false
	}
	m := mt.New()
	options := proto.UnmarshalOptions{Resolver: catalog, AllowPartial: true}
	if schema.UnmarshalProto(options, d.Value, m.Interface()) != nil {
		return d, false
	}
	s := debugStripper{catalog}
	if s.isDebug(m) {
		return d, false
	}
	if s.strip(m, detailDepth) {
		value, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m.Interface())
		if err != nil {
			return d, false
		}
		d.Value = value
	}
	return d, true
}

// saysDebug tells whether an object in JSON says to be a DebugInfo.
func saysDebug(v jsontree.Value) bool {
	for el := v.First(); el.Exists(); el = el.Next() {
		if el.NameIs(memberType) && hub.BareName(el.Text()) == hub.NameDebugInfo || saysDebug(el) {
			return true
		}
	}
	return false
}

// debugStripper takes each DebugInfo out of messages.
type debugStripper struct{ catalog *schema.Catalog }

// isDebug tells whether a message is a DebugInfo, holds one as an Any, or is a Struct
// that says to be one.
func (s debugStripper) isDebug(m protoreflect.Message) bool {
	fields := m.Descriptor().Fields()
	switch m.Descriptor().FullName() {
	case hub.NameDebugInfo:
		return true
	case "google.protobuf.Any":
		return hub.BareName(m.Get(fields.ByNumber(1)).String()) == hub.NameDebugInfo
	case "google.protobuf.Struct":
		kind := m.Get(fields.ByNumber(1)).Map().Get(protoreflect.ValueOfString(memberType).MapKey())
		if !kind.IsValid() {
			return false
		}
		value := kind.Message()
		text := value.Descriptor().Fields().ByName("string_value")
		return text != nil && hub.BareName(value.Get(text).String()) == hub.NameDebugInfo
	}
	return false
}

// strip takes each DebugInfo out of a message and tells whether there was one.
func (s debugStripper) strip(m protoreflect.Message, levels int) (changed bool) {
	if levels == 0 {
		return false
	}
	if m.Descriptor().FullName() == "google.protobuf.Any" {
		return s.stripAny(m, levels)
	}
	var clear []protoreflect.FieldDescriptor
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap() && fd.MapValue().Message() != nil:
			entries := v.Map()
			entries.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				if s.isDebug(v.Message()) {
					entries.Clear(k)
					changed = true
				} else if s.strip(v.Message(), levels-1) {
					changed = true
				}
				return true
			})
		case fd.IsMap() || fd.Message() == nil:
		case fd.IsList():
			list, kept := v.List(), 0
			for i := range list.Len() {
				inner := list.Get(i)
				if s.isDebug(inner.Message()) {
					changed = true
					continue
				}
				changed = s.strip(inner.Message(), levels-1) || changed
				list.Set(kept, inner)
				kept++
			}
			list.Truncate(kept)
		case s.isDebug(v.Message()):
			clear, changed = append(clear, fd), true
		default:
			changed = s.strip(v.Message(), levels-1) || changed
		}
		return true
	})
	for _, fd := range clear {
		m.Clear(fd)
	}
	return changed
}

// stripAny takes each DebugInfo out of what an Any holds.
func (s debugStripper) stripAny(m protoreflect.Message, levels int) bool {
	fields := m.Descriptor().Fields()
	value := fields.ByNumber(2)
	inner := hub.Detail{TypeURL: m.Get(fields.ByNumber(1)).String(), Value: m.Get(value).Bytes()}
	if levels == 0 || !mayHoldDebug(&inner) {
		return false
	}
	left, ok := withoutDebug(inner, s.catalog)
	if !ok {
		m.Clear(fields.ByNumber(1))
		m.Clear(value)
		return true
	}
	m.Set(value, protoreflect.ValueOfBytes(left.Value))
	return !bytes.Equal(left.Value, inner.Value)
}
