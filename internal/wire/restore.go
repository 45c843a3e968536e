package wire

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"
	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
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
	if why := r.doubt(carried, plain, s); why != "" {
		r.Notes.Add("errmap.v1.Carried dropped: %s", why)
		return false
	}
	if !member.Exists() && hasLaterFields(carried) {
		r.Notes.Add("errmap.v1.Carried: fields that its schema does not know dropped")
	}
	r.Details = append(r.placed(carried, plain), after...)
	r.restoreReceived(carried.GetReceived())
	return true
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

// doubt says why a Carried is not to be believed, or nothing.
func (r *reading) doubt(carried *errmapv1.Carried, plain []hub.Detail, s shape) string {
	sums := carried.GetCheck()
	if len(sums) != 4+8*len(plain) {
		return "it was written for another number of details"
	}
	if binary.BigEndian.Uint32(sums) != headSum(r.Number, r.Message) {
		return "it was written for another code or message"
	}
	for i := range plain {
		name, text := detailSums(r.codec, &plain[i], false)
		wantName, wantText := binary.BigEndian.Uint32(sums[4+8*i:]), binary.BigEndian.Uint32(sums[8+8*i:])
		if name != wantName || text != wantText && text != 0 && wantText != 0 {
			return "it was written for another detail " + strconv.Itoa(i)
		}
	}
	next, used := uint32(0), 0
	for _, cd := range carried.GetDetails() {
		d := fromCarried(cd)
		if cd.GetContent() == nil || d.Is(hub.NameCarried) || cd.GetPlace() < next {
			return "a detail in it is malformed"
		}
		used += int(min(cd.GetPlace()-next, math.MaxInt32))
		next = cd.GetPlace() + 1
		if used > len(plain) || cd.GetPlain() && used == len(plain) {
			return "a detail in it has no place"
		}
		if cd.GetPlain() {
			if !r.contains(&d, &plain[used]) {
				return "a detail in it says something else than the plain one"
			}
			used++
		} else if !r.unshowable(&d, s) {
			return "a detail in it could have been plain"
		}
	}
	return ""
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
func (r *reading) placed(carried *errmapv1.Carried, plain []hub.Detail) []hub.Detail {
	out := make([]hub.Detail, 0, len(plain)+len(carried.GetDetails()))
	for _, cd := range carried.GetDetails() {
		for uint32(len(out)) < cd.GetPlace() {
			out, plain = append(out, plain[0]), plain[1:]
		}
		if cd.GetPlain() {
			plain = plain[1:]
		}
		d := fromCarried(cd)
		if d.JSON != nil { // as it would have been read where it stood
			d = r.reread(d.JSON)
		}
		out = append(out, d)
	}
	return append(out, plain...)
}

func (r *reading) reread(text []byte) hub.Detail {
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse(text, anyDepth) != nil {
		return hub.Detail{JSON: text}
	}
	return r.element(tree.Root())
}

// fromCarried returns a carried detail; one whose JSON cannot be read as a Carried,
// which none holds.
func fromCarried(cd *errmapv1.CarriedDetail) hub.Detail {
	text, isJSON := cd.GetContent().(*errmapv1.CarriedDetail_Json)
	if !isJSON {
		return hub.Detail{TypeURL: cd.GetTypeUrl(), Value: cd.GetValue()}
	}
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse([]byte(text.Json), DefaultDepth) != nil {
		return hub.Detail{TypeURL: hub.NameCarried}
	}
	root := tree.Root()
	d := hub.Detail{JSON: root.AppendCompact(nil)}
	if kind := root.Get(memberType); kind.Is(jsontree.String) {
		d.TypeURL = kind.Text()
	}
	return d
}

// restoreReceived puts back what other wires said, beside what this one did; what is
// said of wires that are to come stays. A private code comes back into its place where
// the plain form says UNKNOWN.
func (r *reading) restoreReceived(carried []*errmapv1.Received) {
	if len(carried) == 0 {
		return
	}
	all := make(map[hub.Wire]*hub.Received, len(carried)+len(r.Received))
	for _, p := range carried {
		w := hub.Wire(p.GetWire())
		if w == 0 || all[w] != nil {
			r.Notes.Add("errmap.v1.Carried: what a wire said dropped: it has no wire, or one that stands before it")
			continue
		}
		said := r.fromReceived(p)
		all[w] = &said
	}
	// The two forms of HTTP share one status, which is kept under HTTP.
	if p := all[hub.WireProblem]; p != nil && p.HTTPStatus != 0 {
		if all[hub.WireHTTP] == nil {
			all[hub.WireHTTP] = &hub.Received{Wire: hub.WireHTTP}
		}
		if http := all[hub.WireHTTP]; http.HTTPStatus == 0 {
			http.HTTPStatus = p.HTTPStatus
		}
		p.HTTPStatus = 0
	}
	if g := all[hub.WireGRPC]; g != nil && g.Number != "" {
		n, _ := strconv.ParseInt(g.Number, 10, 32)
		if row(r.Number).name == "UNKNOWN" {
			r.Number = int32(n)
		} else {
			r.Notes.Add("errmap.v1.Carried: number %s dropped: the code is %s", g.Number, row(r.Number).name)
		}
		g.Number = ""
	}
	for i := range r.Received {
		own := r.Received[i]
		if have := all[own.Wire]; have != nil {
			own = mergeReceived(*have, own, &r.Notes)
		}
		all[own.Wire] = &own
	}
	received := make([]hub.Received, 0, len(all))
	for _, said := range all {
		if !said.Empty() {
			received = append(received, *said)
		}
	}
	slices.SortFunc(received, func(a, b hub.Received) int { return cmp.Compare(a.Wire, b.Wire) })
	r.Received = received
}

// fromReceived reads what one wire said, as far as it could have said it.
func (r *reading) fromReceived(p *errmapv1.Received) hub.Received {
	said := hub.Received{Wire: hub.Wire(p.GetWire())}
	drop := func(what string) {
		r.Notes.Add("errmap.v1.Carried: %s dropped: the %s wire has none such", what, said.Wire)
	}
	if n := p.GetNumber(); n != "" {
		if said.Number = n; !couldBeNumber(said.Wire, n) {
			drop("number " + strconv.Quote(hub.Clip(n, 64)))
			said.Number = ""
		}
	}
	if text := p.GetCodeText(); text != "" {
		if said.CodeText = text; !couldBeCode(said.Wire, text) {
			drop("code " + strconv.Quote(hub.Clip(text, 64)))
			said.CodeText = ""
		}
	}
	if status := int(p.GetHttpStatus()); IsHTTPStatus(status) {
		said.HTTPStatus = status
	} else if status != 0 {
		drop("HTTP status " + strconv.Itoa(status))
	}
	if b := p.GetUnknownFields(); len(b) > 0 {
		if laterFields(b) {
			said.UnknownFields = b
		} else {
			drop("unknown fields")
		}
	}
	if p.GetMembers() == "" {
		return said
	}
	tree := jsontree.Get()
	defer tree.Release()
	if tree.Parse([]byte(p.GetMembers()), DefaultDepth) != nil || !tree.Root().Is(jsontree.Object) {
		drop("members that are no JSON object")
		return said
	}
	var members []member
	for m := tree.Root().First(); m.Exists(); m = m.Next() {
		switch {
		case m.Repeats():
			r.Notes.Add("member %q stands twice: the first counts", m.NameText())
		case !couldBeMember(said.Wire, m):
			drop("member " + strconv.Quote(hub.Clip(m.NameText(), 64)))
		default:
			members = append(members, member{name: m.NameText(), value: m})
		}
	}
	said.Members = appendMembers(nil, members)
	return said
}

// laterFields tells whether bytes are fields of a google.rpc.Status that its schema
// does not know, and nothing else.
func laterFields(b []byte) bool {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeField(b)
		if n < 0 || number > protowire.MaxValidNumber {
			return false
		}
		if number == 1 && kind == protowire.VarintType || (number == 2 || number == 3) && kind == protowire.BytesType {
			return false
		}
		b = b[n:]
	}
	return true
}

