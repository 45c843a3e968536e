package wire

import (
	"cmp"
	"slices"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/schema"
)

// firstText is how much of the message comes before all but the most needed details.
const firstText = 1024

// fitting is one error of which as much is taken as the budget has room for.
type fitting struct {
	e        *hub.Error
	own      hub.Wire
	budget   int
	details  []hub.Detail
	pieces   []piece // of details, by place
	received []wireSaid
	unknown  int  // size of the unknown fields that stand in the Status
	carries  bool // whether anything may ride along
	// saidWhole tells whether what rides along was taken, but for its JSON texts.
	saidWhole bool
	now       account
	notes     hub.Notes
	tries     int // how often a size was asked for
	order     []int
	fields    []infoField
	entries   []int // those of fields that are entries, in the order of taking
}

// piece is what is taken of one detail.
type piece struct {
	class class
	taken taken
	shows bool // whether the Status shows it
	rides bool // whether its JSON text rides along
	text  bool // whether that text was taken
	// value is what the Status shows of it, cut what of that was taken where it was
	// shortened.
	value, cut []byte
}

// wireSaid is what rides along of one wire.
type wireSaid struct {
	wire    hub.Wire
	size    int // without the members
	members []byte
	kept    bool // whether the members were taken
}

type taken uint8

const (
	nothing taken = iota
	shortened
	all
)

// class is where in the order a detail comes.
type class uint8

const (
	classNone  class = iota // the Status does not show it
	classRetry              // says how long to wait
	classInfo               // an ErrorInfo
	classOther
	classHelp  // for people
	classDebug // for programmers
)

func newFitting(e *hub.Error, o *Encoding, own hub.Wire) *fitting {
	w := begin(e, o, shapeBinary)
	f := &fitting{e: e, own: own, budget: o.Budget, details: w.details, carries: o.carries(e)}
	w.receive(e.Number > 0, func(r *hub.Received) {
		if r.Wire == own {
			f.unknown, r.UnknownFields = len(r.UnknownFields), nil
		}
	})
	if f.carries {
		f.received = make([]wireSaid, len(w.received))
		for i := range w.received {
			r := &w.received[i]
			f.received[i] = wireSaid{wire: r.Wire, size: receivedSize(r), members: r.Members}
		}
	}
	f.pieces = make([]piece, len(w.details))
	for i := range w.details {
		d, p := &w.details[i], &f.pieces[i]
		p.value, p.shows = knownPart(w.codec, d)
		p.rides = d.JSON != nil && f.carries
		if p.shows {
			p.class = classOf(d, p.value)
		}
	}
	return f
}

// classOf returns the class of a detail that the Status shows. A RetryInfo without a
// delay tells nobody to wait, and an ErrorInfo that cannot be read has no parts.
func classOf(d *hub.Detail, value []byte) class {
	switch d.Name() {
	case hub.NameErrorInfo:
		if _, ok := schema.ReadInfo(value); ok {
			return classInfo
		}
	case hub.NameRetryInfo:
		if _, _, ok := delayOf(value); ok {
			return classRetry
		}
	case hub.NameHelp, hub.NameLocalizedMessage:
		return classHelp
	case hub.NameDebugInfo:
		return classDebug
	}
	return classOther
}

// try tells whether an account is within the budget, and if so makes it what is taken.
func (f *fitting) try(next account) bool {
	f.tries++
	if next.size() > f.budget {
		return false
	}
	f.now = next
	return true
}

// run takes the parts in the order of the contract, which leaves some things open:
//
//   - The first ErrorInfo is the first that has a reason; one without names no error.
//   - A text in the place of a code is no JSON text: it comes with what else a wire
//     said, as do the unknown fields that stand in the Status itself.
//   - The first part of the message is as long as fits, up to its bound.
//   - Of the further ErrorInfos each is taken as far as it fits before the next is.
//   - Small is what has few bytes of type URL and value, of key and value, or of JSON
//     text, however they are framed.
func (f *fitting) run() {
	f.now = f.base()
	first := f.identity()
	for _, i := range f.of(classRetry) {
		f.detail(i)
	}
	f.rest()
	if first >= 0 && f.pieces[first].taken != nothing {
		f.metadata(first, f.scan(first))
	}
	f.message(firstText)
	for _, i := range f.of(classInfo) {
		if i != first {
			f.info(i)
		}
	}
	f.smallestFirst(classOther)
	f.smallestFirst(classHelp)
	f.message(len(f.e.Message))
	if n := f.now.message; n < len(f.e.Message) {
		f.notes.Add("over budget: message of %d bytes cut to %d", len(f.e.Message), n)
	}
	f.smallestFirst(classDebug)
	f.texts()
}

// of returns the places of the details of a class.
func (f *fitting) of(c class) []int {
	f.order = f.order[:0]
	for i := range f.pieces {
		if f.pieces[i].class == c {
			f.order = append(f.order, i)
		}
	}
	return f.order
}

// smallestFirst takes the details of a class, those that do not fit whole as far as
// their elements go.
func (f *fitting) smallestFirst(c class) {
	order := f.of(c)
	size := func(i int) int { return len(f.details[i].TypeURL) + len(f.pieces[i].value) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b)) })
	for _, i := range order {
		f.detail(i)
	}
}

// with returns the account with one detail more, of which so many bytes are taken.
func (f *fitting) with(i, size int) account {
	next := f.now
	next.details += sizeDetail(f.details[i].TypeURL, size)
	next.shown++
	return next
}

// detail takes a detail whole, or the longest prefix of its elements that fits.
func (f *fitting) detail(i int) {
	p := &f.pieces[i]
	if f.try(f.with(i, len(p.value))) {
		p.taken = all
		return
	}
	if plural := elementsOf(f.details[i].Name()); plural == "" || !f.prefix(i, plural) {
		f.dropped(i)
	}
}

