package wire

import (
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
)

// lineOverhead is what HTTP/2 counts of a header beside its name and value (RFC 9113
// section 6.5.2).
const lineOverhead = 32

// fit returns the error whose three headers are within the budget, and notes on what
// was left out for that; e itself where it is within. own is WireGRPC where the
// unknown fields that gRPC received stand in the Status itself, and none where they
// ride along too. The code is never left out.
//
// What is left out is decided by arithmetic: an account has the sizes of what is
// written, from which the size of the headers follows, and parts are added to it in
// the order of the contract, each if the whole stays within the budget.
func fit(e *hub.Error, o *Encoding, own hub.Wire) (*hub.Error, hub.Notes) {
	if o.Budget < 0 || sizeAtMost(e) <= o.Budget {
		return e, nil
	}
	f := newFitting(e, o, own)
	if len(e.Message) <= o.Budget { // a longer one is not looked through
		if whole := f.whole(); whole.size() <= o.Budget || whole == f.base() {
			return e, nil
		}
	}
	f.run()
	return f.result(), f.notes
}

// sizeAtMost returns what the headers of an error take at most, at a glance. It does
// not look into JSON: the known part of it takes no more than eight times its bytes
// (15 for an element of a repeated wrapper with a high field number, which is two
// bytes of JSON).
func sizeAtMost(e *hub.Error) int {
	n := 256 + len(e.Message)
	for i := range e.Details {
		d := &e.Details[i]
		n += 64 + len(d.TypeURL) + len(d.Value) + len(d.JSON)
		if d.JSON != nil && d.TypeURL != "" {
			n += 8 * len(d.JSON)
		}
	}
	for i := range e.Received {
		r := &e.Received[i]
		n += 64 + 3*(len(r.Number)+len(r.CodeText)) + len(r.Members) + len(r.UnknownFields)
	}
	return 256 + 3*len(e.Message) + sizeBase64(n)
}

// account has the sizes of what three headers say.
type account struct {
	status  int // the line grpc-status
	code    int // the code in the Status
	message int
	escapes int // what the message takes more where it is percent-encoded
	details int // the details in the Status, with their tags, but for Carried
	shown   int // how many those are
	unknown int // the unknown fields of the Status
	// What rides along takes so much in Carried, with its tags.
	received, rides int
}

// size returns what the headers take, as HTTP/2 counts.
func (a *account) size() int {
	n := a.status
	if a.message > 0 {
		n += len(HeaderGRPCMessage) + a.message + a.escapes + lineOverhead
	}
	carried := a.received + a.rides
	if a.shown == 0 && a.unknown == 0 && carried == 0 {
		return n
	}
	status := a.code + framed(a.message) + a.details + a.unknown
	if carried > 0 {
		status += sizeDetail(urlCarried, carried+1+protowire.SizeBytes(4+8*a.shown))
	}
	return n + len(HeaderGRPCDetails) + sizeBase64(status) + lineOverhead
}

// framed returns the size of a field of so many bytes with a low number; nothing is
// not written.
func framed(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + protowire.SizeBytes(n)
}

// sizeDetail returns the size of a detail as a field of a Status.
func sizeDetail(typeURL string, value int) int {
	return 1 + protowire.SizeBytes(framed(len(typeURL))+framed(value))
}

// sizeBase64 returns the size of so many bytes in base64 without padding.
func sizeBase64(n int) int { return (n*8 + 5) / 6 }

// receivedSize returns the size of what Carried holds of one wire, but for its
// members; 0 where that is nothing.
func receivedSize(r *hub.Received) int {
	n := framed(len(jsontree.Clean(r.Number))) + framed(len(jsontree.Clean(r.CodeText))) + framed(len(r.UnknownFields))
	if r.HTTPStatus != 0 {
		n += 1 + protowire.SizeVarint(uint64(r.HTTPStatus))
	}
	if n == 0 {
		return 0
	}
	return wireSize + n
}

// wireSize is the size of the field of Received that names the wire.
const wireSize = 2

// rideSize returns the size of the JSON text of a detail in Carried, where its place
// takes so many bytes.
func rideSize(place int, plain bool, text int) int {
	if plain {
		place += 2
	}
	return framed(place + framed(text))
}

// base returns the account of the code alone.
func (f *fitting) base() account {
	number := f.e.Number
	if number < 0 {
		number = int32(code.Code_UNKNOWN)
	}
	return account{
		status: len(HeaderGRPCStatus) + len(strconv.Itoa(int(number))) + lineOverhead,
		code:   1 + protowire.SizeVarint(uint64(number)),
	}
}

// whole returns the account of the error as it is.
func (f *fitting) whole() account {
	a := f.base()
	a.message, a.escapes = len(f.e.Message), 2*countEscapes(f.e.Message)
	a.unknown = f.unknown
	for i := range f.received {
		r := &f.received[i]
		a.received += framed(memberSize(r.size, len(r.members)))
	}
	places := newPlaces(len(f.pieces), func(int) bool { return true })
	for i := range f.pieces {
		p := &f.pieces[i]
		if p.shows {
			a.details += sizeDetail(f.details[i].TypeURL, len(p.value))
			a.shown++
		}
		if p.rides {
			a.rides += rideSize(places.size(i), p.shows, len(f.details[i].JSON))
		}
	}
	return a
}

// memberSize returns the size of what Carried holds of one wire, the members too;
// size is that of the rest.
func memberSize(size, members int) int {
	if members == 0 {
		return size
	}
	return max(size, wireSize) + framed(members)
}

// places tells how many bytes the place of a detail takes in Carried, while details
// are put among others: each moves those behind it by one.
type places struct {
	in    []bool
	count int
	// edge has, for each of stepsOfPlace, the index of the detail that is the last one
	// before it; the number of details where there are not so many.
	edge [len(stepsOfPlace)]int
}

// stepsOfPlace are the places from which on a place takes more bytes. The first of
// all is not written.
var stepsOfPlace = [...]int{1, 1 << 7, 1 << 14, 1 << 21}

func newPlaces(n int, in func(int) bool) *places {
	p := &places{in: make([]bool, n)}
	for k := range p.edge {
		p.edge[k] = n
	}
	for i := range n {
		if in(i) {
			p.put(i)
		}
	}
	return p
}

// size returns the bytes that a place takes.
func (p *places) size(i int) int {
	k := 0
	for k < len(p.edge) && p.edge[k] < i {
		k++
	}
	return sizeOfPlace(k)
}

func sizeOfPlace(step int) int {
	if step == 0 {
		return 0
	}
	return 1 + step
}

// moved calls f for each detail whose place would take more bytes with one put at i:
// of those that go over one step, the one before it.
func (p *places) moved(i int, f func(detail, before, after int)) {
	for k, last := range p.edge {
		if i < last && last < len(p.in) {
			f(last, sizeOfPlace(k), sizeOfPlace(k+1))
		}
	}
}

// put puts a detail among the others. An edge only ever moves to the front, so all of
// this together takes one pass for each step.
func (p *places) put(i int) {
	p.in[i] = true
	p.count++
	for k, last := range p.edge {
		switch {
		case last == len(p.in) && p.count < stepsOfPlace[k], i > last:
			continue
		}
		for last--; !p.in[last]; last-- {
		}
		p.edge[k] = last
	}
}
