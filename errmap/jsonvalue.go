package errmap

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/errmap/errmap/internal/rpcjson"
	"github.com/errmap/errmap/internal/schema"
)

var (
	errTooLarge = errors.New("larger than the limit")
	errTooDeep  = errors.New("nested deeper than the limit")
)

// anyText accepts what peers write: duplicate members, of which the first
// wins, and lone surrogates, which read as U+FFFD.
var anyText = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// member is one member of an object: its name, read, and both as they stood.
type member struct {
	name    string
	rawName []byte
	value   []byte
}

// compactJSON returns one JSON value without white space, its strings and
// numbers as they stood. The result does not alias body.
func compactJSON(body []byte, l Limits) ([]byte, error) {
	if len(body) > l.Body {
		return nil, errTooLarge
	}
	v := jsontext.Value(bytes.Clone(schema.RepairBytes(body)))
	if err := v.Compact(anyText...); err != nil {
		return nil, err
	}
	if depth(v) > l.Depth {
		return nil, errTooDeep
	}
	return v, nil
}

// envelopeDepth is how much deeper than on one wire a detail may stand on
// another. A detail that would nest deeper there than readers take is not
// passed on as JSON: its error would not be read.
const envelopeDepth = 8

// depth counts how deep valid JSON nests.
func depth(b []byte) int {
	deepest, now := 0, 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i) - 1
		case '{', '[':
			if now++; now > deepest {
				deepest = now
			}
		case '}', ']':
			now--
		}
	}
	return deepest
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// valueEnd returns the index after the value that begins at i of compact JSON.
func valueEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		for level := 0; ; i++ {
			switch b[i] {
			case '"':
				i = stringEnd(b, i) - 1
			case '{', '[':
				level++
			case '}', ']':
				if level--; level == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' {
		i++
	}
	return i
}

// objectMembers splits a compact object; false where b is none.
func objectMembers(b []byte) ([]member, bool) {
	if len(b) == 0 || b[0] != '{' {
		return nil, false
	}
	var members []member
	for i := 1; b[i] != '}'; {
		if b[i] == ',' {
			i++
		}
		end := stringEnd(b, i)
		stop := valueEnd(b, end+1)
		members = append(members, member{unquote(b[i:end]), b[i:end], b[end+1 : stop]})
		i = stop
	}
	return members, true
}

// arrayElements splits a compact array; false where b is none.
func arrayElements(b []byte) ([][]byte, bool) {
	if len(b) == 0 || b[0] != '[' {
		return nil, false
	}
	var elements [][]byte
	for i := 1; b[i] != ']'; {
		if b[i] == ',' {
			i++
		}
		end := valueEnd(b, i)
		elements = append(elements, b[i:end])
		i = end
	}
	return elements, true
}

// unquote reads a JSON string; a lone surrogate is U+FFFD.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	s, _ := jsontext.AppendUnquote(nil, raw)
	return string(s)
}

// stringValue reads a JSON string; false where raw is something else.
func stringValue(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return unquote(raw), true
}

func isNull(raw []byte) bool { return string(raw) == "null" }

func isNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

func appendString(dst []byte, s string) []byte {
	if out, ok := rpcjson.AppendClean(dst, s); ok {
		return out
	}
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

func appendMembers(dst []byte, members []member) []byte {
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, m.rawName...), ':'), m.value...)
	}
	return append(dst, '}')
}

func newMember(name string, value []byte) member {
	return member{name, appendString(nil, name), value}
}

// take splits members into those that are named here and the rest. The first of
// duplicates wins; a name that differs from one of ours only in case is
// dropped, since some readers fold case.
func take(members []member, n *notes, names ...string) (map[string][]byte, []member) {
	ours := make(map[string][]byte, len(names))
	var rest []member
next:
	for _, m := range members {
		for _, name := range names {
			if m.name == name {
				if _, twice := ours[name]; twice {
					n.add("member %q stands twice: the first counts", name)
				} else {
					ours[name] = m.value
				}
				continue next
			}
			if strings.EqualFold(m.name, name) {
				n.add("member %q differs from %q only in case: dropped", m.name, name)
				continue next
			}
		}
		rest = append(rest, m)
	}
	return ours, firstOfEach(rest, n)
}

// firstOfEach returns members without those whose name stood before.
func firstOfEach(members []member, n *notes) []member {
	if len(members) < 2 {
		return members
	}
	seen := make(map[string]bool, len(members))
	return slices.DeleteFunc(members, func(m member) bool {
		if seen[m.name] {
			n.add("member %q stands twice: the first counts", m.name)
			return true
		}
		seen[m.name] = true
		return false
	})
}

