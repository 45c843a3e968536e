package wire

import (
	"fmt"
	"slices"
	"time"

	"github.com/errmap/errmap/internal/hub"
	"github.com/errmap/errmap/internal/jsontree"
)

// FormError is what a reader reports of a body that is not of the expected kind,
// where no HTTP status says what it was.
type FormError struct {
	Wire   hub.Wire
	Reason string
}

// Error returns the form and what is wrong.
func (e *FormError) Error() string {
	return fmt.Sprintf("not %s error: %s", article(e.Wire), e.Reason)
}

// article returns the name of a wire after its indefinite article.
func article(w hub.Wire) string {
	if w == hub.WireHTTP {
		return "an " + w.String()
	}
	return "a " + w.String()
}

// foreign reads a body of another kind: the error is what the HTTP status says, the
// first bytes are in a note. The body never becomes the message.
func (r *reading) foreign(why string) error {
	if r.o.HTTPStatus == 0 || r.o.HTTPStatus/100 == 2 || r.o.Stream {
		return &FormError{Wire: r.wire, Reason: why}
	}
	FromHTTPStatus(r.Error, r.wire, r.o.HTTPStatus)
	r.Notes.Add("body is not %s error (%s); it begins %q", article(r.wire), why, r.body[:min(len(r.body), 200)])
	r.finish()
	return nil
}

// FromHTTPStatus sets an error to what an HTTP status says on a wire.
func FromHTTPStatus(e *hub.Error, w hub.Wire, status int) {
	toCode := CodeFromConnectHTTP
	switch w {
	case hub.WireHTTP, hub.WireProblem, hub.WireStatus:
		toCode = CodeFromHTTP
	}
	e.Origin, e.Number, e.Message = hub.Read, int32(toCode(status)), StatusText(status)
	e.Details, e.Received = nil, nil
	if w == hub.WireProblem {
		w = hub.WireHTTP
	}
	setHTTPStatus(e, w, status)
}

// finish bounds what was read and adds what the HTTP header says.
func (r *reading) finish() {
	room := r.o.Limits.Depth - envelopeDepth
	r.Details = slices.DeleteFunc(r.Details, func(d hub.Detail) bool {
		deep := d.JSON != nil && height(d.JSON) > room
		if deep {
			r.Notes.Add("a JSON detail dropped: %v", jsontree.ErrTooDeep)
		}
		return deep
	})
	if most := r.o.Limits.Details; len(r.Details) > most {
		r.Notes.Add("%d details after the first %d dropped", len(r.Details)-most, most)
		r.Details = r.Details[:most]
	}
	if most := r.o.Limits.Message; len(r.Message) > most {
		r.Notes.Add("message of %d bytes cut to %d", len(r.Message), most)
		r.Message = hub.CutRunes(r.Message, most)
	}
	if header := r.o.RetryAfter; len(header) > 0 && header[0] != "" {
		r.addRetryAfter(header[0])
		r.noteOthers("Retry-After", header, header[0])
	}
}

// height tells how deep JSON nests.
func height(text []byte) int {
	t := tree(text)
	defer t.Release()
	return t.Root().Height()
}

// noteOthers tells of the values of a header that says several things.
func (r *reading) noteOthers(name string, values []string, counts string) {
	for _, value := range values {
		if jsontree.Clean(value) != jsontree.Clean(counts) {
			r.Notes.Add("%s: %q stands beside the value that counts, and is dropped", name, hub.Clip(value, 128))
		}
	}
}

// addRetryAfter appends what a Retry-After header says as a RetryInfo, unless the
// error has one with a delay.
func (r *reading) addRetryAfter(value string) {
	delay, ok := ParseRetryAfter(value, r.o.Received)
	if !ok {
		r.Notes.Add("Retry-After %q is neither seconds nor a date", hub.Clip(value, 64))
		return
	}
	if said, has := RetryDelay(r.Error, r.o.Catalog); has {
		if WholeSeconds(said) != WholeSeconds(delay) {
			r.Notes.Add("Retry-After %q is not the delay of the RetryInfo, which stands", hub.Clip(value, 64))
		}
		return
	}
	var duration []byte
	if seconds := uint64(delay / time.Second); seconds != 0 {
		duration = appendVarintField(duration, 1, seconds)
	}
	if nanos := uint64(delay % time.Second); nanos != 0 {
		duration = appendVarintField(duration, 2, nanos)
	}
	r.Details = append(r.Details, hub.Detail{
		TypeURL: hub.URLPrefix + hub.NameRetryInfo,
		Value:   appendBytesField(make([]byte, 0, len(duration)+2), 1, duration),
	})
}

// readNumber reads an integral number, or a string that holds one.
func readNumber(v jsontree.Value) (int64, bool) {
	if v.Is(jsontree.String) {
		return jsontree.Int([]byte(v.Text()))
	}
	return v.Int()
}

// numberToken returns the token of a number, or of a string that is one.
func numberToken(v jsontree.Value) (string, bool) {
	switch v.Kind() {
	case jsontree.Number:
		return string(v.Raw()), true
	case jsontree.String:
		text := v.Text()
		return text, jsontree.IsNumber([]byte(text))
	}
	return "", false
}

// setHTTPStatus keeps a status that the code does not stand for.
func setHTTPStatus(e *hub.Error, w hub.Wire, status int) {
	if status != row(e.Number).http {
		said := e.On(w)
		said.HTTPStatus = status
		e.SetReceived(said)
	}
}
