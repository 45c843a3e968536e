package rpcjson

import (
	"encoding/binary"
	"math/bits"
)

// Of a word that repeats one byte eight times.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// special marks, by its high bit, the first of eight bytes that does not stand in
// a JSON string as it is or is no ASCII: a control character, a quote, a
// backslash, or one of 0x80 on. Marks behind the first say nothing, for a borrow
// may have come over.
func special(w uint64) uint64 {
	return ((w - ' '*ones) | ((w ^ '"'*ones) - ones) | ((w ^ '\\'*ones) - ones) | w) & highs
}

// clean returns how many bytes at the beginning of s stand in a JSON string as
// they are and are ASCII. What lies between the length and the capacity of s is
// read too, so it must be of what the caller may read.
func clean(s []byte) int {
	at := 0
	for ; cap(s)-at >= 8; at += 8 {
		marks := special(binary.LittleEndian.Uint64(s[at : at+8]))
		if marks != 0 {
			return min(at+bits.TrailingZeros64(marks)>>3, len(s))
		}
		if at+8 >= len(s) {
			return len(s)
		}
	}
	for ; at < len(s); at++ {
		if c := s[at]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return at
		}
	}
	return len(s)
}

// AppendClean appends s as a JSON string where all of it stands there as it is and
// is ASCII; else it reports false, and appends nothing.
func AppendClean(dst []byte, s string) ([]byte, bool) {
	rest := s
	for ; len(rest) >= 8; rest = rest[8:] {
		if special(word(rest)) != 0 {
			return dst, false
		}
	}
	for i := range len(rest) {
		if c := rest[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return dst, false
		}
	}
	return append(append(append(dst, '"'), s...), '"'), true
}

// word returns the first eight bytes of s, the first of them lowest.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// ascii tells whether all of b is.
func ascii(b []byte) bool {
	var all uint64
	for ; len(b) >= 8; b = b[8:] {
		all |= binary.LittleEndian.Uint64(b)
	}
	for _, c := range b {
		all |= uint64(c)
	}
	return all&highs == 0
}
