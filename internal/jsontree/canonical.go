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

// AppendCanonicalWith is AppendCanonical of an object as if its member of that name
// were the string text, or as if that stood beside the others where there is none. It
// reports false for what is no object too.
func AppendCanonicalWith(dst []byte, v Value, name, text string) ([]byte, bool) {
	if !v.Is(Object) || v.node().info&(lone|doubled) != 0 {
		return dst, false
	}
	out, ok := appendObject(dst, v, &canonicalMember{name: []byte(name), text: text, said: true})
	if !ok {
		return dst, false
	}
	return out, true
}

// AppendCanonicalWithout is AppendCanonical of an object without the member of that
// name. It reports false for what is no object too.
func AppendCanonicalWithout(dst []byte, v Value, name string) ([]byte, bool) {
	if !v.Is(Object) || v.node().info&(lone|doubled) != 0 {
		return dst, false
	}
	out, ok := appendObject(dst, v, &canonicalMember{name: []byte(name)})
	if !ok {
		return dst, false
	}
	return out, true
}

func appendCanonical(dst []byte, v Value) ([]byte, bool) {
	switch v.Kind() {
	case Object:
		return appendObject(dst, v, nil)
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
	return append(appendBriefly(append(dst, '"'), t.text[n.start+1:n.end-1]), '"')
}

// canonicalMember is a member to be sorted: its name, read, and its value, or where
// said is set the string that stands for it.
type canonicalMember struct {
	name  []byte
	value Value
	text  string
	said  bool
}

// appendObject appends an object, where extra is set with it in place of the member
// of its name, and without that where extra says nothing.
func appendObject(dst []byte, v Value, extra *canonicalMember) ([]byte, bool) {
	var room [16]canonicalMember
	members := room[:0]
	if n := v.Len(); n >= len(room) {
		members = make([]canonicalMember, 0, n+1)
	}
	for m := v.First(); m.Exists(); m = m.Next() {
		n := &v.t.nodes[m.i-1]
		c := canonicalMember{name: v.t.text[n.start+1 : n.end-1], value: m}
		if n.info&escaped != 0 {
			c.name = appendRead(nil, c.name)
		}
		if extra == nil || !bytes.Equal(c.name, extra.name) {
			members = append(members, c)
		}
	}
	if extra != nil && extra.said {
		members = append(members, *extra)
	}
	compare := func(a, b canonicalMember) int { return compareUTF16(a.name, b.name) }
	if !slices.IsSortedFunc(members, compare) {
		slices.SortFunc(members, compare)
	}
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if m.said {
			dst = AppendString(append(AppendStringBytes(dst, m.name), ':'), m.text)
			continue
		}
		var ok bool
		dst = append(v.t.appendString(dst, &v.t.nodes[m.value.i-1]), ':')
		if dst, ok = appendCanonical(dst, m.value); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
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
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
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
