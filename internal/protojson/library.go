package protojson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/errmap/errmap/internal/jsontree"
)

// What stands here is for types that the tables do not hold. The library's work is
// checked by reading it back.

// place says where a message stands.
type place uint8

const (
	alone place = iota
	inAny
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

func (c *Codec) unmarshal(l *link, value []byte) (_ proto.Message, err error) {
	defer recovered(&err)
	m := l.mt.New().Interface()
	return m, proto.UnmarshalOptions{Resolver: c.types, AllowPartial: true}.Unmarshal(value, m)
}

func marshal(dst []byte, m proto.Message) (_ []byte, err error) {
	defer recovered(&err)
	return proto.MarshalOptions{AllowPartial: true, Deterministic: true}.MarshalAppend(dst, m)
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

// libraryAppend is AppendAny and AppendMessage.
func (c *Codec) libraryAppend(dst []byte, l *link, value []byte, depth int, at place) ([]byte, Fidelity) {
	m, err := c.unmarshal(l, value)
	// An Any is rendered anew at each level, so they are counted first.
	if err != nil || c.deeper(m.ProtoReflect(), 3*depth) {
		return dst, None
	}
	var shown, back proto.Message = m, l.mt.New().Interface()
	if at == inAny {
		shown, back = &anypb.Any{TypeUrl: l.url, Value: value}, new(anypb.Any)
	}
	text, err := c.render(shown)
	if err != nil {
		return dst, None
	}
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(text, depth) != nil || c.parse(text, back, protojson.UnmarshalOptions{}) != nil {
		return dst, None
	}
	if read, ok := back.(*anypb.Any); ok && at == inAny {
		if back, err = c.unmarshal(l, read.GetValue()); err != nil {
			return dst, None
		}
	}
	fidelity := Exact
	if hasUnknown(m.ProtoReflect()) {
		fidelity = Known
		dropUnknown(m.ProtoReflect())
	}
	if !c.same(m, back) {
		return dst, None
	}
	return append(dst, text...), fidelity
}

// libraryRead is ReadAny.
func (c *Codec) libraryRead(l *link, v jsontree.Value) (string, []byte, bool) {
	read := new(anypb.Any)
	if c.parse(v.AppendOnce(nil), read, protojson.UnmarshalOptions{}) != nil {
		return "", nil, false
	}
	if v.HasNumber() {
		text, fidelity := c.AppendAny(nil, l.url, read.GetValue(), equalDepth)
		tree := jsontree.Get()
		defer tree.Release()
		if fidelity == None || tree.Parse(text, equalDepth) != nil || !numbersComeBack(v, tree.Root()) {
			return "", nil, false
		}
	}
	value := clone(read.GetValue())
	c.ascend(value, l.table)
	return l.url, value, true
}

// ascend puts the fields of a message in the order of their numbers, at every depth:
// the library has oneofs last.
func (c *Codec) ascend(wire []byte, m *Message) {
	r := getReader(c)
	defer r.put()
	r.ascend(wire, m)
}

func (r *reader) ascend(wire []byte, m *Message) {
	r.order(wire)
	for len(wire) > 0 {
		number, kind, n := protowire.ConsumeTag(wire)
		rest := wire[n:]
		size := protowire.ConsumeFieldValue(number, kind, rest)
		wire = rest[size:]
		f := m.numbered(number)
		switch {
		case f == nil:
		case kind == protowire.StartGroupType && f.message != nil:
			content, _ := protowire.ConsumeGroup(number, rest)
			r.ascend(content, f.message)
		case kind != protowire.BytesType || f.kind != protoreflect.MessageKind:
		case f.value != nil && f.value.message != nil:
			if content, _ := protowire.ConsumeBytes(rest); true {
				_, _, key := protowire.ConsumeField(content)
				_, _, tag := protowire.ConsumeTag(content[key:])
				value, _ := protowire.ConsumeBytes(content[key+tag:])
				r.ascend(value, f.value.message)
			}
		case f.message != nil:
			content, _ := protowire.ConsumeBytes(rest)
			r.ascend(content, f.message)
			if f.message.form == formAny {
				r.ascendAny(content)
			}
		}
	}
}

func (r *reader) ascendAny(wire []byte) {
	var w writer
	if typeURL, value, ok := w.anyFields(wire, &Message{}); ok {
		if l := r.codec.linkBytes(typeURL); l != nil {
			r.ascend(value, l.table)
		}
	}
}

// libraryKnown is ReadKnown.
func (c *Codec) libraryKnown(l *link, v jsontree.Value) (string, []byte, bool) {
	m := l.mt.New().Interface()
	lenient := protojson.UnmarshalOptions{DiscardUnknown: true}
	if value := v.Get("value"); l.table.desc.FullName().Parent() == "google.protobuf" {
		if c.parse(value.AppendOnce(nil), m, lenient) != nil {
			return "", nil, false
		}
	} else if c.parse(appendMembers(nil, v), m, lenient) != nil {
		return "", nil, false
	}
	value, err := marshal(nil, m)
	if err != nil {
		return "", nil, false
	}
	value = clone(value)
	c.ascend(value, l.table)
	return l.url, value, true
}

// appendMembers appends an object without its "@type" and what stands twice.
func appendMembers(dst []byte, v jsontree.Value) []byte {
	dst = append(dst, '{')
	for e := v.First(); e.Exists(); e = e.Next() {
		if e.Repeats() || e.NameIs("@type") {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = e.AppendOnce(append(e.AppendName(dst), ':'))
	}
	return append(dst, '}')
}

// libraryField is AppendField: of all of m if there is no field.
func (c *Codec) libraryField(dst []byte, m protoreflect.Message, fd protoreflect.FieldDescriptor) ([]byte, bool) {
	text, err := c.render(m.Interface())
	if err != nil {
		return dst, false
	}
	if fd == nil {
		return append(dst, text...), true
	}
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(text, equalDepth) != nil || tree.Root().Len() != 1 {
		return dst, false
	}
	return append(dst, tree.Root().First().Raw()...), true
}

// librarySet is SetField.
func (c *Codec) librarySet(message protoreflect.Message, fd protoreflect.FieldDescriptor, v jsontree.Value) bool {
	name := fd.JSONName()
	if fd.IsExtension() {
		name = "[" + string(fd.FullName()) + "]"
	}
	text := append(jsontree.AppendString([]byte{'{'}, name), ':')
	text = append(v.AppendOnce(text), '}')
	read := message.New()
	if c.parse(text, read.Interface(), protojson.UnmarshalOptions{DiscardUnknown: true}) != nil {
		return false
	}
	if read.Has(fd) {
		message.Set(fd, read.Get(fd))
	}
	return true
}

// merge sets a field to what wire, which holds nothing else, says.
func merge(wire []byte, message protoreflect.Message, fd protoreflect.FieldDescriptor) (ok bool) {
	var err error
	defer recovered(&err)
	message.Clear(fd)
	return proto.UnmarshalOptions{Merge: true, AllowPartial: true}.Unmarshal(wire, message.Interface()) == nil
}

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

// numbersComeBack tells whether each number of before, zeros aside, is one of after:
// as a number, or as the string that ProtoJSON makes of 64-bit integers.
func numbersComeBack(before, after jsontree.Value) bool {
	missing := map[string]int{}
	fine := true
	eachNumber(before, func(token []byte) {
		key, ok := decimal(token)
		if fine = fine && ok; key != "" {
			missing[key]++
		}
	}, nil)
	found := func(token []byte) {
		if key, _ := decimal(token); missing[key] > 1 {
			missing[key]--
		} else {
			delete(missing, key)
		}
	}
	eachNumber(after, found, found)
	return fine && len(missing) == 0
}

func eachNumber(v jsontree.Value, plain, quoted func([]byte)) {
	switch v.Kind() {
	case jsontree.Number:
		plain(v.Raw())
	case jsontree.String:
		if raw, _ := v.RawText(); quoted != nil && jsontree.IsNumber(raw) {
			quoted(raw)
		}
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		if !e.Repeats() {
			eachNumber(e, plain, quoted)
		}
	}
}

// decimal returns a text that is the same for number tokens of the same value, ""
// for zero; false where the exponent is absurd.
func decimal(token []byte) (string, bool) {
	text, exponent := token, 0
	if i := bytes.IndexAny(token, "eE"); i >= 0 {
		n, err := strconv.Atoi(string(bytes.TrimPrefix(token[i+1:], []byte{'+'})))
		if err != nil || n > 1<<20 || n < -1<<20 {
			return "", false
		}
		text, exponent = token[:i], n
	}
	text, negative := bytes.CutPrefix(text, []byte{'-'})
	whole, decimals, _ := bytes.Cut(text, []byte{'.'})
	digits := bytes.TrimLeft(append(bytes.Clone(whole), decimals...), "0")
	short := bytes.TrimRight(digits, "0")
	if len(short) == 0 {
		return "", true
	}
	exponent += len(digits) - len(short) - len(decimals)
	return strconv.FormatBool(negative) + string(short) + "e" + strconv.Itoa(exponent), true
}
