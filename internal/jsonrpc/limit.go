package jsonrpc

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

const (
	// DefaultMaxDepth is the number of arrays and objects inside one another
	// that a parser allows where its rules name no other.
	DefaultMaxDepth = 100

	// DefaultMaxItems is the number of elements of a batch that a parser
	// allows where its rules name no other.
	DefaultMaxItems = 1000

	readStep = 4 << 10
)

// ErrTooLarge is what [ReadBody] returns for a body beyond its limit.
var ErrTooLarge = errors.New("jsonrpc: the body is larger than its limit")

// ReadBody appends all of r to dst and returns the extended slice, also with
// an error. It stops with [ErrTooLarge] once there are more than limit bytes,
// having kept no more than limit of them.
func ReadBody(dst []byte, r io.Reader, limit int) ([]byte, error) {
	start := len(dst)
	for {
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, readStep)
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if len(dst)-start > limit {
			return dst[:start+limit], ErrTooLarge
		}
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}

// tooDeep reports whether body, which need not be JSON, nests arrays and
// objects more than limit deep. It counts outside of strings only, and looks
// closely only at a body that has enough brackets.
func tooDeep(body []byte, limit int) bool {
	if bytes.Count(body, []byte{'['})+bytes.Count(body, []byte{'{'}) <= limit {
		return false
	}
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '[', '{':
			if depth++; depth > limit {
				return true
			}
		case ']', '}':
			depth--
		case '"':
			i = stringEnd(body, i)
		}
	}
	return false
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
