package jsonrpc

import (
	"errors"
	"io"
	"slices"
)

const readStep = 4 << 10

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