// addMember appends m unless a member of its name is there.
func addMember(members []member, m member, n *notes) []member {
	for _, have := range members {
		if have.name == m.name {
			n.add("member %q stands twice: the first counts", m.name)
			return members
		}
	}
	return append(members, m)
}

// decimal is a number as sign, digits without zeros at either end, and the
// power of ten of the last digit. Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// parseDecimal reads a JSON number token; false where its exponent is absurd.
func parseDecimal(token string) (decimal, bool) {
	var d decimal
	token, d.negative = strings.CutPrefix(token, "-")
	if i := strings.IndexAny(token, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(strings.TrimPrefix(token[i+1:], "+"))
		if err != nil || exponent > 1<<20 || exponent < -1<<20 {
			return d, false
		}
		token, d.exponent = token[:i], exponent
	}
	whole, fraction, _ := strings.Cut(token, ".")
	d.exponent -= len(fraction)
	digits := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(digits, "0")
	d.exponent += len(digits) - len(d.digits)
	if d.digits == "" {
		d.exponent = 0
	}
	return d, true
}

// maxInteger is the greatest integer that every JSON reader keeps (RFC 8259
// section 6).
const maxInteger = 1<<53 - 1

// numberOf returns the value of an integral token within ±(2^53-1).
func numberOf(token string) (int64, bool) {
	d, ok := parseDecimal(token)
	if !ok || d.exponent < 0 || len(d.digits)+d.exponent > 16 {
		return 0, false
	}
	n, err := strconv.ParseInt(d.digits+strings.Repeat("0", d.exponent), 10, 64)
	if d.digits == "" {
		n, err = 0, nil
	}
	if err != nil || n > maxInteger {
		return 0, false
	}
	if d.negative {
		n = -n
	}
	return n, true
}

// numberTokens calls yield for each number token of compact JSON, and where
// quoted is set for each string that holds one too.
func numberTokens(b []byte, quoted func(string), plain func(string)) {
	for i := 0; i < len(b); {
		switch {
		case b[i] == '"':
			end := stringEnd(b, i)
			if inner := b[i+1 : end-1]; quoted != nil && isNumber(inner) && jsontext.Value(inner).IsValid() {
				quoted(string(inner))
			}
			i = end
		case isNumber(b[i:]):
			end := valueEnd(b, i)
			plain(string(b[i:end]))
			i = end
		default:
			i++
		}
	}
}

// numbersComeBack tells whether each number of before, zeros aside, is one of
// after: as a number, or as the string that ProtoJSON makes of 64-bit integers.
func numbersComeBack(before, after []byte) bool {
	missing := map[decimal]int{}
	ok := true
	numberTokens(before, nil, func(token string) {
		d, fine := parseDecimal(token)
		ok = ok && fine
		if d.digits != "" {
			missing[d]++
		}
	})
	if !ok || len(missing) == 0 {
		return ok
	}
	found := func(token string) {
		if d, fine := parseDecimal(token); fine && missing[d] > 0 {
			if missing[d]--; missing[d] == 0 {
				delete(missing, d)
			}
		}
	}
	numberTokens(after, found, found)
	return len(missing) == 0
}

// canonicalJSON returns compact JSON in the form of RFC 8785, and false where
// that form cannot say it exactly: a number that no double is, a lone
// surrogate, a duplicate name.
func canonicalJSON(b []byte) ([]byte, bool) {
	exact := true
	numberTokens(b, nil, func(token string) {
		f, err := strconv.ParseFloat(token, 64)
		if err != nil {
			exact = false
			return
		}
		said, _ := parseDecimal(token)
		kept, _ := parseDecimal(strconv.FormatFloat(f, 'e', -1, 64))
		exact = exact && said == kept && (said.digits != "" || !said.negative)
	})
	if !exact {
		return nil, false
	}
	v := jsontext.Value(bytes.Clone(b))
	if err := v.Canonicalize(); err != nil {
		return nil, false
	}
	return v, true
}

// sameText tells whether two compact JSON texts say the same: a peer may have put
// members in another order.
func sameText(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, ok := canonicalJSON(a)
	y, also := canonicalJSON(b)
	return ok && also && bytes.Equal(x, y)
}

// isJSONNumber tells whether b is one number token and nothing else.
func isJSONNumber(b []byte) bool {
	return isNumber(b) && jsontext.Value(b).IsValid() && b[len(b)-1] > ' '
}
