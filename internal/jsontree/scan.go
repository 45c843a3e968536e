package jsontree

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// skip returns the index after the white space that begins at i, and info with what
// there is of it.
func skip(text []byte, i int, info uint32) (int, uint32) {
	if i < len(text) && text[i] <= ' ' {
		return space(text, i, info)
	}
	return i, info
}

func space(text []byte, i int, info uint32) (int, uint32) {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
		info |= spaced
	}
	return i, info
}

// plainEnd returns the index of a byte that special marks: all before it from i on
// stands as it is and is ASCII. Or it returns one of the last that are fewer than
// eight. Most strings end there.
func plainEnd(text []byte, i int) int {
	for len(text)-i >= 8 {
		if marks := special(binary.LittleEndian.Uint64(text[i:])); marks != 0 {
			return i + bits.TrailingZeros64(marks)>>3
		}
		i += 8
	}
	return i
}

// stringEnd returns the index after the string that i is in, and which of escaped and
// lone it is from there on.
func stringEnd(text []byte, i int) (end int, flags uint32, why problem) {
	for {
		i = standing(text, i)
		for i < len(text) && text[i] == '\\' { // escapes come in rows
			flags |= escaped
			var single bool
			if i, single, why = escapeEnd(text, i+1); why != fine {
				return i, 0, why
			}
			if single {
				flags |= lone
			}
		}
		switch {
		case i >= len(text):
			return i, 0, inString
		case text[i] == '"':
			return i + 1, flags, fine
		case text[i] >= utf8.RuneSelf && runes(text, i) == i:
			return i, 0, notUTF8
		case text[i] < ' ':
			return i, 0, inString
		}
	}
}

// escapeEnd returns the index after the escape whose backslash stands before i, or
// after the two that are a pair, and whether it is one of a pair alone.
func escapeEnd(text []byte, i int) (end int, single bool, why problem) {
	if i >= len(text) {
		return i, false, wantEscape
	}
	switch {
	case letters[text[i]] != 0:
		return i + 1, false, fine
	case text[i] != 'u':
		return i, false, wantEscape
	}
	i++
	r := hexRune(text[i:])
	if r < 0 {
		for i < len(text) && HexValue[text[i]] < 16 {
			i++
		}
		return i, false, wantHex
	}
	i += 4
	switch {
	case r < 0xd800 || r > 0xdfff:
		return i, false, fine
	case r < 0xdc00 && lowFollows(text[i:]):
		return i + len(`\udc00`), false, fine
	}
	return i, true, fine
}

// numberEnd returns the index after the number that begins at i.
func numberEnd(text []byte, i int) (_ int, why problem) {
	if text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if i, why = digitsEnd(text, i); why != fine {
		return i, why
	}
	if i < len(text) && text[i] == '.' {
		if i, why = digitsEnd(text, i+1); why != fine {
			return i, why
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		return digitsEnd(text, i)
	}
	return i, fine
}

// digitsEnd returns the index after the digits that begin at i, of which there must
// be one.
func digitsEnd(text []byte, i int) (int, problem) {
	why := wantDigit
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		why = fine
	}
	return i, why
}

// fewNodes is how many nodes a list begins with.
const fewNodes = 256

// grow returns nodes with room for more: for few at first, and then for all that the
// rest of the text needs, counted. The rest begins outside of strings.
func (t *Tree) grow(nodes []node, rest []byte) []node {
	need := min(len(rest)/2+3, fewNodes) // a node takes two bytes and more but what is never closed
	if cap(nodes) >= need {
		need = tokens(rest) + 3
	}
	t.nodes = append(make([]node, 0, len(nodes)+need), nodes...)
	return t.nodes
}

// tokens counts what makes nodes: an opening brace or bracket the first of what is
// in it, a comma one more, a colon one beside the name.
func tokens(rest []byte) int {
	n := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '{', '[', ',', ':':
			n++
		case '"':
			for i++; i < len(rest) && rest[i] != '"'; i++ {
				if rest[i] == '\\' {
					i++
				}
			}
		}
	}
	return n
}
