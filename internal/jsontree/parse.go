package jsontree

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// ErrTooDeep is what Parse returns for text that nests deeper than its limit.
var ErrTooDeep = errors.New("nested deeper than the limit")

var errTooLong = errors.New("longer than 4 GiB")

// maxText is how long a text may be: nodes hold 32 bits for a place in it.
const maxText = 1<<32 - 1

// none is the parent of the root.
const none = 1<<32 - 1

// problem says why reading stopped: what was expected.
type problem string

const (
	fine              problem = ""
	tooDeep           problem = "less depth"
	notUTF8           problem = "UTF-8"
	wantValue         problem = "a value"
	wantElement       problem = "a value or ']'"
	wantName          problem = "a name in quotes"
	wantMember        problem = "a name in quotes or '}'"
	wantColon         problem = "':'"
	wantComma         problem = "',' or ']'"
	wantCommaInObject problem = "',' or '}'"
	wantEnd           problem = "the end"
	wantDigit         problem = "a digit"
	wantHex           problem = "a hexadecimal digit"
	wantEscape        problem = `one of "\/bfnrtu`
	wantLiteral       problem = "null, true or false"
	inString          problem = "the rest of a string"
)

// Parse reads text: one JSON value, with white space around it or not, up to 4
// GiB - 1 bytes, nested at most depth deep (0 allows no array nor object). The
// tree aliases text, which must not change while values are in use, and Parse
// does not change it.
//
// Doubled names and lone surrogates are accepted and marked. Bytes that are not
// UTF-8 are U+FFFD each; the tree then has its own text.
func (t *Tree) Parse(text []byte, depth int) error {
	at, why := t.parse(text, depth)
	if why == fine {
		return nil
	}
	given := text
	if why == notUTF8 {
		text = appendClean(make([]byte, 0, len(text)+len(text)/8), string(text))
		if at, why = t.parse(text, depth); why == fine {
			return nil
		}
	}
	t.text, t.nodes = nil, t.nodes[:0]
	switch {
	case why == tooDeep:
		return ErrTooDeep
	case uint64(len(text)) > maxText:
		return errTooLong
	case at >= len(text):
		return errors.New("unexpected end at offset " + strconv.Itoa(len(given)) + ", expected " + string(why))
	}
	r, _ := utf8.DecodeRune(text[at:])
	return errors.New("invalid character " + strconv.QuoteRune(r) + " at offset " + strconv.Itoa(offset(given, at)) + ", expected " + string(why))
}

// offset returns where in text the byte stands that is at place in what
// appendClean makes of it.
func offset(text []byte, place int) int {
	at := 0
	for place > 0 && at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		at += size
		if r == utf8.RuneError {
			size = len("\uFFFD")
		}
		place -= size
	}
	return at
}

