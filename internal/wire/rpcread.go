package wire

import (
	"strconv"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/schema"
)

// ReadJSONRPC reads the error object of JSON-RPC 2.0 under a profile, or the response
// that holds one.
func ReadJSONRPC(e *hub.Error, body []byte, p *Profile, o *Decoding) error {
	r, root, why := read(e, hub.WireJSONRPC, body, o)
	defer r.tree.Release()
	if why != "" {
		return r.foreign(why)
	}
	own, rest := r.rpcMembers(root)
	codeValue, messageValue, data := own[0], own[1], own[2]
	if !codeValue.Exists() && !messageValue.Exists() && !data.Exists() {
		return r.foreign("no code, message or data")
	}
	e.Message, _ = r.text(messageValue, &rest)
	number, token, numbered := r.rpcNumber(codeValue, &rest)
	d := rpcData{profile: p, own: p.means(number, data)}
	r.readData(&d, data)
	r.identify()
	kept := numbered && !p.bare(number)
	if d.own != nil {
		kept = r.supply(&d) && kept
	}
	s := standingOf(e.Details, p, o.Catalog)
	if e.Number = d.marker; e.Number == 0 {
		e.Number = p.code(s, number)
	}
	r.keep(hub.WireJSONRPC, rest)
	if r.restore(shapeElements, jsontree.Value{}) {
		s = standingOf(e.Details, p, o.Catalog)
	}
	if kept {
		r.keepNumber(token, number, p, s)
	}
	r.finish()
	return nil
}

// keepNumber keeps the number that stood there, unless a writer chooses it itself. The
// token is that of one that is no integer, else "".
func (r *reading) keepNumber(token string, number int64, p *Profile, s standing) {
	if token == "" {
		if number == p.implied(r.Number, s) {
			return
		}
		token = strconv.FormatInt(number, 10)
		if said := r.On(hub.WireJSONRPC); said.Number != "" && number == row(r.Number).jsonrpc {
			return
		}
	}
	r.SetReceived(mergeReceived(r.On(hub.WireJSONRPC), hub.Received{Wire: hub.WireJSONRPC, Number: token}, &r.Notes))
}

// rpcMembers finds the members of the error object, in a response too: what stands
// beside the object there rides along. The version and the id are the call's; a result
// beside an error is dropped.
func (r *reading) rpcMembers(root jsontree.Value) (own [maxNames]jsontree.Value, rest []member) {
	inner := root.Get("error")
	if !inner.Is(jsontree.Object) || !root.Get("jsonrpc").Exists() || root.Get("code").Exists() {
		return r.take(root, rpcNames, nil)
	}
	own, rest = r.take(inner, rpcNames, nil)
	taken := keys{}
	for _, name := range rpcNames {
		taken.free(name)
	}
	for i := range rest {
		taken.free(rest[i].name)
	}
	envelope := names{"jsonrpc", "id", "result", "error"}
	for m := root.First(); m.Exists(); m = m.Next() {
		i, folded := envelope.find(m)
		switch {
		case m.Repeats():
			r.Notes.Add("member %q stands twice: the first counts", m.NameText())
		case folded:
			r.Notes.Add("member %q differs from one of the form's only in case: dropped", m.NameText())
		case i < 0:
			rest = append(rest, member{name: taken.free(m.NameText()), value: m})
		case m.NameIs("result") && !m.Is(jsontree.Null):
			r.Notes.Add("result %s dropped: an error stands beside it", hub.Clip(string(m.AppendCompact(nil)), 128))
		}
	}
	return own, rest
}

// rpcNumber reads the code, and tells whether it is a number. One that is no integer
// within ±(2^53-1) is number 0, kept as the token that it was.
func (r *reading) rpcNumber(v jsontree.Value, rest *[]member) (number int64, token string, ok bool) {
	if n, ok := readNumber(v); ok {
		return n, "", true
	}
	if !v.Exists() {
		r.Notes.Add("code is missing: UNKNOWN")
		return 0, "", false
	}
	if token, ok := numberToken(v); ok {
		r.Notes.Add("code %s is no integer that JSON-RPC can say: UNKNOWN", hub.Clip(token, 64))
		return 0, token, true
	}
	r.Notes.Add("code is no number: UNKNOWN")
	*rest = append(*rest, member{name: "code", value: v})
	return 0, "", false
}

