package protojson

import (
	"bytes"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/errmap/errmap/internal/jsontree"
)

const (
	// usualPrefix is that of nearly all type URLs.
	usualPrefix = "type.googleapis.com/"

	// maxOddURLs is how many type URLs with another prefix are remembered: their
	// senders choose them.
	maxOddURLs = 256
)

// Resolver finds the types that a program knows, as [protoregistry.GlobalTypes]
// does. What it has found once it must find always.
type Resolver interface {
	protoregistry.MessageTypeResolver
	protoregistry.ExtensionTypeResolver
}

// Fidelity says how much of a message its ProtoJSON holds.
type Fidelity uint8

const (
	// None says that no ProtoJSON says the message, and that nothing was appended:
	// its type is not linked, its bytes do not parse, ProtoJSON refuses it, it nests
	// too deep, what it would say does not read back as the same message, or it is long
	// and must go through protobuf's own protojson.
	None Fidelity = iota

	// Known says that what was appended is what the schema knows: the bytes hold
	// unknown fields as well, outside any google.protobuf.Any in it.
	Known

	// Exact says that what was appended reads back as the same message.
	Exact
)

// A Codec reads and writes the messages of the types that a Resolver finds. Make it
// with [NewCodec]. It is safe for concurrent use.
//
// The table of a type is compiled when the type is first met, and stays; types that
// are not found cost nothing.
type Codec struct {
	types Resolver
	links atomic.Pointer[map[string]*link]
	ready atomic.Pointer[map[protoreflect.MessageDescriptor]*Message] // what Message has been asked for, and more

	mu     sync.Mutex // for what follows, and for writing links
	tables map[protoreflect.MessageDescriptor]*Message
	enums  map[protoreflect.EnumDescriptor]*enum
	odd    int // links under other prefixes than the usual one
}

// link is a type URL whose type is found.
type link struct {
	url   string
	open  []byte // the beginning of the ProtoJSON of an Any, nil if the URL is not UTF-8
	mt    protoreflect.MessageType
	table *Message
}

// NewCodec returns a codec for the types that types finds, which is
// [protoregistry.GlobalTypes] if it is nil.
func NewCodec(types Resolver) *Codec {
	if types == nil {
		types = protoregistry.GlobalTypes
	}
	c := &Codec{
		types:  types,
		tables: make(map[protoreflect.MessageDescriptor]*Message),
		enums:  make(map[protoreflect.EnumDescriptor]*enum),
	}
	c.links.Store(&map[string]*link{})
	c.ready.Store(&map[protoreflect.MessageDescriptor]*Message{})
	return c
}

