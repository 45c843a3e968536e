package jsontree

import (
	"bytes"
	"slices"
)

// Same tells whether a and b say the same: members may stand in another order,
// numbers may be written otherwise (as SameNumber has it), strings may have other
// escapes. Where a name stands twice in an object anywhere in them, only the same
// tokens say the same, and so for a string with a lone surrogate. Missing is the same
// as Missing alone.
//
// Its time is linear in the length of both, whatever is in them.
func Same(a, b Value) bool {
	if bytes.Equal(a.Raw(), b.Raw()) {
		return true
	}
	if a.Doubled() || b.Doubled() {
		return bytes.Equal(a.AppendCompact(nil), b.AppendCompact(nil))
	}
	return same(a, b)
}

// same compares what has no doubled names.
func same(a, b Value) bool {
	kind := a.Kind()
	if kind != b.Kind() {
		return false
	}
	switch kind {
	case Object:
		return sameMembers(a.First(), b.First())
	case Array:
		a, b = a.First(), b.First()
		for a.Exists() && b.Exists() && same(a, b) {
			a, b = a.Next(), b.Next()
		}
		return !a.Exists() && !b.Exists()
	case String:
		return sameString(a, a.node(), b, b.node())
	}
	return bytes.Equal(a.Raw(), b.Raw()) || kind == Number && SameNumber(a.Raw(), b.Raw())
}

// sameString compares two strings or names of the trees of a and b.
func sameString(a Value, n *node, b Value, m *node) bool {
	x, y := a.t.text[n.start+1:n.end-1], b.t.text[m.start+1:m.end-1]
	flags := n.info | m.info
	if bytes.Equal(x, y) {
		return true
	}
	return flags&escaped != 0 && flags&lone == 0 && readsSame(x, y)
}

func sameName(a, b Value) bool {
	return sameString(a, &a.t.nodes[a.i-1], b, &b.t.nodes[b.i-1])
}

// sameMembers compares members from a and b on, each to the end of its object.
func sameMembers(a, b Value) bool {
	for a.Exists() && b.Exists() && sameName(a, b) {
		if !same(a, b) {
			return false
		}
		a, b = a.Next(), b.Next()
	}
	var room, more [16]namedValue
	x, y := appendSorted(room[:0], a), appendSorted(more[:0], b)
	return slices.EqualFunc(x, y, func(x, y namedValue) bool {
		return sameName(x.value, y.value) && same(x.value, y.value)
	})
}
