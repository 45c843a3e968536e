package wire

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	errmapv1 "github.com/errmap/errmap/gen/errmap/v1"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
	"google.golang.org/protobuf/encoding/protowire"
)

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
	t := jsontree.Read([]byte(p.GetMembers()), DefaultDepth)
	defer t.Release()
	if !t.Root().Is(jsontree.Object) {
		drop("members that are no JSON object")
		return said
	}
	var members []member
	for m := t.Root().First(); m.Exists(); m = m.Next() {
		switch {
		case m.Repeats():
			r.Notes.Add("member %q stands twice: the first counts", m.NameText())
		case !couldBeMember(said.Wire, m):
			drop("member " + strconv.Quote(hub.Clip(m.NameText(), 64)))
		default:
			members = append(roomFor(members, t.Root()), member{name: m.NameText(), value: m})
		}
	}
	said.Members = appendMembers(nil, members)
	return said
}

// laterFields tells whether bytes are fields of a google.rpc.Status that its schema
// does not know, and nothing else.
func laterFields(b []byte) bool {
	for len(b) > 0 {
		number, kind, _, rest, ok := protojson.NextField(b)
		if !ok {
			return false
		}
		if number == 1 && kind == protowire.VarintType || (number == 2 || number == 3) && kind == protowire.BytesType {
			return false
		}
		b = rest
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
	have, news := tree(carried), tree(own)
	defer have.Release()
	defer news.Release()
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
