package schema

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/protojson"
)

// The field numbers of google.rpc.ErrorInfo and of its map entries.
const (
	infoReason   protowire.Number = 1
	infoDomain   protowire.Number = 2
	infoMetadata protowire.Number = 3
	entryKey     protowire.Number = 1
	entryValue   protowire.Number = 2
)

// Info is what a google.rpc.ErrorInfo says, over the bytes of its detail. The zero Info
// says nothing.
type Info struct {
	Bytes []byte
	named [4]uint32 // as that of hub.Detail
}

// ReadInfo reads the bytes of an ErrorInfo; false where they are none.
func ReadInfo(value []byte) (in Info, ok bool) {
	in.Bytes = value
	ascii := isASCII(value)
	for b := value; len(b) > 0; {
		number, kind, content, rest, ok := protojson.NextField(b)
		switch {
		case !ok:
			return Info{}, false
		case kind != protowire.BytesType || number > infoMetadata:
		case number == infoMetadata:
			if _, _, ok := Entry(content, ascii); !ok {
				return Info{}, false
			}
		case !ascii && !utf8.Valid(content):
			return Info{}, false
		default:
			end := uint32(len(value) - len(rest))
			at := 2 * (number - infoReason)
			in.named[at], in.named[at+1] = end-uint32(len(content)), end
		}
		b = rest
	}
	return in, true
}

// InfoOf returns what a detail says that was looked at; false where it was not, or
// names no error.
func InfoOf(d *hub.Detail) (Info, bool) {
	return Info{d.Value, d.Named}, d.Named[1] > 0
}

// Identify looks at a detail once for all who ask which error it names.
func Identify(d *hub.Detail) {
	if d.JSON != nil || d.Named[1] > 0 || !d.Is(hub.NameErrorInfo) {
		return
	}
	if in, ok := ReadInfo(d.Value); ok && len(in.Reason()) > 0 {
		d.Named = in.named
	}
}

// Reason returns the reason; it aliases the bytes.
func (in Info) Reason() []byte { return in.Bytes[in.named[0]:in.named[1]] }

// Domain returns the domain; it aliases the bytes.
func (in Info) Domain() []byte { return in.Bytes[in.named[2]:in.named[3]] }

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

// Entry reads an entry of metadata; false where it is none, or no UTF-8, which is not
// looked for where it is known to be ASCII.
func Entry(b []byte, ascii bool) (key, value []byte, ok bool) {
	for len(b) > 0 {
		number, kind, content, rest, ok := protojson.NextField(b)
		if !ok {
			return nil, nil, false
		}
		b = rest
		if kind != protowire.BytesType || number > entryValue {
			continue
		}
		if !ascii && !utf8.Valid(content) {
			return nil, nil, false
		}
		if number == entryKey {
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
	for b := in.Bytes; len(b) > 0; {
		number, kind, content, rest, _ := protojson.NextField(b)
		if number == infoMetadata && kind == protowire.BytesType {
			key, value, _ := Entry(content, true)
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

// MetadataEntry is an entry of metadata.
type MetadataEntry struct{ Key, Value []byte }

// Sorted appends the entries to room, sorted by key.
func (in Info) Sorted(room []MetadataEntry) []MetadataEntry {
	in.entries(func(key, value []byte) { room = append(room, MetadataEntry{key, value}) })
	slices.SortStableFunc(room, func(a, b MetadataEntry) int { return bytes.Compare(a.Key, b.Key) })
	kept := room[:0]
	for i := range room {
		if i+1 == len(room) || !bytes.Equal(room[i].Key, room[i+1].Key) {
			kept = append(kept, room[i])
		}
	}
	return kept
}

// Unknown returns the fields that an ErrorInfo does not have.
func (in Info) Unknown() []byte {
	var out []byte
	for b := in.Bytes; len(b) > 0; {
		number, kind, _, rest, ok := protojson.NextField(b)
		if !ok {
			break
		}
		if kind != protowire.BytesType || number > infoMetadata {
			out = append(out, b[:len(b)-len(rest)]...)
		}
		b = rest
	}
	return out
}

// Message returns the ErrorInfo as a message; empty where there is none.
func (in Info) Message() *errdetails.ErrorInfo {
	m := new(errdetails.ErrorInfo)
	_ = proto.Unmarshal(in.Bytes, m) // it was read already
	return m
}

// InfoDetail returns a google.rpc.ErrorInfo as a detail, its entries sorted by key as
// protobuf's deterministic form has them, and tells whether all of it is UTF-8.
func InfoDetail(reason, domain string, metadata map[string]string) (d hub.Detail, valid bool) {
	var few [8]textEntry
	entries := few[:0]
	size := len(reason) + len(domain) + 12
	valid = utf8.ValidString(reason) && utf8.ValidString(domain)
	for key, value := range metadata {
		entries = append(entries, textEntry{key, value})
		size += len(key) + len(value) + 20
		valid = valid && utf8.ValidString(key) && utf8.ValidString(value)
	}
	slices.SortFunc(entries, func(a, b textEntry) int { return strings.Compare(a.key, b.key) })
	d.TypeURL = hub.URLErrorInfo
	d.Value, d.Named = appendNames(make([]byte, 0, size), reason, domain)
	for i := range entries {
		d.Value = appendEntry(d.Value, entries[i].key, entries[i].value)
	}
	return d, valid
}

// textEntry is an entry of metadata as text.
type textEntry struct{ key, value string }

// appendNames appends reason and domain as fields of an ErrorInfo, and tells where they
// stand; zeros where there is no reason.
func appendNames(dst []byte, reason, domain string) (_ []byte, named [4]uint32) {
	for i, text := range [2]string{reason, domain} {
		if text != "" {
			number := infoReason + protowire.Number(i)
			dst = protowire.AppendString(protowire.AppendTag(dst, number, protowire.BytesType), text)
			named[2*i], named[2*i+1] = uint32(len(dst)-len(text)), uint32(len(dst))
		}
	}
	if reason == "" {
		named = [4]uint32{}
	}
	return dst, named
}

// appendEntry appends a metadata entry.
func appendEntry(dst []byte, key, value string) []byte {
	if size := len(key) + len(value) + 4; size < 0x80 {
		dst = append(dst, byte(infoMetadata)<<3|byte(protowire.BytesType), byte(size),
			byte(entryKey)<<3|byte(protowire.BytesType), byte(len(key)))
		dst = append(append(dst, key...), byte(entryValue)<<3|byte(protowire.BytesType), byte(len(value)))
		return append(dst, value...)
	}
	return frameEntry(append(dst, value...), len(dst), key)
}

// frameEntry makes the text at the end of dst, from start, a metadata entry. The
// text comes first because its length is not known before it is written.
func frameEntry(dst []byte, start int, key string) []byte {
	value := len(dst) - start
	size := protowire.SizeTag(entryKey) + protowire.SizeBytes(len(key)) +
		protowire.SizeTag(entryValue) + protowire.SizeBytes(value)
	header := protowire.SizeTag(infoMetadata) + protowire.SizeVarint(uint64(size)) + size - value
	dst = slices.Grow(dst, header)[:start+header+value]
	copy(dst[start+header:], dst[start:start+value])
	head := protowire.AppendTag(dst[:start], infoMetadata, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(size))
	head = protowire.AppendTag(head, entryKey, protowire.BytesType)
	head = protowire.AppendString(head, key)
	head = protowire.AppendTag(head, entryValue, protowire.BytesType)
	protowire.AppendVarint(head, uint64(value))
	return dst
}
