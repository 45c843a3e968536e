package wire

import (
	"slices"
	"strconv"
	"strings"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
	"github.com/errmap/errmap/internal/schema"
)

// httpNames are the members of an error object of AIP-193.
var httpNames = names{"code", "message", "status", "details", memberCarried}

const (
	httpCode = iota
	httpMessage
	httpStatusName
	httpDetails
	httpCarried
)

// AppendHTTP appends the body of an error in the form of AIP-193 and returns its HTTP
// status.
func AppendHTTP(dst []byte, e *hub.Error, o *Encoding) (status int, body []byte) {
	w := begin(e, o, shapeObjects)
	status, stands := w.httpStatus()
	got := e.On(hub.WireHTTP)
	name := row(e.Number).name
	// A text in the code's place stands where readers arrive at the code without it.
	named := got.CodeText != "" && int32(CodeFromHTTP(status)) == target(e.Number)
	if named {
		name = got.CodeText
	}
	if dst == nil {
		dst = make([]byte, 0, room(e, 72, 2))
	}
	dst = strconv.AppendInt(append(dst, `{"error":{"code":`...), int64(status), 10)
	dst = jsontree.AppendString(append(dst, `,"message":`...), e.Message)
	dst = jsontree.AppendString(append(dst, `,"status":`...), name)
	dst = w.appendDetails(dst)
	dst = w.appendRest(dst, hub.WireHTTP, false, httpNames.placeIn, func(r *hub.Received) {
		if r.Wire != hub.WireHTTP {
			return
		}
		if stands {
			r.HTTPStatus = 0
		}
		if named {
			r.CodeText = ""
		}
	})
	return status, append(dst, "}}"...)
}

// httpStatus returns the HTTP status that is written, and whether it says what was
// received: that is so where no reader takes it for the error's own.
func (w *writing) httpStatus() (status int, stands bool) {
	own := ownHTTPStatus(w.Error, w.details, w.o.Catalog)
	got := w.On(hub.WireHTTP).HTTPStatus
	if !standable(got) {
		return own, false
	}
	return got, got != own && got != row(w.Number).http
}

// ownHTTPStatus returns the HTTP status that an error has by its definition, else by
// its code.
func ownHTTPStatus(e *hub.Error, details []hub.Detail, catalog *schema.Catalog) int {
	if d := definition(details, catalog); d != nil && int32(d.Code()) == target(e.Number) {
		if status, ok := d.HTTPStatus(); ok && standable(status) {
			return status
		}
	}
	return row(e.Number).http
}

// ReadHTTP reads the JSON body of an error on HTTP+JSON in the form of AIP-193 and in
// those that stand for it.
func ReadHTTP(e *hub.Error, body []byte, o *Decoding) error {
	r, root, why := read(e, hub.WireHTTP, body, o)
	defer r.tree.Release()
	if why != "" {
		return r.foreign(why)
	}
	own, rest, ok := r.httpMembers(root)
	if !ok {
		return r.foreign("no code, message, status or details")
	}
	if own[httpMessage].Exists() {
		e.Message, _ = r.text(own[httpMessage], &rest)
	}
	status := r.httpCode(own[httpCode], own[httpStatusName], &rest)
	r.list(own[httpDetails], &rest)
	carried := r.carriedMember(own[httpCarried], &rest)
	r.keep(hub.WireHTTP, rest)
	r.restoreHTTP(status, carried)
	return nil
}

// restoreHTTP finishes an error of a form whose HTTP status may be its own, and so
// need not be kept.
func (r *reading) restoreHTTP(status int, carried jsontree.Value) {
	r.restore(shapeObjects, carried)
	r.keepHTTPStatus(status)
	r.finish()
}

// keepHTTPStatus keeps the status of a response, unless it is the error's own.
func (r *reading) keepHTTPStatus(status int) {
	said := r.On(hub.WireHTTP)
	if status == 0 || status == said.HTTPStatus || status == ownHTTPStatus(r.Error, r.Details, r.o.Catalog) {
		return
	}
	r.SetReceived(mergeReceived(said, hub.Received{Wire: hub.WireHTTP, HTTPStatus: status}, &r.Notes))
}

// httpMembers finds the members of the error object, and those that ride along.
func (r *reading) httpMembers(root jsontree.Value) (own [maxNames]jsontree.Value, rest []member, ok bool) {
	inner := root.Get("error")
	switch {
	case inner.Is(jsontree.Object) && slices.ContainsFunc(httpNames[:httpCarried], func(name string) bool { return inner.Get(name).Exists() }):
		own, rest = r.take(inner, httpNames, nil)
		// Beside an error object nothing counts: it rides along.
		rest = r.besides(root, inner, httpNames, &own, rest)
		return own, rest, true
	case inner.Is(jsontree.String):
		own, rest = r.take(root, httpNames, nil)
		rest = slices.DeleteFunc(rest, func(m member) bool {
			folded := m.name != "error" && strings.EqualFold(m.name, "error")
			if folded {
				r.Notes.Add("member %q differs from one of the form's only in case: dropped", m.name)
			}
			return folded
		})
		return own, r.errorText(inner, &own, rest), true
	}
	own, rest = r.take(root, httpNames, nil)
	for i := range httpCarried {
		ok = ok || own[i].Exists()
	}
	return own, rest, ok
}

