package errmap

import (
	"slices"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
)

func decodeProblem(body []byte, o *decodeOptions) (*Error, error) {
	text, err := compactJSON(body, o.limits)
	if err != nil {
		return foreign(WireProblem, body, o, CodeFromHTTP, err.Error())
	}
	members, ok := objectMembers(text)
	if !ok {
		return foreign(WireProblem, body, o, CodeFromHTTP, "not a JSON object")
	}
	e := &Error{decoded: true}
	all, rest := take(members, &e.notes, append(problemMembers, "errors")...)
	if len(all) == 0 && len(rest) > 0 {
		if _, ok := (Received{}).withMembers(rest).member("instance"); !ok {
			return foreign(WireProblem, body, o, CodeFromHTTP, "no member of a problem")
		}
	}
	p := problemReader{e: e, ours: all, rest: rest, options: o}
	p.read()
	e.keep(WireProblem, p.rest)
	restoreHTTP(e, o, WireProblem)
	p.label()
	return e, nil
}

// problemReader reads the members of one problem. What it does not take stays in
// rest, and rides along.
type problemReader struct {
	e       *Error
	ours    map[string][]byte
	rest    []member
	options *decodeOptions
	said    int      // the HTTP status that stood on the wire
	labels  []member // the type and the title that stood there
}

// text takes a string; one of another type counts as absent and rides along.
func (p *problemReader) text(name string) (string, bool) {
	raw, ok := p.ours[name]
	if !ok || isNull(raw) {
		return "", false
	}
	s, ok := stringValue(raw)
	if !ok {
		p.refuse(name)
	}
	return s, ok
}

func (p *problemReader) refuse(name string) {
	p.e.notes.add("member %q is of another type: counts as absent", name)
	p.rest = addMember(p.rest, newMember(name, p.ours[name]), &p.e.notes)
}

func (p *problemReader) read() {
	e, o := p.e, p.options
	kind, typed := p.text("type")
	title, titled := p.text("title")
	detail, told := p.text("detail")
	if e.message = detail; !told {
		e.message = title
	}
	for _, m := range []struct {
		name string
		has  bool
	}{{"type", typed}, {"title", titled}} {
		if m.has {
			p.labels = append(p.labels, newMember(m.name, p.ours[m.name]))
		}
	}
	status := p.status()
	p.said = status
	p.details()
	name, _ := p.text("code")
	known, named := codeByName(name)
	if !named && p.ours["code"] != nil && name != "" {
		e.notes.add("code %q names no code", clip(name, 64))
		p.rest = addMember(p.rest, newMember("code", p.ours["code"]), &e.notes)
	}
	e.number = known
	if len(e.details) == 0 && typed {
		if d := o.errors.ByProblemType(kind); d != nil {
			if info, err := detailOf(&errdetails.ErrorInfo{Reason: d.Reason(), Domain: d.Domain()}); err == nil {
				e.details = append(e.details, info)
			}
			if !named {
				e.number, named = int32(d.Code()), true
			}
		}
	}
	if !named {
		e.number = int32(CodeFromHTTP(status))
	}
	if errors, ok := p.ours["errors"]; ok && !sameText(errors, violationsJSON(e, o.catalog)) {
		p.rest = addMember(p.rest, newMember("errors", errors), &e.notes)
	}
	if status != 0 {
		r := e.receivedOn(WireProblem)
		r.HTTPStatus = status
		e.setReceived(r)
	}
}

// status returns the HTTP status: the real one, else the body's.
func (p *problemReader) status() int {
	raw, ok := p.ours["status"]
	if !ok || isNull(raw) {
		return p.options.httpStatus
	}
	n, ok := readNumber(raw)
	if !ok || !isNumber(raw) || n < 100 || n > 999 {
		p.refuse("status")
		return p.options.httpStatus
	}
	if real := p.options.httpStatus; real != 0 {
		if int64(real) != n {
			p.e.notes.add("the body says HTTP status %d, the response has %d, which stands", n, real)
		}
		return real
	}
	return int(n)
}

// details takes details, or else what reason, domain and metadata say.
func (p *problemReader) details() {
	e, types := p.e, p.options.catalog
	reason, hasReason := p.text("reason")
	domain, hasDomain := p.text("domain")
	metadata, hasMetadata := p.metadata()
	if raw, ok := p.ours["details"]; ok && !isNull(raw) {
		elements, isArray := arrayElements(raw)
		if !isArray {
			p.refuse("details")
		}
		for _, element := range p.options.atMost(e, elements) {
			e.details = append(e.details, parseElement(types, element))
		}
	}
	if !hasReason && !hasDomain && !hasMetadata {
		return
	}
	info := &errdetails.ErrorInfo{Reason: reason, Domain: domain, Metadata: metadata}
	if len(e.details) > 0 {
		p.beside(info)
		return
	}
	if d, err := detailOf(info); err == nil {
		e.details = append(e.details, d)
	}
}

// beside takes reason, domain and metadata where details win: they ride along
// where no detail is an ErrorInfo, which would say the same or contradict them.
func (p *problemReader) beside(info *errdetails.ErrorInfo) {
	contradicted := false
	for _, d := range p.e.details {
		if said := errorInfo(p.options.catalog, d); said != nil {
			if proto.Equal(said, info) {
				return
			}
			contradicted = true
		}
	}
	if contradicted {
		p.e.notes.add("details say another ErrorInfo than reason %q, domain %q and metadata: details stand", clip(info.GetReason(), 64), clip(info.GetDomain(), 64))
		return
	}
	p.e.notes.add("details hold no ErrorInfo: reason, domain and metadata ride along")
	for _, name := range []string{"reason", "domain", "metadata"} {
		raw, ok := p.ours[name]
		if ok && !isNull(raw) && !slices.ContainsFunc(p.rest, func(m member) bool { return m.name == name }) {
			p.rest = append(p.rest, newMember(name, raw))
		}
	}
}

func (p *problemReader) metadata() (map[string]string, bool) {
	raw, ok := p.ours["metadata"]
	if !ok || isNull(raw) {
		return nil, false
	}
	entries, ok := objectMembers(raw)
	if !ok {
		p.refuse("metadata")
		return nil, false
	}
	if slices.ContainsFunc(entries, func(m member) bool { return m.value[0] != '"' }) {
		p.e.notes.add("metadata holds values that are no strings: their JSON text is read")
		p.rest = addMember(p.rest, newMember("metadata", raw), &p.e.notes)
	}
	metadata := map[string]string{}
	for _, m := range textMembers(entries, &p.e.notes) {
		metadata[m.name] = unquote(m.value)
	}
	return metadata, len(metadata) > 0
}

// label adds to what was received the type and the title that stood there, but
// for those that the error has anyway: they are what a writer puts there itself.
func (p *problemReader) label() {
	e, o := p.e, p.options
	kind, title := ownProblem(e, o.errors, o.catalog)
	status := p.said
	if status == 0 {
		status = ownHTTPStatus(e, o.errors, o.catalog)
	}
	implied, news := kind, []member(nil)
	for _, m := range p.labels {
		switch text, _ := stringValue(m.value); {
		case m.name == "type":
			if implied = text; text == kind {
				continue
			}
		case text == titleOr(title, implied, status):
			continue
		}
		news = append(news, m)
	}
	e.keep(WireProblem, news)
}
