package wire

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
	"github.com/errmap/errmap/internal/schema"
)

// rpcNames are the members of an error object of JSON-RPC.
var rpcNames = names{"code", "message", "data"}

// markerURL is the "@type" of the code marker, markerLead how one begins.
const (
	markerURL  = hub.URLPrefix + hub.NameStatus
	markerLead = `{"` + memberType + `":"` + markerURL + `","code":`
)

// AppendJSONRPC appends an error as the error object of JSON-RPC 2.0 section 5.1 and
// returns its number.
func AppendJSONRPC(dst []byte, e *hub.Error, p *Profile, o *Encoding) (out []byte, number int64) {
	w := rpcWriter{writing: begin(e, o, shapeElements), profile: p}
	w.decide()
	if dst == nil {
		frame := 40
		if w.marker {
			frame += len(markerLead) + 4
		}
		dst = make([]byte, 0, room(e, frame, 2))
	}
	dst = strconv.AppendInt(append(dst, `{"code":`...), w.number, 10)
	dst = jsontree.AppendString(append(dst, `,"message":`...), e.Message)
	dst = w.appendData(dst)
	return append(append(dst, w.standing...), '}'), w.number
}

// rpcWriter writes one error object.
type rpcWriter struct {
	writing
	profile  *Profile
	number   int64
	own      *OwnError // that the number means beside the identity of the error
	marker   bool
	standing []byte // the members that rode along, each after a comma
}

// decide chooses the number, and tells whether the code marker is needed and what of
// what was received rides.
func (w *rpcWriter) decide() {
	p := w.profile
	s := standingOf(w.details, p, w.o.Catalog)
	received := w.choose(s)
	if w.own = p.numbered(w.number); w.own == nil {
		for i := range p.conditions {
			if c := &p.conditions[i]; c.Number == w.number && s.own != nil && c.Definition.Reason() == s.own.Reason() {
				w.own = c
			}
		}
	}
	w.wrap = w.own != nil
	if len(w.Received) > 0 || !hub.Canonical(w.Number) {
		var riding []byte
		w.standing, riding = splitMembers(nil, w.On(hub.WireJSONRPC).Members, rpcNames.placeIn)
		w.receive(false, func(r *hub.Received) {
			if r.Wire == hub.WireJSONRPC {
				r.Members = riding
				if received {
					r.Number = ""
				}
			}
		})
	}
	code := target(w.Number)
	w.marker = p.code(s, w.number) != code || p.code(standing{own: s.own}, w.number) != code || w.looksMarked() || w.misread()
}

// choose sets the number: the one that was received where readers see it for what it
// is, else the error's own. It tells whether it is the received one.
func (w *rpcWriter) choose(s standing) (received bool) {
	p := w.profile
	w.number = p.implied(w.Number, s)
	if len(w.Received) == 0 {
		return false
	}
	token := w.On(hub.WireJSONRPC).Number
	if token == "" {
		return false
	}
	n, ok := jsontree.Int([]byte(token))
	if !ok || !p.mayRepeat(n) || n == w.number || n == p.implied(w.Number, standing{own: s.own}) {
		return false
	}
	if own := p.numbered(n); own != nil {
		in, has := w.ofDomain(p.Domain)
		if !has {
			return false // readers add one
		}
		if named := p.own.Find(p.Domain, string(in.Reason())); named != nil && named != own.Definition {
			return false // which contradicts the number
		}
	}
	w.number = n
	return true
}

// ofDomain returns the first ErrorInfo of a domain.
func (w *writing) ofDomain(domain string) (schema.Info, bool) {
	for i := range w.details {
		if in, ok := InfoOf(&w.details[i], w.o.Catalog); ok && string(in.Domain()) == domain {
			return in, true
		}
	}
	return schema.Info{}, false
}

// looksMarked tells whether a detail would be read as a code marker.
func (w *rpcWriter) looksMarked() bool {
	for i := range w.details {
		d := &w.details[i]
		if !d.Is(hub.NameStatus) {
			continue
		}
		text := d.JSON
		if text == nil {
			var fidelity protojson.Fidelity
			if text, fidelity = w.codec.AppendAny(nil, d.TypeURL, d.Value, detailDepth); fidelity == protojson.None {
				continue
			}
		}
		t := tree(text)
		marked := markerCode(t.Root()) != 0
		t.Release()
		if marked {
			return true
		}
	}
	return false
}

