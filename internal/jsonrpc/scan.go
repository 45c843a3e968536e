package jsonrpc

import "bytes"

// This file is the short way of a request that came alone and that has nothing
// unusual: nearly all of them. It answers only where it is certain of what the
// decoder would say, and declines otherwise, also for all that is wrong: the
// decoder tells what. A fuzz test holds the two together.

// scanRequest reads a body that is UTF-8. It reports false where it declines.
func scanRequest(body []byte, rules Rules) (request Request, ok bool) {
	depth := rules.MaxDepth
	if depth <= 0 || depth > DefaultMaxDepth {
		depth = DefaultMaxDepth
	}
	i := skipSpace(body, 0)
	if i == len(body) || body[i] != '{' {
		return Request{}, false
	}
	seen := 0
	for more := true; more; {
		start := skipSpace(body, i+1)
		end := skipString(body, start)
		if end < 0 || end-start > len(`"jsonrpc"`) {
			return Request{}, false
		}
		name := body[start+1 : end-1]
		if i = skipSpace(body, end); i == len(body) || body[i] != ':' {
			return Request{}, false
		}
		start = skipSpace(body, i+1)
		if end = skipValue(body, start, depth-1); end < 0 {
			return Request{}, false
		}
		member, value := 0, body[start:end:end]
		switch string(name) {
		case "jsonrpc":
			member, ok = seenVersion, string(value) == `"`+Version+`"`
		case "id":
			request.ID = readID(value)
			member, ok = seenID, request.ID != nil && (rules.NullIDs == NullIDsAnswered || !request.ID.IsNull())
		case "method":
			if member, ok = seenMethod, value[0] == '"' && plain(value); ok {
				request.Method = value[1 : len(value)-1 : len(value)-1]
			}
		case "params":
			if member, ok = seenParams, true; value[0] != 'n' {
				request.Params = value
			}
		default:
			ok = plain(name)
		}
		if !ok || seen&member != 0 {
			return Request{}, false
		}
		seen |= member
		if i = skipSpace(body, end); i == len(body) || body[i] != ',' && body[i] != '}' {
			return Request{}, false
		}
		more = body[i] == ','
	}
	const needed = seenVersion | seenMethod
	return request, skipSpace(body, i+1) == len(body) && seen&needed == needed
}

// plain tells whether a string has no escapes.
func plain(text []byte) bool { return bytes.IndexByte(text, '\\') < 0 }

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipValue returns where the JSON value ends that begins at i, and -1 where
// there is none, or one that nests more than depth arrays and objects.
func skipValue(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '{', c == '[':
		return skipNested(b, i, depth)
	case c == '-', '0' <= c && c <= '9':
		return skipNumber(b, i)
	case c == 't':
		return skipLiteral(b, i, "true")
	case c == 'f':
		return skipLiteral(b, i, "false")
	}
	return skipLiteral(b, i, "null")
}

func skipLiteral(b []byte, i int, literal string) int {
	if end := i + len(literal); end <= len(b) && string(b[i:end]) == literal {
		return end
	}
	return -1
}

// skipNested skips an array or an object.
func skipNested(b []byte, i, depth int) int {
	if depth <= 0 {
		return -1
	}
	object := b[i] == '{'
	last := byte(']')
	if object {
		last = '}'
	}
	if next := skipSpace(b, i+1); next < len(b) && b[next] == last {
		return next + 1
	}
	for {
		i = skipSpace(b, i+1)
		if object {
			if i = skipString(b, i); i < 0 {
				return -1
			}
			if i = skipSpace(b, i); i == len(b) || b[i] != ':' {
				return -1
			}
			i = skipSpace(b, i+1)
		}
		if i = skipValue(b, i, depth-1); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		switch {
		case i == len(b):
			return -1
		case b[i] == last:
			return i + 1
		case b[i] != ',':
			return -1
		}
	}
}

// skipString skips a string. Which characters an escape stands for is not asked.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i = skipEscape(b, i+1); i < 0 {
				return -1
			}
		}
	}
	return -1
}

// skipEscape returns the last byte of the escape whose second is at i.
func skipEscape(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i
	case 'u':
		if i+4 >= len(b) {
			return -1
		}
		for _, c := range b[i+1 : i+5] {
			if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
				return -1
			}
		}
		return i + 4
	}
	return -1
}

func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	start := i
	if i = skipDigits(b, i); i == start || b[start] == '0' && i > start+1 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		start = i + 1
		if i = skipDigits(b, start); i == start {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start = i
		if i = skipDigits(b, start); i == start {
			return -1
		}
	}
	return i
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}