// couldBeNumber tells whether a wire can have said a number that has no place in the
// error: a JSON-RPC code, or a private code of gRPC.
func couldBeNumber(w hub.Wire, token string) bool {
	if !w.Known() {
		return true
	}
	switch w {
	case hub.WireJSONRPC:
		if !jsontree.IsNumber([]byte(token)) {
			return false
		}
		n, integral := jsontree.Int([]byte(token))
		return !integral || strconv.FormatInt(n, 10) == token
	case hub.WireGRPC:
		n, err := strconv.ParseInt(token, 10, 32)
		return err == nil && n != 0 && !hub.Canonical(int32(n)) && strconv.FormatInt(n, 10) == token
	}
	return false
}

// couldBeCode tells whether a text can have stood in the place of a wire's code and
// named none.
func couldBeCode(w hub.Wire, text string) bool {
	if !w.Known() {
		return true
	}
	switch w {
	case hub.WireConnect:
		_, named := codeByConnectName(text)
		return !named
	case hub.WireGRPC:
		_, err := strconv.ParseUint(text, 10, 31)
		return err != nil
	case hub.WireHTTP:
		_, named := codeByName(text)
		return !named
	}
	return false
}

// couldBeMember tells whether a wire's reader would have kept a member: it has not a
// name of the form's and the type that the reader takes, nor one that differs from
// such a name in case alone.
func couldBeMember(w hub.Wire, m jsontree.Value) bool {
	if !w.Known() {
		return true
	}
	form := formNames[w]
	i, folded := form.find(m)
	if folded {
		return false
	}
	return i < 0 || keptThere(w, form[i], m)
}

