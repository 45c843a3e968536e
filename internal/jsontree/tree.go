// Package jsontree reads JSON once into a flat list of nodes over the bytes of
// the text, and answers from there what translating asks: members by name, texts,
// numbers, whether two texts say the same, and the canonical form of RFC 8785.
//
// It accepts what peers write and other readers refuse: doubled names, lone
// surrogates and text that is not UTF-8. Each of the first two is marked, so that
// a caller can refuse it.
package jsontree

import "sync"

// Kind is what a value is.
type Kind uint8

// The kinds of values.
const (
	Missing Kind = iota // no value: what is not there, and the zero Value
	Null
	Bool
	Number
	String
	Array
	Object

	name Kind = 7 // the node of a member's name, before that of its value
)

// node is one value or name. The nodes of a text stand in its order: the name of
// a member before its value, an array or object before what is in it.
type node struct {
	start, end uint32 // where its token stands; of an open object, end has a mask of the names in it
	next       uint32 // the index after all that is in it; of a name its hash; of an open array or object its parent
	info       uint32 // kind, flags and count
}

// The parts of node.info.
const (
	kindMask = 7
	inObject = 2 // of the two kinds that hold others, only Object has this bit

	escaped = 1 << (iota + 1) // a string or name with escapes
	lone                      // a lone surrogate stands in it
	doubled                   // an object in it has a name twice
	number                    // a number stands in it
	spaced                    // white space stands between its tokens
	repeats                   // a name that stood before in the same object
	member                    // a member's value
	last                      // has no next sibling
	similar                   // an object: two of its names may be the same

	inherited = lone | doubled | number | spaced

	countShift = 12
	maxCount   = 1<<20 - 1
)

func (n *node) kind() Kind { return Kind(n.info & kindMask) }

// Tree is JSON that was read. The zero Tree is ready for Parse, and can be parsed
// into again and again. Parse may not run beside anything else; its values may be
// used by many at once.
type Tree struct {
	text    []byte
	nodes   []node
	scratch []byte   // of Parse: a name without its escapes
	table   []uint32 // of Parse: a hash table of names
}

// Root returns the value that was parsed, Missing before Parse and where it
// returned an error.
func (t *Tree) Root() Value {
	if t == nil || len(t.nodes) == 0 {
		return Value{}
	}
	return Value{t, 0}
}

var pool = sync.Pool{New: func() any { return new(Tree) }}

// The greatest lists that a released tree keeps.
const (
	maxKeptNodes = 16 << 10
	maxKeptBytes = 64 << 10
)

// Get returns a tree that may have been used before, to be released by who has it.
func Get() *Tree { return pool.Get().(*Tree) }

// Read returns a tree of text, as Get and Parse do, to be released. Its root is Missing
// where text is no JSON that nests at most depth deep.
func Read(text []byte, depth int) *Tree {
	t := Get()
	_ = t.Parse(text, depth) // which leaves no root
	return t
}

// Release gives t back. Neither it nor any value of it may be used from then on.
func (t *Tree) Release() {
	t.text = nil
	t.nodes = t.nodes[:0]
	if cap(t.nodes) > maxKeptNodes {
		t.nodes = nil
	}
	if cap(t.scratch) > maxKeptBytes {
		t.scratch = nil
	}
	if cap(t.table) > maxKeptNodes {
		t.table = nil
	}
	pool.Put(t)
}