// misread tells whether free-form details, with nothing typed beside them, would be
// read as something else.
func (w *rpcWriter) misread() bool {
	if w.wrap || len(w.details) == 0 || len(w.received) > 0 && w.o.carries(w.Error) {
		return false
	}
	for i := range w.details {
		if typed(&w.details[i]) {
			return false
		}
	}
	if len(w.details) > 1 {
		return true
	}
	text := untypedText(&w.details[0])
	if text[0] != '[' && !slices.ContainsFunc(w.profile.conditions, func(own OwnError) bool { return own.Number == w.number }) {
		return false // as nearly all: nothing is looked for in it
	}
	t := tree(text)
	defer t.Release()
	root := t.Root()
	return root.Is(jsontree.Array) && (root.Len() == 0 || containsTyped(root)) || w.profile.means(w.number, root) != nil
}

// appendData appends the data member; nothing where there is nothing to say.
func (w *rpcWriter) appendData(dst []byte) []byte {
	const lead = `,"data":`
	if w.own != nil && w.profile.Objects {
		return w.appendObject(dst, lead)
	}
	if len(w.details) == 1 && !typed(&w.details[0]) && !w.wrap && !w.marker && (len(w.received) == 0 || !w.o.carries(w.Error)) {
		w.carries(hub.WireJSONRPC)
		return append(append(dst, lead...), untypedText(&w.details[0])...)
	}
	start := len(dst)
	dst = append(dst, lead...)
	at := len(dst)
	if dst = w.appendList(dst); len(dst) == at+2 {
		return dst[:start]
	}
	return dst
}

// appendList appends the details, the code marker and the Carried as an array.
func (w *rpcWriter) appendList(dst []byte) []byte {
	dst = append(dst, '[')
	start := len(dst)
	next := func() {
		if len(dst) > start {
			dst = append(dst, ',')
		}
	}
	for i := range w.details {
		next()
		dst, _ = w.detailJSON(dst, i)
	}
	if w.marker {
		next()
		dst = append(strconv.AppendInt(append(dst, markerLead...), int64(target(w.Number)), 10), '}')
	}
	if w.carries(hub.WireJSONRPC) {
		next()
		dst, _ = w.codec.AppendAny(dst, urlCarried, w.appendCarried(nil), anyDepth)
	}
	return append(dst, ']')
}

// appendObject appends the data of an own error whose data is an object: the members
// that it requires, and all else that the error says under details.
func (w *rpcWriter) appendObject(dst []byte, lead string) []byte {
	in, _ := w.ofDomain(w.profile.Domain)
	start := len(dst)
	dst = append(append(dst, lead...), '{')
	at := len(dst)
	for i := range w.own.Members {
		m := &w.own.Members[i]
		if len(dst) > at {
			dst = append(dst, ',')
		}
		text, _ := in.Value(m.Name)
		dst = m.value(append(jsontree.AppendString(dst, m.Name), ':'), string(text))
	}
	if w.saidByMembers(in) {
		if w.carries(hub.WireJSONRPC); len(dst) == at {
			return dst[:start]
		}
		return append(dst, '}')
	}
	if len(dst) > at {
		dst = append(dst, ',')
	}
	return append(w.appendList(append(dst, `"details":`...)), '}')
}

// saidByMembers tells whether the members that an own error requires say all of it.
func (w *rpcWriter) saidByMembers(in schema.Info) bool {
	d := w.own.Definition
	if w.marker || len(w.details) != 1 || w.details[0].JSON != nil || len(w.received) > 0 && w.o.carries(w.Error) ||
		string(in.Reason()) != d.Reason() || string(in.Domain()) != d.Domain() || w.codec.HasUnknown(hub.URLErrorInfo, in.Bytes) {
		return false
	}
	for key, text := range in.Metadata() {
		said := false
		for i := range w.own.Members {
			if m := &w.own.Members[i]; m.Name == key {
				said = text != m.emptyText() && (m.isString() || bytes.Equal(m.value(nil, text), []byte(text)))
			}
		}
		if !said {
			return false
		}
	}
	return true
}
