package errmap

import (
	"strconv"

	"github.com/errmap/errmap/internal/rpcjson"
)

// EncodeHTTP returns the HTTP status and the JSON body of e on HTTP+JSON as
// AIP-193 has it; 0 and nil for nil. The content type is application/json, or
// application/a2a+json for a client that asks for it.
func EncodeHTTP(e *Error, opts ...EncodeOption) (status int, body []byte) {
	if e == nil {
		return 0, nil
	}
	o := newEncodeOptions(opts)
	if status, body, ok := appendPlainHTTP(e, o); ok {
		return status, body
	}
	return settleHTTP(e, o)
}

func settleHTTP(e *Error, o *encodeOptions) (status int, body []byte) {
	e = readable(e, o.catalog)
	r := settle(e, o, form[response]{
		wire:       WireHTTP,
		shape:      shapeObjects,
		candidates: httpCandidates(e, o),
		items:      func(candidate) []item { return plainItems(o.catalog, e, shapeObjects) },
		write: func(c candidate, items []item, _ bool, carried *RawDetail) response {
			out := strconv.AppendInt([]byte(`{"error":{"code":`), int64(c.status), 10)
			out = appendString(append(out, `,"message":`...), e.message)
			name := c.codeText
			if name == "" {
				name = row(e.number).name
			}
			out = appendString(append(out, `,"status":`...), name)
			out = appendDetails(out, o.catalog, items, carried)
			return response{c.status, append(out, "}}"...)}
		},
		read: func(r response, o *decodeOptions) (*Error, error) {
			o.httpStatus = r.status
			return decodeHTTP(r.body, o)
		},
	})
	return r.status, r.body
}

// DecodeHTTP reads the JSON body of an error on HTTP+JSON in the form of AIP-193
// and in those that stand for it: inside an array, without its wrapper, with a
// canonical number or the text of one as its code, or a string as the error.
func DecodeHTTP(body []byte, opts ...DecodeOption) (*Error, error) {
	return decodeHTTP(body, newDecodeOptions(opts))
}

// response is an error on HTTP: its status and its body.
type response struct {
	status int
	body   []byte
}

// httpCandidates returns the ways to say what was received on HTTP+JSON once
// more, before the way that an error made here has.
func httpCandidates(e *Error, o *encodeOptions) []candidate {
	got := e.receivedOn(WireHTTP)
	own := ownHTTPStatus(e, o.catalog, o.catalog)
	c := candidate{status: own, made: Received{HTTPStatus: own}}
	if standable(got.HTTPStatus) {
		c = candidate{status: got.HTTPStatus, said: Received{HTTPStatus: got.HTTPStatus}}
	}
	c.said.Wire = WireHTTP
	if got.CodeText == "" {
		return []candidate{c}
	}
	named := c
	named.codeText, named.said.CodeText = got.CodeText, got.CodeText
	return []candidate{named, c}
}

// standable tells whether an HTTP status is one of an error.
func standable(status int) bool { return status >= 400 && status <= 599 }

// ownHTTPStatus returns the HTTP status of an error: that of its definition,
// else that of its code.
func ownHTTPStatus(e *Error, errors, types *Catalog) int {
	if d := definitionOf(e, errors, types); d != nil && d.Code() == e.Code() {
		if status, ok := d.HTTPStatus(); ok && standable(status) {
			return status
		}
	}
	return row(e.number).http
}

// definitionOf returns the definition of the error's identity: of the first
// ErrorInfo whose domain is known; nil where there is none.
func definitionOf(e *Error, errors, types *Catalog) *Definition {
	for _, d := range e.details {
		if d.Name() != nameErrorInfo {
			continue
		}
		if d.json == nil {
			if reason, domain, ok := rpcjson.ErrorInfoFields(d.value); ok {
				if d, knows := errors.find(domain, reason); knows {
					return d
				}
				continue
			}
		}
		if info := errorInfo(types, d); info != nil && errors.KnowsDomain(info.GetDomain()) {
			return errors.Find(info.GetDomain(), info.GetReason())
		}
	}
	return nil
}

func decodeHTTP(body []byte, o *decodeOptions) (*Error, error) {
	text, err := compactJSON(body, o.limits)
	if err != nil {
		return foreign(WireHTTP, body, o, CodeFromHTTP, err.Error())
	}
	e := &Error{decoded: true}
	members, ok := httpMembers(e, text)
	if !ok {
		return foreign(WireHTTP, body, o, CodeFromHTTP, "no error object")
	}
	ours, rest := take(members, &e.notes, "code", "message", "status", "details")
	if len(ours) == 0 {
		return foreign(WireHTTP, body, o, CodeFromHTTP, "no code, message, status or details")
	}
	e.message, _ = e.text(WireHTTP, ours, "message")
	rest = readHTTPCode(e, ours, rest, o)
	for _, raw := range o.elements(e, WireHTTP, ours, "details") {
		e.details = append(e.details, parseElement(o.catalog, raw))
	}
	e.keep(WireHTTP, rest)
	restoreHTTP(e, o, WireHTTP)
	return e, nil
}

