package wire

import (
	"strconv"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
)

// ReadJSONRPC reads the error object of JSON-RPC 2.0 under a profile, or the response
// that holds one.
func ReadJSONRPC(e *hub.Error, body []byte, p *Profile, o *Decoding) error {
	r, err := read(e, body, o)
	defer r.tree.Release()
	if err != nil {
		return foreign(e, hub.WireJSONRPC, body, o, CodeFromConnectHTTP, err.Error())
	}
	root := r.tree.Root()
	if !root.Is(jsontree.Object) {
		return foreign(e, hub.WireJSONRPC, body, o, CodeFromConnectHTTP, "not a JSON object")
	}
	own, rest := r.rpcMembers(root)
	codeValue, messageValue, data := own[0], own[1], own[2]
	if !codeValue.Exists() && !messageValue.Exists() && !data.Exists() {
		return foreign(e, hub.WireJSONRPC, body, o, CodeFromConnectHTTP, "no code, message or data")
	}
	e.Message, _ = r.text(messageValue, &rest)
	number, token := r.rpcNumber(codeValue, &rest)
	d := rpcData{reading: &r, profile: p, own: p.means(number, data)}
	d.read(data)
	kept := token != "" && !p.bare(number)
	if d.own != nil {
		kept = d.supply() && kept
	}
	if e.Number = d.marker; e.Number == 0 {
		e.Number = p.code(standingOf(e.Details, p, o.Catalog), number)
	}
	r.keep(hub.WireJSONRPC, rest)
	r.restore(shapeElements, jsontree.Value{})
	if kept {
		r.keepNumber(token, number, p)
	}
	r.finish()
	return nil
}

// keepNumber keeps the number that stood there, unless a writer chooses it itself.
func (r *reading) keepNumber(token string, number int64, p *Profile) {
	if number == p.implied(r.Number, standingOf(r.Details, p, r.o.Catalog)) && integral(token) {
		return
	}
	said := r.On(hub.WireJSONRPC)
	if said.Number != "" && number == row(r.Number).jsonrpc && integral(token) {
		return
	}
	r.SetReceived(mergeReceived(said, hub.Received{Wire: hub.WireJSONRPC, Number: token}, &r.Notes))
}

