package schema

import (
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Repair returns s with U+FFFD in place of each byte that is not UTF-8.
func Repair(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// RepairBytes is Repair for bytes: b itself where it is UTF-8.
func RepairBytes(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return []byte(string([]rune(string(b))))
}

// RepairMessage repairs every string of m, at any depth.
func RepairMessage(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			repairMap(fd, v.Map())
		case fd.IsList():
			list := v.List()
			for i := range list.Len() {
				if fd.Message() != nil {
					RepairMessage(list.Get(i).Message())
				} else if fd.Kind() == protoreflect.StringKind {
					list.Set(i, protoreflect.ValueOfString(Repair(list.Get(i).String())))
				}
			}
		case fd.Message() != nil:
			RepairMessage(v.Message())
		case fd.Kind() == protoreflect.StringKind:
			m.Set(fd, protoreflect.ValueOfString(Repair(v.String())))
		}
		return true
	})
}

func repairMap(fd protoreflect.FieldDescriptor, entries protoreflect.Map) {
	type entry struct {
		from, to protoreflect.MapKey
		value    protoreflect.Value
	}
	var mend []entry
	entries.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		if fd.MapValue().Message() != nil {
			RepairMessage(v.Message())
		}
		e := entry{k, k, v}
		if fd.MapKey().Kind() == protoreflect.StringKind {
			e.to = protoreflect.ValueOfString(Repair(k.String())).MapKey()
		}
		if fd.MapValue().Kind() == protoreflect.StringKind {
			e.value = protoreflect.ValueOfString(Repair(v.String()))
		}
		mend = append(mend, e)
		return true
	})
	// Two keys may become one. The lower stands, and not whichever comes first.
	slices.SortFunc(mend, func(a, b entry) int { return strings.Compare(a.from.String(), b.from.String()) })
	for _, e := range mend {
		entries.Clear(e.from)
	}
	for _, e := range mend {
		if !entries.Has(e.to) {
			entries.Set(e.to, e.value)
		}
	}
}
