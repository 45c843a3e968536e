package wire

import (
	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/schema"
)

// ReadProblem reads RFC 9457 problem details.
func ReadProblem(e *hub.Error, body []byte, o *Decoding) error {
	r, root, why := read(e, hub.WireProblem, body, o)
	defer r.tree.Release()
	if why != "" {
		return r.foreign(why)
	}
	own, rest := r.take(root, problemNames, nil)
	known := root.Len() == 0 || root.Get("instance").Exists()
	for i := range problemCarried {
		known = known || own[i].Exists()
	}
	if !known {
		return r.foreign("no member of a problem")
	}
	p := problemReader{reading: r, own: own, rest: rest}
	p.read(root)
	return nil
}

// problemReader reads the members of one problem. What it does not take stays in
// rest, and rides along.
type problemReader struct {
	reading
	own  [maxNames]jsontree.Value
	rest []member
}

func (p *problemReader) read(root jsontree.Value) {
	kind, _ := p.text(p.own[problemType], &p.rest)
	title, _ := p.text(p.own[problemTitle], &p.rest)
	detail, told := p.text(p.own[problemDetail], &p.rest)
	if p.Message = detail; !told {
		p.Message = title
	}
	status := p.status()
	named := p.code(status)
	identity, identified := p.identity(root)
	p.list(p.own[problemDetails], &p.rest)
	carried := p.carriedMember(p.own[problemCarried], &p.rest)
	p.keep(hub.WireProblem, p.rest)
	believed := p.restore(shapeObjects, carried)
	switch {
	case identified:
		p.supply(identity)
	case kind != "" && len(p.Details) == 0 && !believed:
		if d := p.o.Catalog.ByProblemType(kind); d != nil {
			supplied, _ := schema.InfoDetail(d.Reason(), d.Domain(), nil)
			p.Details = append(p.Details, supplied)
			if !named {
				p.Number = int32(d.Code())
			}
		}
	}
	p.keepHTTPStatus(status)
	p.keepNews(kind, title, status)
	p.finish()
}

// code reads the code, and tells whether it is named. Without a name the HTTP status
// says it.
func (p *problemReader) code(status int) (named bool) {
	name, _ := p.text(p.own[problemCode], &p.rest)
	if p.Number, named = codeByName(name); named {
		return true
	}
	if name != "" {
		p.Notes.Add("code %q names no code", hub.Clip(name, 64))
		p.rest = append(p.rest, member{name: "code", value: p.own[problemCode]})
	}
	p.Number = int32(CodeFromHTTP(status))
	return false
}

// status returns the HTTP status: the real one, else the body's.
func (p *problemReader) status() int {
	v, real := p.own[problemStatus], p.o.HTTPStatus
	if !v.Exists() || v.Is(jsontree.Null) {
		return real
	}
	n, ok := v.Int()
	switch {
	case !ok || n < 100 || n > 999:
		p.refuse(v, &p.rest)
		return real
	case real == 0:
		return int(n)
	case int64(real) != n:
		p.Notes.Add("the body says HTTP status %d, the response has %d, which stands", n, real)
	}
	return real
}

// identity returns the ErrorInfo that reason, domain and metadata say: as bytes where they
// read as one, else as the JSON that they are.
func (p *problemReader) identity(root jsontree.Value) (d hub.Detail, ok bool) {
	if !p.own[problemReason].Exists() && !p.own[problemDomain].Exists() && !p.own[problemMetadata].Exists() {
		return d, false
	}
	if p.own[problemMetadata].Doubled() {
		p.Notes.Add("metadata has a member twice: the first counts")
	}
	if value, reads := p.codec.ReadMessage(hub.URLErrorInfo, root); reads {
		return hub.Detail{TypeURL: hub.URLErrorInfo, Value: value}, len(value) > 0
	}
	text := []byte(`{"` + memberType + `":"` + hub.URLErrorInfo + `"`)
	bare := len(text)
	for _, i := range []int{problemReason, problemDomain} {
		if s, ok := p.text(p.own[i], &p.rest); ok && s != "" {
			text = jsontree.AppendString(append(append(append(text, `,"`...), problemNames[i]...), `":`...), s)
		}
	}
	switch v := p.own[problemMetadata]; v.Kind() {
	case jsontree.Missing, jsontree.Null:
	case jsontree.Object:
		if hasNonStrings(v) {
			p.Notes.Add("metadata holds values that are no strings: their JSON text is read")
		}
		if v.Len() > 0 {
			text = v.AppendOnce(append(text, `,"metadata":`...))
		}
	default:
		if len(text) == bare { // nothing else makes an ErrorInfo
			p.refuse(v, &p.rest)
			break
		}
		p.Notes.Add("metadata is no object: the ErrorInfo stays JSON")
		text = v.AppendOnce(append(text, `,"metadata":`...))
	}
	if len(text) == bare {
		return d, false
	}
	return p.reread(append(text, '}')), true
}

// hasNonStrings tells whether a member of an object is no string.
func hasNonStrings(v jsontree.Value) bool {
	for m := v.First(); m.Exists(); m = m.Next() {
		if !m.Is(jsontree.String) {
			return true
		}
	}
	return false
}

// supply puts the ErrorInfo of the members reason, domain and metadata first, where
// details hold none.
func (p *problemReader) supply(d hub.Detail) {
	held := false
	want, _ := knownPart(p.codec, &d)
	for i := range p.Details {
		if !p.Details[i].Is(hub.NameErrorInfo) {
			continue
		}
		value, ok := knownPart(p.codec, &p.Details[i])
		if ok && p.codec.Equal(hub.URLErrorInfo, want, value) {
			return
		}
		held = held || ok
	}
	if held {
		p.Notes.Add("details say another ErrorInfo than reason, domain and metadata: details stand")
		return
	}
	p.Details = append([]hub.Detail{d}, p.Details...)
}

// keepNews keeps the type, the title and the errors that stood there, but for what a
// writer puts there itself and for what says nothing.
func (p *problemReader) keepNews(kind, title string, status int) {
	in, identified := identity(p.Details, p.o.Catalog)
	ownKind, ownTitle := ownLabels(in, identified, p.o.Catalog)
	if status == 0 {
		status = ownHTTPStatus(p.Error, p.Details, p.o.Catalog)
	}
	var news []member
	if p.own[problemType].Is(jsontree.String) && kind != ownKind && kind != aboutBlank {
		news = append(news, member{name: "type", value: p.own[problemType]})
	}
	if p.own[problemTitle].Is(jsontree.String) && title != ownTitle && !isPhrase(title, status) {
		news = append(news, member{name: "title", value: p.own[problemTitle]})
	}
	if errors := p.own[problemErrors]; errors.Exists() && !p.sameViolations(errors) {
		news = append(news, member{name: "errors", value: errors})
	}
	if len(news) > 0 {
		said := hub.Received{Wire: hub.WireProblem, Members: appendMembers(nil, news)}
		p.SetReceived(mergeReceived(p.On(hub.WireProblem), said, &p.Notes))
	}
}

// sameViolations tells whether the member errors is what a writer makes of the error.
func (p *problemReader) sameViolations(errors jsontree.Value) bool {
	text := appendViolations([]byte{'{'}, p.codec, p.Details)
	if len(text) == 1 {
		return false
	}
	text[1] = ' '
	t := tree(append(text, '}'))
	defer t.Release()
	return jsontree.Same(t.Root().Get("errors"), errors)
}
