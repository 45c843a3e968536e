package errmapmcp

import (
	"bytes"

	"github.com/errmap/errmap/internal/jsontree"
)

// maxDepth bounds how deep the JSON of a peer nests.
const maxDepth = 1000

// jsonValue is a JSON value as it stood in what a peer sent; nil where there is none.
type jsonValue []byte

// isNumber tells whether v is a number.
func (v jsonValue) isNumber() bool {
	return len(v) > 0 && (v[0] == '-' || '0' <= v[0] && v[0] <= '9')
}

// is tells whether v is an object or a string, by the byte that begins it.
func (v jsonValue) is(first byte) bool { return len(v) > 0 && v[0] == first }

// text returns what a JSON string says, "" for any other value.
func (v jsonValue) text() string {
	tree := jsontree.Get()
	defer tree.Release()
	if !v.is('"') || tree.Parse(v, maxDepth) != nil {
		return ""
	}
	return tree.Root().Text()
}

// members returns the members of an object under the names, each as it stands the
// first time. It is false for what is no object, or no JSON.
func members(object []byte, names ...string) (map[string]jsonValue, bool) {
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(object, maxDepth) != nil || !tree.Root().Is(jsontree.Object) {
		return nil, false
	}
	found := make(map[string]jsonValue, len(names))
	for _, name := range names {
		if v := tree.Root().Get(name); v.Exists() {
			found[name] = bytes.Clone(v.Raw())
		}
	}
	return found, true
}

// elements returns the elements of an array as they stand in it, nil where text is none.
func elements(text []byte) (out [][]byte) {
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(text, maxDepth) != nil {
		return nil
	}
	for v := tree.Root().First(); v.Exists(); v = v.Next() {
		out = append(out, bytes.Clone(v.Raw()))
	}
	return out
}
