package jsontree

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// hash returns a quick hash of a name. It is a filter: whoever wants to finds names
// that have the same, so no list of unbounded length is searched by it.
func hash(s []byte) uint32 {
	if len(s) >= 8 {
		return mix(binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[len(s)-8:]))
	}
	var a uint64
	for i, c := range s {
		a |= uint64(c) << (i * 8)
	}
	return mix(a, 0)
}

// mix makes a hash of the first and the last eight bytes of a name; of a shorter one,
// of all and 0.
func mix(first, last uint64) uint32 {
	return uint32((first ^ bits.RotateLeft64(last, 29)) * 0x9e3779b97f4a7c15 >> 32)
}

// fewMembers is how many members each may be compared with those before it.
const fewMembers = 32

var seed = maphash.MakeSeed()

// double marks the names of an object that stood before in it, and tells whether
// there are any. The object's members are the last nodes.
func (t *Tree) double(text []byte, nodes []node, object uint32) bool {
	members := 0
	for i := object + 1; int(i) < len(nodes) && members <= fewMembers; i = nodes[i+1].next {
		members++
	}
	if members > fewMembers {
		return t.doubleOfMany(text, nodes, object)
	}
	found := false
	for i := object + 1; int(i) < len(nodes); i = nodes[i+1].next {
		for j := object + 1; j < i; j = nodes[j+1].next {
			if nodes[j].next == nodes[i].next && sameRead(text, &nodes[i], &nodes[j]) {
				nodes[i].info |= repeats
				found = true
				break
			}
		}
	}
	return found
}

func (t *Tree) doubleOfMany(text []byte, nodes []node, object uint32) bool {
	members := 0
	for i := object + 1; int(i) < len(nodes); i = nodes[i+1].next {
		members++
	}
	size := 1 << bits.Len(uint(members*2-1))
	if cap(t.table) < size {
		t.table = make([]uint32, size)
	}
	table := t.table[:size]
	clear(table)
	found := false
	for i := object + 1; int(i) < len(nodes); i = nodes[i+1].next {
		n := &nodes[i]
		s := text[n.start+1 : n.end-1]
		if n.info&escaped != 0 {
			t.scratch = appendRead(t.scratch[:0], s)
			s = t.scratch
		}
		at := maphash.Bytes(seed, s) % uint64(size)
		for ; table[at] != 0; at = (at + 1) % uint64(size) {
			if other := &nodes[table[at]]; other.next == n.next && sameRead(text, n, other) {
				n.info |= repeats
				found = true
				break
			}
		}
		if table[at] == 0 {
			table[at] = i
		}
	}
	return found
}

// sameRead tells whether two strings or names read the same.
func sameRead(text []byte, a, b *node) bool {
	x, y := text[a.start+1:a.end-1], text[b.start+1:b.end-1]
	if (a.info|b.info)&escaped == 0 {
		return bytes.Equal(x, y)
	}
	return readsSame(x, y)
}
