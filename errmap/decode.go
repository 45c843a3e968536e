package errmap

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
)

// ErrOK is what a decoder reports of a status whose code is OK: no error.
var ErrOK = errors.New("errmap: the code is OK, which is no error")

// A FormError is what a decoder reports of a body that is not of the expected
// kind, where no HTTP status says what it was.
type FormError struct {
	// Wire is the form that was expected.
	Wire Wire
	// Reason tells what is wrong.
	Reason string
}

// Error returns the form and what is wrong.
func (e *FormError) Error() string { return fmt.Sprintf("not %s error: %s", article(e.Wire), e.Reason) }

// article returns the name of a wire after its indefinite article.
func article(w Wire) string {
	if w == WireHTTP {
		return "an " + w.String()
	}
	return "a " + w.String()
}

// foreign returns the error of a body of another kind: what the HTTP status
// says, its first bytes in a note. The body never becomes the message.
func foreign(w Wire, body []byte, o *decodeOptions, toCode func(int) code.Code, why string) (*Error, error) {
	why = strings.TrimPrefix(why, "jsontext: ") // the name of the parser tells a reader nothing
	if o.httpStatus == 0 || o.httpStatus/100 == 2 || o.stream {
		return nil, &FormError{Wire: w, Reason: why}
	}
	e := &Error{number: int32(toCode(o.httpStatus)), message: statusText(o.httpStatus), decoded: true}
	e.notes.add("body is not %s error (%s); it begins %q", article(w), why, firstBytes(body))
	e.setHTTPStatus(w, o.httpStatus)
	o.finish(e)
	return e, nil
}

// setHTTPStatus keeps a status that the code does not stand for.
func (e *Error) setHTTPStatus(w Wire, status int) {
	if status != row(e.number).http {
		r := e.receivedOn(w)
		r.HTTPStatus = status
		e.setReceived(r)
	}
}

// statusText is the message of an error that only its HTTP status tells.
func statusText(status int) string {
	text := http.StatusText(status)
	if text == "" {
		return fmt.Sprintf("HTTP status %d", status)
	}
	return fmt.Sprintf("HTTP status %d %s", status, text)
}

func firstBytes(body []byte) string {
	if len(body) > 200 {
		body = body[:200]
	}
	return string(body)
}

// atMost cuts a list of details that is longer than any error may have, so that
// what is dropped is not read. Two more may be the code marker and a Carried.
func (o *decodeOptions) atMost(e *Error, elements [][]byte) [][]byte {
	if len(elements)-2 <= o.limits.Details {
		return elements
	}
	e.notes.add("%d details after the first %d dropped", len(elements)-o.limits.Details, o.limits.Details)
	return elements[:o.limits.Details]
}

// finish bounds what was read and adds what the HTTP header says.
func (o *decodeOptions) finish(e *Error) {
	e.details = slices.DeleteFunc(e.details, func(d RawDetail) bool {
		deep := d.json != nil && depth(d.json) > o.limits.Depth-envelopeDepth
		if deep {
			e.notes.add("a JSON detail dropped: %v", errTooDeep)
		}
		return deep
	})
	if len(e.details) > o.limits.Details {
		e.notes.add("%d details after the first %d dropped", len(e.details)-o.limits.Details, o.limits.Details)
		e.details = e.details[:o.limits.Details]
	}
	if len(e.message) > o.limits.Message {
		e.notes.add("message of %d bytes cut to %d", len(e.message), o.limits.Message)
		e.message = cutRunes(e.message, o.limits.Message)
	}
	if len(o.retryAfter) > 0 && o.retryAfter[0] != "" {
		addRetryAfter(e, o.retryAfter[0], o.received)
		noteOthers(e, "Retry-After", o.retryAfter, o.retryAfter[0])
	}
}

// keep puts members into what was received on a wire.
func (e *Error) keep(w Wire, members []member) {
	if len(members) == 0 {
		return
	}
	r := e.receivedOn(w)
	e.setReceived(mergeReceived(r, Received{Wire: w}.withMembers(members), &e.notes))
}

// text takes a string member out of ours. One that is no string is kept as
// received; null and a missing one are "".
func (e *Error) text(w Wire, ours map[string][]byte, name string) (string, bool) {
	raw, ok := ours[name]
	if !ok || isNull(raw) {
		return "", false
	}
	s, ok := stringValue(raw)
	if !ok {
		e.notes.add("member %q is no string", name)
		e.keep(w, []member{newMember(name, raw)})
	}
	return s, ok
}

// elements takes an array member out of ours; one of another type is kept.
func (o *decodeOptions) elements(e *Error, w Wire, ours map[string][]byte, name string) [][]byte {
	raw, ok := ours[name]
	if !ok || isNull(raw) {
		return nil
	}
	elements, ok := arrayElements(raw)
	if !ok {
		e.notes.add("member %q is no array", name)
		e.keep(w, []member{newMember(name, raw)})
	}
	return o.atMost(e, elements)
}
