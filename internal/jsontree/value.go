package jsontree

import "bytes"

// Value is one value of a tree, and where it is a member, its name with it. It is
// small and made to be copied. The zero Value is Missing, which every method
// accepts.
type Value struct {
	t *Tree
	i uint32
}

func (v Value) node() *node {
	if v.t == nil {
		return &missing
	}
	return &v.t.nodes[v.i]
}

var missing = node{info: last}

// nameNode returns the node of the name of a member's value.
func (v Value) nameNode() (*node, bool) {
	if v.node().info&member == 0 {
		return nil, false
	}
	return &v.t.nodes[v.i-1], true
}

// Kind returns what v is.
func (v Value) Kind() Kind { return v.node().kind() }

// Is tells whether v is of kind k.
func (v Value) Is(k Kind) bool { return v.node().kind() == k }

// Exists tells whether v is there: whether it is not Missing.
func (v Value) Exists() bool { return v.t != nil }

// Bool tells whether v is true; false for all else.
func (v Value) Bool() bool { return v.Is(Bool) && v.t.text[v.node().start] == 't' }

// Raw returns v as it stood in the text, with the white space between its tokens.
// It aliases the text; nil for Missing.
func (v Value) Raw() []byte {
	if v.t == nil {
		return nil
	}
	n := v.node()
	return v.t.text[n.start:n.end:n.end]
}

// Len returns how many elements or members v has, 0 for scalars. It is known, but where
// there are 2^20-1 and more: they are gone through.
func (v Value) Len() int {
	count := int(v.node().info >> countShift)
	if count < maxCount {
		return count
	}
	count = 0
	for e := v.First(); e.Exists(); e = e.Next() {
		count++
	}
	return count
}

// First returns the first element of an array, or the value of the first member of
// an object; Missing where there is none.
func (v Value) First() Value {
	n := v.node()
	if n.info>>countShift == 0 {
		return Value{}
	}
	return Value{v.t, v.i + 1 + n.info&inObject>>1}
}

// Next returns the next element or member's value of what v stands in; Missing after
// the last.
func (v Value) Next() Value {
	n := v.node()
	if n.info&last != 0 {
		return Value{}
	}
	return Value{v.t, n.next + n.info&member/member}
}

// Get returns the value of the first member of that name; Missing where there is none.
// It looks at the names one after another.
func (v Value) Get(name string) Value {
	n := v.node()
	if n.kind() != Object || n.info>>countShift == 0 {
		return Value{}
	}
	for i := v.i + 1; ; {
		if v.t.reads(&v.t.nodes[i], name) {
			return Value{v.t, i + 1}
		}
		n = &v.t.nodes[i+1]
		if n.info&last != 0 {
			return Value{}
		}
		i = n.next
	}
}

// NameText returns the name of a member's value, read: without escapes, a lone
// surrogate as U+FFFD. It is "" for others.
func (v Value) NameText() string {
	n, ok := v.nameNode()
	if !ok {
		return ""
	}
	return v.t.read(n)
}

// NameIs tells whether v is a member's value and the name reads so.
func (v Value) NameIs(name string) bool {
	n, ok := v.nameNode()
	return ok && v.t.reads(n, name)
}

// RawName returns what stands between the quotes of the name of a member's value, and
// whether it has no escapes, so that it is the name. It aliases the text; nil and true
// for others.
func (v Value) RawName() (raw []byte, plain bool) {
	n, ok := v.nameNode()
	if !ok {
		return nil, true
	}
	return v.t.text[n.start+1 : n.end-1 : n.end-1], n.info&escaped == 0
}

// AppendNameText appends what NameText returns.
func (v Value) AppendNameText(dst []byte) []byte {
	raw, plain := v.RawName()
	if plain {
		return append(dst, raw...)
	}
	return appendRead(dst, raw)
}

// AppendName appends the name of a member's value as it stood, with its quotes;
// nothing for others.
func (v Value) AppendName(dst []byte) []byte {
	n, ok := v.nameNode()
	if !ok {
		return dst
	}
	return append(dst, v.t.text[n.start:n.end]...)
}

// Repeats tells whether v is a member's value whose name stood before it in the same
// object.
func (v Value) Repeats() bool {
	n, ok := v.nameNode()
	return ok && n.info&repeats != 0
}

