package jsontree_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/errmap/errmap/internal/jsontree"
)

func TestTree_Parse_errors(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, want string }{
		{"", "unexpected end at offset 0, expected a value"},
		{"  ", "unexpected end at offset 2, expected a value"},
		{"x", "invalid character 'x' at offset 0, expected a value"},
		{"nul", "unexpected end at offset 3, expected null, true or false"},
		{"nulL", "invalid character 'L' at offset 3, expected null, true or false"},
		{"nulll", "invalid character 'l' at offset 4, expected the end"},
		{"01", "invalid character '1' at offset 1, expected the end"},
		{"-", "unexpected end at offset 1, expected a digit"},
		{"-x", "invalid character 'x' at offset 1, expected a digit"},
		{"1.", "unexpected end at offset 2, expected a digit"},
		{"1.e", "invalid character 'e' at offset 2, expected a digit"},
		{"1e+", "unexpected end at offset 3, expected a digit"},
		{"+1", "invalid character '+' at offset 0, expected a value"},
		{"[", "unexpected end at offset 1, expected a value or ']'"},
		{"[,", "invalid character ',' at offset 1, expected a value or ']'"},
		{"[1", "unexpected end at offset 2, expected ',' or ']'"},
		{"[1}", "invalid character '}' at offset 2, expected ',' or ']'"},
		{"[1,]", "invalid character ']' at offset 3, expected a value"},
		{"{", "unexpected end at offset 1, expected a name in quotes or '}'"},
		{"{]", "invalid character ']' at offset 1, expected a name in quotes or '}'"},
		{`{"a"`, "unexpected end at offset 4, expected ':'"},
		{`{"a" 1}`, "invalid character '1' at offset 5, expected ':'"},
		{`{"a":}`, "invalid character '}' at offset 5, expected a value"},
		{`{"a":1]`, "invalid character ']' at offset 6, expected ',' or '}'"},
		{`{"a":1,}`, "invalid character '}' at offset 7, expected a name in quotes"},
		{`"a`, "unexpected end at offset 2, expected the rest of a string"},
		{"\"a\nb\"", `invalid character '\n' at offset 2, expected the rest of a string`},
		{`"\`, `unexpected end at offset 2, expected one of "\/bfnrtu`},
		{`"\x"`, `invalid character 'x' at offset 2, expected one of "\/bfnrtu`},
		{`"\u12"`, `invalid character '"' at offset 5, expected a hexadecimal digit`},
		{`"\u12`, "unexpected end at offset 5, expected a hexadecimal digit"},
		{"1 2", "invalid character '2' at offset 2, expected the end"},
		{"\u00a01", `invalid character '\u00a0' at offset 0, expected a value`},
		{"\ufeff1", `invalid character '\ufeff' at offset 0, expected a value`},
		{"\xff", "invalid character '\uFFFD' at offset 0, expected a value"},
		{"[\"\xff\xff日\",x", "invalid character 'x' at offset 9, expected a value"},
		{"[\"\xff\xff\xff\",", "unexpected end at offset 7, expected a value"},
		{strings.Repeat("secret", 10), "invalid character 's' at offset 0, expected a value"},
	} {
		var tree jsontree.Tree
		if err := tree.Parse([]byte(row.text), 100); err == nil || err.Error() != row.want {
			t.Errorf("%q: %v, want %s", row.text, err, row.want)
		}
		if tree.Root().Exists() {
			t.Errorf("%q: there is a root", row.text)
		}
	}
}

func TestTree_Parse_depth(t *testing.T) {
	t.Parallel()
	var tree jsontree.Tree
	for _, row := range []struct {
		text string
		need int
	}{
		{`1`, 0}, {`[]`, 1}, {`{}`, 1}, {`{"a":[]}`, 2}, {`[[],[[]],[]]`, 3}, {`[{"a":{}},1,{"b":[{}]}]`, 4},
		{strings.Repeat("[", 254) + strings.Repeat("]", 254), 254},
		{strings.Repeat("[", 255) + strings.Repeat("]", 255), 255},
		{strings.Repeat(`{"[":[1,"]",`, 600) + "2" + strings.Repeat("]}", 600), 1200},
	} {
		if err := tree.Parse([]byte(row.text), row.need-1); row.need > 0 && !errors.Is(err, jsontree.ErrTooDeep) {
			t.Errorf("%.40s: %v at a depth of %d", row.text, err, row.need-1)
		}
		if err := tree.Parse([]byte(row.text), row.need); err != nil {
			t.Errorf("%.40s: %v at a depth of %d", row.text, err, row.need)
		} else if tree.Root().Height() != row.need {
			t.Errorf("%.40s: a height of %d, want %d", row.text, tree.Root().Height(), row.need)
		}
	}
}

