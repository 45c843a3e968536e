package errmap

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
)

// Wire is a form in which an error arrives.
type Wire int32

// The wires, in the order in which Error.Received lists them.
const (
	WireConnect = Wire(errmapv1.Wire_WIRE_CONNECT)
	WireGRPC    = Wire(errmapv1.Wire_WIRE_GRPC)
	WireStatus  = Wire(errmapv1.Wire_WIRE_STATUS)
	WireHTTP    = Wire(errmapv1.Wire_WIRE_HTTP)
	WireProblem = Wire(errmapv1.Wire_WIRE_PROBLEM)
	WireJSONRPC = Wire(errmapv1.Wire_WIRE_JSONRPC)
)

// String returns the name of the wire: "connect", "grpc", "status", "http",
// "problem" or "jsonrpc".
func (w Wire) String() string {
	name, ok := errmapv1.Wire_name[int32(w)]
	if !ok || w == 0 {
		return "unspecified"
	}
	return strings.ToLower(strings.TrimPrefix(name, "WIRE_"))
}

// Received is what one wire said of an error and a google.rpc.Status cannot
// say. It holds no more than that: a number that the error has anyway is not
// kept.
type Received struct {
	// Wire is the wire that said it.
	Wire Wire
	// Number is the token of a JSON-RPC code; "" for none.
	Number string
	// CodeText stood in the place of the code and names none.
	CodeText string
	// HTTPStatus is the status of the response; 0 for none.
	HTTPStatus int
	// Members is a JSON object of the members that are said nowhere else, nil
	// for none.
	Members []byte
	// UnknownFields are the fields of a google.rpc.Status that the schema does
	// not know, as they stood on the wire.
	UnknownFields []byte
}

func (r Received) empty() bool {
	return r.Number == "" && r.CodeText == "" && r.HTTPStatus == 0 && len(r.Members) == 0 && len(r.UnknownFields) == 0
}

func (r Received) clone() Received {
	r.Members, r.UnknownFields = bytes.Clone(r.Members), bytes.Clone(r.UnknownFields)
	return r
}

func (r Received) equal(o Received) bool {
	return r.Wire == o.Wire && r.Number == o.Number && r.CodeText == o.CodeText && r.HTTPStatus == o.HTTPStatus &&
		bytes.Equal(r.Members, o.Members) && bytes.Equal(r.UnknownFields, o.UnknownFields)
}

// member returns one of Members.
func (r Received) member(name string) ([]byte, bool) {
	members, _ := objectMembers(r.Members)
	for _, m := range members {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// without returns r without the members that an object has.
func (r Received) without(object []byte) Received {
	members, _ := objectMembers(object)
	gone := make(map[string]bool, len(members))
	for _, m := range members {
		gone[m.name] = true
	}
	have, _ := objectMembers(r.Members)
	return r.withMembers(slices.DeleteFunc(have, func(m member) bool { return gone[m.name] }))
}

// withMembers sets the members, sorted by name: their order says nothing.
func (r Received) withMembers(members []member) Received {
	r.Members = nil
	if len(members) > 0 {
		members = slices.Clone(members)
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		r.Members = appendMembers(nil, members)
	}
	return r
}

// received returns what a wire said; empty where nothing.
func (e *Error) receivedOn(w Wire) Received {
	for _, r := range e.received {
		if r.Wire == w {
			return r
		}
	}
	return Received{Wire: w}
}

// setReceived puts r in its place, or takes it away where it is empty. It is
// for an error that nobody else has yet.
func (e *Error) setReceived(r Received) {
	i, have := slices.BinarySearchFunc(e.received, r.Wire, func(have Received, w Wire) int { return int(have.Wire - w) })
	switch {
	case have && r.empty():
		e.received = slices.Delete(slices.Clone(e.received), i, i+1)
	case have:
		e.received = slices.Clone(e.received)
		e.received[i] = r
	case !r.empty():
		e.received = slices.Insert(slices.Clone(e.received), i, r)
	}
}

// mergeReceived adds to what rode along what its own wire says newly. What rode
// along stays; what is said against it is in a note.
func mergeReceived(carried, own Received, n *notes) Received {
	text := func(what, have, news string) string {
		if have != "" && news != "" && have != news {
			n.add("%s %q dropped: %q, which rode along, stays", what, clip(news, 128), clip(have, 128))
		}
		return cmp.Or(have, news)
	}
	carried.Number = text("number", carried.Number, own.Number)
	carried.CodeText = text("code", carried.CodeText, own.CodeText)
	switch {
	case carried.HTTPStatus == 0:
		carried.HTTPStatus = own.HTTPStatus
	case own.HTTPStatus != 0 && own.HTTPStatus != carried.HTTPStatus:
		n.add("HTTP status %d dropped: %d, which rode along, stays", own.HTTPStatus, carried.HTTPStatus)
	}
	switch {
	case len(carried.UnknownFields) == 0:
		carried.UnknownFields = own.UnknownFields
	case len(own.UnknownFields) > 0 && !bytes.Equal(own.UnknownFields, carried.UnknownFields):
		n.add("unknown fields of a Status dropped: those that rode along stay")
	}
	added, _ := objectMembers(own.Members)
	all, _ := objectMembers(carried.Members)
	for _, m := range added {
		value, have := carried.member(m.name)
		switch {
		case !have:
			all = append(all, m)
		case !bytes.Equal(value, m.value):
			n.add("member %q with %s dropped: the one that rode along stays", m.name, clip(string(m.value), 128))
		}
	}
	if len(added) > 0 {
		carried = carried.withMembers(all)
	}
	return carried
}