// parse reads text into nodes. Where it stops early it says at which byte, and why.
func (t *Tree) parse(text []byte, depth int) (int, problem) {
	if uint64(len(text)) > maxText {
		return 0, wantEnd
	}
	nodes := t.nodes[:0]
	t.text = text
	var (
		i       int
		why     = wantValue
		c       byte
		prev    uint32        // the value that was read last
		open    uint32 = none // the array or object that is read
		info    uint32        // its info so far
		names   uint32        // a mask of the names in it so far
		closing byte
	)

value:
	i, info = skip(text, i, info)
	if i >= len(text) {
		return i, why
	}
	if len(nodes)+2 > cap(nodes) {
		nodes = t.grow(nodes, text[i:])
	}
	prev = uint32(len(nodes))
	switch c = text[i]; c {
	case '{', '[':
		if depth <= 0 {
			return i, tooDeep
		}
		depth--
		inside := info & inObject * (member / inObject)
		if open != none {
			nodes[open].info, nodes[open].end = info, names
		}
		nodes = append(nodes, node{start: uint32(i), next: open})
		open, names = prev, 0
		info = uint32(Array) | inside
		if c == '{' {
			info = uint32(Object) | inside
		}
		i++
		i, info = skip(text, i, info)
		if i < len(text) && text[i] == c+2 {
			i++
			goto empty
		}
		if c == '{' {
			why = wantMember
			goto name
		}
		why = wantElement
		goto value
	case '"':
		from := i
		i = plainEnd(text, i+1)
		flags := uint32(0)
		if i < len(text) && text[i] == '"' {
			i++
		} else if i, flags, why = stringEnd(text, i); why != fine {
			return i, why
		}
		nodes = append(nodes, node{uint32(from), uint32(i), prev + 1, uint32(String) | flags | info&inObject*(member/inObject)})
		info |= flags & lone
	case 't', 'n', 'f':
		kind := Bool
		word := "true"
		switch c {
		case 'n':
			kind, word = Null, "null"
		case 'f':
			word = "false"
		}
		from := i
		if len(text)-i < len(word) || string(text[i:i+len(word)]) != word {
			for i < len(text) && text[i] == word[i-from] {
				i++
			}
			return i, wantLiteral
		}
		i += len(word)
		nodes = append(nodes, node{uint32(from), uint32(i), prev + 1, uint32(kind) | info&inObject*(member/inObject)})
	default:
		if c != '-' && (c < '0' || c > '9') {
			return i, why
		}
		from := i
		if c > '0' {
			for i++; i < len(text) && text[i]-'0' <= 9; i++ {
			}
		}
		if c <= '0' || i < len(text) && (text[i] == '.' || text[i]|0x20 == 'e') {
			if i, why = numberEnd(text, from); why != fine {
				return i, why
			}
		}
		nodes = append(nodes, node{uint32(from), uint32(i), prev + 1, uint32(Number) | number | info&inObject*(member/inObject)})
		info |= number
	}

after:
	if open == none {
		i, _ = skip(text, i, 0)
		if i < len(text) {
			return i, wantEnd
		}
		nodes[0].info |= last
		t.nodes = nodes
		return i, fine
	}
	if info>>countShift != maxCount {
		info += 1 << countShift
	}
	i, info = skip(text, i, info)
	closing = ']'
	if why = wantComma; info&inObject != 0 {
		closing, why = '}', wantCommaInObject
	}
	if i >= len(text) {
		return i, why
	}
	switch c = text[i]; {
	case c == ',':
		i++
		if info&inObject != 0 {
			why = wantName
			goto name
		}
		why = wantValue
		goto value
	case c == closing:
		i++
		nodes[prev].info |= last
		if info&similar != 0 && t.double(text, nodes, open) {
			info |= doubled
		}
	default:
		return i, why
	}

empty:
	{
		n := &nodes[open]
		prev, open = open, n.next
		n.end, n.next, n.info = uint32(i), uint32(len(nodes)), info
		depth++
		if open != none {
			n = &nodes[open]
			names = n.end
			info = n.info | info&inherited
		}
	}
	goto after

name:
	i, info = skip(text, i, info)
	if i >= len(text) || text[i] != '"' {
		return i, why
	}
	if len(nodes)+2 > cap(nodes) {
		nodes = t.grow(nodes, text[i:])
	}
	{
		from := i
		i = plainEnd(text, i+1)
		flags := uint32(0)
		if i < len(text) && text[i] == '"' {
			i++
		} else if i, flags, why = stringEnd(text, i); why != fine {
			return i, why
		}
		read := text[from+1 : i-1]
		if flags != 0 {
			t.scratch = appendRead(t.scratch[:0], read)
			read = t.scratch
		}
		h := hash(read)
		nodes = append(nodes, node{uint32(from), uint32(i), h, uint32(name) | flags})
		bit := uint32(1) << (h >> 27)
		if names&bit != 0 {
			info |= similar
		}
		names |= bit
		info |= flags & lone
	}
	i, info = skip(text, i, info)
	if i >= len(text) || text[i] != ':' {
		return i, wantColon
	}
	i++
	why = wantValue
	goto value
}
