package wire

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/schema"
)

// restore finishes an error that was read plain: it takes the Carried out of the
// details, or out of the member that it is, and where it is to be believed, puts
// back what it holds. It tells whether there was one to believe.
func (r *reading) restore(s shape, member jsontree.Value) (believed bool) {
	last := -1
	for i := range r.Details {
		if r.Details[i].Is(hub.NameCarried) {
			last = i
		}
	}
	r.identify()
	if last < 0 && !member.Exists() {
		return false
	}
	value, front := []byte(nil), last
	ok := true
	if member.Exists() {
		value, ok = r.codec.ReadMessage(urlCarried, member)
		front, last = len(r.Details), -1
	} else {
		value, ok = knownPart(r.codec, &r.Details[last])
	}
	plain := make([]hub.Detail, 0, len(r.Details))
	for i := range r.Details[:front] {
		if r.Details[i].Is(hub.NameCarried) {
			r.Notes.Add("errmap.v1.Carried dropped: detail %d is not the last one", i)
			continue
		}
		plain = append(plain, r.Details[i])
	}
	carried := new(errmapv1.Carried)
	ok = ok && proto.Unmarshal(value, carried) == nil
	var after []hub.Detail
	if member.Exists() {
		// It is about as many details as it sums; those after are somebody's.
		if n := (len(carried.GetCheck()) - 4) / 8; n >= 0 && n < len(plain) {
			plain, after = plain[:n:n], plain[n:]
		}
	} else {
		after = r.Details[last+1:]
	}
	r.Details = append(plain[:len(plain):len(plain)], after...)
	if !ok {
		r.Notes.Add("errmap.v1.Carried dropped: it cannot be read")
		return false
	}
	details, why := r.doubt(carried, plain, s)
	if why != "" {
		r.Notes.Add("errmap.v1.Carried dropped: %s", why)
		return false
	}
	if !member.Exists() && hasLaterFields(carried) {
		r.Notes.Add("errmap.v1.Carried: fields that its schema does not know dropped")
	}
	r.Details = append(r.placed(carried, details, plain), after...)
	r.restoreReceived(carried.GetReceived())
	return true
}

// identify looks at the details once for all who ask which errors they name.
func (r *reading) identify() {
	for i := range r.Details {
		schema.Identify(&r.Details[i])
	}
}

// isCarried tells whether the member of that name is a Carried: one with a check of
// four bytes and eight for each detail that it is about.
func isCarried(v jsontree.Value) bool {
	check := v.Get("check")
	if !v.Is(jsontree.Object) || !check.Is(jsontree.String) {
		return false
	}
	sums, err := decodeBase64(check.Text())
	return err == nil && len(sums) >= 4 && (len(sums)-4)%8 == 0
}

// hasLaterFields tells whether a Carried has fields that its schema does not know.
func hasLaterFields(c *errmapv1.Carried) bool {
	unknown := len(c.ProtoReflect().GetUnknown())
	for _, r := range c.GetReceived() {
		unknown += len(r.ProtoReflect().GetUnknown())
	}
	for _, d := range c.GetDetails() {
		unknown += len(d.ProtoReflect().GetUnknown())
	}
	return unknown > 0
}

// doubt returns the details that a Carried holds, or says why it is not to be
// believed.
func (r *reading) doubt(carried *errmapv1.Carried, plain []hub.Detail, s shape) (details []hub.Detail, why string) {
	sums := carried.GetCheck()
	if len(sums) != 4+8*len(plain) {
		return nil, "it was written for another number of details"
	}
	own := getSums(r.codec)
	defer own.put()
	if binary.BigEndian.Uint32(sums) != own.head(r.Number, r.Message) {
		return nil, "it was written for another code or message"
	}
	for i := range plain {
		name, text := own.detail(&plain[i], false)
		wantName, wantText := binary.BigEndian.Uint32(sums[4+8*i:]), binary.BigEndian.Uint32(sums[8+8*i:])
		if name != wantName || text != wantText && text != 0 && wantText != 0 {
			return nil, "it was written for another detail " + strconv.Itoa(i)
		}
	}
	next, used := uint32(0), 0
	for _, cd := range carried.GetDetails() {
		d := fromCarried(cd)
		details = append(details, d)
		if cd.GetContent() == nil || d.Is(hub.NameCarried) || cd.GetPlace() < next {
			return nil, "a detail in it is malformed"
		}
		used += int(min(cd.GetPlace()-next, math.MaxInt32))
		next = cd.GetPlace() + 1
		if used > len(plain) || cd.GetPlain() && used == len(plain) {
			return nil, "a detail in it has no place"
		}
		if cd.GetPlain() {
			if !r.contains(&d, &plain[used]) {
				return nil, "a detail in it says something else than the plain one"
			}
			used++
		} else if !r.unshowable(&d, s) {
			return nil, "a detail in it could have been plain"
		}
	}
	return details, ""
}

// unshowable tells whether a detail has no plain form on a kind of wire. What is of a
// type of google.rpc and can be read as that has one on each.
func (r *reading) unshowable(d *hub.Detail, s shape) bool {
	if d.JSON == nil || s == shapeElements || s == shapeObjects && d.TypeURL != "" {
		return false
	}
	if !strings.HasPrefix(d.Name(), "google.rpc.") {
		return true
	}
	_, reads := knownPart(r.codec, d)
	return !reads
}

// placed puts the carried details in their places among the plain ones.
func (r *reading) placed(carried *errmapv1.Carried, details, plain []hub.Detail) []hub.Detail {
	out := make([]hub.Detail, 0, len(plain)+len(details))
	for i, cd := range carried.GetDetails() {
		for uint32(len(out)) < cd.GetPlace() {
			out, plain = append(out, plain[0]), plain[1:]
		}
		if cd.GetPlain() {
			plain = plain[1:]
		}
		d := details[i]
		if d.JSON != nil && d.JSON[0] == '{' { // as it would have been read where it stood
			d = r.reread(d.JSON)
		}
		out = append(out, d)
	}
	return append(out, plain...)
}

func (r *reading) reread(text []byte) hub.Detail {
	t := tree(text)
	defer t.Release()
	return r.element(t.Root())
}

// fromCarried returns a carried detail; one whose JSON cannot be read as a Carried,
// which none holds.
func fromCarried(cd *errmapv1.CarriedDetail) hub.Detail {
	text, isJSON := cd.GetContent().(*errmapv1.CarriedDetail_Json)
	if !isJSON {
		return hub.Detail{TypeURL: cd.GetTypeUrl(), Value: cd.GetValue()}
	}
	t := jsontree.Read([]byte(text.Json), DefaultDepth)
	defer t.Release()
	root := t.Root()
	if !root.Exists() {
		return hub.Detail{TypeURL: hub.NameCarried}
	}
	d := hub.Detail{JSON: root.AppendCompact(make([]byte, 0, len(text.Json)))}
	if kind := root.Get(memberType); kind.Is(jsontree.String) {
		d.TypeURL = kind.Text()
	}
	return d
}
