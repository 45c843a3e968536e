package protojson

import (
	"github.com/errmap/errmap/internal/jsontree"
)

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
	r := getReader(c)
	r.lenient = true
	out, ok := r.known(r.out[:0], v, l)
	r.out = out
	switch {
	case ok:
		typeURL, value = l.url, clone(out)
	case r.trouble == foreign:
		typeURL = l.url
		if l.table.wellKnown {
			v = v.Get("value")
		}
		value, ok = c.libraryRead(l, v, true)
	}
	r.put()
	return typeURL, value, ok
}

func (r *reader) known(dst []byte, v jsontree.Value, l *link) ([]byte, bool) {
	if l.table.wellKnown {
		value := v.Get("value")
		if !value.Exists() {
			return dst, r.fail(refused)
		}
		return r.message(dst, value, l.table)
	}
	if l.table.form == formLibrary {
		return dst, r.fail(foreign)
	}
	r.textual = l.table.desc.FullName() == errorInfo
	return r.fields(dst, v, l.table, typedObject)
}

// ReadMessage reads an object as a message of a linked type, as [Codec.ReadKnown] does,
// but without "@type".
func (c *Codec) ReadMessage(typeURL string, v jsontree.Value) (value []byte, ok bool) {
	l := c.link(typeURL)
	if l == nil {
		return nil, false
	}
	r := getReader(c)
	r.lenient = true
	out, ok := r.message(r.out[:0], v, l.table)
	r.out = out
	switch {
	case ok:
		value = clone(out)
	case r.trouble == foreign:
		value, ok = c.libraryRead(l, v, true)
	}
	r.put()
	return value, ok
}
