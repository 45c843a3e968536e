package errmap

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strconv"
	"strings"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/schema"
	"google.golang.org/protobuf/proto"
)

// shape is what the lists of details of a kind of wire can show.
type shape int

const (
	shapeBinary   shape = iota // bytes only: status, Connect, gRPC
	shapeObjects               // JSON objects: AIP-193, RFC 9457, status as JSON
	shapeElements              // any JSON: JSON-RPC
)

// item is one detail of an error in the plain form of a wire.
type item struct {
	plain   bool      // whether the plain form has it at all
	raw     RawDetail // as it is written in a binary form
	json    []byte    // as it is written in a JSON form
	read    RawDetail // as a reader of the plain form sees it
	carried *errmapv1.CarriedDetail
}

// plainItems returns what a wire shows of each detail, and what must ride along.
func plainItems(c *Catalog, e *Error, s shape) []item {
	items := make([]item, len(e.details))
	for i, d := range e.details {
		items[i] = plainItem(c, d, s)
		if items[i].carried != nil {
			items[i].carried.Place = uint32(i)
			items[i].carried.Plain = items[i].plain
		}
	}
	return items
}

func plainItem(c *Catalog, d RawDetail, s shape) item {
	switch {
	case s == shapeBinary && d.json == nil:
		return item{plain: true, raw: d, read: d}
	case s == shapeBinary:
		it := item{carried: carriedDetail(d)}
		if d.typeURL != "" {
			it.raw, it.plain = knownPart(c, d)
			it.read = it.raw
		}
		return it
	case s == shapeObjects && d.json != nil && d.json[0] != '{':
		return item{carried: carriedDetail(d)}
	}
	text, whole := render(c, d)
	it := item{plain: true, json: text, read: d}
	if !whole {
		it.read = parseElement(c, text)
		it.carried = carriedDetail(d)
	}
	return it
}

// wrapped shows a detail whose JSON has no "@type" as a google.protobuf.Value.
func wrapped(c *Catalog, d RawDetail, text []byte) item {
	text = append(append([]byte(`{"@type":"type.googleapis.com/google.protobuf.Value","value":`), text...), '}')
	return item{plain: true, json: text, read: parseElement(c, text), carried: carriedDetail(d)}
}

func carriedDetail(d RawDetail) *errmapv1.CarriedDetail {
	if d.json != nil {
		return &errmapv1.CarriedDetail{Content: &errmapv1.CarriedDetail_Json{Json: string(d.json)}}
	}
	return &errmapv1.CarriedDetail{TypeUrl: d.typeURL, Content: &errmapv1.CarriedDetail_Value{Value: d.value}}
}

// carry returns the Carried detail of e for a plain form that says of what was
// received no more than said, and whether the plain form writes a private code.
func carry(c *Catalog, e *Error, items []item, said Received, writesNumber bool) RawDetail {
	carried := &errmapv1.Carried{Check: check(c, e.number, e.message, items)}
	full := e.received
	if !canonical(e.number) && !writesNumber {
		with := *e
		r := with.receivedOn(WireGRPC)
		r.Number = strconv.FormatInt(int64(e.number), 10)
		with.setReceived(r)
		full = with.received
	}
	for _, r := range full {
		if r.Wire == said.Wire {
			r = difference(r, said)
		}
		if !r.empty() {
			carried.Received = append(carried.Received, receivedProto(r))
		}
	}
	for _, it := range items {
		if it.carried != nil {
			carried.Details = append(carried.Details, it.carried)
		}
	}
	value, err := proto.MarshalOptions{Deterministic: true}.Marshal(carried)
	if err != nil { // unreachable: every string in it was repaired
		value = nil
	}
	return RawDetail{typeURL: typeURLPrefix + string(nameCarried), value: value}
}

// difference returns what of r is not said.
func difference(r, said Received) Received {
	if said.Number != "" {
		r.Number = ""
	}
	if said.CodeText != "" {
		r.CodeText = ""
	}
	if said.HTTPStatus != 0 {
		r.HTTPStatus = 0
	}
	if len(said.UnknownFields) > 0 {
		r.UnknownFields = nil
	}
	if len(said.Members) > 0 {
		r = r.without(said.Members)
	}
	return r
}

