package jsonrpc

import (
	"bytes"
	"strconv"

	"github.com/errmap/errmap/internal/jsontree"
)

// ID is the id of a request or a response: the token as it stood, such as 7,
// 1.0, "a-1" or null. The nil ID stands for the member that is absent.
type ID []byte

// NullID returns the id null, which section 5 of the standard wants where the
// id of a request could not be read.
func NullID() ID { return ID("null") }

// IsNull reports whether id is the token null. An absent id is not.
func (id ID) IsNull() bool { return len(id) > 0 && id[0] == 'n' }

// Key returns a text that two ids share if and only if they are the same JSON
// value: strings by what they say and numbers by their exact amount, so that
// "a" and "\u0061" are the same, 10 and 1e1 are, and 1 and "1" are not.
func (id ID) Key() string {
	switch {
	case len(id) == 0:
		return ""
	case id[0] == '"':
		tree := jsontree.Get()
		defer tree.Release()
		_ = tree.Parse(id, 0) // it was read
		return `"` + tree.Root().Text()
	case id[0] == 'n':
		return "null"
	}
	return numberKey(id)
}

// numberKey writes a JSON number as its significant digits and a power of
// ten. An exponent too large to add to is compared as it is written.
func numberKey(token []byte) string {
	digits, sign := token, ""
	if digits[0] == '-' {
		digits, sign = digits[1:], "-"
	}
	exponent := 0
	if i := bytes.IndexAny(digits, "eE"); i >= 0 {
		parsed, err := strconv.ParseInt(string(digits[i+1:]), 10, 32)
		if err != nil {
			return string(token)
		}
		exponent, digits = int(parsed), digits[:i]
	}
	whole, fraction, _ := bytes.Cut(digits, []byte{'.'})
	exponent -= len(fraction)
	all := bytes.TrimLeft(append(append(make([]byte, 0, len(digits)), whole...), fraction...), "0")
	significant := bytes.TrimRight(all, "0")
	if len(significant) == 0 {
		return "0"
	}
	exponent += len(all) - len(significant)
	return sign + string(significant) + "e" + strconv.Itoa(exponent)
}