// restoreHTTP finishes an error of a form whose HTTP status may be its own, and
// so need not be kept.
func restoreHTTP(e *Error, o *decodeOptions, w Wire) {
	plain := e.receivedOn(w)
	own := plain
	own.HTTPStatus = 0
	e.setReceived(own)
	restore(o.catalog, e, shapeObjects)
	if r := e.receivedOn(w); plain.HTTPStatus != r.HTTPStatus && plain.HTTPStatus != ownHTTPStatus(e, o.errors, o.catalog) {
		e.setReceived(mergeReceived(r, Received{Wire: w, HTTPStatus: plain.HTTPStatus}, &e.notes))
	}
	o.finish(e)
}

// httpMembers finds the members of the error object.
func httpMembers(e *Error, text []byte) ([]member, bool) {
	if elements, ok := arrayElements(text); ok && len(elements) == 1 {
		text = elements[0]
	}
	outer, ok := objectMembers(text)
	if !ok {
		return nil, false
	}
	var lost notes
	ours, rest := take(outer, &lost, "error")
	raw, wrapped := ours["error"]
	if !wrapped {
		return outer, true
	}
	inner, isObject := objectMembers(raw)
	if s, isString := stringValue(raw); isString {
		inner, isObject = []member{newMember("message", appendString(nil, s))}, true
	}
	if !isObject {
		return outer, true
	}
	e.notes = append(e.notes, lost...)
	return withOuter(inner, rest), true
}

// withOuter returns the members of an error object with those beside the object,
// which ride along: one whose name is taken becomes name_2.
func withOuter(inner, outer []member, names ...string) []member {
	taken := make(map[string]bool, len(inner)+len(outer))
	for _, name := range names {
		taken[name] = true
	}
	for _, m := range inner {
		taken[m.name] = true
	}
	for _, m := range outer {
		name := freeKey(m.name, func(key string) bool { return taken[key] })
		taken[name] = true
		inner = append(inner, newMember(name, m.value))
	}
	return inner
}

// freeKey returns a key that is not taken: key, key_2, key_3 and so on.
func freeKey(key string, taken func(string) bool) string {
	free := key
	for n := 2; taken(free); n++ {
		free = key + "_" + strconv.Itoa(n)
	}
	return free
}

// readHTTPCode sets the code: that of a known status name, else of a canonical
// number, else of the body's HTTP status, else of the transport's. It returns
// rest with what of code and status could not be read.
func readHTTPCode(e *Error, ours map[string][]byte, rest []member, o *decodeOptions) []member {
	name, _ := e.text(WireHTTP, ours, "status")
	number, numbered := readNumber(ours["code"])
	if raw := ours["code"]; raw != nil && !isNull(raw) && !numbered {
		e.notes.add("member \"code\" is no number")
		rest = addMember(rest, newMember("code", raw), &e.notes)
	}
	known, named := codeByName(name)
	status := 0
	switch {
	case numbered && number >= 100 && number <= 599:
		status = int(number)
	case numbered && (name != "" || !canonical(int32(min(max(number, -1), 99)))):
		why := "no HTTP status"
		if name == "" {
			why = "neither an HTTP status nor a canonical code"
		}
		e.notes.add("code %d is %s", number, why)
		rest = addMember(rest, newMember("code", ours["code"]), &e.notes)
		numbered = false
	}
	switch {
	case named:
		e.number = known
	case numbered && status == 0:
		e.number = int32(number)
	case status != 0:
		e.number = int32(CodeFromHTTP(status))
	default:
		e.number = int32(CodeFromHTTP(o.httpStatus))
	}
	if name != "" && !named {
		e.notes.add("status %q names no code: %s", clip(name, 64), row(e.number).name)
		r := e.receivedOn(WireHTTP)
		r.CodeText = name
		e.setReceived(r)
	}
	if status != 0 && o.httpStatus != 0 && status != o.httpStatus {
		e.notes.add("the response has HTTP status %d, its body says %d, which stands", o.httpStatus, status)
	}
	if status == 0 {
		status = o.httpStatus
	}
	if status != 0 {
		r := e.receivedOn(WireHTTP)
		r.HTTPStatus = status
		e.setReceived(r)
	}
	return rest
}

// readNumber reads an integral number, or a string that holds one.
func readNumber(raw []byte) (int64, bool) {
	if s, ok := stringValue(raw); ok {
		raw = []byte(s)
	}
	if !isJSONNumber(raw) {
		return 0, false
	}
	return numberOf(string(raw))
}
