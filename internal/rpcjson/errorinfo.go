package rpcjson

import (
	"bytes"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// The tags of the fields of a google.rpc.ErrorInfo, and of an entry of its map.
const (
	tagReason   = 1<<3 | byte(protowire.BytesType)
	tagDomain   = 2<<3 | byte(protowire.BytesType)
	tagMetadata = 3<<3 | byte(protowire.BytesType)
	tagKey      = 1<<3 | byte(protowire.BytesType)
	tagValue    = 2<<3 | byte(protowire.BytesType)
)

// infoRoom is what the names, quotes and braces of an ErrorInfo take beyond its
// wire bytes.
const infoRoom = len(`,"reason":"","domain":"","metadata":{}}`)

// delimited reads a field of bytes, the tag of which is at b[0], or of an entry:
// its content, whose capacity reaches on into b, and what follows. It reports
// false for one of 128 bytes or more as well, which next reads.
func delimited(b []byte) (content, rest []byte, ok bool) {
	if len(b) < 2 || b[1] >= 0x80 || len(b)-2 < int(b[1]) {
		return nil, nil, false
	}
	end := 2 + int(b[1])
	return b[2:end], b[end:], true
}

// plainEntry reads an entry whose key and value stand there once, in order.
func plainEntry(b []byte) (key, value []byte, ok bool) {
	if len(b) == 0 || b[0] != tagKey {
		return nil, nil, false
	}
	key, b, ok = delimited(b)
	if !ok || len(b) == 0 || b[0] != tagValue {
		return nil, nil, false
	}
	value, b, ok = delimited(b)
	return key, value, ok && len(b) == 0
}

// appendInfo appends the members of an ErrorInfo in one pass, where each field
// stands in value at most once, by number, the entries by key, and nothing takes
// 128 bytes: as nearly everybody writes it. What it appends is of no use where it
// reports false, and then appendMembers knows more.
func appendInfo(dst, value []byte, comma bool) ([]byte, bool) {
	var last byte
	var key []byte
	for rest := value[:len(value):len(value)]; len(rest) > 0; {
		tag := rest[0]
		content, after, ok := delimited(rest)
		if !ok || tag < last {
			return dst, false
		}
		rest = after
		switch {
		case tag == tagMetadata:
			name, text, ok := plainEntry(content)
			if !ok {
				return dst, false
			}
			if last != tagMetadata {
				dst = append(dst, `,"metadata":{`[skip(comma || last != 0):]...)
			} else {
				if bytes.Compare(key, name) >= 0 {
					return dst, false
				}
				dst = append(dst, ',')
			}
			key = name
			if dst, ok = appendString(dst, name); !ok {
				return dst, false
			}
			if dst, ok = appendString(append(dst, ':'), text); !ok {
				return dst, false
			}
		case tag == last || len(content) == 0:
			return dst, false
		case tag == tagReason:
			dst = append(dst, `,"reason":`[skip(comma):]...)
			if dst, ok = appendString(dst, content); !ok {
				return dst, false
			}
		case tag == tagDomain:
			dst = append(dst, `,"domain":`[skip(comma || last != 0):]...)
			if dst, ok = appendString(dst, content); !ok {
				return dst, false
			}
		default:
			return dst, false
		}
		last = tag
	}
	if last == tagMetadata {
		dst = append(dst, '}')
	}
	return dst, true
}

// skip is 0 where a comma that stands first is wanted, else 1.
func skip(comma bool) int {
	if comma {
		return 0
	}
	return 1
}

// ErrorInfoFields returns the reason and the domain in the wire bytes of a
// google.rpc.ErrorInfo, as parts of them. It reports false wherever the bytes are
// not plainly an ErrorInfo without unknown fields, which proto.Unmarshal may read
// all the same.
func ErrorInfoFields(value []byte) (reason, domain []byte, ok bool) {
	// Where all is ASCII, so is each text in it.
	plain := ascii(value)
	for rest := value; len(rest) > 0; {
		number, content, _, n := next(rest)
		if n < 0 || content == nil {
			return nil, nil, false
		}
		rest = rest[n:]
		switch number {
		case 1:
			reason = content
		case 2:
			domain = content
		case 3:
			if _, _, ok := plainEntry(content); ok && plain {
				continue
			}
			if e, ok := entryOf(content); !ok || !utf8.Valid(e.key) || !utf8.Valid(e.value) {
				return nil, nil, false
			}
			continue
		default:
			return nil, nil, false
		}
		if !plain && !utf8.Valid(content) {
			return nil, nil, false
		}
	}
	return reason, domain, true
}

// ErrorInfoValue returns the metadata value of a key in the wire bytes of a
// google.rpc.ErrorInfo that ErrorInfoFields reads, as a part of them.
func ErrorInfoValue(value []byte, key string) (text []byte, ok bool) {
	for len(value) > 0 {
		number, content, _, n := next(value)
		if n <= 0 {
			return nil, false
		}
		value = value[n:]
		if number != 3 {
			continue
		}
		if e, fine := entryOf(content); fine && string(e.key) == key {
			text, ok = e.value, true // of two entries of a key the last counts
		}
	}
	return text, ok
}

// ErrorInfoNames is ErrorInfoFields for bytes that were written or read as an
// ErrorInfo already: it looks at nothing else in them.
func ErrorInfoNames(value []byte) (reason, domain []byte) {
	for len(value) > 0 {
		tag := value[0]
		content, rest, ok := delimited(value)
		if !ok {
			number, long, _, n := next(value)
			if n <= 0 {
				return nil, nil
			}
			tag, content, rest = byte(number)<<3|byte(protowire.BytesType), long, value[n:]
		}
		switch tag {
		case tagReason:
			reason = content
		case tagDomain:
			domain = content
		}
		value = rest
	}
	return reason, domain
}