// besides appends what stands beside an error object to what rides along: one whose
// name is the form's or taken becomes name_2. A Carried there is read.
func (r *reading) besides(root, inner jsontree.Value, form names, own *[maxNames]jsontree.Value, rest []member) []member {
	if root.Len() == 1 {
		return rest
	}
	taken := keys{}
	for _, name := range form {
		taken.free(name)
	}
	for m := inner.First(); m.Exists(); m = m.Next() {
		if name := m.NameText(); !slices.Contains(form, name) && !m.Repeats() {
			taken.free(name)
		}
	}
	for m := root.First(); m.Exists(); m = m.Next() {
		name := m.NameText()
		switch {
		case name == "error" && !m.Repeats():
		case name != "error" && strings.EqualFold(name, "error"):
			r.Notes.Add("member %q differs from one of the form's only in case: dropped", name)
		case m.Repeats():
			r.Notes.Add("member %q stands twice: the first counts", name)
		case name == memberCarried && isCarried(m) && !isCarried(own[httpCarried]) && slices.Contains(form, memberCarried):
			if own[httpCarried].Exists() {
				rest = append(rest, member{name: memberCarried + "_2", value: own[httpCarried]})
			}
			own[httpCarried] = m
		default:
			rest = append(rest, member{name: taken.free(name), value: m})
		}
	}
	return rest
}

// errorText reads an error that is a string: it is the message, unless a member says
// more. rest loses what says nothing new.
func (r *reading) errorText(text jsontree.Value, own *[maxNames]jsontree.Value, rest []member) []member {
	at := func(name string) int {
		return slices.IndexFunc(rest, func(m member) bool { return m.name == name && m.text == nil })
	}
	message := own[httpMessage]
	description := at("error_description")
	switch {
	case description >= 0 && rest[description].value.Is(jsontree.String) && isToken(text.Text()):
		// OAuth 2.0 (RFC 6749 section 5.2): a name of the error, and its text.
		r.Message = rest[description].value.Text()
		own[httpMessage] = jsontree.Value{}
		rest = slices.Delete(rest, description, description+1)
		if message.Exists() && !message.Is(jsontree.Null) && !message.TextIs(r.Message) {
			taken := keys{"message": 2}
			for i := range rest {
				taken.free(rest[i].name)
			}
			rest = append(rest, member{name: taken.free("message"), value: message})
		}
		return rest
	case message.Is(jsontree.String):
		if message.Text() != text.Text() {
			return rest
		}
	default:
		r.Message = text.Text()
		if message.Exists() && !message.Is(jsontree.Null) {
			r.refuse(message, &rest)
		}
		own[httpMessage] = jsontree.Value{}
	}
	// What error says is said.
	if i := at("error"); i >= 0 {
		rest = slices.Delete(rest, i, i+1)
	}
	return rest
}

// isToken tells whether a text is of lower-case letters, digits and underscores.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// httpCode sets the code: that of a known status name, else of a canonical number,
// else of the body's HTTP status, else of the transport's. It returns the HTTP status
// that counts, and keeps what of code and status could not be read.
func (r *reading) httpCode(codeValue, nameValue jsontree.Value, rest *[]member) (status int) {
	name, _ := r.text(nameValue, rest)
	known, named := codeByName(name)
	number, numbered := readNumber(codeValue)
	if codeValue.Exists() && !codeValue.Is(jsontree.Null) && !numbered {
		r.Notes.Add("member \"code\" is no number")
		*rest = append(*rest, member{name: "code", value: codeValue})
	}
	canonical := numbered && number >= 1 && number <= 16
	switch {
	case !numbered:
	case number >= 100 && number <= 599:
		status = int(number)
	case canonical && named:
		if int32(number) != known {
			r.Notes.Add("code %d dropped: status %s stands", number, name)
		}
	case !canonical:
		r.Notes.Add("code %d is neither an HTTP status nor a canonical code", number)
		*rest = append(*rest, member{name: "code", value: codeValue})
	}
	switch {
	case named:
		r.Number = known
	case canonical:
		r.Number = int32(number)
	case status != 0:
		r.Number = int32(CodeFromHTTP(status))
	default:
		r.Number = int32(CodeFromHTTP(r.o.HTTPStatus))
	}
	if name != "" && !named {
		r.Notes.Add("status %q names no code: %s", hub.Clip(name, 64), row(r.Number).name)
		r.SetReceived(hub.Received{Wire: hub.WireHTTP, CodeText: name})
	}
	if status != 0 && r.o.HTTPStatus != 0 && status != r.o.HTTPStatus {
		r.Notes.Add("the response has HTTP status %d, its body says %d, which stands", r.o.HTTPStatus, status)
	}
	if status == 0 {
		status = r.o.HTTPStatus
	}
	return status
}
