package jsontree_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/errmap/errmap/internal/jsontree"
)

// hostile has texts made to cost more than they weigh, by how many pieces they have.
var hostile = []struct {
	name string
	text func(n int) string
}{
	{"commas", func(n int) string { return "[" + strings.Repeat("0,", n) + "0]" }},
	{"commas alone", func(n int) string { return "[0" + strings.Repeat(",", n) }},
	{"commas in a string", func(n int) string { return `"` + strings.Repeat(",[{:", n) + `"` }},
	{"open", func(n int) string { return strings.Repeat("[", n) }},
	{"open objects", func(n int) string { return strings.Repeat(`{"":`, n) }},
	{"nested", func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }},
	{"nested objects", func(n int) string { return strings.Repeat(`{"a":0,"a":`, n) + "0" + strings.Repeat("}", n) }},
	{"empty", func(n int) string { return "[" + strings.Repeat("{},[],", n) + "0]" }},
	{"one name", func(n int) string { return "{" + strings.Repeat(`"a":0,`, n) + `"a":0}` }},
	{"one escaped name", func(n int) string { return "{" + strings.Repeat(`"\u0061":0,`, n) + `"a":0}` }},
	{"names of one hash", func(n int) string { return manyMembers(n, "eight-by%08dytes-end") }},
	{"small objects of one hash", func(n int) string {
		return "[" + strings.Repeat(manyMembers(32, "eight-by%08dytes-end")+",", n/32) + "0]"
	}},
	{"long escaped names of one hash", func(n int) string {
		return "[" + strings.Repeat(manyMembers(32, "eight-by%0100d\\u0061-bytes-end")+",", n/1000) + "0]"
	}},
	{"escapes", func(n int) string { return `"` + strings.Repeat(`\ud800`, n) + `"` }},
	{"not UTF-8", func(n int) string { return `["` + strings.Repeat("\xff", n) + `"` }},
	{"space", func(n int) string { return "[" + strings.Repeat(" ", n) + "0" + strings.Repeat("\n", n) + "]" }},
	{"digits", func(n int) string {
		return strings.Repeat("9", n) + "." + strings.Repeat("0", n) + "e" + strings.Repeat("0", n)
	}},
}

// bytesOf returns how much f allocates.
func bytesOf(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// Whatever the text, reading it and what is asked of it allocates at most 20 times
// what it weighs.
func TestGrowth_bytes(t *testing.T) {
	for _, shape := range hostile {
		for _, n := range []int{10000, 20000, 40000} {
			text := []byte(shape.text(n))
			limit := 20*len(text) + 64<<10
			var v jsontree.Value
			if used := bytesOf(func() {
				var tree jsontree.Tree
				if tree.Parse(text, 1<<20) == nil {
					v = tree.Root()
				}
			}); used > limit {
				t.Errorf("%s: Parse allocates %d bytes for %d", shape.name, used, len(text))
			}
			if !v.Exists() {
				continue
			}
			out := make([]byte, 0, 3*len(text)+10)
			for name, f := range map[string]func(){
				"AppendCompact":   func() { v.AppendCompact(out) },
				"AppendOnce":      func() { v.AppendOnce(out) },
				"AppendCanonical": func() { jsontree.AppendCanonical(out, v) },
				"Height":          func() { v.Height() },
				"Len":             func() { v.Len() },
				"Text":            func() { v.Text() },
			} {
				if used := bytesOf(f); used > limit {
					t.Errorf("%s: %s allocates %d bytes for %d", shape.name, name, used, len(text))
				}
			}
		}
	}
}

// reversed returns flat members in the opposite order.
func reversed(object string) string {
	members := strings.Split(strings.Trim(object, "{}"), ",")
	slices.Reverse(members)
	return "{" + strings.Join(members, ",") + "}"
}

// unordered has texts that say the same in another order.
var unordered = []struct {
	name string
	text func(n int) (a, b string)
}{
	{"members", func(n int) (a, b string) {
		a = manyMembers(n, "eight-by%08dytes-end")
		return a, reversed(a)
	}},
	{"nested objects", func(n int) (a, b string) {
		return strings.Repeat(`{"a":1,"b":`, n) + "2" + strings.Repeat("}", n), strings.Repeat(`{"b":`, n) + "2" + strings.Repeat(`,"a":1.0}`, n)
	}},
	{"nested arrays", func(n int) (a, b string) {
		return strings.Repeat("[[],", n) + "2" + strings.Repeat("]", n), strings.Repeat("[[],", n) + "2.0" + strings.Repeat("]", n)
	}},
	{"long names", func(n int) (a, b string) {
		a = manyMembers(32, "eight-by%0100d\\u0061-bytes-end")
		return "[" + strings.Repeat(a+",", n/100) + "0]", "[" + strings.Repeat(reversed(a)+",", n/100) + "0]"
	}},
}

func TestGrowth_same(t *testing.T) {
	for _, shape := range unordered {
		for _, n := range []int{1000, 2000, 4000} {
			a, b := shape.text(n)
			x, y := parse(t, a), parse(t, b)
			same := false
			if used := bytesOf(func() { same = jsontree.Same(x, y) }); used > 20*(len(a)+len(b)) {
				t.Errorf("%s: Same allocates %d bytes for %d", shape.name, used, len(a)+len(b))
			}
			if !same {
				t.Errorf("%s are not the same", shape.name)
			}
		}
	}
}

// How often memory is asked for does not grow with the text.
func TestGrowth_allocations(t *testing.T) {
	for _, shape := range hostile {
		counts := map[int]float64{}
		for _, n := range []int{10000, 20000, 40000} {
			text := []byte(shape.text(n))
			counts[n] = testing.AllocsPerRun(2, func() {
				var tree jsontree.Tree
				_ = tree.Parse(text, 1<<20)
			})
		}
		if counts[40000] > counts[10000]+1 {
			t.Errorf("%s: %v allocations", shape.name, counts)
		}
	}
}

// A tree that is used again allocates nothing.
func TestTree_Parse_allocations(t *testing.T) {
	for _, body := range bodies {
		var tree jsontree.Tree
		text := []byte(body.text)
		if n := testing.AllocsPerRun(10, func() { _ = tree.Parse(text, 100) }); n != 0 {
			t.Errorf("%s: %v allocations", body.name, n)
		}
	}
}

// What is asked of a value allocates for its result alone.
func TestValue_allocations(t *testing.T) {
	v := parse(t, `{ "a" : [1, "x", {"b\u0041": 2.50}], "text": "with \"escapes\"", "a": 1e3, "text2": "plain" }`)
	other := parse(t, `{"text2":"plain","text":"\u0077ith \"escapes\"","a":[1,"x",{"bA":2.5}]}`)
	unlike := parse(t, `{"a":[1,"x",{"bA":2.5}],"text2":"plain","text":"\u0077ith \"escapes\""}`)
	out := make([]byte, 0, 1024)
	for name, f := range map[string]func(){
		"AppendCompact":   func() { v.AppendCompact(out) },
		"AppendOnce":      func() { v.AppendOnce(out) },
		"AppendText":      func() { v.Get("text").AppendText(out) },
		"TextIs":          func() { v.Get("text").TextIs(`with "escapes"`) },
		"NameIs":          func() { v.First().First().Next().Next().First().NameIs("bA") },
		"Get":             func() { v.Get("none") },
		"Int":             func() { v.Get("a").Next().Next().Int() },
		"Len":             func() { v.Len() },
		"Height":          func() { v.Height() },
		"Same":            func() { jsontree.Same(other, unlike) },
		"AppendCanonical": func() { jsontree.AppendCanonical(out, unlike.Get("a")) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
