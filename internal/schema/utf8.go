package schema

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/internal/jsontree"
)

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
					list.Set(i, protoreflect.ValueOfString(jsontree.Clean(list.Get(i).String())))
				}
			}
		case fd.Message() != nil:
			RepairMessage(v.Message())
		case fd.Kind() == protoreflect.StringKind:
			m.Set(fd, protoreflect.ValueOfString(jsontree.Clean(v.String())))
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
			e.to = protoreflect.ValueOfString(jsontree.Clean(k.String())).MapKey()
		}
		if fd.MapValue().Kind() == protoreflect.StringKind {
			e.value = protoreflect.ValueOfString(jsontree.Clean(v.String()))
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
