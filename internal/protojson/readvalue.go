package protojson

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

// answer is what came of reading a value.
type answer uint8

const (
	failed  answer = iota
	read           // it was appended
	leftOut        // the schema does not know it, which does not matter
)

func answerOf(ok bool) answer {
	if ok {
		return read
	}
	return failed
}

// value appends one value without its tag.
func (r *reader) value(dst []byte, v jsontree.Value, f *field) ([]byte, answer) {
	ok := false
	switch f.kind {
	case protoreflect.StringKind:
		dst, ok = r.string(dst, v)
	case protoreflect.BytesKind:
		dst, ok = r.base64(dst, v)
	case protoreflect.MessageKind:
		start := len(dst)
		if dst, ok = r.message(append(dst, 0), v, f.message); ok {
			dst = frame(dst, start)
		}
		return dst, answerOf(ok) // the trouble is known
	case protoreflect.BoolKind:
		if ok = v.Is(jsontree.Bool); v.Bool() {
			dst = append(dst, 1)
		} else {
			dst = append(dst, 0)
		}
	case protoreflect.EnumKind:
		return r.enum(dst, v, f.enum)
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		dst, ok = r.float(dst, v, f.bits())
	default:
		dst, ok = r.integer(dst, v, f)
	}
	if !ok {
		r.trouble = refused
	}
	return dst, answerOf(ok)
}

func (r *reader) string(dst []byte, v jsontree.Value) ([]byte, bool) {
	if !v.Is(jsontree.String) || v.Lone() {
		return dst, false
	}
	raw, plain := v.RawText()
	if plain {
		return append(protowire.AppendVarint(dst, uint64(len(raw))), raw...), true
	}
	start := len(dst)
	return frame(v.AppendText(append(dst, 0)), start), true
}

// content returns what a String says; it is good until the next text is read.
func (r *reader) content(v jsontree.Value) ([]byte, bool) {
	if !v.Is(jsontree.String) || v.Lone() {
		return nil, false
	}
	raw, plain := v.RawText()
	if !plain {
		r.text = v.AppendText(r.text[:0])
		raw = r.text
	}
	return raw, true
}

func (r *reader) base64(dst []byte, v jsontree.Value) ([]byte, bool) {
	content, ok := r.content(v)
	if !ok {
		return dst, false
	}
	encoding := base64.StdEncoding
	if bytes.ContainsAny(content, "-_") {
		encoding = base64.URLEncoding
	}
	if len(content)%4 != 0 {
		encoding = encoding.WithPadding(base64.NoPadding)
	}
	start := len(dst)
	dst, err := encoding.AppendDecode(append(dst, 0), content)
	if err != nil {
		return dst, false
	}
	return frame(dst, start), true
}

func (r *reader) enum(dst []byte, v jsontree.Value, e *enum) ([]byte, answer) {
	var number int32
	r.trouble = refused
	switch v.Kind() {
	case jsontree.Null:
		if !e.null {
			return dst, failed
		}
	case jsontree.String:
		content, ok := r.content(v)
		if !ok {
			return dst, failed
		}
		if number, ok = e.byName[string(content)]; !ok {
			if r.lenient {
				return dst, leftOut
			}
			return dst, failed
		}
	case jsontree.Number:
		magnitude, negative, ok := integer(v.Raw())
		n, fits := signed(magnitude, negative, 32)
		if number = int32(n); !ok || !fits {
			return dst, failed
		}
		switch name := e.names[number]; {
		case name == nil && e.closed:
			r.trouble = foreign
			return dst, failed
		case r.numbers && number != 0 && (name != nil || e.null): // it would be written as its name
			return dst, failed
		}
	default:
		return dst, failed
	}
	return protowire.AppendVarint(dst, uint64(int64(number))), read
}

func (r *reader) integer(dst []byte, v jsontree.Value, f *field) ([]byte, bool) {
	token := v.Raw()
	switch v.Kind() {
	case jsontree.Number:
	case jsontree.String:
		var ok bool
		if token, ok = r.content(v); !ok || !jsontree.IsNumber(token) {
			return dst, false
		}
	default:
		return dst, false
	}
	magnitude, negative, ok := integer(token)
	if !ok {
		return dst, false
	}
	if f.signed() {
		n, ok := signed(magnitude, negative, f.bits())
		return f.appendNumber(dst, uint64(n)), ok
	}
	if negative && magnitude > 0 || f.bits() == 32 && magnitude > math.MaxUint32 {
		return dst, false
	}
	return f.appendNumber(dst, magnitude), true
}

// bits returns how wide numbers of a kind are.
func (f *field) bits() int {
	switch f.kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind,
		protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return 32
	}
	return 64
}

