package explain

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
)

// parts are what is known of an error in a form of somebody else's.
type parts struct {
	title     string // what it is
	identity  string // what its service calls it
	kind      string // the wider kind that it is of, where the service has two names
	message   string
	status    int // of the response
	said      int // what a member says that the status is
	standard  int // what is documented for it
	delay     time.Duration
	timed     bool // whether there is a delay
	fields    []*errdetails.BadRequest_FieldViolation
	requestID string
	help      string // the URL of a page about it
	resource  string
	facts     []Fact
	loose     bool
}

// labelCode is the label of where the code comes from.
const labelCode = "Code"

// maxTitle is how long a message may be whose words are taken for a name of the error.
const maxTitle = 32

// maxFields bounds how many fields of a request are told.
const maxFields = 256

// found makes an error of the parts. The code is that of the HTTP status, else what
// the service's own names speak of.
func (p *parts) found(why string) Found {
	f := Found{Title: p.title, Why: why, Status: p.status, Facts: p.facts, loose: p.loose}
	f.again = func(status int) Found {
		again := *p
		again.status = status
		return again.found(why)
	}
	said := ""
	if len(p.message) <= maxTitle { // a sentence has words of much else
		said = p.message
	}
	c, by, named := codeOfWords(p.identity, p.kind, said)
	switch {
	case p.status >= 400:
		c = codeOfStatus(p.status)
	case p.said >= 400:
		c = codeOfStatus(p.said)
		f = f.noted(labelCode, "from HTTP status "+itoa(p.said)+", which the body says")
	case p.standard >= 400:
		c = codeOfStatus(p.standard)
		f = f.noted(labelCode, "from HTTP status "+itoa(p.standard)+", which is documented for it: none was shown")
	case named:
		f = f.noted(labelCode, fmt.Sprintf("%s is read out of its own word %q: no HTTP status was shown", c, clip(by, 80)))
	default:
		f = f.noted(labelCode, "neither a status nor its own words say the code: --http-status tells it")
	}
	e := errmap.NewCode(c, p.message)
	if p.timed {
		e = e.WithRetryDelay(p.delay)
	}
	if len(p.fields) > 0 {
		e = e.WithDetail(&errdetails.BadRequest{FieldViolations: p.fields})
	}
	if p.resource != "" {
		e = e.WithDetail(&errdetails.ResourceInfo{ResourceName: p.resource})
	}
	if p.requestID != "" {
		e = e.WithDetail(&errdetails.RequestInfo{RequestId: p.requestID})
	}
	if p.help != "" {
		e = e.WithDetail(&errdetails.Help{Links: []*errdetails.Help_Link{{Description: "about this error", Url: p.help}}})
	}
	f.Error = e
	if p.identity != "" {
		identity := p.identity
		if p.kind != "" && p.kind != p.identity {
			identity += ", of the kind " + p.kind
		}
		f.Facts = append([]Fact{{"Named", identity + ", the service's own name: no reason of google.rpc.ErrorInfo"}}, f.Facts...)
	}
	return f
}

func (p *parts) violation(field, description, reason string) {
	if len(p.fields) < maxFields && (field != "" || description != "") {
		p.fields = append(p.fields, &errdetails.BadRequest_FieldViolation{Field: field, Description: description, Reason: reason})
	}
}

// documented notes the status that a maker documents, which counts where none was
// shown.
func (p *parts) documented(status int) {
	if p.standard == 0 {
		p.standard = status
	}
}

// wait notes a delay of so many seconds.
func (p *parts) wait(seconds float64) {
	if p.timed || seconds < 0 || seconds > 10*365*24*3600 {
		return
	}
	p.delay, p.timed = time.Duration(seconds*float64(time.Second)).Round(time.Millisecond), true
}

func itoa(n int) string { return strconv.Itoa(n) }

func toBase64(b []byte) string { return base64.RawStdEncoding.EncodeToString(b) }

// appendQuoted appends a JSON string; bytes that are not UTF-8 are U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
