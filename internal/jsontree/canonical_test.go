package jsontree_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/errmap/errmap/internal/jsontree"
)

// RFC 8785 sections 3.2.2 and 3.2.3, but for the number that no double is.
func TestAppendCanonical_rfc8785(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, want string }{
		{
			`{
       "numbers": [333333333.33333329, 1E30, 4.50,
                   2e-3, 0.000000000000000000000000001],
       "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
       "literals": [null, true, false]
     }`, "",
		},
		{
			`{
       "numbers": [333333333.3333333, 1E30, 4.50,
                   2e-3, 0.000000000000000000000000001],
       "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
       "literals": [null, true, false]
     }`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		{
			`{
       "\u20ac": "Euro Sign",
       "\r": "Carriage Return",
       "\ufb33": "Hebrew Letter Dalet With Dagesh",
       "1": "One",
       "\ud83d\ude00": "Emoji: Grinning Face",
       "\u0080": "Control",
       "\u00f6": "Latin Small Letter O With Diaeresis"
     }`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		},
		// The first and the last beside the surrogates, by UTF-16.
		{`{"\ue000":1,"\uffff":2,"\ud800\udc00":3,"\ud7ff":4,"\udbff\udfff":5,"\ue000a":6,"":7}`,
			"{\"\":7,\"\ud7ff\":4,\"\U00010000\":3,\"\U0010ffff\":5,\"\ue000\":1,\"\ue000a\":6,\"\uffff\":2}"},
	} {
		got, ok := jsontree.AppendCanonical([]byte("x"), parse(t, row.text))
		if string(got) != "x"+row.want || ok != (row.want != "") {
			t.Errorf("%s, %v, want %s", got, ok, row.want)
		}
	}
}

// RFC 8785 appendix B.
func TestAppendCanonical_numbers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		bits uint64
		want string
	}{
		{0x0000000000000000, "0"}, {0x0000000000000001, "5e-324"}, {0x8000000000000001, "-5e-324"}, {0x7fefffffffffffff, "1.7976931348623157e+308"},
		{0xffefffffffffffff, "-1.7976931348623157e+308"}, {0x4340000000000000, "9007199254740992"}, {0xc340000000000000, "-9007199254740992"},
		{0x4430000000000000, "295147905179352830000"}, {0x44b52d02c7e14af5, "9.999999999999997e+22"}, {0x44b52d02c7e14af6, "1e+23"},
		{0x44b52d02c7e14af7, "1.0000000000000001e+23"}, {0x444b1ae4d6e2ef4e, "999999999999999700000"}, {0x444b1ae4d6e2ef4f, "999999999999999900000"},
		{0x444b1ae4d6e2ef50, "1e+21"}, {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"}, {0x3eb0c6f7a0b5ed8d, "0.000001"}, {0x41b3de4355555553, "333333333.3333332"},
		{0x41b3de4355555554, "333333333.33333325"}, {0x41b3de4355555555, "333333333.3333333"}, {0x41b3de4355555556, "333333333.3333334"},
		{0x41b3de4355555557, "333333333.33333343"}, {0xbecbf647612f3696, "-0.0000033333333333333333"}, {0x43143ff3c1cb0959, "1424953923781206.2"},
	} {
		for _, format := range []byte("efg") {
			token := strconv.FormatFloat(math.Float64frombits(row.bits), format, -1, 64)
			if got, ok := jsontree.AppendCanonical(nil, parse(t, token)); !ok || string(got) != row.want {
				t.Errorf("%s: %s, %v, want %s", token, got, ok, row.want)
			}
		}
	}
	for _, token := range []string{"-0", "-0.0", "-0e9", "1e400", "-1e400", "1e-400", "9007199254740993", "0.1000000000000000000000001", "123456789012345678901", "1e9999999"} {
		if got, ok := jsontree.AppendCanonical([]byte("x"), parse(t, "["+token+"]")); ok || string(got) != "x" {
			t.Errorf("%s: %s, %v", token, got, ok)
		}
	}
}

func TestAppendCanonical_refused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"a":1,"a":1}`, `[{"a":1,"\u0061":1}]`, `"\ud800"`, `{"\udfff":1}`, `[["a\ud800\u0041"]]`} {
		v := parse(t, text)
		if got, ok := jsontree.AppendCanonical([]byte("x"), v); ok || string(got) != "x" {
			t.Errorf("%s: %s, %v", text, got, ok)
		}
	}
}

// jsontext as oracle, after what it does not ask: whether numbers stay the same.
func TestAppendCanonical_random(t *testing.T) {
	t.Parallel()
	said := 0
	for seed := range uint64(4000 / share) {
		text := randomText(seed)
		v := parse(t, string(text))
		got, ok := jsontree.AppendCanonical(nil, v)
		want := jsontext.Value(bytes.Clone(text))
		err := want.Canonicalize()
		if exact := err == nil && numbersStay(t, text); ok != exact {
			t.Fatalf("%s: %v, want %v (jsontext says %v)", text, ok, exact, err)
		}
		if !ok {
			continue
		}
		said++
		if string(got) != string(want) {
			t.Fatalf("%s: %s, want %s", text, got, want)
		}
	}
	if said < 250/share {
		t.Errorf("%d texts have a canonical form", said)
	}
}

// numbersStay tells whether each number of text is a double that is spelled so.
func numbersStay(t *testing.T, text []byte) bool {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	for dec.More() || dec.InputOffset() < int64(len(bytes.TrimSpace(text))) {
		token, err := dec.Token()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		n, ok := token.(json.Number)
		if !ok {
			continue
		}
		f, err := strconv.ParseFloat(n.String(), 64)
		if err != nil || f == 0 && math.Signbit(f) {
			return false
		}
		value, _, ok := number(n.String())
		if !ok {
			t.Fatalf("%s cannot be compared", n)
		}
		if said, _, _ := number(strconv.FormatFloat(f, 'g', -1, 64)); value.Cmp(said) != 0 {
			return false
		}
	}
	return true
}

// Any double comes back as it was spelled.
func TestAppendCanonical_doubles(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for range 20000 / share {
		f := math.Float64frombits(r.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		token := strconv.FormatFloat(f, 'g', -1, 64)
		want := jsontext.Value(token)
		if err := want.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if got, ok := jsontree.AppendCanonical(nil, parse(t, token)); !ok || string(got) != string(want) {
			t.Fatalf("%s: %s, %v, want %s", token, got, ok, want)
		}
	}
}
