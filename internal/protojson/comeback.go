package protojson

import (
	"bytes"
	"strconv"

	"github.com/errmap/errmap/internal/jsontree"
)

// numbersComeBack tells whether each number of before, zeros aside, is one of after:
// as a number, or as the string that ProtoJSON makes of 64-bit integers.
func numbersComeBack(before, after jsontree.Value) bool {
	missing := map[string]int{}
	fine := true
	eachNumber(before, func(token []byte) {
		key, ok := decimal(token)
		if fine = fine && ok; key != "" {
			missing[key]++
		}
	}, nil)
	found := func(token []byte) {
		if key, _ := decimal(token); missing[key] > 1 {
			missing[key]--
		} else {
			delete(missing, key)
		}
	}
	eachNumber(after, found, found)
	return fine && len(missing) == 0
}

func eachNumber(v jsontree.Value, plain, quoted func([]byte)) {
	switch v.Kind() {
	case jsontree.Number:
		plain(v.Raw())
	case jsontree.String:
		if raw, _ := v.RawText(); quoted != nil && jsontree.IsNumber(raw) {
			quoted(raw)
		}
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		if !e.Repeats() {
			eachNumber(e, plain, quoted)
		}
	}
}

// decimal returns a text that is the same for number tokens of the same value, ""
// for zero; false where the exponent is absurd.
func decimal(token []byte) (string, bool) {
	text, exponent := token, 0
	if i := bytes.IndexAny(token, "eE"); i >= 0 {
		n, err := strconv.Atoi(string(bytes.TrimPrefix(token[i+1:], []byte{'+'})))
		if err != nil || n > 1<<20 || n < -1<<20 {
			return "", false
		}
		text, exponent = token[:i], n
	}
	text, negative := bytes.CutPrefix(text, []byte{'-'})
	whole, decimals, _ := bytes.Cut(text, []byte{'.'})
	digits := bytes.TrimLeft(append(bytes.Clone(whole), decimals...), "0")
	short := bytes.TrimRight(digits, "0")
	if len(short) == 0 {
		return "", true
	}
	exponent += len(digits) - len(short) - len(decimals)
	return strconv.FormatBool(negative) + string(short) + "e" + strconv.Itoa(exponent), true
}
