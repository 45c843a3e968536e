package jsontree

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// AppendCanonical appends v in the form of RFC 8785. It reports false, and appends
// nothing, where that form cannot say v exactly: a number that no double is, -0, a
// lone surrogate, a doubled name, and Missing.
func AppendCanonical(dst []byte, v Value) ([]byte, bool) {
	if !v.Exists() || v.node().info&(lone|doubled) != 0 {
		return dst, false
	}
	out, ok := appendCanonical(dst, v)
	if !ok {
		return dst, false
	}
	return out, true
}

func appendCanonical(dst []byte, v Value) ([]byte, bool) {
	switch v.Kind() {
	case Object:
		return appendObject(dst, v)
	case Array:
		dst = append(dst, '[')
		for e := v.First(); e.Exists(); e = e.Next() {
			if e.i != v.i+1 {
				dst = append(dst, ',')
			}
			var ok bool
			if dst, ok = appendCanonical(dst, e); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), true
	case String:
		return v.t.appendString(dst, v.node()), true
	case Number:
		return appendNumber(dst, v.Raw())
	}
	return append(dst, v.Raw()...), true
}

// appendString appends a string or name as briefly as can be.
func (t *Tree) appendString(dst []byte, n *node) []byte {
	if n.info&escaped == 0 {
		return append(dst, t.text[n.start:n.end]...)
	}
	raw := t.text[n.start+1 : n.end-1]
	return AppendStringBytes(dst, appendRead(make([]byte, 0, len(raw)), raw))
}

func appendObject(dst []byte, v Value) ([]byte, bool) {
	var room [16]namedValue
	dst = append(dst, '{')
	for i, m := range appendSorted(room[:0], v.First()) {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		dst = append(v.t.appendString(dst, &v.t.nodes[m.value.i-1]), ':')
		if dst, ok = appendCanonical(dst, m.value); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// namedValue is a member to be sorted: its name, read, and its value.
type namedValue struct {
	name  []byte
	value Value
}

// appendSorted appends the members of an object from m on, in the order of RFC 8785.
func appendSorted(members []namedValue, m Value) []namedValue {
	n := 0
	for e := m; e.Exists(); e = e.Next() {
		n++
	}
	members = slices.Grow(members, n)
	for ; m.Exists(); m = m.Next() {
		name, plain := m.RawName()
		if !plain {
			name = appendRead(nil, name)
		}
		members = append(members, namedValue{name, m})
	}
	compare := func(a, b namedValue) int { return compareUTF16(a.name, b.name) }
	if !slices.IsSortedFunc(members, compare) {
		slices.SortFunc(members, compare)
	}
	return members
}

// compareUTF16 orders UTF-8 as its UTF-16 is ordered: what lies outside the basic
// plane, four bytes here and a pair there, before the last of that plane.
func compareUTF16(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if x, y := a[i], b[i]; x != y {
			if (x >= 0xf0) != (y >= 0xf0) && x >= 0xee && y >= 0xee {
				x, y = y, x
			}
			if x < y {
				return -1
			}
			return 1
		}
	}
	return len(a) - len(b)
}

// appendNumber appends a number token as ECMAScript says it; false where it says
// something else.
func appendNumber(dst, token []byte) ([]byte, bool) {
	if short, minus := bytes.CutPrefix(token, []byte("-")); len(token) <= 15 && digits(short) && (!minus || token[1] != '0') {
		return append(dst, token...), true
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil || f == 0 && math.Signbit(f) {
		return dst, false
	}
	from := len(dst)
	dst = AppendFloat(dst, f, 64)
	if !SameNumber(token, dst[from:]) {
		return dst[:from], false
	}
	return dst, true
}

func digits(s []byte) bool {
	for _, c := range s {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}
