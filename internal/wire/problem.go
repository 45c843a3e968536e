package wire

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/protojson"
	"github.com/errmap/errmap/internal/schema"
)

const aboutBlank = "about:blank"

// problemNames are the members of problem details (RFC 9457) that have a meaning here.
var problemNames = names{"type", "title", "status", "detail", "code", "reason", "domain", "metadata", "details", "errors", memberCarried}

const (
	problemType = iota
	problemTitle
	problemStatus
	problemDetail
	problemCode
	problemReason
	problemDomain
	problemMetadata
	problemDetails
	problemErrors
	problemCarried
)

// AppendProblem appends the body of an error as RFC 9457 problem details and returns
// its HTTP status.
func AppendProblem(dst []byte, e *hub.Error, o *Encoding) (status int, body []byte) {
	w := begin(e, o, shapeObjects)
	status, stand := w.httpStatus()
	if dst == nil {
		dst = make([]byte, 0, room(e, 160, 3))
	}
	dst, labels := w.problemHead(append(dst, '{'), status)
	dst = w.appendDetails(dst)
	before := len(dst)
	dst = appendViolations(dst, w.codec, w.details)
	violations := len(dst) > before
	dst = w.appendRest(dst, hub.WireProblem, false, func(m jsontree.Value) place {
		switch {
		case labels.typeStands && m.NameIs("type"), labels.titleStands && m.NameIs("title"):
			return said
		case !violations && m.NameIs("errors"):
			return stands
		}
		return problemNames.placeIn(m)
	}, func(r *hub.Received) {
		if stand && r.Wire == hub.WireHTTP {
			r.HTTPStatus = 0
		}
	})
	return status, append(dst, '}')
}

// labels tell whether the type and the title that a problem had stand again, and as
// what tokens.
type labels struct {
	typeStands, titleStands bool
	kind, title             []byte
}

// problemHead appends the members of a problem before its details.
func (w *writing) problemHead(dst []byte, status int) ([]byte, labels) {
	in, identified := identity(w.details, w.o.Catalog)
	kind, title := ownLabels(in, identified, w.o.Catalog)
	l := w.receivedLabels(kind, title, status)
	if dst = append(dst, `"type":`...); l.typeStands {
		dst = append(dst, l.kind...)
	} else {
		dst = jsontree.AppendString(dst, kind)
	}
	switch dst = append(dst, `,"title":`...); {
	case l.titleStands:
		dst = append(dst, l.title...)
	case title == "" || kind == aboutBlank && !l.typeStands:
		dst = jsontree.AppendString(dst, phrase(status)) // RFC 9457 section 4.2.1
	default:
		dst = jsontree.AppendString(dst, title)
	}
	dst = strconv.AppendInt(append(dst, `,"status":`...), int64(status), 10)
	dst = jsontree.AppendString(append(dst, `,"detail":`...), w.Message)
	dst = jsontree.AppendString(append(dst, `,"code":`...), row(w.Number).name)
	if !identified {
		return dst, l
	}
	dst = jsontree.AppendStringBytes(append(dst, `,"reason":`...), in.Reason())
	if len(in.Domain()) > 0 {
		dst = jsontree.AppendStringBytes(append(dst, `,"domain":`...), in.Domain())
	}
	var few [8]schema.MetadataEntry
	if metadata := in.Sorted(few[:0]); len(metadata) > 0 {
		lead := `,"metadata":{`
		for i := range metadata {
			dst = jsontree.AppendStringBytes(append(dst, lead...), metadata[i].Key)
			dst = jsontree.AppendStringBytes(append(dst, ':'), metadata[i].Value)
			lead = ","
		}
		dst = append(dst, '}')
	}
	return dst, l
}

// receivedLabels tells of the type and the title that a problem had whether they stand
// in the place of the error's own: where readers see them for what they are.
func (w *writing) receivedLabels(kind, title string, status int) (l labels) {
	members := w.On(hub.WireProblem).Members
	if len(members) == 0 {
		return l
	}
	t := tree(members)
	defer t.Release()
	if v := t.Root().Get("type"); v.Is(jsontree.String) {
		if text := v.Text(); text != kind && text != aboutBlank {
			known := w.o.Catalog.ByProblemType(text) != nil
			if guarded := len(w.details) == 0 && known; !guarded || w.o.carries(w.Error) {
				l.typeStands, l.kind, w.guarded = true, v.AppendCompact(nil), guarded
			}
		}
	}
	if v := t.Root().Get("title"); v.Is(jsontree.String) {
		if text := v.Text(); text != title && !isPhrase(text, status) {
			l.titleStands, l.title = true, v.AppendCompact(nil)
		}
	}
	return l
}

// ownLabels returns the type and title that an error has of its own: those of its
// definition. A type is not made for the errors of others.
func ownLabels(in schema.Info, identified bool, catalog *schema.Catalog) (kind, title string) {
	if !identified {
		return aboutBlank, ""
	}
	d, _ := catalog.Lookup(in.Domain(), in.Reason())
	if kind = d.ProblemType(); kind == "" {
		kind = aboutBlank
	}
	return kind, d.Title()
}

// appendViolations appends the member errors with the field violations of the first
// BadRequest that can be read, for people; nothing without any.
func appendViolations(dst []byte, codec *protojson.Codec, details []hub.Detail) []byte {
	for i := range details {
		if !details[i].Is(hub.NameBadRequest) {
			continue
		}
		value, ok := knownPart(codec, &details[i])
		if !ok {
			continue
		}
		start, lead := len(dst), `,"errors":[{"field":`
		ok = eachBytes(value, func(number protowire.Number, violation []byte) bool {
			if number != 1 {
				return true
			}
			var text [2]string // field and description
			ok := eachBytes(violation, func(number protowire.Number, content []byte) bool {
				if number <= 2 {
					text[number-1] = jsontree.Clean(string(content))
				}
				return true
			})
			dst = jsontree.AppendString(append(dst, lead...), text[0])
			dst = append(jsontree.AppendString(append(dst, `,"detail":`...), text[1]), '}')
			lead = `,{"field":`
			return ok
		})
		switch {
		case !ok:
			return dst[:start]
		case len(dst) > start:
			dst = append(dst, ']')
		}
		return dst
	}
	return dst
}

// eachBytes calls f for each field of bytes that has a length. It is false where they
// cannot be read, or where f is.
func eachBytes(b []byte, f func(number protowire.Number, content []byte) bool) bool {
	for len(b) > 0 {
		number, kind, content, rest, ok := protojson.NextField(b)
		if !ok || kind == protowire.BytesType && !f(number, content) {
			return false
		}
		b = rest
	}
	return true
}
