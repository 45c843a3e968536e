package wire

import (
	"bytes"
	"cmp"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/protojson"
	"github.com/errmap/errmap/internal/schema"
)

// infoField is a field of an ErrorInfo as it stands in the bytes of its detail, of
// which some are taken and others left out.
type infoField struct {
	raw []byte
	// number is that of the field, 0 of one that an ErrorInfo does not have.
	number protowire.Number
	key    []byte
	size   int // of an entry's key and value
	taken  bool
	// replaced is set where the same stands once more later, which counts.
	replaced bool
}

// scan reads the fields of an ErrorInfo and returns the size of reason and domain.
func (f *fitting) scan(i int) (identity int) {
	f.fields, f.entries = f.fields[:0], f.entries[:0]
	var last [3]int // of reason and domain, the field after the one that counts
	for b := f.pieces[i].value; len(b) > 0; {
		number, kind, content, rest, _ := protojson.NextField(b)
		field := infoField{raw: b[:len(b)-len(rest)]}
		b = rest
		if kind == protowire.BytesType && number <= 3 {
			field.number = number
			switch {
			case number == 3:
				key, value, _ := schema.Entry(content, true)
				field.key, field.size = key, len(key)+len(value)
				f.entries = append(f.entries, len(f.fields))
			case last[number] > 0:
				f.fields[last[number]-1].replaced = true
				fallthrough
			default:
				last[number] = len(f.fields) + 1
			}
		}
		f.fields = append(f.fields, field)
	}
	for _, at := range last {
		if at > 0 {
			identity += len(f.fields[at-1].raw)
		}
	}
	return identity
}

// identity takes reason and domain of the first ErrorInfo that names an error, and
// returns its place; -1 where there is none.
func (f *fitting) identity() int {
	for _, i := range f.of(classInfo) {
		if !named(f.pieces[i].value) {
			continue
		}
		f.open(i)
		return i
	}
	return -1
}

// named tells whether an ErrorInfo has a reason.
func named(value []byte) bool {
	in, _ := schema.ReadInfo(value)
	return len(in.Reason()) > 0
}

// info takes reason and domain of an ErrorInfo, then of the rest what fits.
func (f *fitting) info(i int) {
	if identity, ok := f.open(i); ok {
		f.metadata(i, identity)
	}
}

// open takes reason and domain of an ErrorInfo.
func (f *fitting) open(i int) (identity int, ok bool) {
	identity = f.scan(i)
	if !f.try(f.with(i, identity)) {
		f.dropped(i)
		return identity, false
	}
	f.pieces[i].taken = shortened
	return identity, true
}

// metadata takes the entries of an ErrorInfo that fit beside its reason and domain,
// the smallest first, and then the fields that an ErrorInfo does not have, which only
// together say what their writer meant. Of one that is left whole the bytes stay.
func (f *fitting) metadata(i, size int) {
	f.orderEntries()
	p := &f.pieces[i]
	add := func(more int) bool {
		next := f.now
		next.details += sizeDetail(f.details[i].TypeURL, size+more) - sizeDetail(f.details[i].TypeURL, size)
		if !f.try(next) {
			return false
		}
		size += more
		return true
	}
	for _, at := range f.entries {
		field := &f.fields[at]
		if field.taken = add(len(field.raw)); !field.taken {
			f.notes.Add("over budget: metadata %q of %d bytes dropped", hub.Clip(string(field.key), 64), field.size-len(field.key))
		}
	}
	others := 0
	for k := range f.fields {
		if f.fields[k].number == 0 {
			others += len(f.fields[k].raw)
		}
	}
	othersTaken := others == 0 || add(others)
	if !othersTaken {
		f.notes.Add("over budget: fields of %d bytes that detail %s does not know dropped", others, f.name(i))
	}
	if size == len(p.value) {
		p.taken = all
		return
	}
	p.cut = make([]byte, 0, size)
	for k := range f.fields {
		switch field := &f.fields[k]; {
		case field.replaced, field.number == 3 && !field.taken, field.number == 0 && !othersTaken:
		default:
			p.cut = append(p.cut, field.raw...)
		}
	}
}

// orderEntries orders the entries by size, those of one size by key, without those
// whose key stands once more.
func (f *fitting) orderEntries() {
	key := func(at int) []byte { return f.fields[at].key }
	slices.SortStableFunc(f.entries, func(a, b int) int { return bytes.Compare(key(a), key(b)) })
	kept := f.entries[:0]
	for k, at := range f.entries {
		if k+1 < len(f.entries) && bytes.Equal(key(at), key(f.entries[k+1])) {
			f.fields[at].replaced = true
			continue
		}
		kept = append(kept, at)
	}
	f.entries = kept
	slices.SortStableFunc(f.entries, func(a, b int) int { return cmp.Compare(f.fields[a].size, f.fields[b].size) })
}

// elementsOf returns what the elements are called of a type of which some can be left
// out, in field 1; "" for the others.
func elementsOf(name string) string {
	switch name {
	case hub.NameBadRequest:
		return "field violations"
	case hub.NamePrecondition:
		return "precondition violations"
	case hub.NameQuotaFailure:
		return "quota violations"
	case hub.NameHelp:
		return "links"
	}
	return ""
}

// prefix takes as many elements of a detail as fit, from the front, at least one;
// fields that its type does not have go.
func (f *fitting) prefix(i int, elements string) bool {
	p := &f.pieces[i]
	size, kept, count := 0, 0, 0
	ok := eachElement(p.value, func(raw []byte) {
		count++
		if kept == count-1 {
			next := f.with(i, size+len(raw))
			if f.tries++; next.size() <= f.budget {
				size, kept = size+len(raw), kept+1
			}
		}
	})
	if !ok || kept == 0 || !f.try(f.with(i, size)) {
		return false
	}
	p.taken, p.cut = shortened, firstElements(p.value, size)
	if kept < count {
		f.notes.Add("over budget: %d of %d %s left out", count-kept, count, elements)
	} else {
		f.notes.Add("over budget: fields that detail %s does not know dropped", f.name(i))
	}
	return true
}

// firstElements returns those elements of a message that take so many bytes together.
func firstElements(value []byte, size int) []byte {
	cut := make([]byte, 0, size)
	eachElement(value, func(raw []byte) {
		if len(cut) < size {
			cut = append(cut, raw...)
		}
	})
	return cut
}

// eachElement calls f with each field 1 of a message; false where the bytes are none.
func eachElement(b []byte, f func(raw []byte)) bool {
	for len(b) > 0 {
		number, kind, _, rest, ok := protojson.NextField(b)
		if !ok {
			return false
		}
		if number == 1 && kind == protowire.BytesType {
			f(b[:len(b)-len(rest)])
		}
		b = rest
	}
	return true
}