// formNames are the members that each form itself has.
var formNames = [...]names{
	hub.WireConnect: connectNames,
	hub.WireGRPC:    nil,
	hub.WireStatus:  statusNames,
	hub.WireHTTP:    httpNames,
	hub.WireProblem: problemNames,
	hub.WireJSONRPC: rpcNames,
}

// keptThere tells whether the reader of a form keeps a member of the form's own name
// because of what it holds.
func keptThere(w hub.Wire, name string, m jsontree.Value) bool {
	kind := m.Kind()
	switch name {
	case memberCarried:
		return !isCarried(m)
	case "code":
		switch w {
		case hub.WireConnect:
			return kind != jsontree.String
		case hub.WireStatus:
			_, ok := statusCode(m)
			return !ok
		case hub.WireHTTP:
			number, numbered := readNumber(m)
			return !numbered || number < 1 || number > 16 && number < 100 || number > 599
		case hub.WireProblem:
			_, named := codeByName(m.Text())
			return !named
		}
		_, numbered := readNumber(m)
		return !numbered && kind != jsontree.Number
	case "details":
		if w == hub.WireConnect && kind == jsontree.Array {
			return detailMembers(m)
		}
		return kind != jsontree.Array && kind != jsontree.Null
	case "data":
		return false
	case "metadata":
		return kind != jsontree.Object && kind != jsontree.Null
	case "type", "title":
		return kind != jsontree.Null
	case "errors":
		return true
	case "status":
		if w == hub.WireProblem {
			n, ok := m.Int()
			return kind != jsontree.Null && (!ok || n < 100 || n > 999)
		}
	}
	return kind != jsontree.String && kind != jsontree.Null
}

// mergeReceived adds to what rode along what its own wire says newly. What rode
// along stays; what is said against it is in a note.
func mergeReceived(carried, own hub.Received, n *hub.Notes) hub.Received {
	text := func(what string, have *string, news string) {
		if *have == "" {
			*have = news
		} else if news != "" && news != *have {
			n.Add("%s %q dropped: %q, which rode along, stays", what, hub.Clip(news, 128), hub.Clip(*have, 128))
		}
	}
	text("number", &carried.Number, own.Number)
	text("code", &carried.CodeText, own.CodeText)
	switch {
	case carried.HTTPStatus == 0:
		carried.HTTPStatus = own.HTTPStatus
	case own.HTTPStatus != 0 && own.HTTPStatus != carried.HTTPStatus:
		n.Add("HTTP status %d dropped: %d, which rode along, stays", own.HTTPStatus, carried.HTTPStatus)
	}
	switch {
	case len(carried.UnknownFields) == 0:
		carried.UnknownFields = own.UnknownFields
	case len(own.UnknownFields) > 0 && string(own.UnknownFields) != string(carried.UnknownFields):
		n.Add("unknown fields of a Status dropped: those that rode along stay")
	}
	carried.Members = mergeMembers(carried.Members, own.Members, n)
	return carried
}

// mergeMembers merges two objects whose members are sorted by name.
func mergeMembers(carried, own []byte, n *hub.Notes) []byte {
	if len(carried) == 0 || len(own) == 0 {
		return append(carried, own...)
	}
	have, news := jsontree.Get(), jsontree.Get()
	defer have.Release()
	defer news.Release()
	if have.Parse(carried, anyDepth) != nil || news.Parse(own, anyDepth) != nil {
		return carried
	}
	out := make([]byte, 0, len(carried)+len(own))
	a, b := have.Root().First(), news.Root().First()
	for a.Exists() || b.Exists() {
		order := -1
		switch {
		case !a.Exists():
			order = 1
		case b.Exists():
			order = strings.Compare(a.NameText(), b.NameText())
		}
		if order == 0 && !jsontree.Same(a, b) {
			n.Add("member %q with %s dropped: the one that rode along stays", b.NameText(), hub.Clip(string(b.Raw()), 128))
		}
		next := &a
		if order > 0 {
			next = &b
		}
		out = appendMember(append(out, ','), *next)
		*next = next.Next()
		if order == 0 {
			b = b.Next()
		}
	}
	out[0] = '{'
	return append(out, '}')
}
