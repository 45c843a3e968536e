package wirejson

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Read sets message to what the ProtoJSON in text says. It reports false where it
// declines; message may be changed then. It works in room, which it returns so
// that it can be used again once message is set. A nil Message declines always.
func (m *Message) Read(text []byte, message proto.Message, room []byte) ([]byte, bool) {
	if m == nil || message == nil {
		return room, false
	}
	if r := message.ProtoReflect(); r.Descriptor() != m.desc || r.ProtoMethods() == nil || !r.IsValid() {
		return room, false
	}
	wire, rest, ok := m.read(room[:0], skipSpace(text), maxDepth)
	if !ok || len(skipSpace(rest)) > 0 {
		return wire, false
	}
	return wire, proto.UnmarshalOptions{}.Unmarshal(wire, message) == nil
}

// read appends the wire bytes of the object that text begins with, and returns
// what follows it.
func (m *Message) read(dst, text []byte, depth int) (wire, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '{' || depth == 0 {
		return dst, text, false
	}
	if rest = skipSpace(text[1:]); len(rest) > 0 && rest[0] == '}' {
		return dst, rest[1:], true
	}
	var seen, oneofs uint64
	text = text[1:]
	for {
		name, after, plain := stringToken(skipSpace(text))
		if name == nil || !plain {
			return dst, text, false
		}
		f := m.byName[string(name)]
		if after = skipSpace(after); f == nil || len(after) == 0 || after[0] != ':' || seen>>f.place&1 != 0 {
			return dst, text, false
		}
		seen |= 1 << f.place
		text = skipSpace(after[1:])
		if null := len(text) > 0 && text[0] == 'n'; null && f.kind != 0 {
			text, ok = literal(text, "null")
		} else {
			if f.kind == 0 || oneofs&f.oneof != 0 {
				return dst, text, false
			}
			oneofs |= f.oneof
			dst, text, ok = f.read(dst, text, depth)
		}
		if !ok {
			return dst, text, false
		}
		if text = skipSpace(text); len(text) == 0 {
			return dst, text, false
		}
		switch text[0] {
		case '}':
			return dst, text[1:], true
		case ',':
			text = text[1:]
		default:
			return dst, text, false
		}
	}
}

// read appends what text begins with as the value of a field.
func (f *field) read(dst, text []byte, depth int) (wire, rest []byte, ok bool) {
	if !f.repeated {
		return f.readValue(append(dst, f.tag...), text, depth)
	}
	if len(text) == 0 || text[0] != '[' {
		return dst, text, false
	}
	if rest = skipSpace(text[1:]); len(rest) > 0 && rest[0] == ']' {
		return dst, rest[1:], true
	}
	for {
		dst, text, ok = f.readValue(append(dst, f.tag...), skipSpace(text[1:]), depth)
		if text = skipSpace(text); !ok || len(text) == 0 {
			return dst, text, false
		}
		switch text[0] {
		case ']':
			return dst, text[1:], true
		case ',':
		default:
			return dst, text, false
		}
	}
}

// readValue appends what text begins with as one value, without its tag.
func (f *field) readValue(dst, text []byte, depth int) (wire, rest []byte, ok bool) {
	switch f.kind {
	case protoreflect.StringKind, protoreflect.BytesKind:
		return f.readText(dst, text)
	case protoreflect.MessageKind:
		start := len(dst)
		dst, rest, ok = f.message.read(append(dst, 0), text, depth-1)
		if !ok {
			return dst, rest, false
		}
		return frame(dst, start), rest, true
	case protoreflect.BoolKind:
		if rest, ok = literal(text, "true"); ok {
			return append(dst, 1), rest, true
		}
		rest, ok = literal(text, "false")
		return append(dst, 0), rest, ok
	}
	return f.readNumber(dst, text)
}

