package jsontree_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/errmap/errmap/internal/jsontree"
)

// anyText accepts what jsontree does.
var anyText = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// element is a value as jsontext reads it.
type element struct {
	kind     jsontree.Kind
	raw      []byte
	rawName  []byte
	name     string
	text     string
	repeats  bool
	elements []element
}

// elementOf reads one value from dec, which reads text; nil where it is not JSON.
func elementOf(dec *jsontext.Decoder, text []byte) (e element, err error) {
	switch dec.PeekKind() {
	case '{', '[':
		open, err := dec.ReadToken()
		if err != nil {
			return e, err
		}
		from := dec.InputOffset() - 1
		e.kind = jsontree.Array
		if open.Kind() == '{' {
			e.kind = jsontree.Object
		}
		seen := map[string]bool{}
		for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
			var rawName []byte
			if e.kind == jsontree.Object {
				name, err := dec.ReadValue()
				if err != nil {
					return e, err
				}
				rawName = bytes.Clone(name)
			}
			m, err := elementOf(dec, text)
			if err != nil {
				return e, err
			}
			if rawName != nil {
				m.rawName, m.name = rawName, unquoted(rawName)
				m.repeats = seen[m.name]
				seen[m.name] = true
			}
			e.elements = append(e.elements, m)
		}
		if _, err := dec.ReadToken(); err != nil {
			return e, err
		}
		e.raw = text[from:dec.InputOffset()]
		return e, nil
	}
	v, err := dec.ReadValue()
	if err != nil {
		return e, err
	}
	e.raw = bytes.Clone(v)
	switch v.Kind() {
	case '"':
		e.kind, e.text = jsontree.String, unquoted(v)
	case '0':
		e.kind = jsontree.Number
	case 'n':
		e.kind = jsontree.Null
	default:
		e.kind = jsontree.Bool
	}
	return e, nil
}

func unquoted(raw []byte) string {
	s, _ := jsontext.AppendUnquote(nil, raw)
	return string(s)
}

// hasLone tells whether a string token has a lone surrogate: jsontext refuses it, in
// a text that is UTF-8.
func hasLone(raw []byte) bool { return !jsontext.Value(raw).IsValid() }

func (e *element) lone() bool {
	return e.rawName != nil && hasLone(e.rawName) || e.kind == jsontree.String && hasLone(e.raw) ||
		slices.ContainsFunc(e.elements, func(m element) bool { return m.lone() })
}

func (e *element) doubled() bool {
	return slices.ContainsFunc(e.elements, func(m element) bool { return m.repeats || m.doubled() })
}

func (e *element) number() bool {
	return e.kind == jsontree.Number || slices.ContainsFunc(e.elements, func(m element) bool { return m.number() })
}

func (e *element) height() int {
	if e.kind != jsontree.Array && e.kind != jsontree.Object {
		return 0
	}
	most := 0
	for _, m := range e.elements {
		most = max(most, m.height())
	}
	return most + 1
}

func (e *element) once() []byte {
	switch e.kind {
	case jsontree.Array, jsontree.Object:
	default:
		return e.raw
	}
	ends := "[]"
	if e.kind == jsontree.Object {
		ends = "{}"
	}
	out := []byte{ends[0]}
	for _, m := range e.elements {
		if m.repeats {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		if m.rawName != nil {
			out = append(append(out, m.rawName...), ':')
		}
		out = append(out, m.once()...)
	}
	return append(out, ends[1])
}

// agree compares v with what jsontext read.
func agree(t *testing.T, v jsontree.Value, e *element) {
	t.Helper()
	compact := jsontext.Value(bytes.Clone(e.raw))
	if err := compact.Compact(anyText...); err != nil {
		t.Fatal(err)
	}
	raw, plain := v.RawText()
	check := func(what string, got, want any) {
		if got != want {
			t.Errorf("%s: %s is %v, jsontext says %v", e.raw, what, got, want)
		}
	}
	check("Kind", v.Kind(), e.kind)
	check("Is", v.Is(e.kind) && !v.Is(e.kind+1) && !v.Is(e.kind-1), true)
	check("Exists", v.Exists(), true)
	check("Bool", v.Bool(), string(e.raw) == "true")
	check("Raw", string(v.Raw()), string(e.raw))
	check("AppendCompact", string(v.AppendCompact([]byte("x"))), "x"+string(compact))
	check("AppendOnce", string(v.AppendOnce([]byte("x"))), "x"+string(e.once()))
	check("Doubled", v.Doubled(), e.doubled())
	check("Len", v.Len(), len(e.elements))
	check("NameText", v.NameText(), e.name)
	check("NameIs", v.NameIs(e.name), e.rawName != nil)
	check("NameIs of another", v.NameIs(e.name+"x"), false)
	check("AppendNameText", string(v.AppendNameText([]byte("x"))), "x"+e.name)
	rawName, plainName := v.RawName()
	check("plain name", plainName, !bytes.Contains(e.rawName, []byte(`\`)))
	if e.rawName != nil {
		check("RawName", string(rawName), string(e.rawName[1:len(e.rawName)-1]))
	}
	check("AppendName", string(v.AppendName(nil)), string(e.rawName))
	check("Repeats", v.Repeats(), e.repeats)
	check("Text", v.Text(), e.text)
	check("AppendText", string(v.AppendText([]byte("x"))), "x"+e.text)
	check("TextIs", v.TextIs(e.text), e.kind == jsontree.String)
	check("TextIs of another", v.TextIs(e.text+"x") || e.text != "" && v.TextIs(e.text[1:]), false)
	check("plain", plain, e.kind != jsontree.String || !bytes.Contains(e.raw, []byte(`\`)))
	if e.kind == jsontree.String {
		check("RawText", string(raw), string(e.raw[1:len(e.raw)-1]))
	}
	check("Lone", v.Lone(), e.lone())
	check("HasNumber", v.HasNumber(), e.number())
	check("Height", v.Height(), e.height())
	m := v.First()
	for i := range e.elements {
		agree(t, m, &e.elements[i])
		if t.Failed() {
			return
		}
		if e.kind == jsontree.Object {
			first := slices.IndexFunc(e.elements, func(m element) bool { return m.name == e.elements[i].name })
			check("Get", string(v.Get(e.elements[i].name).Raw()), string(e.elements[first].raw))
		}
		m = m.Next()
	}
	check("Next of the last", m, jsontree.Value{})
}

// parseBoth reads text with jsontree and jsontext and compares what they say.
func parseBoth(t *testing.T, tree *jsontree.Tree, given []byte) bool {
	t.Helper()
	before := bytes.Clone(given)
	err := tree.Parse(given, 10000)
	if !bytes.Equal(given, before) {
		t.Fatalf("%q: Parse changed the text to %q", before, given)
	}
	text := []byte(string([]rune(string(given))))
	valid := jsontext.Value(text).IsValid(anyText...)
	if valid != (err == nil) {
		t.Fatalf("%q: Parse returns %v, jsontext says %v", given, err, valid)
	}
	if !valid {
		if tree.Root().Exists() {
			t.Fatalf("%q: there is a root", given)
		}
		return false
	}
	e, err := elementOf(jsontext.NewDecoder(bytes.NewReader(text), anyText...), text)
	if err != nil {
		t.Fatalf("%q: %v", given, err)
	}
	agree(t, tree.Root(), &e)
	return true
}
