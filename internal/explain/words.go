package explain

import (
	"fmt"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/listing"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// retryWords tells whether to make the same call again, and when.
func (r reader) retryWords(e *errmap.Error) string {
	delay, timed := e.RetryDelay()
	d := r.definitionOf(e)
	said, known := d.Retryable()
	switch {
	case known && !said:
		return "no: that is how " + d.Reason() + " is defined"
	case timed && delay == 0:
		return "yes, at once (RetryInfo)"
	case timed:
		return fmt.Sprintf("yes, after %s (RetryInfo)", delay)
	case known:
		return "yes, with growing pauses: that is how " + d.Reason() + " is defined"
	}
	return listing.RetryAdvice(e.Code())
}

// detailWords tells one detail in lines.
func (r reader) detailWords(d errmap.RawDetail) []string {
	if text, ok := d.JSON(); ok {
		if d.TypeURL() == "" {
			return []string{"JSON of no type: " + string(text)}
		}
		return []string{fmt.Sprintf("%s, a type that this program does not read as it stands: %s", d.Name(), text)}
	}
	value, _ := d.Value()
	if d.TypeURL() == "" && len(value) == 0 {
		return []string{"an empty detail"}
	}
	m, err := r.readDetail(d.TypeURL(), value)
	if err != nil {
		return []string{fmt.Sprintf("%s: %d bytes that this program cannot read", d.Name(), len(value))}
	}
	if lines := knownWords(m); lines != nil {
		return lines
	}
	return []string{fmt.Sprintf("%s: %s", d.Name(), r.protoJSON(m))}
}

func (r reader) readDetail(typeURL string, value []byte) (proto.Message, error) {
	mt, err := r.catalog.FindMessageByURL(typeURL)
	if err != nil {
		return nil, err
	}
	m := mt.New().Interface()
	return m, proto.UnmarshalOptions{Resolver: r.catalog}.Unmarshal(value, m)
}

// reader reads with the types and the errors of one catalogue.
type reader struct{ catalog *errmap.Catalog }

// knownWords tells a detail of google.rpc; nil for another one.
func knownWords(m proto.Message) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch m := m.(type) {
	case *errdetails.ErrorInfo:
		add("ErrorInfo: %s of %s", orNone(m.GetReason()), orNone(m.GetDomain()))
		for _, key := range sortedKeys(m.GetMetadata()) {
			add("  %s: %s", key, m.GetMetadata()[key])
		}
	case *errdetails.RetryInfo:
		if m.GetRetryDelay() == nil {
			add("RetryInfo: no delay")
			break
		}
		add("RetryInfo: wait %s before the next try", max(m.GetRetryDelay().AsDuration(), 0).Round(time.Microsecond))
	case *errdetails.BadRequest:
		add("BadRequest: %s of the request", plural(len(m.GetFieldViolations()), "field"))
		for _, v := range m.GetFieldViolations() {
			add("  %s: %s", v.GetField(), v.GetDescription())
		}
	case *errdetails.QuotaFailure:
		add("QuotaFailure: %s", plural(len(m.GetViolations()), "quota"))
		for _, v := range m.GetViolations() {
			add("  %s: %s", v.GetSubject(), v.GetDescription())
		}
	case *errdetails.PreconditionFailure:
		add("PreconditionFailure: %s", plural(len(m.GetViolations()), "precondition"))
		for _, v := range m.GetViolations() {
			add("  %s of %s: %s", v.GetType(), v.GetSubject(), v.GetDescription())
		}
	case *errdetails.ResourceInfo:
		add("ResourceInfo: %s %s", m.GetResourceType(), m.GetResourceName())
		for _, part := range []struct{ name, text string }{{"owner", m.GetOwner()}, {"description", m.GetDescription()}} {
			if part.text != "" {
				add("  %s: %s", part.name, part.text)
			}
		}
	case *errdetails.RequestInfo:
		add("RequestInfo: the request is %s in the server's log", orNone(m.GetRequestId()))
		if m.GetServingData() != "" {
			add("  serving data: %s", m.GetServingData())
		}
	case *errdetails.Help:
		add("Help: %s", plural(len(m.GetLinks()), "link"))
		for _, l := range m.GetLinks() {
			add("  %s: %s", l.GetDescription(), l.GetUrl())
		}
	case *errdetails.LocalizedMessage:
		add("LocalizedMessage in %s: %s", orNone(m.GetLocale()), m.GetMessage())
	case *errdetails.DebugInfo:
		add("DebugInfo: %s", orNone(m.GetDetail()))
		for _, entry := range m.GetStackEntries() {
			add("  %s", entry)
		}
	}
	return lines
}

// receivedWords tells what one wire said beside the error.
func receivedWords(r errmap.Received) []string {
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, r.Wire.String()+": "+fmt.Sprintf(format, args...))
	}
	if r.Number != "" {
		add("the number was %s", r.Number)
	}
	if r.CodeText != "" {
		add("in the place of the code stood %q", r.CodeText)
	}
	if r.HTTPStatus != 0 {
		add("the HTTP status was %d", r.HTTPStatus)
	}
	if len(r.Members) > 0 {
		add("other members were %s", r.Members)
	}
	if len(r.UnknownFields) > 0 {
		add("the Status held %d bytes of fields that are not known here", len(r.UnknownFields))
	}
	return lines
}

func (r reader) definitionOf(e *errmap.Error) *errmap.Definition {
	return r.catalog.Find(e.Domain(), e.Reason())
}

// protoJSON is the ProtoJSON of a message without the white space that the
// library puts in at random.
func (r reader) protoJSON(m proto.Message) string {
	text, err := protojson.MarshalOptions{Resolver: r.catalog, UseProtoNames: true}.Marshal(m)
	if err != nil {
		return "a value without JSON"
	}
	return compactJSON(text)
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
