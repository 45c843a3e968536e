package jsontree_test

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/errmap/errmap/internal/jsontree"
)

// isNumber tells what jsontext says of a token.
func isNumber(token string) bool {
	return strings.Trim(token, " \t\r\n") == token && jsontext.Value(token).Kind() == '0' && jsontext.Value(token).IsValid()
}

// number returns the value of a token, by another way; false where that is too much
// work.
func number(token string) (value *big.Rat, negative, ok bool) {
	if !isNumber(token) {
		return nil, false, false
	}
	if i := strings.IndexAny(token, "eE"); i >= 0 {
		if e, err := strconv.Atoi(token[i+1:]); err != nil || e > 5000 || e < -5000 {
			return nil, false, false
		}
	}
	value, ok = new(big.Rat).SetString(token)
	return value, token[0] == '-', ok
}

func checkNumbers(t *testing.T, a, b string) {
	t.Helper()
	if got, want := jsontree.IsNumber([]byte(a)), isNumber(a); got != want {
		t.Fatalf("IsNumber(%q) is %v", a, got)
	}
	x, minus, ok := number(a)
	if ok {
		want := x.IsInt() && x.Num().IsInt64() && x.Num().CmpAbs(big.NewInt(1<<53)) < 0
		got, whole := jsontree.Int([]byte(a))
		if whole != want || whole && got != x.Num().Int64() {
			t.Fatalf("Int(%q) is %d, %v", a, got, whole)
		}
	} else if got, whole := jsontree.Int([]byte(a)); !isNumber(a) && whole {
		t.Fatalf("Int(%q) is %d", a, got)
	}
	y, alsoMinus, also := number(b)
	if !ok || !also {
		if (!isNumber(a) || !isNumber(b)) && jsontree.SameNumber([]byte(a), []byte(b)) {
			t.Fatalf("%q is the same as %q", a, b)
		}
		return
	}
	want := minus == alsoMinus && x.Cmp(y) == 0
	if got := jsontree.SameNumber([]byte(a), []byte(b)); got != want {
		t.Fatalf("SameNumber(%q, %q) is %v", a, b, got)
	}
}

func TestSameNumber(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true}, {"1", "10e-1", true}, {"1000", "1e3", true}, {"1.50", "0.15E+1", true}, {"0", "0.000", true}, {"0", "0e5", true},
		{"0.00120", "12e-4", true}, {"-1", "-1.0", true}, {"0.0", "00.0", false}, {"1", "-1", false}, {"0", "-0", false}, {"-0", "-0.0e7", true},
		{"9007199254740993", "9007199254740992", false}, {"0.1", "0.10000000000000001", false}, {"1e1048576", "10e1048575", true},
		{"1e1048577", "1e1048577", false}, {"0e1048577", "0", false}, {"1e-1048577", "1e-1048577", false}, {"1e99999999999999999999", "1e99999999999999999999", false},
		{"1e000000000000000000000000001", "10", true}, {"1", "1 ", false}, {"", "", false}, {"a", "a", false}, {"1.", "1", false}, {`"1"`, `"1"`, false},
	} {
		if got := jsontree.SameNumber([]byte(row.a), []byte(row.b)); got != row.want {
			t.Errorf("SameNumber(%s, %s) is %v", row.a, row.b, got)
		}
		if got := jsontree.SameNumber([]byte(row.b), []byte(row.a)); got != row.want {
			t.Errorf("SameNumber(%s, %s) is %v", row.b, row.a, got)
		}
	}
}

func TestInt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		token string
		want  int64
		ok    bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"0.0e9", 0, true}, {"0e-9", 0, true}, {"-32603", -32603, true}, {"1.0", 1, true}, {"1e3", 1000, true}, {"12.5e1", 125, true}, {"120e-1", 12, true},
		{"9007199254740991", 1<<53 - 1, true}, {"-9007199254740991", -(1<<53 - 1), true}, {"9007199254740992", 0, false}, {"90071992547409910e-1", 1<<53 - 1, true},
		{"1.5", 0, false}, {"1e-1", 0, false}, {"1e16", 0, false}, {"1e15", 1e15, true}, {"99999999999999999999", 0, false}, {"1e1048577", 0, false}, {"0e1048577", 0, false},
		{"", 0, false}, {"-", 0, false}, {"01", 0, false}, {"1 ", 0, false}, {" 1", 0, false}, {"null", 0, false}, {`"1"`, 0, false}, {"1x", 0, false}, {"12345678901234567", 0, false},
	} {
		if got, ok := jsontree.Int([]byte(row.token)); got != row.want || ok != row.ok {
			t.Errorf("Int(%s) is %d, %v", row.token, got, ok)
		}
		if !isNumber(row.token) {
			continue
		}
		var tree jsontree.Tree
		if err := tree.Parse([]byte(`["`+row.token+`",`+row.token+`]`), 1); err != nil {
			t.Fatal(err)
		}
		text := tree.Root().First()
		if got, ok := text.Next().Int(); got != row.want || ok != row.ok {
			t.Errorf("the Int of %s is %d, %v", row.token, got, ok)
		}
		if got, ok := text.Int(); ok {
			t.Errorf("the Int of the string %s is %d", row.token, got)
		}
	}
}

func TestNumbers_random(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	digits := func(most int) string {
		var s strings.Builder
		for range r.IntN(most) {
			s.WriteByte("0001999234"[r.IntN(10)])
		}
		return s.String()
	}
	token := func() string {
		s := []string{"", "-"}[r.IntN(2)] + []string{"0", "1", "12", "120", "", "9"}[r.IntN(6)] + digits(4)
		if r.IntN(2) == 0 {
			s += "." + digits(5)
		}
		if r.IntN(2) == 0 {
			s += []string{"e", "E"}[r.IntN(2)] + []string{"", "+", "-"}[r.IntN(3)] + []string{"", "0", "1", "2", "3", "04", "x"}[r.IntN(7)]
		}
		return s
	}
	same := 0
	for range 25000 / share {
		a, b := token(), token()
		checkNumbers(t, a, b)
		if jsontree.SameNumber([]byte(a), []byte(b)) {
			same++
		}
		// The same number with its point elsewhere.
		if value, _, ok := number(a); ok {
			checkNumbers(t, a, value.FloatString(12))
		}
	}
	if same < 15/share {
		t.Errorf("%d pairs are the same", same)
	}
}

func FuzzNumber(f *testing.F) {
	for _, row := range [][2]string{{"1", "1.0"}, {"-0", "0"}, {"1e3", "1000"}, {"0.10", "1E-1"}, {"9007199254740993", "9007199254740992"}} {
		f.Add(row[0], row[1])
	}
	f.Fuzz(checkNumbers)
}