func receivedProto(r Received) *errmapv1.Received {
	return &errmapv1.Received{
		Wire:          errmapv1.Wire(r.Wire),
		Number:        schema.Repair(r.Number),
		CodeText:      schema.Repair(r.CodeText),
		HttpStatus:    int32(r.HTTPStatus),
		Members:       schema.Repair(string(r.Members)),
		UnknownFields: r.UnknownFields,
	}
}

// check sums the plain form up.
func check(c *Catalog, number int32, message string, items []item) []byte {
	out := binary.BigEndian.AppendUint32(nil, headSum(number, message))
	for _, it := range items {
		if it.plain {
			name, text := detailSums(c, it.read)
			out = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(out, name), text)
		}
	}
	return out
}

func headSum(number int32, message string) uint32 {
	return crc32.ChecksumIEEE([]byte(row(number).name + "\n" + message))
}

// detailSums returns the sums of a detail's bare type name and of its ProtoJSON,
// the latter 0 where this program cannot say it exactly.
func detailSums(c *Catalog, d RawDetail) (name, text uint32) {
	name = crc32.ChecksumIEEE([]byte(d.Name()))
	var out []byte
	switch {
	case d.json != nil && d.typeURL != "":
		return name, 0
	case d.json != nil:
		out = d.json
	case d.typeURL == "" && len(d.value) == 0:
		out = []byte("{}")
	default:
		d.typeURL = typeURLPrefix + string(d.Name())
		var whole, ok bool
		if out, whole, ok = renderMessage(c, d); !ok || !whole {
			return name, 0
		}
	}
	if out, ok := canonicalJSON(out); ok {
		return name, crc32.ChecksumIEEE(out)
	}
	return name, 0
}

// restore finishes an error that was read plain: it takes the Carried out of
// the details and, where it is to be believed, puts back what it holds.
func restore(c *Catalog, e *Error, s shape) {
	last := -1
	for i, d := range e.details {
		if d.Name() == nameCarried {
			last = i
		}
	}
	if last < 0 {
		return
	}
	d := e.details[last]
	var plain []RawDetail
	for i, other := range e.details[:last] {
		if other.Name() == nameCarried {
			e.notes.add("errmap.v1.Carried dropped: detail %d is not the last one", i)
			continue
		}
		plain = append(plain, other)
	}
	appended := e.details[last+1:]
	e.details = append(plain[:len(plain):len(plain)], appended...)
	carried := new(errmapv1.Carried)
	if d.json != nil || proto.Unmarshal(d.value, carried) != nil {
		e.notes.add("errmap.v1.Carried dropped: it cannot be read")
		return
	}
	if why := doubt(c, e, carried, plain, s); why != "" {
		e.notes.add("errmap.v1.Carried dropped: %s", why)
		return
	}
	if schema.HasUnknown(carried.ProtoReflect()) {
		e.notes.add("errmap.v1.Carried: fields that its schema does not know dropped")
	}
	e.details = append(placed(c, carried, plain), appended...)
	restoreReceived(e, carried.GetReceived())
}

// doubt says why a Carried is not to be believed, or nothing.
func doubt(c *Catalog, e *Error, carried *errmapv1.Carried, plain []RawDetail, s shape) string {
	sums := carried.GetCheck()
	if len(sums) != 4+8*len(plain) {
		return "it was written for another number of details"
	}
	if binary.BigEndian.Uint32(sums) != headSum(e.number, e.message) {
		return "it was written for another code or message"
	}
	for i, d := range plain {
		name, text := detailSums(c, d)
		wantName, wantText := binary.BigEndian.Uint32(sums[4+8*i:]), binary.BigEndian.Uint32(sums[8+8*i:])
		if name != wantName || text != wantText && text != 0 && wantText != 0 {
			return "it was written for another detail " + strconv.Itoa(i)
		}
	}
	next, used := uint32(0), 0
	for _, cd := range carried.GetDetails() {
		d := fromCarried(cd)
		if cd.GetContent() == nil || d.Name() == nameCarried || cd.GetPlace() < next {
			return "a detail in it is malformed"
		}
		used += int(min(cd.GetPlace()-next, math.MaxInt32))
		next = cd.GetPlace() + 1
		if used > len(plain) || cd.GetPlain() && used == len(plain) {
			return "a detail in it has no place"
		}
		if cd.GetPlain() {
			if !contains(c, d, plain[used]) {
				return "a detail in it says something else than the plain one"
			}
			used++
		} else if !unshowable(d, s) {
			return "a detail in it could have been plain"
		}
	}
	return ""
}