// rpcData reads the data member.
type rpcData struct {
	profile *Profile
	own     *OwnError // that the number means
	marker  int32
	free    []member // free-form data of an own error, as members
	freeRaw []byte   // and as it stood
	beside  []member // the members that an object has beside details
}

func (r *reading) readData(d *rpcData, data jsontree.Value) {
	switch {
	case !data.Exists(), data.Is(jsontree.Array) && data.Len() == 0:
		return
	case data.Is(jsontree.Array) && containsTyped(data):
		r.dataList(d, data)
		return
	case typedElement(data):
		r.readList(d, data, 1, true)
		return
	case d.own == nil:
		r.Details = append(r.Details, r.element(data))
		return
	case d.profile.Objects && data.Is(jsontree.Object):
		if details := data.Get("details"); details.Is(jsontree.Array) {
			if details.Len() > 0 {
				d.beside = r.membersOf(data, true)
				r.dataList(d, details)
				return
			}
			// As data itself it says nothing, least of all that the rest is not read.
			d.free = r.membersOf(data, true)
			d.freeRaw = appendMembers(nil, append([]member(nil), d.free...))
			return
		}
	}
	d.freeRaw = data.AppendCompact(nil)
	if data.Is(jsontree.Object) {
		d.free = r.membersOf(data, false)
	} else {
		d.free = []member{{name: "data", value: data}}
	}
}

// membersOf returns the members of an object, without its first details where that is
// read.
func (r *reading) membersOf(object jsontree.Value, withoutDetails bool) []member {
	out := make([]member, 0, object.Len())
	for m := object.First(); m.Exists(); m = m.Next() {
		switch {
		case withoutDetails && m.NameIs("details") && !m.Repeats():
		case m.Repeats():
			r.Notes.Add("member %q stands twice: the first counts", m.NameText())
		default:
			out = append(out, member{name: m.NameText(), value: m})
		}
	}
	return out
}

// dataList reads an array of details.
func (r *reading) dataList(d *rpcData, list jsontree.Value) {
	r.readList(d, list.First(), r.atMost(list.Len()), false)
}

// readList reads so many elements from the first on; one alone is not followed.
func (r *reading) readList(d *rpcData, first jsontree.Value, n int, alone bool) {
	r.room(n)
	marked := -1
	next := func(el jsontree.Value) jsontree.Value {
		if alone {
			return jsontree.Value{}
		}
		return el.Next()
	}
	for el, i := first, 0; el.Exists() && i < n; el, i = next(el), i+1 {
		if code := markerCode(el); code != 0 {
			marked, d.marker = i, code
		}
	}
	var untyped []byte
	for el, i := first, 0; el.Exists() && i < n; el, i = next(el), i+1 {
		switch {
		case i == marked:
			if el.Doubled() {
				r.Notes.Add("the code marker has a member twice: the first counts")
			}
		case d.own != nil && !typedElement(el):
			untyped = el.AppendCompact(append(untyped, ','))
		default:
			r.Details = append(r.Details, r.element(el))
		}
	}
	if untyped != nil {
		untyped[0] = '['
		d.freeRaw = append(untyped, ']')
		d.free = []member{{name: "data", text: d.freeRaw}}
	}
}

