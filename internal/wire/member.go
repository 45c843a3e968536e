package wire

import (
	"slices"
	"strconv"
	"strings"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
)

// member is one member of an error object that is read and has no place in the
// model. Its value is a node of the body, or text of its own.
type member struct {
	name  string
	value jsontree.Value
	text  []byte
}

func (m *member) append(dst []byte) []byte {
	dst = append(jsontree.AppendString(dst, m.name), ':')
	if m.text != nil {
		return append(dst, m.text...)
	}
	return m.value.AppendCompact(dst)
}

// appendMembers appends a JSON object of members, sorted by name: their order says
// nothing. It appends nothing without any.
func appendMembers(dst []byte, members []member) []byte {
	if len(members) == 0 {
		return dst
	}
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	size := 2
	for i := range members {
		size += len(members[i].name) + len(members[i].text) + 4
		if members[i].text == nil {
			size += len(members[i].value.Raw())
		}
	}
	dst = slices.Grow(dst, size)
	lead := byte('{')
	for i := range members {
		dst = members[i].append(append(dst, lead))
		lead = ','
	}
	return append(dst, '}')
}

// names are the members that a form itself has.
type names []string

// find returns the place of a name, and whether a member's name differs from one of
// the form's in case alone: some readers would take it for that.
func (n names) find(m jsontree.Value) (i int, folded bool) {
	text, plain := m.RawName()
	if !plain {
		text = m.AppendNameText(nil)
	}
	for i, name := range n {
		if name == string(text) {
			return i, false
		}
	}
	return -1, slices.ContainsFunc(n, func(name string) bool { return strings.EqualFold(name, string(text)) })
}

// maxNames is the most members that a form itself has.
const maxNames = 12

// take returns the members of an object that the form has, by their places in
// names, and appends the others to rest. Of a name that stands twice the first
// counts.
func (r *reading) take(object jsontree.Value, form names, rest []member) (own [maxNames]jsontree.Value, _ []member) {
	for m := object.First(); m.Exists(); m = m.Next() {
		i, folded := form.find(m)
		switch {
		case m.Repeats():
			r.Notes.Add("member %q stands twice: the first counts", m.NameText())
		case folded:
			r.Notes.Add("member %q differs from one of the form's only in case: dropped", m.NameText())
		case i >= 0:
			own[i] = m
		default:
			rest = append(roomFor(rest, object), member{name: m.NameText(), value: m})
		}
	}
	return own, rest
}

// keys are the names that are taken in an object, with the next number to try for
// each that was wanted again, so that many of one name cost no more than few.
type keys map[string]int

// free returns a key that is not taken, and takes it.
func (k keys) free(key string) string {
	next, taken := k[key]
	if !taken {
		k[key] = 2
		return key
	}
	for ; ; next++ {
		candidate := key + "_" + strconv.Itoa(next)
		if _, taken := k[candidate]; !taken {
			k[key], k[candidate] = next+1, 2
			return candidate
		}
	}
}

// roomFor makes room for all members of an object once there are more than a few:
// growing by a quarter each time takes five times as much.
func roomFor(members []member, object jsontree.Value) []member {
	if len(members) == cap(members) && len(members) >= 16 {
		return slices.Grow(members, object.Len())
	}
	return members
}

// keep puts members into what was received on a wire.
func (r *reading) keep(w hub.Wire, rest []member) {
	if len(rest) > 0 {
		said := r.On(w)
		said.Members = appendMembers(nil, rest)
		r.SetReceived(said)
	}
}

// text takes a string. One of another type is kept, null and a missing one are "".
func (r *reading) text(v jsontree.Value, rest *[]member) (string, bool) {
	switch v.Kind() {
	case jsontree.String:
		return v.Text(), true
	case jsontree.Missing, jsontree.Null:
		return "", false
	}
	r.refuse(v, rest)
	return "", false
}

// refuse keeps a member of the form's that is of another type.
func (r *reading) refuse(v jsontree.Value, rest *[]member) {
	name := v.NameText()
	r.Notes.Add("member %q is of another type: counts as absent", name)
	*rest = append(*rest, member{name: name, value: v})
}

// list reads an array of details. One of another type is kept; null is none.
func (r *reading) list(v jsontree.Value, rest *[]member) {
	switch v.Kind() {
	case jsontree.Missing, jsontree.Null:
		return
	case jsontree.Array:
	default:
		r.refuse(v, rest)
		return
	}
	n := r.atMost(v.Len())
	r.room(n)
	for el := v.First(); el.Exists() && n > 0; el, n = el.Next(), n-1 {
		r.Details = append(r.Details, r.element(el))
	}
}

// room makes room for so many details. For one there is some already.
func (r *reading) room(n int) {
	if n > cap(r.Details) {
		r.Details = make([]hub.Detail, 0, n)
	}
}

// atMost returns how many elements of a list are read: what is dropped is not read.
// Two more than the limit may be the code marker and a Carried.
func (r *reading) atMost(n int) int {
	if n-2 <= r.o.Limits.Details {
		return n
	}
	r.Notes.Add("%d details after the first %d dropped", n-r.o.Limits.Details, r.o.Limits.Details)
	return r.o.Limits.Details
}

// place is where a member that rode along goes.
type place int

const (
	rides  place = iota // into Carried
	stands              // among the members of the form
	said                // nowhere: the form says it already
)

// placeIn returns the place of a member in a form: it stands unless it has one of the
// form's names.
func (n names) placeIn(m jsontree.Value) place {
	if i, folded := n.find(m); i >= 0 || folded {
		return rides
	}
	return stands
}

// splitMembers appends the members that stand on the wire that is written, each after
// a comma, to dst, and returns an object of those that ride.
func splitMembers(dst, members []byte, placeOf func(m jsontree.Value) place) (out, riding []byte) {
	if len(members) == 0 {
		return dst, nil
	}
	t := tree(members)
	defer t.Release()
	for m := t.Root().First(); m.Exists(); m = m.Next() {
		switch placeOf(m) {
		case stands:
			dst = appendMember(append(dst, ','), m)
		case rides:
			lead := byte(',')
			if riding == nil {
				lead = '{'
			}
			riding = appendMember(append(riding, lead), m)
		}
	}
	if riding != nil {
		riding = append(riding, '}')
	}
	return dst, riding
}

func appendMember(dst []byte, m jsontree.Value) []byte {
	return m.AppendCompact(append(m.AppendName(dst), ':'))
}
