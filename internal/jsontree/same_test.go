package jsontree_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/errmap/errmap/internal/jsontree"
)

func parse(t testing.TB, text string) jsontree.Value {
	t.Helper()
	var tree jsontree.Tree
	if err := tree.Parse([]byte(text), 10000); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return tree.Root()
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{`null`, ` null `, true}, {`true`, `false`, false}, {`null`, `false`, false}, {`[]`, `{}`, false}, {`[ ]`, `[]`, true}, {`{}`, `{ }`, true},
		{`1`, `1.0`, true}, {`1`, `"1"`, false}, {`0`, `-0`, false}, {`1e9999999`, `1e9999999`, true}, {`1e9999999`, `1.0e9999999`, false},
		{`[1,2]`, `[1,2.0]`, true}, {`[1,2]`, `[2,1]`, false}, {`[1,2]`, `[1,2,3]`, false}, {`[1,2,3]`, `[1,2]`, false},
		{`"a"`, `"\u0061"`, true}, {`"\/"`, `"/"`, true}, {`"a"`, `"b"`, false}, {`"\u00e9"`, `"é"`, true}, {`"\ud83d\ude00"`, `"😀"`, true},
		{`{"a":1,"b":2}`, `{"b":2, "a":1}`, true}, {`{"a":1,"b":2}`, `{"a":1}`, false}, {`{"a":1}`, `{"a":1,"b":2}`, false}, {`{"a":1}`, `{"b":1}`, false},
		{`{"a":1,"b":2}`, `{"b":1, "a":2}`, false}, {`{"\u0061":{"x":[1]},"b":2}`, `{"b":2,"a":{"x":[1.0]}}`, true},
		{`{"a":1,"a":1}`, `{"a":1, "a":1}`, true}, {`{"a":1,"a":1}`, `{"a":1}`, false}, {`{"a":1,"a":2}`, `{"a":2,"a":1}`, false}, {`[{"a":1,"a":1}]`, `[{"a":1,"\u0061":1}]`, false},
		{`"\ud800"`, `"\ud801"`, false}, {`"\ud800"`, `"\ufffd"`, false}, {`["\ud800"]`, `[ "\ud800"]`, true}, {`{"\ud800":1}`, `{"\ud801":1}`, false}, {`{"a":1,"\ud800":1}`, `{"\ud800":1,"a":1}`, true},
	} {
		a, b := parse(t, row.a), parse(t, row.b)
		if got := jsontree.Same(a, b); got != row.want {
			t.Errorf("Same(%s, %s) is %v", row.a, row.b, got)
		}
		if got := jsontree.Same(b, a); got != row.want {
			t.Errorf("Same(%s, %s) is %v", row.b, row.a, got)
		}
		if jsontree.Same(a, jsontree.Value{}) || jsontree.Same(jsontree.Value{}, b) {
			t.Errorf("%s is the same as nothing", row.a)
		}
	}
	if !jsontree.Same(jsontree.Value{}, jsontree.Value{}) {
		t.Error("nothing is not the same as nothing")
	}
}

// shuffled writes v anew: members in another order, numbers, strings and space
// otherwise. Where change counts down to 0, one scalar says something else.
func shuffled(r *rand.Rand, v jsontree.Value, change *int) string {
	switch v.Kind() {
	case jsontree.Array:
		var parts []string
		for e := v.First(); e.Exists(); e = e.Next() {
			parts = append(parts, shuffled(r, e, change))
		}
		return "[" + strings.Join(parts, " , ") + "]"
	case jsontree.Object:
		var parts []string
		for e := v.First(); e.Exists(); e = e.Next() {
			name := e.AppendName(nil)
			if r.IntN(2) == 0 && !e.Lone() {
				name = escapeAll(e.NameText())
			}
			parts = append(parts, string(name)+": "+shuffled(r, e, change))
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, ",") + "}"
	}
	if *change--; *change == -1 {
		switch v.Kind() {
		case jsontree.Number:
			return "12345.678"
		case jsontree.String:
			return `"something else"`
		}
		return `[]`
	}
	switch {
	case v.Kind() == jsontree.String && !v.Lone():
		return string(escapeAll(v.Text()))
	case v.Kind() == jsontree.Number && !strings.ContainsAny(string(v.Raw()), "eE"):
		if strings.Contains(string(v.Raw()), ".") {
			return string(v.Raw()) + "00"
		}
		return string(v.Raw()) + ".00E+0"
	}
	return string(v.Raw())
}

func escapeAll(s string) []byte {
	out := []byte{'"'}
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		} else {
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return append(out, '"')
}

func TestSame_random(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for seed := range uint64(2000 / share) {
		v := parse(t, string(randomText(seed)))
		if v.Doubled() {
			continue
		}
		never := 1 << 30
		if other := shuffled(r, v, &never); !jsontree.Same(v, parse(t, other)) {
			t.Fatalf("%s is not the same as %s", v.Raw(), other)
		}
		scalars := 1<<30 - never
		if scalars == 0 {
			continue
		}
		one := r.IntN(scalars)
		if other := shuffled(r, v, &one); jsontree.Same(v, parse(t, other)) {
			t.Fatalf("%s is the same as %s", v.Raw(), other)
		}
	}
}

// What has a canonical form is the same as that, and as nothing that has another.
func TestSame_canonical(t *testing.T) {
	t.Parallel()
	var last jsontree.Value
	var lastForm []byte
	for seed := range uint64(2000 / share) {
		v := parse(t, string(randomText(seed)))
		form, ok := jsontree.AppendCanonical(nil, v)
		if !ok {
			continue
		}
		if !jsontree.Same(v, parse(t, string(form))) {
			t.Fatalf("%s is not the same as %s", v.Raw(), form)
		}
		if jsontree.Same(last, v) != (string(lastForm) == string(form)) {
			t.Fatalf("%s and %s", last.Raw(), v.Raw())
		}
		last, lastForm = v, form
	}
}

func FuzzSame(f *testing.F) {
	for _, row := range [][2]string{{`{"a":1,"b":"x"}`, `{"b":"\u0078","a":1.0}`}, {`[1,2]`, `[2,1]`}, {`{"a":1,"a":2}`, `{"a":1}`}} {
		f.Add([]byte(row[0]), []byte(row[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var x, y jsontree.Tree
		if x.Parse(a, 1000) != nil || y.Parse(b, 1000) != nil {
			return
		}
		same := jsontree.Same(x.Root(), y.Root())
		if same != jsontree.Same(y.Root(), x.Root()) {
			t.Fatalf("%s and %s: the order counts", a, b)
		}
		if !jsontree.Same(x.Root(), x.Root()) {
			t.Fatalf("%s is not the same as itself", a)
		}
		form, ok := jsontree.AppendCanonical(nil, x.Root())
		other, also := jsontree.AppendCanonical(nil, y.Root())
		if ok && also && same != (string(form) == string(other)) {
			t.Fatalf("%s and %s: %v, canonical %s and %s", a, b, same, form, other)
		}
		if ok {
			want := jsontext.Value(append([]byte(nil), x.Root().Raw()...))
			if err := want.Canonicalize(); err != nil || string(want) != string(form) {
				t.Fatalf("%s: %s, jsontext says %s, %v", a, form, want, err)
			}
		}
	})
}