// appendNumber appends an integer as its kind has it on the wire.
func (f *field) appendNumber(dst []byte, n uint64) []byte {
	switch f.kind {
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		return protowire.AppendVarint(dst, protowire.EncodeZigZag(int64(n)))
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return binary.LittleEndian.AppendUint32(dst, uint32(n))
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return binary.LittleEndian.AppendUint64(dst, n)
	}
	return protowire.AppendVarint(dst, n)
}

func signed(magnitude uint64, negative bool, bits int) (int64, bool) {
	limit := uint64(1) << (bits - 1)
	if negative {
		return -int64(magnitude), magnitude <= limit
	}
	return int64(magnitude), magnitude < limit
}

// integer returns the value of a number token that is whole, also as 1.0 or 1e3, and
// has at most 20 digits: what protobuf's protojson takes for an integer.
func integer(token []byte) (magnitude uint64, negative, ok bool) {
	if negative = token[0] == '-'; negative {
		token = token[1:]
	}
	for i, c := range token {
		if c < '0' || c > '9' {
			return fraction(token, i, negative)
		}
		digit := uint64(c - '0')
		if magnitude > (math.MaxUint64-digit)/10 {
			return 0, false, false
		}
		magnitude = magnitude*10 + digit
	}
	return magnitude, negative, true
}

// fraction is integer for a token whose first point == '.' or 'e' is at i.
func fraction(token []byte, i int, negative bool) (uint64, bool, bool) {
	whole, rest := token[:i], token[i:]
	var decimals, exponent []byte
	if rest[0] == '.' {
		end := bytes.IndexAny(rest, "eE")
		if end < 0 {
			end = len(rest)
		}
		decimals, rest = bytes.TrimRight(rest[1:end], "0"), rest[end:]
	}
	if len(rest) > 0 {
		exponent = rest[1:]
	}
	if whole[0] == '0' {
		whole = nil
	}
	if len(whole) == 0 && len(decimals) == 0 {
		return 0, negative, true
	}
	shift := 0
	if len(exponent) > 0 {
		n, err := strconv.ParseInt(string(exponent), 10, 32)
		if err != nil {
			return 0, false, false
		}
		shift = int(n)
	}
	var room [40]byte
	digits := append(room[:0], whole...)
	switch {
	case shift >= 0:
		if len(decimals) > shift || len(whole)+shift > 20 {
			return 0, false, false
		}
		digits = append(digits, decimals...)
		for range shift - len(decimals) {
			digits = append(digits, '0')
		}
	case len(decimals) > 0 || len(whole)+shift < 0 || len(bytes.Trim(whole[len(whole)+shift:], "0")) > 0:
		return 0, false, false
	default:
		digits = digits[:len(whole)+shift]
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	return n, negative, err == nil
}

func (r *reader) float(dst []byte, v jsontree.Value, bits int) ([]byte, bool) {
	token, check := v.Raw(), r.numbers
	switch v.Kind() {
	case jsontree.Number:
	case jsontree.String:
		var ok bool
		if token, ok = r.content(v); !ok {
			return dst, false
		}
		switch string(token) {
		case "NaN":
			return appendBits(dst, math.NaN(), bits), true
		case "Infinity":
			return appendBits(dst, math.Inf(1), bits), true
		case "-Infinity":
			return appendBits(dst, math.Inf(-1), bits), true
		}
		if check = false; !jsontree.IsNumber(token) {
			return dst, false
		}
	default:
		return dst, false
	}
	n, err := strconv.ParseFloat(string(token), bits)
	if err != nil || check && !comesBack(token, n, bits) {
		return dst, false
	}
	return appendBits(dst, n, bits), true
}

func appendBits(dst []byte, n float64, bits int) []byte {
	if bits == 32 {
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(n)))
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(n))
}

// comesBack tells whether a number token, which is read as n, has the value that n
// is written with.
func comesBack(token []byte, n float64, bits int) bool {
	digits, some := 0, false // from the first that is not 0
	for _, c := range token {
		if c|0x20 == 'e' {
			break
		}
		if some = some || '1' <= c && c <= '9'; some && c != '.' {
			digits++
		}
	}
	if !some {
		return true
	}
	// So many digits a number of its width always holds, but near its bounds.
	if abs := math.Abs(n); bits == 64 && digits <= 15 && abs > 1e-300 || bits == 32 && digits <= 6 && abs > 1e-36 {
		return true
	}
	var room [400]byte
	return n != 0 && jsontree.SameNumber(token, AppendFloat(room[:0], n, bits))
}

