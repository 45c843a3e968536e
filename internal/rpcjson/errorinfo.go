package rpcjson

import "unicode/utf8"

// ErrorInfoFields returns the reason and the domain in the wire bytes of a
// google.rpc.ErrorInfo, as parts of them. It reports false wherever the bytes are
// not plainly an ErrorInfo without unknown fields, which proto.Unmarshal may read
// all the same.
func ErrorInfoFields(value []byte) (reason, domain []byte, ok bool) {
	var slots [maxFields]slot
	if !errorInfo.scan(value, &slots) || !utf8.Valid(slots[0].bytes) || !utf8.Valid(slots[1].bytes) {
		return nil, nil, false
	}
	for left, rest := slots[2].count, value[slots[2].first:]; left > 0; {
		number, content, _, n := next(rest)
		rest = rest[n:]
		if number != 3 {
			continue
		}
		left--
		if e, ok := entryOf(content); !ok || !utf8.Valid(e.key) || !utf8.Valid(e.value) {
			return nil, nil, false
		}
	}
	return slots[0].bytes, slots[1].bytes, true
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
		number, content, _, n := next(value)
		if n <= 0 {
			return nil, nil
		}
		switch number {
		case 1:
			reason = content
		case 2:
			domain = content
		}
		value = value[n:]
	}
	return reason, domain
}