// Message returns the table of a type, generated or not, whether or not the
// resolver finds it. A nil descriptor has none.
func (c *Codec) Message(md protoreflect.MessageDescriptor) *Message {
	if md == nil {
		return nil
	}
	if m := (*c.ready.Load())[md]; m != nil {
		return m
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.compile(md)
	ready := maps.Clone(c.tables)
	c.ready.Store(&ready)
	return m
}

// Linked tells whether the type that a type URL names is found.
func (c *Codec) Linked(typeURL string) bool { return c.link(typeURL) != nil }

// link returns what a type URL names, nil where that is not found.
func (c *Codec) link(typeURL string) *link {
	if l := (*c.links.Load())[typeURL]; l != nil {
		return l
	}
	return c.learn(typeURL)
}

// linkBytes is link without an allocation for what is known.
func (c *Codec) linkBytes(typeURL []byte) *link {
	if l := (*c.links.Load())[string(typeURL)]; l != nil {
		return l
	}
	return c.learn(string(typeURL))
}

func (c *Codec) learn(typeURL string) *link {
	if typeURL == "" {
		return nil
	}
	mt, err := c.types.FindMessageByURL(typeURL)
	if err != nil {
		return nil
	}
	typeURL = strings.Clone(typeURL)
	l := &link{url: typeURL, mt: mt}
	if open, ok := appendText([]byte(`{"@type":`), []byte(typeURL)); ok {
		l.open = bytes.Clone(open)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l.table = c.compile(mt.Descriptor())
	if known := (*c.links.Load())[typeURL]; known != nil {
		return known
	}
	if usual := strings.HasPrefix(typeURL, usualPrefix) && strings.LastIndexByte(typeURL, '/') == len(usualPrefix)-1; !usual {
		if c.odd == maxOddURLs {
			return l
		}
		c.odd++
	}
	links := maps.Clone(*c.links.Load())
	links[typeURL] = l
	c.links.Store(&links)
	return l
}

// AppendAny appends the ProtoJSON of the google.protobuf.Any that has typeURL and
// value, without white space: byte for byte what protobuf's protojson writes, the
// type URL as it is given. Depth is how deep the JSON may nest at most: 1 for an
// object that holds no other. Where the answer is [None] dst is returned as it was.
func (c *Codec) AppendAny(dst []byte, typeURL string, value []byte, depth int) ([]byte, Fidelity) {
	if depth <= 0 {
		return dst, None
	}
	if typeURL == "" && len(value) == 0 {
		return append(dst, "{}"...), Exact
	}
	l := c.link(typeURL)
	if l == nil || l.open == nil {
		return dst, None
	}
	return c.append(dst, l, value, depth, inAny)
}

// AppendMessage appends the ProtoJSON of the message alone that value is, of the
// type that typeURL names: what Connect has as debug. Else it is as
// [Codec.AppendAny].
func (c *Codec) AppendMessage(dst []byte, typeURL string, value []byte, depth int) ([]byte, Fidelity) {
	l := c.link(typeURL)
	if l == nil {
		return dst, None
	}
	return c.append(dst, l, value, depth, alone)
}

// place says where a message stands.
type place uint8

const (
	alone place = iota
	inAny
)

// append is AppendAny and AppendMessage for a type that is found.
func (c *Codec) append(dst []byte, l *link, value []byte, depth int, at place) ([]byte, Fidelity) {
	w := writer{codec: c}
	out, ok := w.write(dst, l, value, depth, at)
	if !ok && w.trouble == odd && len(value) <= maxOdd {
		w = writer{codec: c, normal: true}
		if m, normal := c.normal(l, value); normal {
			if wire, err := marshal(nil, m); err == nil {
				out, ok = w.write(out[:len(dst)], l, wire, depth, at)
			}
		}
	}
	switch {
	case !ok && w.trouble == foreign && len(value) <= maxOdd:
		return c.libraryAppend(dst, l, value, depth, at)
	case !ok:
		return dst, None
	case w.unknown:
		return out, Known
	}
	return out, Exact
}

func (w *writer) write(dst []byte, l *link, value []byte, depth int, at place) ([]byte, bool) {
	if at == inAny {
		return w.opened(dst, l, value, depth)
	}
	return w.message(dst, value, l.table, depth)
}

// HasUnknown tells whether value, of a linked type, holds unknown fields at any
// depth. It does not look into a google.protobuf.Any. It is false for bytes that do
// not parse and for a type that is not linked.
func (c *Codec) HasUnknown(typeURL string, value []byte) bool {
	room := getReader(c)
	defer room.put()
	out, fidelity := c.AppendMessage(room.out[:0], typeURL, value, equalDepth)
	if room.out = out; fidelity != None {
		return fidelity == Known
	}
	l := c.link(typeURL)
	if l == nil {
		return false
	}
	m, err := c.unmarshal(l, value, proto.UnmarshalOptions{})
	known, knownErr := c.unmarshal(l, value, proto.UnmarshalOptions{DiscardUnknown: true})
	return err == nil && knownErr == nil && !proto.Equal(m, known)
}

// Equal tells whether two values of a type are the same message, however they are
// encoded; what stands in a google.protobuf.Any is compared as a message, too.
// Values that do not parse, or of a type that is not linked, are equal if their
// bytes are.
func (c *Codec) Equal(typeURL string, a, b []byte) bool {
	l := c.link(typeURL)
	if same := bytes.Equal(a, b); same || l == nil {
		return same
	}
	// The ProtoJSON of a message is one text, whatever its bytes are.
	room := getReader(c)
	defer room.put()
	out, first := c.append(room.out[:0], l, a, equalDepth, alone)
	split := len(out)
	out, second := c.append(out, l, b, equalDepth, alone)
	if room.out = out; first == Exact && second == Exact {
		return bytes.Equal(out[:split], out[split:])
	}
	x, ok := c.normal(l, a)
	y, also := c.normal(l, b)
	return ok && also && proto.Equal(x, y)
}

// equalDepth is how deep messages may nest that are compared by their ProtoJSON.
const equalDepth = 1000

// ReadAny reads the ProtoJSON of a google.protobuf.Any: an object with a string
// "@type". Whole is false, and nothing is returned, where the type is not linked,
// where ProtoJSON refuses the object, and where it has a number that would not be
// written again with the same value.
//
// Of members that stand twice in one object the first counts. A field under both of
// its JSON names is refused.
//
// The value has its fields in ascending order of their numbers and the entries of
// maps in the order of their keys. It is the caller's, and nil for no bytes.
func (c *Codec) ReadAny(v jsontree.Value) (typeURL string, value []byte, whole bool) {
	l := c.linkOf(v)
	if l == nil {
		return "", nil, false
	}
	if value, whole = c.read(l, v, strict); !whole {
		return "", nil, false
	}
	return l.url, value, true
}

// manner says how an object is read.
type manner uint8

const (
	strict  manner = iota // with "@type", whole
	lenient               // with "@type", but what the schema does not know
	plain                 // the same without "@type"
)

func (c *Codec) read(l *link, v jsontree.Value, how manner) (value []byte, ok bool) {
	r := getReader(c)
	r.lenient, r.numbers = how != strict, how == strict
	out := r.out[:0]
	switch {
	case how == strict:
		out, ok = r.embedded(out, v, l.table)
	case how == lenient && !l.table.wellKnown:
		r.textual = l.table.desc.FullName() == errorInfo
		out, ok = r.fields(out, v, l.table, typedObject)
	default:
		if how == lenient {
			v = v.Get("value")
		}
		out, ok = r.message(out, v, l.table)
	}
	r.out = out
	if ok && len(out) > 0 {
		value = append(make([]byte, 0, len(out)), out...)
	}
	trouble := r.trouble
	r.put()
	if !ok && trouble == foreign {
		return c.libraryRead(l, v, how != strict)
	}
	return value, ok
}

const errorInfo = "google.rpc.ErrorInfo"

// ReadKnown reads what an object with a string "@type" says as its type. Members that
// the schema does not know are left out, and so are names of enum values. Types of
// google.protobuf are read from the member "value". Metadata of a google.rpc.ErrorInfo
// that are no strings read as their JSON text, null as nothing.
//
// It is false where the type is not linked, and where ProtoJSON refuses what it knows:
// then no part of the object counts. The value is as that of [Codec.ReadAny].
func (c *Codec) ReadKnown(v jsontree.Value) (typeURL string, value []byte, ok bool) {
	l := c.linkOf(v)
	if l == nil {
		return "", nil, false
	}
	value, ok = c.read(l, v, lenient)
	return l.url, value, ok
}

// ReadMessage reads an object as a message of a linked type, as [Codec.ReadKnown] does,
// but without "@type".
func (c *Codec) ReadMessage(typeURL string, v jsontree.Value) (value []byte, ok bool) {
	if l := c.link(typeURL); l != nil {
		return c.read(l, v, plain)
	}
	return nil, false
}

// linkOf returns what the "@type" of an object names, nil for nothing.
func (c *Codec) linkOf(v jsontree.Value) *link {
	name := v.Get("@type")
	if !name.Is(jsontree.String) || name.Lone() {
		return nil
	}
	raw, plain := name.RawText()
	if plain {
		return c.linkBytes(raw)
	}
	return c.link(name.Text())
}
