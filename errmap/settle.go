package errmap

import "slices"

// candidate is one way to write an error on a wire.
type candidate struct {
	number   int64    // JSON-RPC
	status   int      // HTTP
	codeText string   // AIP-193: a received name in the place of the code's
	alone    bool     // MCP: the object of its schema and nothing else
	said     Received // what it says of what was received on this wire
	made     Received // what the writer chose itself: it does not count as received
}

// form is one wire as settle needs it. T is what an error becomes there.
type form[T any] struct {
	wire         Wire
	shape        shape
	marker       bool     // whether the wire has the code marker of JSON-RPC
	writesNumber bool     // whether the wire writes a private code
	own          *Catalog // the errors that every reader of the wire knows
	candidates   []candidate
	items        func(candidate) []item
	write        func(c candidate, items []item, marker bool, carried *RawDetail) T
	read         func(T, *decodeOptions) (*Error, error)
	// direct tells, for an error that needs no check, whether the plain form
	// with or without the marker says it; nil where the plain form always does.
	direct func(c candidate, items []item) (marker, ok bool)
}

// settle writes the first of plain, plain with marker and plain with Carried
// that a reader, with or without the catalogue of errors, reads back as the
// same error. A wire that cannot say everything without Carried, where Carried
// is not wanted or the error was made here, gets the first form whose code,
// message and plain details come back.
func settle[T any](e *Error, o *encodeOptions, f form[T]) T {
	simple := simple(e)
	var fallback *T
	for _, c := range f.candidates {
		items := f.items(c)
		if simple && allWhole(items) {
			if f.direct == nil {
				return f.write(c, items, false, nil)
			}
			if marker, ok := f.direct(c, items); ok {
				return f.write(c, items, marker, nil)
			}
		}
		for variant := range 4 {
			marker, carries := variant%2 == 1, variant >= 2
			if variant > 0 && c.alone || marker && !f.marker || carries && (o.withoutCarried || !e.decoded) {
				continue
			}
			var carried *RawDetail
			if carries {
				d := carry(o.catalog, e, items, c.said, f.writesNumber)
				carried = &d
			}
			out := f.write(c, items, marker, carried)
			all, core := comesBack(e, o, f, c, items, out)
			if all || core && !e.decoded {
				return out
			}
			if core && fallback == nil {
				fallback = &out
			}
		}
	}
	if fallback == nil {
		last := f.candidates[len(f.candidates)-1]
		out := f.write(last, f.items(last), f.marker, nil)
		fallback = &out
	}
	var n notes
	n.add("%s form: what rides along is left out", f.wire)
	o.noted(n)
	return *fallback
}

// readable returns e with its details as a reader with the catalogue c has them:
// one without it may have kept as JSON what is a message here.
func readable(e *Error, c *Catalog) *Error {
	for i, d := range e.details {
		if read := d.read(c); read.json == nil && d.json != nil {
			changed := *e
			changed.details = slices.Clone(e.details)
			for j := i; j < len(e.details); j++ {
				changed.details[j] = e.details[j].read(c)
			}
			return &changed
		}
	}
	return e
}

// simple tells whether e says nothing but what every wire can say.
func simple(e *Error) bool {
	if !canonical(e.number) || len(e.received) > 0 {
		return false
	}
	for i := range e.details {
		d := &e.details[i]
		if d.json != nil {
			return false
		}
		if d.typeURL == typeErrorInfo {
			continue // nearly all are
		}
		if name := d.Name(); name == nameCarried || name == nameStatus {
			return false
		}
	}
	return true
}

func allWhole(items []item) bool {
	for _, it := range items {
		if it.carried != nil || !it.plain {
			return false
		}
	}
	return true
}

// comesBack reads what was written, with and without the catalogue of errors,
// and tells whether all of e comes back, and whether its core does: the code,
// the message and the plain details.
func comesBack[T any](e *Error, o *encodeOptions, f form[T], c candidate, items []item, out T) (all, core bool) {
	all, core = true, true
	var plain []RawDetail
	for _, it := range items {
		if it.plain {
			plain = append(plain, it.read)
		}
	}
	for _, errors := range []*Catalog{o.catalog, f.own} {
		// A writer is not bound by the limits of a reader.
		limits := Limits{Body: -1, Details: -1, Depth: -1, Message: -1}.withDefaults()
		back, err := f.read(out, &decodeOptions{catalog: o.catalog, limits: limits, errors: errors})
		if err != nil {
			return false, false
		}
		same := back.message == e.message
		all = all && same && back.number == e.number && sameDetails(o.catalog, back.details, e.details) && sameReceived(back, e, f.wire, c.made)
		core = core && same && row(back.number) == row(e.number) && sameDetails(o.catalog, back.details, plain)
	}
	return all, core
}

func sameDetails(c *Catalog, a, b []RawDetail) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameDetail(c, a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameReceived compares what was received, apart from what the writer of this
// wire chose itself.
func sameReceived(back, e *Error, w Wire, made Received) bool {
	got, want := back.receivedOn(w), e.receivedOn(w)
	if want.Number == "" && got.Number == made.Number {
		got.Number = ""
	}
	if want.HTTPStatus == 0 && got.HTTPStatus == made.HTTPStatus {
		got.HTTPStatus = 0
	}
	made = made.without(want.Members)
	members, _ := objectMembers(made.Members)
	for _, m := range members {
		if value, ok := got.member(m.name); ok && string(value) == string(m.value) {
			got = got.without(appendMembers(nil, []member{m}))
		}
	}
	masked := *back
	masked.setReceived(got)
	if len(masked.received) != len(e.received) {
		return false
	}
	for i := range e.received {
		if !masked.received[i].equal(e.received[i]) {
			return false
		}
	}
	return true
}