func (f *fitting) dropped(i int) {
	f.notes.Add("over budget: detail %s of %d bytes dropped", f.name(i), len(f.pieces[i].value))
}

func (f *fitting) name(i int) string {
	if name := f.details[i].Name(); name != "" {
		return hub.Clip(name, 128)
	}
	return "without a type"
}

// rest takes what rides along but for its JSON texts, as one: half of it could say
// something else.
func (f *fitting) rest() {
	next := f.now
	next.unknown = f.unknown
	for i := range f.received {
		next.received += framed(f.received[i].size)
	}
	if f.saidWhole = f.try(next); f.saidWhole {
		return
	}
	if f.carries && f.e.Number <= 0 {
		f.notes.Add("over budget: number %d dropped: the code is UNKNOWN", f.e.Number)
	}
	for _, r := range f.e.Received {
		if r.Members = nil; !r.Empty() && (f.carries || r.Wire == f.own) {
			f.notes.Add("over budget: what the %s wire said dropped", r.Wire)
		}
	}
}

// message takes the longest prefix of the message that fits, of at most so many bytes
// and ended at a character. One that ends in a space takes two bytes more than its
// bytes alone, since a space at an end is escaped: the search leaves that out, and
// then steps back.
func (f *fitting) message(most int) {
	text := f.e.Message
	low, high := 0, min(most, len(text), f.budget)
	if low >= high {
		return
	}
	lead := 0
	if text[0] == ' ' {
		lead = 1
	}
	prefix := func(n, escapes int) account {
		next := f.now
		next.message, next.escapes = n, 2*escapes
		return next
	}
	for escapes := lead; low < high; { // low fits, above high nothing does
		middle := (low + high + 1) / 2
		more := 0
		for i := low; i < middle; i++ {
			if escape[text[i]]>>25 == 1 {
				more++
			}
		}
		next := prefix(middle, escapes+more)
		if f.tries++; next.size() <= f.budget {
			low, escapes = middle, escapes+more
		} else {
			high = middle - 1
		}
	}
	for n := len(hub.CutRunes(text, low)); n > f.now.message; n = len(hub.CutRunes(text, n-1)) {
		if f.try(prefix(n, countEscapes(text[:n]))) {
			return
		}
	}
}

// texts takes the JSON texts that ride along, the smallest first. That of a detail
// that was shortened would not agree with what is shown.
func (f *fitting) texts() {
	type text struct{ place, size int } // places below 0 are of what wires said
	var texts []text
	for i := range f.received {
		if n := len(f.received[i].members); n > 0 {
			texts = append(texts, text{i - len(f.received), n})
		}
	}
	for i := range f.pieces {
		if p := &f.pieces[i]; p.rides && (!p.shows || p.taken == all) {
			texts = append(texts, text{i, len(f.details[i].JSON)})
		}
	}
	slices.SortFunc(texts, func(a, b text) int { return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.place, b.place)) })
	shown := newPlaces(len(f.pieces), func(i int) bool { return f.pieces[i].taken != nothing })
	for _, t := range texts {
		if t.place < 0 {
			f.members(&f.received[t.place+len(f.received)])
		} else {
			f.ride(t.place, shown)
		}
	}
}

func (f *fitting) members(r *wireSaid) {
	have := 0
	if f.saidWhole {
		have = r.size
	}
	next := f.now
	next.received += framed(memberSize(have, len(r.members))) - framed(have)
	if r.kept = f.try(next); !r.kept {
		f.notes.Add("over budget: JSON received on the %s wire dropped", r.wire)
	}
}

// ride takes the JSON text of a detail. One that the Status does not show comes into
// the list by that, and moves the others.
func (f *fitting) ride(i int, list *places) {
	p := &f.pieces[i]
	next := f.now
	next.rides += rideSize(list.size(i), p.shows, len(f.details[i].JSON))
	if !p.shows {
		list.moved(i, func(j, before, after int) {
			if q := &f.pieces[j]; q.text {
				n := len(f.details[j].JSON)
				next.rides += rideSize(after, q.shows, n) - rideSize(before, q.shows, n)
			}
		})
	}
	if p.text = f.try(next); !p.text {
		f.notes.Add("over budget: JSON of detail %d (%s) of %d bytes dropped", i, f.name(i), len(f.details[i].JSON))
		return
	}
	if !p.shows {
		list.put(i)
	}
}

// result returns the error with what was taken.
func (f *fitting) result() *hub.Error {
	e := *f.e
	e.Message = e.Message[:f.now.message]
	e.Details = make([]hub.Detail, 0, f.now.shown)
	for i := range f.pieces {
		p, d := &f.pieces[i], f.details[i]
		switch {
		case p.text, p.taken == all && !p.rides, !p.shows && !f.carries:
		case p.taken == all:
			d = hub.Detail{TypeURL: d.TypeURL, Value: p.value}
		case p.taken == shortened:
			d = hub.Detail{TypeURL: d.TypeURL, Value: p.cut}
		default:
			continue
		}
		e.Details = append(e.Details, d)
	}
	e.Received = f.said()
	if f.carries && !f.saidWhole && e.Number <= 0 {
		e.Number = int32(code.Code_UNKNOWN)
	}
	return &e
}

// said returns what was taken of what was received.
func (f *fitting) said() []hub.Received {
	var out []hub.Received
	for _, r := range f.e.Received {
		if !f.saidWhole {
			r = hub.Received{Wire: r.Wire, Members: r.Members}
		}
		if f.carries && !slices.ContainsFunc(f.received, func(s wireSaid) bool { return s.wire == r.Wire && s.kept }) {
			r.Members = nil
		}
		if !r.Empty() {
			out = append(out, r)
		}
	}
	return out
}
