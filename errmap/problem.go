package errmap

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/internal/schema"
)

// The content types of errors on HTTP+JSON.
const (
	ContentTypeJSON    = "application/json"
	ContentTypeA2A     = "application/a2a+json"
	ContentTypeProblem = "application/problem+json"
)

const aboutBlank = "about:blank"

// problemMembers are the members of a problem that are read; "errors" is for
// people.
var problemMembers = []string{"type", "title", "status", "detail", "code", "reason", "domain", "metadata", "details"}

// EncodeProblem returns the HTTP status and the body of e as RFC 9457 problem
// details; 0 and nil for nil. Its content type is ContentTypeProblem.
func EncodeProblem(e *Error, opts ...EncodeOption) (status int, body []byte) {
	if e == nil {
		return 0, nil
	}
	o := newEncodeOptions(opts)
	e = readable(e, o.catalog)
	r := settle(e, o, form[response]{
		wire:       WireProblem,
		shape:      shapeObjects,
		candidates: problemCandidates(e, o),
		items:      func(candidate) []item { return plainItems(o.catalog, e, shapeObjects) },
		write: func(c candidate, items []item, _ bool, carried *RawDetail) response {
			return response{c.status, writeProblem(e, o.catalog, c, items, carried)}
		},
		read: func(r response, o *decodeOptions) (*Error, error) {
			o.httpStatus = r.status
			return decodeProblem(r.body, o)
		},
	})
	return r.status, r.body
}

// DecodeProblem reads RFC 9457 problem details. The real HTTP status, where
// WithHTTPStatus gives it, wins over the one in the body.
func DecodeProblem(body []byte, opts ...DecodeOption) (*Error, error) {
	return decodeProblem(body, newDecodeOptions(opts))
}

// problemCandidates returns first the way in which all that a problem said
// stands again, then those in which less of it does.
func problemCandidates(e *Error, o *encodeOptions) []candidate {
	got := e.receivedOn(WireProblem)
	own := ownHTTPStatus(e, o.catalog, o.catalog)
	c := candidate{status: own, made: Received{HTTPStatus: own}}
	if standable(got.HTTPStatus) {
		c = candidate{status: got.HTTPStatus, said: Received{HTTPStatus: got.HTTPStatus}}
	}
	c.said.Wire = WireProblem
	kind, title := ownProblem(e, o.catalog, o.catalog)
	bare := c
	bare.made = bare.made.withMembers([]member{
		newMember("type", appendString(nil, kind)), newMember("title", appendString(nil, titleOr(title, kind, c.status))),
	})
	members, _ := objectMembers(got.Members)
	members = slices.DeleteFunc(members, func(m member) bool {
		if m.name == "type" || m.name == "title" {
			return m.value[0] != '"'
		}
		return m.name == "errors" || slices.Contains(problemMembers, m.name)
	})
	if len(members) == 0 {
		return []candidate{bare}
	}
	whole := c
	whole.said = whole.said.withMembers(members)
	var made []member
	if _, ok := whole.said.member("type"); !ok {
		made = append(made, newMember("type", appendString(nil, kind)))
	}
	if _, ok := whole.said.member("title"); !ok {
		if raw, ok := whole.said.member("type"); ok {
			kind, _ = stringValue(raw)
		}
		made = append(made, newMember("title", appendString(nil, titleOr(title, kind, c.status))))
	}
	whole.made = whole.made.withMembers(made)
	return []candidate{whole, bare}
}

// ownProblem returns the type and title that an error has of its own.
func ownProblem(e *Error, errors, types *Catalog) (kind, title string) {
	info, _ := e.identity(errors, types)
	if info.GetReason() == "" {
		return aboutBlank, ""
	}
	if d := errors.Find(info.GetDomain(), info.GetReason()); d != nil {
		kind, title = d.ProblemType(), d.Title()
	} else {
		kind, title = problemType(info), info.GetReason()
	}
	if kind == "" {
		kind = aboutBlank
	}
	return kind, title
}

// problemType returns the type URI of an ErrorInfo, "" where its domain and
// reason make none.
func problemType(info *errdetails.ErrorInfo) string {
	if info.GetDomain() == "" || info.GetReason() == "" {
		return ""
	}
	uri := "https://" + info.GetDomain() + "/errors/" + schema.Kebab(info.GetReason())
	u, err := url.Parse(uri)
	if err != nil || u.Host != info.GetDomain() || u.String() != uri || u.RawQuery != "" || u.Fragment != "" {
		return ""
	}
	return uri
}

// titleOr returns the HTTP phrase for about:blank (RFC 9457 section 4.2.1).
func titleOr(title, kind string, status int) string {
	if kind != aboutBlank && title != "" {
		return title
	}
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "HTTP status " + strconv.Itoa(status)
}

func writeProblem(e *Error, types *Catalog, c candidate, items []item, carried *RawDetail) []byte {
	out := []byte{'{'}
	add := func(name string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(appendString(out, name), ':'), value...)
	}
	for _, name := range []string{"type", "title"} {
		if raw, ok := c.said.member(name); ok {
			add(name, raw)
		} else if raw, ok := c.made.member(name); ok {
			add(name, raw)
		}
	}
	add("status", strconv.AppendInt(nil, int64(c.status), 10))
	add("detail", appendString(nil, e.message))
	add("code", appendString(nil, row(e.number).name))
	if info, _ := e.identity(types, types); info != nil {
		for _, part := range []struct{ name, text string }{{"reason", info.GetReason()}, {"domain", info.GetDomain()}} {
			if part.text != "" {
				add(part.name, appendString(nil, part.text))
			}
		}
		if len(info.GetMetadata()) > 0 {
			add("metadata", metadataJSON(info.GetMetadata()))
		}
	}
	if list := appendDetails(nil, types, items, carried); list != nil {
		out = append(out, list...)
	}
	if violations := violationsJSON(e, types); violations != nil {
		add("errors", violations)
	}
	members, _ := objectMembers(c.said.Members)
	for _, m := range members {
		if m.name != "type" && m.name != "title" {
			out = append(append(append(append(out, ','), m.rawName...), ':'), m.value...)
		}
	}
	return append(out, '}')
}

func metadataJSON(metadata map[string]string) []byte {
	keys := make([]string, 0, len(metadata))
	for key := range metadata {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	members := make([]member, len(keys))
	for i, key := range keys {
		members[i] = newMember(key, appendString(nil, metadata[key]))
	}
	return appendMembers(nil, members)
}

// violationsJSON returns the field violations of a BadRequest for people; nil
// without any.
func violationsJSON(e *Error, types *Catalog) []byte {
	for _, d := range e.details {
		if d.Name() != nameBadRequest {
			continue
		}
		bad := new(errdetails.BadRequest)
		if d.json != nil {
			d, _ = knownPart(types, d)
		}
		if proto.Unmarshal(d.value, bad) != nil || len(bad.GetFieldViolations()) == 0 {
			return nil
		}
		out := []byte{'['}
		for i, v := range bad.GetFieldViolations() {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendString(append(out, `{"field":`...), v.GetField())
			out = append(appendString(append(out, `,"detail":`...), v.GetDescription()), '}')
		}
		return append(out, ']')
	}
	return nil
}
