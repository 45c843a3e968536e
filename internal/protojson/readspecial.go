package protojson

import (
	"bytes"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

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