// supply gives an own error its ErrorInfo, first, where it came without one of the
// profile's domain, and puts free-form data into its metadata. It is false where the
// ErrorInfo contradicts the number.
func (r *reading) supply(d *rpcData) (agree bool) {
	own := d.own
	place := -1
	var in schema.Info
	for i := range r.Details {
		if found, ok := InfoOf(&r.Details[i], r.o.Catalog); ok && string(found.Domain()) == d.profile.Domain {
			place, in = i, found
			break
		}
	}
	if place < 0 {
		metadata := r.addFree(nil, own, d.beside)
		metadata = r.addFree(metadata, own, d.free)
		supplied, _ := schema.InfoDetail(own.Definition.Reason(), own.Definition.Domain(), metadata)
		if len(r.Details) == 0 {
			r.Details = append(r.Details, supplied)
		} else {
			r.Details = append([]hub.Detail{supplied}, r.Details...)
		}
		return true
	}
	agree = true
	if known := d.profile.own.Find(d.profile.Domain, string(in.Reason())); known != nil && known.Reason() != own.Definition.Reason() {
		r.Notes.Add("the number is that of %s, the ErrorInfo says %s, which stands", own.Definition.Reason(), in.Reason())
		own, agree = d.profile.of(known), false
	}
	r.noteUnsaid(d, in, own)
	if d.free == nil {
		return agree
	}
	if r.Details[place].JSON != nil { // JSON stays the JSON that it is
		r.Details = append(r.Details, r.reread(d.freeRaw))
		return agree
	}
	r.Details[place] = withMetadata(in, r.addFree(in.Metadata(), own, d.free))
	return agree
}

// withMetadata returns the ErrorInfo with other metadata. Fields that its schema does
// not know stay.
func withMetadata(in schema.Info, metadata map[string]string) hub.Detail {
	d, _ := schema.InfoDetail(string(in.Reason()), string(in.Domain()), metadata)
	d.Value = append(d.Value, in.Unknown()...)
	return d
}

// addFree puts free-form members into metadata: strings as they are, other values as
// compact JSON, null not at all. A key that is taken stays.
func (r *reading) addFree(metadata map[string]string, own *OwnError, free []member) map[string]string {
	if len(free) == 0 {
		return metadata
	}
	taken := keys{}
	for key := range metadata {
		taken.free(key)
	}
	for i := range free {
		text, says := free[i].says(own)
		if !says {
			continue
		}
		if metadata == nil {
			metadata = map[string]string{}
		}
		metadata[taken.free(free[i].name)] = text
	}
	return metadata
}

// says returns the metadata text of a member; false where it says nothing: null, or
// the empty value of one that the error requires.
func (m *member) says(own *OwnError) (string, bool) {
	text := string(m.text)
	switch {
	case m.text != nil:
	case m.value.Is(jsontree.Null):
		return "", false
	case m.value.Is(jsontree.String):
		text = m.value.Text()
	default:
		text = string(m.value.AppendCompact(nil))
	}
	for i := range own.Members {
		if required := &own.Members[i]; required.Name == m.name && text == required.emptyText() {
			return "", false
		}
	}
	return text, true
}

// noteUnsaid notes the members beside details that the ErrorInfo in them, which is
// what is read, does not say.
func (r *reading) noteUnsaid(d *rpcData, in schema.Info, own *OwnError) {
	if len(d.beside) == 0 {
		return
	}
	metadata := in.Metadata()
	for i := range d.beside {
		m := &d.beside[i]
		text, says := m.says(own)
		if !says {
			continue
		}
		said, ok := metadata[m.name]
		for j := range own.Members {
			if required := &own.Members[j]; required.Name == m.name && !required.isString() {
				said = string(required.value(nil, said))
			}
		}
		if !ok || said != text {
			r.Notes.Add("member %q beside details dropped: the ErrorInfo in them does not say it", m.name)
		}
	}
}

func containsTyped(list jsontree.Value) bool {
	for el := list.First(); el.Exists(); el = el.Next() {
		if typedElement(el) {
			return true
		}
	}
	return false
}

// typedElement tells whether a JSON element is an object with a string "@type".
func typedElement(v jsontree.Value) bool {
	return v.Is(jsontree.Object) && v.Get(memberType).Is(jsontree.String)
}

// markerCode returns the code of a code marker: an object of exactly the two members,
// of which peers that know no duplicates see no more; 0 where the element is none.
func markerCode(v jsontree.Value) int32 {
	if !v.Is(jsontree.Object) || v.Len() < 2 || !v.Get(memberType).TextIs(markerURL) {
		return 0
	}
	code := v.Get("code")
	n, ok := code.Int()
	if !ok || n < 1 || n >= int64(len(codeTable)) {
		return 0
	}
	if !onlyOf(v, memberType, "code") {
		return 0
	}
	return int32(n)
}