// special appends the bytes of a message that ProtoJSON does not write as an object
// of its fields.
func (r *reader) special(dst []byte, v jsontree.Value, m *Message) ([]byte, bool) {
	switch m.form {
	case formAny:
		return r.any(dst, v, m)
	case formTime, formSpan, formMask:
		content, ok := r.content(v)
		if !ok {
			return dst, r.fail(refused)
		}
		if m.form == formMask {
			return r.mask(dst, content)
		}
		var seconds int64
		var nanos int32
		if m.form == formTime {
			seconds, nanos, ok = parseTime(content)
		} else {
			seconds, nanos, ok = parseSpan(content)
		}
		if !ok {
			return dst, r.fail(refused)
		}
		if seconds != 0 {
			dst = protowire.AppendVarint(append(dst, m.fields[0].tag...), uint64(seconds))
		}
		if nanos != 0 {
			dst = protowire.AppendVarint(append(dst, m.fields[1].tag...), uint64(int64(nanos)))
		}
		return dst, true
	case formWrapper, formStruct, formList:
		return r.field(dst, v, &m.fields[0])
	case formValue:
		return r.dynamic(dst, v, m)
	}
	return dst, r.fail(foreign)
}

// any appends the bytes of a google.protobuf.Any.
func (r *reader) any(dst []byte, v jsontree.Value, m *Message) ([]byte, bool) {
	if !v.Is(jsontree.Object) {
		return dst, r.fail(refused)
	}
	if name := v.Get("@type"); !name.Exists() {
		return dst, !v.First().Exists() || r.lenient || r.fail(refused)
	}
	l := r.codec.linkOf(v)
	if l == nil {
		return dst, r.fail(refused)
	}
	dst = protowire.AppendVarint(append(dst, m.fields[0].tag...), uint64(len(l.url)))
	dst = append(dst, l.url...)
	start := len(dst)
	dst = append(append(dst, m.fields[1].tag...), 0)
	body := len(dst)
	dst, ok := r.embedded(dst, v, l.table)
	switch {
	case !ok:
		return dst, false
	case len(dst) == body:
		return dst[:start], true
	}
	return frame(dst, body-1), true
}

// dynamic appends the bytes of a google.protobuf.Value.
func (r *reader) dynamic(dst []byte, v jsontree.Value, m *Message) ([]byte, bool) {
	number := 0
	switch v.Kind() {
	case jsontree.Null:
		number = 1
	case jsontree.Number:
		number = 2
	case jsontree.String:
		number = 3
	case jsontree.Bool:
		number = 4
	case jsontree.Object:
		number = 5
	case jsontree.Array:
		number = 6
	default:
		return dst, r.fail(refused)
	}
	return r.field(dst, v, m.byNumber[number])
}

// mask appends the paths of a google.protobuf.FieldMask.
func (r *reader) mask(dst, content []byte) ([]byte, bool) {
	content = bytes.TrimSpace(content)
	if len(content) == 0 {
		return dst, true
	}
	for more := true; more; {
		var path []byte
		path, content, more = bytes.Cut(content, []byte{','})
		start := len(dst) + 1
		dst = append(dst, 1<<3|byte(protowire.BytesType), 0)
		for _, c := range path {
			if 'A' <= c && c <= 'Z' {
				dst, c = append(dst, '_'), c-'A'+'a'
			} else if c == '_' {
				return dst, r.fail(refused)
			}
			dst = append(dst, c)
		}
		if !protoreflect.FullName(dst[start+1:]).IsValid() {
			return dst, r.fail(refused)
		}
		dst = frame(dst, start)
	}
	return dst, true
}

// parseTime reads the text of a google.protobuf.Timestamp.
func parseTime(content []byte) (seconds int64, nanos int32, ok bool) {
	text := string(content)
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Unix() < minTime || t.Unix() > maxTime {
		return 0, 0, false
	}
	point, zone := strings.LastIndexByte(text, '.'), strings.LastIndexAny(text, "Z-+")
	if point >= 0 && zone-point > len(".999999999") {
		return 0, 0, false
	}
	return t.Unix(), int32(t.Nanosecond()), true
}

// parseSpan reads the text of a google.protobuf.Duration: a number with at most nine
// decimals and an s.
func parseSpan(content []byte) (seconds int64, nanos int32, ok bool) {
	content, ok = bytes.CutSuffix(content, []byte{'s'})
	if !ok || len(content) == 0 {
		return 0, 0, false
	}
	negative := content[0] == '-'
	if negative || content[0] == '+' {
		content = content[1:]
	}
	whole, decimals, pointed := bytes.Cut(content, []byte{'.'})
	if len(whole) == 0 && !pointed || len(whole) > 1 && whole[0] == '0' || len(decimals) > 9 {
		return 0, 0, false
	}
	for _, c := range whole {
		if c < '0' || c > '9' || seconds > maxSpan {
			return 0, 0, false
		}
		seconds = seconds*10 + int64(c-'0')
	}
	for i := range 9 {
		nanos *= 10
		if i < len(decimals) {
			if decimals[i] < '0' || decimals[i] > '9' {
				return 0, 0, false
			}
			nanos += int32(decimals[i] - '0')
		}
	}
	if seconds > maxSpan {
		return 0, 0, false
	}
	if negative {
		seconds, nanos = -seconds, -nanos
	}
	return seconds, nanos, true
}
