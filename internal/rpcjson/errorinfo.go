package rpcjson

import "unicode/utf8"

// ErrorInfoFields returns the reason and the domain in the wire bytes of a
// google.rpc.ErrorInfo. It reports false wherever the bytes are not plainly an
// ErrorInfo without unknown fields, which proto.Unmarshal may read all the same.
func ErrorInfoFields(value []byte) (reason, domain string, ok bool) {
	var slots [maxFields]slot
	if !errorInfo.scan(value, &slots) || !utf8.Valid(slots[0].bytes) || !utf8.Valid(slots[1].bytes) {
		return "", "", false
	}
	for left, rest := slots[2].count, value[slots[2].first:]; left > 0; {
		number, content, _, n := next(rest)
		rest = rest[n:]
		if number != 3 {
			continue
		}
		left--
		if e, ok := entryOf(content); !ok || !utf8.Valid(e.key) || !utf8.Valid(e.value) {
			return "", "", false
		}
	}
	return string(slots[0].bytes), string(slots[1].bytes), true
}
