package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"unicode/utf8"

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
		tree := jsontree.Get()
		if tree.Parse(d.JSON, anyDepth) == nil {
			if read, ok := readBytes(codec, tree.Root(), tree.Root().Get(memberType)); ok {
				if !changed {
					details, changed = append([]hub.Detail(nil), details...), true
				}
				details[i] = read
			}
		}
		tree.Release()
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
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(d.JSON, anyDepth) != nil {
		return nil, false
	}
	_, value, ok = codec.ReadKnown(tree.Root())
	return value, ok
}

// Info is what a google.rpc.ErrorInfo says, over the bytes of its detail.
type Info struct {
	Reason, Domain []byte
	bytes          []byte
}

// errorInfo reads a detail as an ErrorInfo that names an error; false where it is
// none, cannot be read, or has no reason.
func errorInfo(codec *protojson.Codec, d *hub.Detail) (in Info, ok bool) {
	if !d.Is(hub.NameErrorInfo) {
		return in, false
	}
	value, ok := knownPart(codec, d)
	if !ok {
		return in, false
	}
	in, ok = readInfo(value)
	return in, ok && len(in.Reason) > 0
}

// readInfo reads the bytes of an ErrorInfo; false where they are none.
func readInfo(value []byte) (in Info, ok bool) {
	in.bytes = value
	ascii := isASCII(value)
	for b := value; len(b) > 0; {
		number, content, rest := nextText(b)
		if rest == nil || number < 3 && !ascii && !utf8.Valid(content) {
			return in, false
		}
		b = rest
		switch number {
		case 1:
			in.Reason = content
		case 2:
			in.Domain = content
		case 3:
			if _, _, ok := entryOf(content, ascii); !ok {
				return in, false
			}
		}
	}
	return in, true
}

// nextText returns the number and the content of the field that b begins with, and
// what follows it, nil where b is malformed. The number is 4 of a field that an
// ErrorInfo does not have.
func nextText(b []byte) (number int, content, rest []byte) {
	if len(b) > 1 && b[1] < 0x80 { // a field of at most 127 bytes, as most are
		if end := 2 + int(b[1]); end <= len(b) {
			switch b[0] {
			case 1<<3 | 2, 2<<3 | 2, 3<<3 | 2:
				return int(b[0] >> 3), b[2:end:end], b[end:]
			}
		}
	}
	n, kind, tag := protowire.ConsumeTag(b)
	if tag < 0 || n > protowire.MaxValidNumber {
		return 0, nil, nil
	}
	if kind != protowire.BytesType || n > 3 {
		size := protowire.ConsumeFieldValue(n, kind, b[tag:])
		if size < 0 {
			return 0, nil, nil
		}
		return 4, nil, b[tag+size:]
	}
	content, size := protowire.ConsumeBytes(b[tag:])
	if size < 0 {
		return 0, nil, nil
	}
	return int(n), content, b[tag+size:]
}

// isASCII tells whether all of b is.
func isASCII(b []byte) bool {
	var all uint64
	for ; len(b) >= 8; b = b[8:] {
		all |= binary.LittleEndian.Uint64(b)
	}
	for _, c := range b {
		all |= uint64(c)
	}
	return all&0x8080808080808080 == 0
}

// entryOf reads an entry of metadata.
func entryOf(b []byte, ascii bool) (key, value []byte, ok bool) {
	for len(b) > 0 {
		number, content, rest := nextText(b)
		if rest == nil {
			return nil, nil, false
		}
		b = rest
		if number > 2 {
			continue
		}
		if !ascii && !utf8.Valid(content) {
			return nil, nil, false
		}
		if number == 1 {
			key = content
		} else {
			value = content
		}
	}
	return key, value, true
}

// entries calls f for each entry of metadata, in the order of the bytes; of one key
// the last counts.
func (in Info) entries(f func(key, value []byte)) {
	for b := in.bytes; len(b) > 0; {
		number, content, rest := nextText(b)
		if number == 3 {
			key, value, _ := entryOf(content, true)
			f(key, value)
		}
		b = rest
	}
}

// Value returns the metadata text of a key.
func (in Info) Value(want string) (text []byte, ok bool) {
	in.entries(func(key, value []byte) {
		if string(key) == want {
			text, ok = value, true
		}
	})
	return text, ok
}

// Metadata returns the entries as a map, nil for none.
func (in Info) Metadata() map[string]string {
	var m map[string]string
	in.entries(func(key, value []byte) {
		if m == nil {
			m = map[string]string{}
		}
		m[string(key)] = string(value)
	})
	return m
}

// entry is one of metadata.
type entry struct{ key, value []byte }

// sorted appends the entries to room, sorted by key.
func (in Info) sorted(room []entry) []entry {
	in.entries(func(key, value []byte) { room = append(room, entry{key, value}) })
	slices.SortStableFunc(room, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	kept := room[:0]
	for i := range room {
		if i+1 == len(room) || !bytes.Equal(room[i].key, room[i+1].key) {
			kept = append(kept, room[i])
		}
	}
	return kept
}

// identity returns the first ErrorInfo whose domain is known, else the first, and
// its place; -1 where there is none.
func identity(details []hub.Detail, catalog *schema.Catalog) (first Info, place int) {
	place = -1
	for i := range details {
		in, ok := errorInfo(catalog.Codec(), &details[i])
		if !ok {
			continue
		}
		if catalog.KnowsDomain(string(in.Domain)) {
			return in, i
		}
		if place < 0 {
			first, place = in, i
		}
	}
	return first, place
}

// definition returns what the catalogue has for the identity of an error: of the
// first ErrorInfo whose domain it knows; nil where there is none.
func definition(details []hub.Detail, catalog *schema.Catalog) *schema.Definition {
	for i := range details {
		if d := &details[i]; d.Is(hub.NameErrorInfo) {
			if in, ok := errorInfo(catalog.Codec(), d); ok {
				if found, knows := catalog.Lookup(in.Domain, in.Reason); knows {
					return found
				}
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
		number, kind, n := protowire.ConsumeField(b)
		if n < 0 || number > protowire.MaxValidNumber {
			return 0, 0, false
		}
		field := b[:n]
		b = b[n:]
		if number != 1 || kind != protowire.BytesType {
			continue
		}
		_, _, tag := protowire.ConsumeTag(field)
		content, _ := protowire.ConsumeBytes(field[tag:])
		ok = true
		for len(content) > 0 {
			number, kind, tag := protowire.ConsumeTag(content)
			n := protowire.ConsumeFieldValue(number, kind, content[max(tag, 0):])
			if tag < 0 || n < 0 || number > protowire.MaxValidNumber {
				return 0, 0, false
			}
			if kind == protowire.VarintType {
				v, _ := protowire.ConsumeVarint(content[tag:])
				switch number {
				case 1:
					seconds = int64(v)
				case 2:
					nanos = int32(v)
				}
			}
			content = content[tag+n:]
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

// unknown returns the fields that an ErrorInfo does not have.
func (in Info) unknown() []byte {
	var out []byte
	for b := in.bytes; len(b) > 0; {
		number, kind, n := protowire.ConsumeField(b)
		if n < 0 {
			return out
		}
		if kind != protowire.BytesType || number > 3 {
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	return out
}
