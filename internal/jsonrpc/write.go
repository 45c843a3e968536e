package jsonrpc

import (
	"strconv"

	"github.com/errmap/errmap/internal/jsontree"
)

// BeginResult appends a response up to the value of its result, for the caller
// to append, and then [End]. A nil id leaves the member out, which only MCP
// allows.
func BeginResult(dst []byte, id ID) []byte {
	return append(appendHead(dst, id), `,"result":`...)
}

// BeginError appends a response up to the value of its error, for the caller
// to append, and then [End]. A nil id leaves the member out, which only MCP
// allows.
func BeginError(dst []byte, id ID) []byte {
	return append(appendHead(dst, id), `,"error":`...)
}

// End appends what ends a response.
func End(dst []byte) []byte { return append(dst, '}') }

// AppendRequest appends a request, or with a nil id a notification. params is
// a JSON value that is left out where it is nil.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = append(appendHead(dst, id), `,"method":`...)
	dst = jsontree.AppendString(dst, jsontree.Clean(method))
	if params != nil {
		dst = append(append(dst, `,"params":`...), params...)
	}
	return append(dst, '}')
}

// AppendError appends a whole response with an error of code and message
// alone.
func AppendError(dst []byte, id ID, code int, message string) []byte {
	return End(AppendErrorObject(BeginError(dst, id), code, message))
}

// AppendErrorObject appends an error object of code and message alone
// (section 5.1 of the standard).
func AppendErrorObject(dst []byte, code int, message string) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":`...)
	return append(jsontree.AppendString(dst, jsontree.Clean(message)), '}')
}

// Compact removes the whitespace between the tokens of value, which must be
// JSON, and returns what is left. It works in place.
func Compact(value []byte) []byte {
	kept := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case ' ', '\t', '\r', '\n':
			continue
		case '"':
			end := min(stringEnd(value, i)+1, len(value))
			kept += copy(value[kept:], value[i:end])
			i = end - 1
			continue
		}
		value[kept] = value[i]
		kept++
	}
	return value[:kept]
}

func appendHead(dst []byte, id ID) []byte {
	dst = append(dst, `{"jsonrpc":"`+Version+`"`...)
	if id != nil {
		dst = append(append(dst, `,"id":`...), id...)
	}
	return dst
}

// stringEnd returns the index of the quote that ends the string that begins
// at start, or the length of body where none does.
func stringEnd(body []byte, start int) int {
	for i := start + 1; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(body)
}