// readText appends a string, or bytes in base64.
func (f *field) readText(dst, text []byte) (wire, rest []byte, ok bool) {
	content, rest, plain := stringToken(text)
	if content == nil {
		return dst, rest, false
	}
	if f.kind == protoreflect.BytesKind {
		if !plain {
			return dst, rest, false
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
		return frame(dst, start), rest, err == nil
	}
	if plain {
		return append(protowire.AppendVarint(dst, uint64(len(content))), content...), rest, true
	}
	start := len(dst)
	dst, err := jsontext.AppendUnquote(append(dst, 0), text[:len(text)-len(rest)])
	return frame(dst, start), rest, err == nil
}

// readNumber appends a number or an enum value. Whole numbers with a fraction or an
// exponent are left to protojson.
func (f *field) readNumber(dst, text []byte) (wire, rest []byte, ok bool) {
	if len(text) == 0 {
		return dst, text, false
	}
	if f.kind == protoreflect.FloatKind || f.kind == protoreflect.DoubleKind {
		return f.readFloat(dst, text)
	}
	token := text
	if text[0] == '"' {
		content, after, plain := stringToken(text)
		if content == nil || !plain {
			return dst, text, false
		}
		if f.kind == protoreflect.EnumKind {
			value := f.enum.Values().ByName(protoreflect.Name(content))
			if value == nil {
				return dst, text, false
			}
			return protowire.AppendVarint(dst, uint64(int64(value.Number()))), after, true
		}
		token, rest = content, after
	} else {
		n := wholeNumber(text)
		token, rest = text[:n], text[n:]
	}
	if n := wholeNumber(token); n == 0 || n != len(token) || len(rest) > 0 && (rest[0] == '.' || rest[0]|0x20 == 'e') {
		return dst, text, false
	}
	switch f.kind {
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		v, err := strconv.ParseUint(string(token), 10, 32)
		if f.wire == protowire.Fixed32Type {
			return protowire.AppendFixed32(dst, uint32(v)), rest, err == nil
		}
		return protowire.AppendVarint(dst, v), rest, err == nil
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		v, err := strconv.ParseUint(string(token), 10, 64)
		if f.wire == protowire.Fixed64Type {
			return protowire.AppendFixed64(dst, v), rest, err == nil
		}
		return protowire.AppendVarint(dst, v), rest, err == nil
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		v, err := strconv.ParseInt(string(token), 10, 64)
		return f.appendInt(dst, v), rest, err == nil
	}
	v, err := strconv.ParseInt(string(token), 10, 32)
	return f.appendInt(dst, v), rest, err == nil
}

func (f *field) appendInt(dst []byte, v int64) []byte {
	switch f.kind {
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		return protowire.AppendVarint(dst, protowire.EncodeZigZag(v))
	case protoreflect.Sfixed32Kind:
		return protowire.AppendFixed32(dst, uint32(int32(v)))
	case protoreflect.Sfixed64Kind:
		return protowire.AppendFixed64(dst, uint64(v))
	}
	return protowire.AppendVarint(dst, uint64(v))
}

func (f *field) readFloat(dst, text []byte) (wire, rest []byte, ok bool) {
	n := wholeNumber(text)
	if n == 0 {
		return dst, text, false
	}
	if n < len(text) && text[n] == '.' {
		start := n + 1
		if n = skipDigits(text, start); n == start {
			return dst, text, false
		}
	}
	if n < len(text) && text[n]|0x20 == 'e' {
		if n++; n < len(text) && (text[n] == '+' || text[n] == '-') {
			n++
		}
		start := n
		if n = skipDigits(text, start); n == start {
			return dst, text, false
		}
	}
	if f.kind == protoreflect.FloatKind {
		v, err := strconv.ParseFloat(string(text[:n]), 32)
		return protowire.AppendFixed32(dst, math.Float32bits(float32(v))), text[n:], err == nil
	}
	v, err := strconv.ParseFloat(string(text[:n]), 64)
	return protowire.AppendFixed64(dst, math.Float64bits(v)), text[n:], err == nil
}

// frame puts the length of what follows the byte at start into it, and makes room
// where it takes more than that byte.
func frame(dst []byte, start int) []byte {
	size := len(dst) - start - 1
	if size < 0x80 {
		dst[start] = byte(size)
		return dst
	}
	var room [8]byte
	extra := protowire.SizeVarint(uint64(size)) - 1
	dst = append(dst, room[:extra]...)
	copy(dst[start+1+extra:], dst[start+1:start+1+size])
	protowire.AppendVarint(dst[:start], uint64(size))
	return dst
}

// wholeNumber returns the length of the integer that text begins with, 0 where
// there is none.
func wholeNumber(text []byte) int {
	start := 0
	if len(text) > 0 && text[0] == '-' {
		start = 1
	}
	end := skipDigits(text, start)
	if end == start || text[start] == '0' && end > start+1 {
		return 0
	}
	return end
}

func skipDigits(text []byte, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}

func skipSpace(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\n' || text[0] == '\r' || text[0] == '\t') {
		text = text[1:]
	}
	return text
}

func literal(text []byte, word string) (rest []byte, ok bool) {
	if len(text) < len(word) || string(text[:len(word)]) != word {
		return text, false
	}
	return text[len(word):], true
}

// stringToken returns what stands between the quotes of the string that text
// begins with, nil where there is no string of UTF-8, what follows it, and whether
// it has no escapes.
func stringToken(text []byte) (content, rest []byte, plain bool) {
	if len(text) == 0 || text[0] != '"' {
		return nil, text, false
	}
	plain = true
	ascii := true
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			content = text[1:i]
			if !ascii && !utf8.Valid(content) {
				return nil, text, false
			}
			return content, text[i+1:], plain
		case c < ' ':
			return nil, text, false
		case c == '\\':
			plain = false
			i++
		case c >= 0x80:
			ascii = false
		}
	}
	return nil, text, false
}