// unshowable tells whether a detail has no plain form on a kind of wire.
func unshowable(d RawDetail, s shape) bool {
	if d.json == nil {
		return false
	}
	if _, err := (*Catalog)(nil).FindMessageByName(d.Name()); err == nil && strings.HasPrefix(string(d.Name()), "google.rpc.") {
		return false // every program has the type, so its known part is plain
	}
	return s == shapeBinary || s == shapeObjects && d.json[0] != '{'
}

// placed puts the carried details in their places among the plain ones.
func placed(c *Catalog, carried *errmapv1.Carried, plain []RawDetail) []RawDetail {
	out := make([]RawDetail, 0, len(plain)+len(carried.GetDetails()))
	for _, cd := range carried.GetDetails() {
		for uint32(len(out)) < cd.GetPlace() {
			out, plain = append(out, plain[0]), plain[1:]
		}
		if cd.GetPlain() {
			plain = plain[1:]
		}
		out = append(out, fromCarried(cd).read(c))
	}
	return append(out, plain...)
}

func fromCarried(cd *errmapv1.CarriedDetail) RawDetail {
	if _, isJSON := cd.GetContent().(*errmapv1.CarriedDetail_Json); !isJSON {
		return RawDetail{typeURL: cd.GetTypeUrl(), value: cd.GetValue()}
	}
	text, err := compactJSON([]byte(cd.GetJson()), Limits{}.withDefaults())
	if err != nil {
		return RawDetail{typeURL: string(nameCarried)} // refused as malformed
	}
	return RawDetail{typeURL: elementType(text), json: text}
}

// elementType returns the "@type" of a JSON element, "" where it has none.
func elementType(raw []byte) string {
	members, _ := objectMembers(raw)
	for _, m := range members {
		if m.name == "@type" {
			if s, ok := stringValue(m.value); ok {
				return s
			}
		}
	}
	return ""
}

// restoreReceived puts back what other wires said, beside what this one did. A
// private code comes back into its place where the plain form says UNKNOWN.
func restoreReceived(e *Error, carried []*errmapv1.Received) {
	said := make(map[Wire]Received, len(e.received))
	for _, r := range e.received {
		said[r.Wire] = r
	}
	known := make(map[Wire]bool, len(carried))
	var all []Received
	for _, p := range carried {
		r := fromReceived(p, &e.notes)
		if r.Wire == 0 || known[r.Wire] {
			e.notes.add("errmap.v1.Carried: what a wire said dropped: it has no wire, or one that stands before it")
			continue
		}
		known[r.Wire] = true
		if r.Wire == WireGRPC {
			if n, err := strconv.ParseInt(r.Number, 10, 32); err == nil && n != 0 && !canonical(int32(n)) && row(e.number).name == "UNKNOWN" {
				e.number, r.Number = int32(n), ""
			}
		}
		all = append(all, mergeReceived(r, said[r.Wire], &e.notes))
	}
	for _, r := range e.received {
		if !known[r.Wire] {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Received) int { return cmp.Compare(a.Wire, b.Wire) })
	e.received = slices.DeleteFunc(all, Received.empty)
}

// fromReceived reads what one wire said, as far as it could have said it.
func fromReceived(p *errmapv1.Received, n *notes) Received {
	r := Received{Wire: Wire(p.GetWire()), Number: p.GetNumber(), CodeText: p.GetCodeText()}
	if status := int(p.GetHttpStatus()); isHTTPStatus(status) {
		r.HTTPStatus = status
	} else if status != 0 {
		n.add("errmap.v1.Carried: HTTP status %d dropped: it is none", status)
	}
	var lost notes
	if s, _, err := parseStatus(p.GetUnknownFields(), 0, &lost); err == nil && s.GetCode() == 0 && s.GetMessage() == "" && len(s.GetDetails()) == 0 {
		r.UnknownFields = s.ProtoReflect().GetUnknown()
	} else {
		n.add("errmap.v1.Carried: unknown fields of a Status dropped: they are none")
	}
	text, err := compactJSON([]byte(p.GetMembers()), Limits{}.withDefaults())
	members, isObject := objectMembers(text)
	if p.GetMembers() != "" && (err != nil || !isObject) {
		n.add("errmap.v1.Carried: members dropped: they are no JSON object")
	}
	return r.withMembers(members)
}