// What a tree read before leaves nothing behind.
func TestTree_Parse_again(t *testing.T) {
	t.Parallel()
	tree := jsontree.Get()
	for _, text := range []string{`{"a":{"b":1,"b":2}}`, `[`, `{"\ud800":1}`, `{"a":"b"}`, `[ ]`, "\"\xff\""} {
		parseBoth(t, tree, []byte(text))
	}
	tree.Release()
}

func TestTree_Parse_random(t *testing.T) {
	t.Parallel()
	var tree jsontree.Tree
	for seed := range uint64(2500 / share) {
		if text := randomText(seed); !parseBoth(t, &tree, text) {
			t.Fatalf("%s was refused", text)
		}
	}
}

func TestTree_Parse_garbled(t *testing.T) {
	t.Parallel()
	var tree jsontree.Tree
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for seed := range uint64(8000 / share) {
		if parseBoth(t, &tree, garbled(r, randomText(seed%500))) {
			taken++
		}
	}
	if taken < 400/share {
		t.Errorf("%d texts of 8,000 were JSON", taken)
	}
}

// Bytes in every place of a few texts: those that mean something, and of the others
// each in every third place.
func TestTree_Parse_everyByte(t *testing.T) {
	t.Parallel()
	const meant = "{}[]:,\"\\/bfnrtueE+-.019 \t\n\r\x00\x1f\x7f\x80\xa0\xbf\xc0\xc2\xdf\xe0\xed\xef\xf0\xf4\xf5\xff"
	var tree jsontree.Tree
	for _, text := range []string{
		`{"a":[1,-2.5e+3,{}],"bcdefghijk":"é日😀\u00e9\n", "c" : null}`,
		` [true , false,"\ud83d\ude00\ud800"] `,
		`"日本語のテキスト"`, `"Пример текста"`, `"😀😀😀"`,
	} {
		for i := range text {
			try := func(c byte) {
				b := []byte(text)
				b[i] = c
				parseBoth(t, &tree, b)
			}
			for j := range len(meant) {
				try(meant[j])
			}
			for c := i % 3; c < 256; c += 3 {
				try(byte(c))
			}
		}
	}
}

func TestTree_Root_missing(t *testing.T) {
	t.Parallel()
	var none *jsontree.Tree
	for _, v := range []jsontree.Value{{}, none.Root(), new(jsontree.Tree).Root()} {
		raw, plain := v.RawText()
		_, whole := v.Int()
		if v.Kind() != jsontree.Missing || v.Exists() || v.Bool() || v.Raw() != nil || v.AppendCompact(nil) != nil || v.AppendOnce(nil) != nil ||
			v.Doubled() || v.Len() != 0 || v.First().Exists() || v.Next().Exists() || v.NameText() != "" || v.NameIs("") || v.AppendName(nil) != nil ||
			v.Repeats() || v.Get("").Exists() || v.Text() != "" || v.AppendText(nil) != nil || v.TextIs("") || raw != nil || !plain || v.Lone() ||
			whole || v.HasNumber() || v.Height() != 0 {
			t.Errorf("%#v says something", v)
		}
		if out, ok := jsontree.AppendCanonical(nil, v); ok || out != nil {
			t.Errorf("a canonical form: %s", out)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e+3,{}],"b":"é\u00e9\n"}`, ` [true , false,null] `, `{"a":1,"\u0061":2}`, "\"\xff\\ud800\"", `{"a":{"b":[[]]},}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var tree jsontree.Tree
		parseBoth(t, &tree, text)
	})
}
