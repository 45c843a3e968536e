package protojson

import (
	"bytes"
	"encoding/json"
	"errors"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/jsontree"
)

// What stands here is for bytes that have fields twice, which the library puts right,
// and for types that the tables do not hold. The library's work is checked by reading
// it back.

const (
	// maxOdd is how many bytes the library is given to put right or to write: a
	// message may take it hundreds of bytes for each.
	maxOdd = 1 << 16

	// maxCopies is how often the bytes of a message may be copied, which Anys in Anys
	// do for every level.
	maxCopies = 8
)

var errGaveUp = errors.New("protobuf gave up")

// recovered makes an error of a panic. A message without generated code panics on a
// map entry that has its key or value twice, the second time in another wire type
// (seen in protobuf-go 1.36.12): the bytes of a peer must not do that to us.
func recovered(err *error) {
	if recover() != nil {
		*err = errGaveUp
	}
}

// Unmarshal is that of options, and an error where it panics.
func Unmarshal(options proto.UnmarshalOptions, value []byte, m proto.Message) (err error) {
	defer recovered(&err)
	return options.Unmarshal(value, m)
}

func (c *Codec) unmarshal(l *link, value []byte, options proto.UnmarshalOptions) (proto.Message, error) {
	m := l.mt.New().Interface()
	options.Resolver, options.AllowPartial = c.types, true
	return m, Unmarshal(options, value, m)
}

func marshal(dst []byte, m proto.Message) (_ []byte, err error) {
	defer recovered(&err)
	return proto.MarshalOptions{AllowPartial: true, Deterministic: true}.MarshalAppend(dst, m)
}

// normal returns the message that value is, what Anys in it hold written anew: each
// field stands once. It is false where value is no message, and where Anys nest so
// deep in each other that it takes too much.
func (c *Codec) normal(l *link, value []byte) (proto.Message, bool) {
	m, err := c.unmarshal(l, value, proto.UnmarshalOptions{})
	left := maxCopies * (len(value) + 64)
	return m, err == nil && c.unify(m.ProtoReflect(), &left)
}

func (c *Codec) unify(m protoreflect.Message, left *int) bool {
	if m.Descriptor().FullName() != "google.protobuf.Any" || c.Message(m.Descriptor()).form != formAny {
		fine := true
		m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			fine = messagesIn(fd, v, func(inner protoreflect.Message) bool { return c.unify(inner, left) })
			return fine
		})
		return fine
	}
	fields := m.Descriptor().Fields()
	l, value := c.link(m.Get(fields.ByNumber(1)).String()), m.Get(fields.ByNumber(2)).Bytes()
	if *left -= len(value); l == nil || *left < 0 {
		return l == nil
	}
	inner, err := c.unmarshal(l, value, proto.UnmarshalOptions{})
	if err != nil {
		return true
	}
	fine := c.unify(inner.ProtoReflect(), left)
	if value, err = marshal(nil, inner); err == nil {
		m.Set(fields.ByNumber(2), protoreflect.ValueOfBytes(value))
	}
	return fine
}

// libraryAppend is append for a type that the tables do not hold.
func (c *Codec) libraryAppend(dst []byte, l *link, value []byte, depth int, at place) ([]byte, Fidelity) {
	m, ok := c.normal(l, value)
	if !ok {
		return dst, None
	}
	wire, err := marshal(nil, m)
	if err != nil {
		return dst, None
	}
	known, err := c.unmarshal(l, wire, proto.UnmarshalOptions{DiscardUnknown: true})
	if err != nil {
		return dst, None
	}
	var shown, back proto.Message = m, l.mt.New().Interface()
	if at == inAny {
		shown, back = &anypb.Any{TypeUrl: l.url, Value: value}, new(anypb.Any)
	}
	text, err := c.render(shown)
	tree := jsontree.Get()
	defer tree.Release()
	if err != nil || tree.Parse(text, depth) != nil || c.parse(text, back, protojson.UnmarshalOptions{}) != nil {
		return dst, None
	}
	if read, ok := back.(*anypb.Any); ok && at == inAny {
		if back, err = c.unmarshal(l, read.GetValue(), proto.UnmarshalOptions{}); err != nil {
			return dst, None
		}
	}
	switch {
	case !proto.Equal(known, back):
		return dst, None
	case !proto.Equal(known, m):
		return append(dst, text...), Known
	}
	return append(dst, text...), Exact
}

// render returns the compact ProtoJSON of a message.
func (c *Codec) render(m proto.Message) (_ []byte, err error) {
	defer recovered(&err)
	text, err := protojson.MarshalOptions{Resolver: c.types, AllowPartial: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, text) // the library puts white space in at random
	return compact.Bytes(), err
}

func (c *Codec) parse(text []byte, m proto.Message, options protojson.UnmarshalOptions) (err error) {
	defer recovered(&err)
	options.Resolver, options.AllowPartial = c.types, true
	return options.Unmarshal(text, m)
}

// libraryRead reads a message that the tables do not hold: an object with "@type",
// or where what is unknown is left out also one without.
func (c *Codec) libraryRead(l *link, v jsontree.Value, lenient bool) (value []byte, ok bool) {
	r := getReader(c)
	defer r.put()
	if lenient { // "@type" is unknown, too
		m := l.mt.New().Interface()
		err := c.parse(v.AppendOnce(nil), m, protojson.UnmarshalOptions{DiscardUnknown: true})
		if err == nil {
			value, err = marshal(nil, m)
		}
		r.ascend(value, l.table)
		return value, err == nil
	}
	read := new(anypb.Any)
	if c.parse(v.AppendOnce(nil), read, protojson.UnmarshalOptions{}) != nil {
		return nil, false
	}
	if value = read.GetValue(); v.HasNumber() { // which must come back
		out, fidelity := c.append(r.out[:0], l, value, equalDepth, inAny)
		tree := jsontree.Get()
		defer tree.Release()
		if r.out = out; fidelity == None || tree.Parse(out, equalDepth) != nil || !jsontree.Same(v, tree.Root()) {
			return nil, false
		}
	}
	r.ascend(value, l.table)
	return value, true
}

// ascend puts the fields of a message in the order of their numbers, at every depth:
// the library has oneofs last.
func (r *reader) ascend(wire []byte, m *Message) {
	r.order(wire, nil)
	for len(wire) > 0 {
		number, kind, n := protowire.ConsumeTag(wire)
		rest := wire[n:]
		wire = rest[protowire.ConsumeFieldValue(number, kind, rest):]
		f := m.numbered(number)
		switch {
		case f == nil:
		case kind == protowire.StartGroupType && f.message != nil:
			content, _ := protowire.ConsumeGroup(number, rest)
			r.ascend(content, f.message)
		case kind != protowire.BytesType || f.kind != protoreflect.MessageKind:
		case f.message != nil:
			content, _ := protowire.ConsumeBytes(rest)
			r.ascend(content, f.message)
			if f.message.form != formAny {
				continue
			}
			w := writer{codec: r.codec}
			if typeURL, value, ok := w.anyFields(content, f.message); ok {
				if l := r.codec.linkBytes(typeURL); l != nil {
					r.ascend(value, l.table)
				}
			}
		}
	}
}

// messagesIn calls f for each message that the value of a field holds, and is false
// where f was.
func messagesIn(fd protoreflect.FieldDescriptor, v protoreflect.Value, f func(protoreflect.Message) bool) bool {
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
}