// Doubled tells whether v is or holds, at any depth, an object that has a name
// twice.
func (v Value) Doubled() bool { return v.node().info&doubled != 0 }

// Lone tells whether a lone surrogate stands in v, at any depth and in names too, or
// in the name of v. ProtoJSON refuses those.
func (v Value) Lone() bool {
	n, ok := v.nameNode()
	return v.node().info&lone != 0 || ok && n.info&lone != 0
}

// HasNumber tells whether v is or holds, at any depth, a number.
func (v Value) HasNumber() bool { return v.node().info&number != 0 }

// Height returns how deep v nests: 1 for {} and [], 0 for scalars. All of v is gone
// through.
func (v Value) Height() int {
	height, end := 0, v.node().next
	var room [64]uint32
	open := room[:0] // where those end that v.i is in
	for ; v.t != nil && v.i < end; v.i++ {
		for len(open) > 0 && open[len(open)-1] <= v.i {
			open = open[:len(open)-1]
		}
		if k := v.Kind(); k == Array || k == Object {
			open = append(open, v.node().next)
			height = max(height, len(open))
		}
	}
	return height
}

// Text returns what a String says: without escapes, a lone surrogate as U+FFFD. It
// is "" for others.
func (v Value) Text() string {
	if !v.Is(String) {
		return ""
	}
	return v.t.read(v.node())
}

// AppendText appends what Text returns.
func (v Value) AppendText(dst []byte) []byte {
	raw, plain := v.RawText()
	if plain {
		return append(dst, raw...)
	}
	return appendRead(dst, raw)
}

// TextIs tells whether v is a String that says s.
func (v Value) TextIs(s string) bool { return v.Is(String) && v.t.reads(v.node(), s) }

// RawText returns what stands between the quotes of a String, and whether it has no
// escapes, so that it is what the string says. It aliases the text; nil and true for
// others.
func (v Value) RawText() (raw []byte, plain bool) {
	if !v.Is(String) {
		return nil, true
	}
	n := v.node()
	return v.t.text[n.start+1 : n.end-1 : n.end-1], n.info&escaped == 0
}

func (t *Tree) read(n *node) string {
	raw := t.text[n.start+1 : n.end-1]
	if n.info&escaped == 0 {
		return string(raw)
	}
	var few [128]byte
	room := few[:0]
	if len(raw) > len(few) {
		room = make([]byte, 0, len(raw))
	}
	return string(appendRead(room, raw))
}

func (t *Tree) reads(n *node, want string) bool {
	raw := t.text[n.start+1 : n.end-1]
	if n.info&escaped == 0 {
		return string(raw) == want
	}
	return reads(raw, want)
}

// AppendCompact appends v without white space, every token as it stood. It appends
// nothing for Missing.
func (v Value) AppendCompact(dst []byte) []byte {
	if v.node().info&spaced == 0 {
		return append(dst, v.Raw()...)
	}
	return v.appendTokens(dst, 0)
}

// AppendOnce is AppendCompact without the members whose name stood before in the
// same object, at every depth.
func (v Value) AppendOnce(dst []byte) []byte {
	if v.node().info&(spaced|doubled) == 0 {
		return append(dst, v.Raw()...)
	}
	return v.appendTokens(dst, repeats)
}

// appendTokens appends the tokens of v without the members whose names have a flag
// of skip.
func (v Value) appendTokens(dst []byte, skip uint32) []byte {
	n := v.node()
	text := v.t.text
	at := n.start
	for i := v.i; i < n.next; {
		leaf := &v.t.nodes[i]
		i++
		if k := leaf.kind(); k == Array || k == Object {
			continue
		}
		dst = appendPunctuation(dst, text[at:leaf.start])
		if leaf.info&skip != 0 {
			// It is not the first of its object, so a comma stands before it.
			dst = bytes.TrimSuffix(dst, []byte(","))
			at, i = v.t.nodes[i].end, v.t.nodes[i].next
			continue
		}
		dst = append(dst, text[leaf.start:leaf.end]...)
		at = leaf.end
	}
	return appendPunctuation(dst, text[at:n.end])
}

// appendPunctuation appends what stands between two strings, numbers or literals.
func appendPunctuation(dst, text []byte) []byte {
	for _, c := range text {
		if c > ' ' {
			dst = append(dst, c)
		}
	}
	return dst
}
