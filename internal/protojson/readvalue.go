package protojson

import (
	"bytes"
	"encoding/base64"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

// value appends one value without its tag. The trouble is leftOut where the schema does
// not know it, which does not matter.
func (r *reader) value(dst []byte, v jsontree.Value, f *field) ([]byte, bool) {
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
		return dst, ok // the trouble is known
	case protoreflect.BoolKind:
		if ok = v.Is(jsontree.Bool); v.Bool() {
			dst = append(dst, 1)
		} else {
			dst = append(dst, 0)
		}
	case protoreflect.EnumKind:
		return r.enum(dst, v, f.enum)
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		dst, ok = r.float(dst, v, f.bits)
	default:
		dst, ok = r.integer(dst, v, f)
	}
	if !ok {
		r.trouble = refused
	}
	return dst, ok
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

func (r *reader) enum(dst []byte, v jsontree.Value, e *enum) ([]byte, bool) {
	var number int32
	r.trouble = refused
	switch v.Kind() {
	case jsontree.Null:
		if !e.null {
			return dst, false
		}
	case jsontree.String:
		content, ok := r.content(v)
		if !ok {
			return dst, false
		}
		if number, ok = e.byName[string(content)]; !ok {
			if r.lenient {
				r.trouble = leftOut
			}
			return dst, false
		}
	case jsontree.Number:
		magnitude, negative, ok := jsontree.Integer(v.Raw())
		n, fits := signed(magnitude, negative, 32)
		if number = int32(n); !ok || !fits {
			return dst, false
		}
		switch name := e.names[number]; {
		case name == nil && e.closed:
			r.trouble = foreign
			return dst, false
		case r.numbers && number != 0 && (name != nil || e.null): // it would be written as its name
			return dst, false
		}
	default:
		return dst, false
	}
	return protowire.AppendVarint(dst, uint64(int64(number))), true
}