// integral tells whether a token is that of the number which was read from it.
func integral(token string) bool {
	_, ok := jsontree.Int([]byte(token))
	return ok
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

// rpcNumber reads the code: the number, and its token, "" for none. One that is no
// integer within ±(2^53-1) is number 0, kept as it was received.
func (r *reading) rpcNumber(v jsontree.Value, rest *[]member) (int64, string) {
	if n, ok := readNumber(v); ok {
		return n, strconv.FormatInt(n, 10)
	}
	if !v.Exists() {
		r.Notes.Add("code is missing: UNKNOWN")
		return 0, ""
	}
	if token, ok := numberToken(v); ok {
		r.Notes.Add("code %s is no integer that JSON-RPC can say: UNKNOWN", hub.Clip(token, 64))
		return 0, token
	}
	r.Notes.Add("code is no number: UNKNOWN")
	*rest = append(*rest, member{name: "code", value: v})
	return 0, ""
}

// rpcData reads the data member.
type rpcData struct {
	*reading
	profile *Profile
	own     *OwnError // that the number means
	marker  int32
	free    []member // free-form data of an own error, as members
	freeRaw []byte   // and as it stood
	beside  []member // the members that an object has beside details
}

func (d *rpcData) read(data jsontree.Value) {
	switch {
	case !data.Exists(), data.Is(jsontree.Array) && data.Len() == 0:
		return
	case data.Is(jsontree.Array) && containsTyped(data):
		d.list(data)
		return
	case typedElement(data):
		d.readList(data, 1, true)
		return
	case d.own == nil:
		d.Details = append(d.Details, d.element(data))
		return
	case d.profile.Objects && data.Is(jsontree.Object):
		if details := data.Get("details"); details.Is(jsontree.Array) {
			if details.Len() > 0 {
				d.beside = d.membersOf(data, true)
				d.list(details)
				return
			}
			// As data itself it says nothing, least of all that the rest is not read.
			d.free = d.membersOf(data, true)
			d.freeRaw = appendMembers(nil, append([]member(nil), d.free...))
			return
		}
	}
	d.freeRaw = data.AppendCompact(nil)
	if data.Is(jsontree.Object) {
		d.free = d.membersOf(data, false)
	} else {
		d.free = []member{{name: "data", value: data}}
	}
}

// membersOf returns the members of an object, without its first details where that is
// read.
func (d *rpcData) membersOf(object jsontree.Value, withoutDetails bool) []member {
	out := make([]member, 0, object.Len())
	for m := object.First(); m.Exists(); m = m.Next() {
		switch {
		case withoutDetails && m.NameIs("details") && !m.Repeats():
		case m.Repeats():
			d.Notes.Add("member %q stands twice: the first counts", m.NameText())
		default:
			out = append(out, member{name: m.NameText(), value: m})
		}
	}
	return out
}

// list reads an array of details.
func (d *rpcData) list(list jsontree.Value) { d.readList(list.First(), d.atMost(list.Len()), false) }

// readList reads so many elements from the first on; one alone is not followed.
func (d *rpcData) readList(first jsontree.Value, n int, alone bool) {
	d.room(n)
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
				d.Notes.Add("the code marker has a member twice: the first counts")
			}
		case d.own != nil && !typedElement(el):
			untyped = el.AppendCompact(append(untyped, ','))
		default:
			d.Details = append(d.Details, d.element(el))
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
func (d *rpcData) supply() (agree bool) {
	own := d.own
	place := -1
	var in Info
	for i := range d.Details {
		if found, ok := errorInfo(d.codec, &d.Details[i]); ok && string(found.Domain) == d.profile.Domain {
			place, in = i, found
			break
		}
	}
	if place < 0 {
		metadata := d.addFree(nil, own, d.beside)
		metadata = d.addFree(metadata, own, d.free)
		supplied := errorInfoDetail(own.Definition.Reason(), own.Definition.Domain(), metadata)
		if len(d.Details) == 0 {
			d.Details = append(d.Details, supplied)
		} else {
			d.Details = append([]hub.Detail{supplied}, d.Details...)
		}
		return true
	}
	agree = true
	if known := d.profile.own.Find(d.profile.Domain, string(in.Reason)); known != nil && known.Reason() != own.Definition.Reason() {
		d.Notes.Add("the number is that of %s, the ErrorInfo says %s, which stands", own.Definition.Reason(), in.Reason)
		own, agree = d.profile.of(known), false
	}
	d.noteUnsaid(in, own)
	if d.free == nil {
		return agree
	}
	if d.Details[place].JSON != nil { // JSON stays the JSON that it is
		d.Details = append(d.Details, d.reread(d.freeRaw))
		return agree
	}
	d.Details[place] = withMetadata(in, d.addFree(in.Metadata(), own, d.free))
	return agree
}

// withMetadata returns the ErrorInfo with other metadata. Fields that its schema does
// not know stay.
func withMetadata(in Info, metadata map[string]string) hub.Detail {
	d := errorInfoDetail(string(in.Reason), string(in.Domain), metadata)
	d.Value = append(d.Value, in.unknown()...)
	return d
}

// addFree puts free-form members into metadata: strings as they are, other values as
// compact JSON, null not at all. A key that is taken stays.
func (d *rpcData) addFree(metadata map[string]string, own *OwnError, free []member) map[string]string {
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
func (d *rpcData) noteUnsaid(in Info, own *OwnError) {
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
			d.Notes.Add("member %q beside details dropped: the ErrorInfo in them does not say it", m.name)
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
