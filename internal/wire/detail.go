package wire

import (
	"bytes"
	"encoding/base64"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
	"github.com/errmap/errmap/internal/schema"
)

const (
	memberType  = "@type"
	memberValue = "@value"
)

// element reads an element of a list of details. It is bytes where it is the empty
// Any, has the "@value" form, or is ProtoJSON that this program reads whole; else it
// is the JSON that it is, of a typed one each member once.
func (r *reading) element(v jsontree.Value) hub.Detail {
	if !v.Is(jsontree.Object) {
		return hub.Detail{JSON: v.AppendCompact(nil)}
	}
	if v.Len() == 0 {
		return hub.Detail{}
	}
	kind := v.Get(memberType)
	if kind.Exists() && v.Doubled() {
		r.Notes.Add("a detail of type %q has a member twice: the first counts", hub.Clip(kind.Text(), 128))
	}
	if kind.Is(jsontree.String) {
		if d, ok := readBytes(r.codec, v, kind); ok {
			return d
		}
		return hub.Detail{TypeURL: kind.Text(), JSON: v.AppendOnce(nil)}
	}
	if kind.Exists() {
		return hub.Detail{JSON: v.AppendOnce(nil)}
	}
	return hub.Detail{JSON: v.AppendCompact(nil)}
}

// readBytes reads a typed element as bytes; false where it stays JSON.
func readBytes(codec *protojson.Codec, v, kind jsontree.Value) (hub.Detail, bool) {
	if value := v.Get(memberValue); value.Is(jsontree.String) && onlyOf(v, memberType, memberValue) {
		raw, err := decodeBase64(value.Text())
		return hub.Detail{TypeURL: kind.Text(), Value: raw}, err == nil
	}
	typeURL, value, whole := codec.ReadAny(v)
	return hub.Detail{TypeURL: typeURL, Value: value}, whole
}

// onlyOf tells whether an object has members of these names alone.
func onlyOf(v jsontree.Value, names ...string) bool {
	for m := v.First(); m.Exists(); m = m.Next() {
		if !slices.ContainsFunc(names, m.NameIs) {
			return false
		}
	}
	return true
}

// typed tells whether the JSON of a detail is an object with a string "@type".
func typed(d *hub.Detail) bool { return d.TypeURL != "" || d.JSON == nil && len(d.Value) > 0 }

// readable returns details as a reader with this catalogue has them: one without it
// may have kept as JSON what is a message here.
func readable(codec *protojson.Codec, details []hub.Detail) []hub.Detail {
	changed := false
	for i := range details {
		d := &details[i]
		if d.JSON == nil || d.TypeURL == "" || !codec.Linked(d.TypeURL) {
			continue
		}
		t := tree(d.JSON)
		if read, ok := readBytes(codec, t.Root(), t.Root().Get(memberType)); ok {
			if !changed {
				details, changed = slices.Clone(details), true
			}
			details[i] = read
		}
		t.Release()
	}
	return details
}

// knownPart returns the bytes of what a detail says as its type: of JSON, the
// members that the type knows. It is false where the type is not linked or cannot
// read the element: no part of such a detail counts.
func knownPart(codec *protojson.Codec, d *hub.Detail) (value []byte, ok bool) {
	if d.JSON == nil {
		return d.Value, true
	}
	if d.TypeURL == "" {
		return nil, false
	}
	t := tree(d.JSON)
	defer t.Release()
	_, value, ok = codec.ReadKnown(t.Root())
	return value, ok
}

// InfoOf reads a detail as an ErrorInfo that names an error; false where it is none,
// cannot be read, or has no reason.
func InfoOf(d *hub.Detail, catalog *schema.Catalog) (in schema.Info, ok bool) {
	if in, ok = schema.InfoOf(d); ok || !d.Is(hub.NameErrorInfo) {
		return in, ok
	}
	value, ok := knownPart(catalog.Codec(), d)
	if !ok {
		return in, false
	}
	in, ok = schema.ReadInfo(value)
	return in, ok && len(in.Reason()) > 0
}

// identity returns the first ErrorInfo whose domain is known, else the first; false
// where there is none.
func identity(details []hub.Detail, catalog *schema.Catalog) (first schema.Info, found bool) {
	return Identity(details, catalog, func(schema.Info) bool { return true })
}

// Identity is identity of those that trusts lets count.
func Identity(details []hub.Detail, catalog *schema.Catalog, trusts func(schema.Info) bool) (first schema.Info, found bool) {
	for i := range details {
		in, ok := InfoOf(&details[i], catalog)
		if !ok || !trusts(in) {
			continue
		}
		if catalog.KnowsDomain(string(in.Domain())) {
			return in, true
		}
		if !found {
			first, found = in, true
		}
	}
	return first, found
}

// definition returns what the catalogue has for the identity of an error: of the
// first ErrorInfo whose domain it knows; nil where there is none.
func definition(details []hub.Detail, catalog *schema.Catalog) *schema.Definition {
	for i := range details {
		if in, ok := InfoOf(&details[i], catalog); ok {
			if found, knows := catalog.Lookup(in.Domain(), in.Reason()); knows {
				return found
			}
		}
	}
	return nil
}

// retryDelay returns the seconds and nanoseconds of the first RetryInfo that has a
// delay which can be read.
func retryDelay(e *hub.Error, codec *protojson.Codec) (seconds int64, nanos int32, ok bool) {
	for i := range e.Details {
		d := &e.Details[i]
		if !d.Is(hub.NameRetryInfo) {
			continue
		}
		value, known := knownPart(codec, d)
		if !known {
			continue
		}
		if seconds, nanos, ok = delayOf(value); ok {
			return seconds, nanos, true
		}
	}
	return 0, 0, false
}

// delayOf reads the delay of the bytes of a RetryInfo; false where there is none.
func delayOf(b []byte) (seconds int64, nanos int32, ok bool) {
	for len(b) > 0 {
		number, kind, content, rest, fine := protojson.NextField(b)
		if !fine {
			return 0, 0, false
		}
		b = rest
		if number != 1 || kind != protowire.BytesType {
			continue
		}
		ok = true
		for len(content) > 0 {
			number, kind, value, rest, fine := protojson.NextField(content)
			if !fine {
				return 0, 0, false
			}
			content = rest
			if v, _ := protowire.ConsumeVarint(value); kind == protowire.VarintType {
				switch number {
				case 1:
					seconds = int64(v)
				case 2:
					nanos = int32(v)
				}
			}
		}
	}
	return seconds, nanos, ok
}

// decodeBase64 reads base64 padded or not, in both alphabets.
func decodeBase64(s string) ([]byte, error) { return decodeBase64Bytes([]byte(s)) }

func decodeBase64Bytes(b []byte) ([]byte, error) {
	b = bytes.TrimRight(b, "=")
	encoding := base64.RawStdEncoding
	if bytes.ContainsAny(b, "-_") {
		encoding = base64.RawURLEncoding
	}
	out := make([]byte, encoding.DecodedLen(len(b)))
	n, err := encoding.Decode(out, b)
	return out[:n], err
}
