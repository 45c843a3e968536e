package explain

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/listing"
	"github.com/errmap/errmap/internal/translate"
)

// Profiles are those under which an object of JSON-RPC is read: all that are built
// in, since which one a connection had does not stand in the text.
func Profiles() []errmap.Profile {
	return []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP}
}

// Report is what there is to tell of an error. As JSON it is what tools read.
type Report struct {
	// What it is, and what it was recognized by.
	What         string   `json:"what"`
	RecognizedBy string   `json:"recognized_by"`
	Inside       []string `json:"inside,omitempty"`
	// Form is that of errmap, "" for somebody else's.
	Form       string `json:"form,omitempty"`
	HTTPStatus int    `json:"http_status,omitempty"`
	// Known are the facts that no error of errmap has a place for.
	Known    []Fact    `json:"known,omitempty"`
	Readings []Reading `json:"readings"`
	// Redacted says that credentials or the like stood in the text and are not shown.
	Redacted bool `json:"redacted,omitempty"`
}

// Reading is what the error is under some profiles of JSON-RPC; one of another form
// has one reading and no profiles.
type Reading struct {
	Profiles []string `json:"profiles,omitempty"`
	Code     string   `json:"code"`
	Number   int32    `json:"number"`
	Meaning  string   `json:"meaning"`
	Message  string   `json:"message"`
	Domain   string   `json:"domain,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	// Title and Defined are those of the definition, where it is known.
	Title   string   `json:"title,omitempty"`
	Defined string   `json:"defined_as,omitempty"`
	Whose   []string `json:"-"`
	Retry   Retry    `json:"retry"`
	Fields  []Fact   `json:"fields,omitempty"`
	// Details and Received are in words.
	Details  []string `json:"details,omitempty"`
	Received []string `json:"received,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	Wires    []Wire   `json:"wires"`
}

// Retry tells whether to make the same call again.
type Retry struct {
	Advice string `json:"advice"`
	// Seconds is the delay that the error says, nil for none.
	Seconds *float64 `json:"after_seconds,omitempty"`
	// Retryable is what errmap's clients conclude.
	Retryable bool `json:"retryable"`
}

// Wire is the error in another form.
type Wire struct {
	Name       string   `json:"name"`
	HTTPStatus int      `json:"http_status,omitempty"`
	Text       string   `json:"text"`
	Notes      []string `json:"notes,omitempty"`
}

// titles is what each form is called in a sentence.
var titles = map[translate.Form]string{
	translate.Connect: "an error of the Connect protocol",
	translate.GRPC:    "an error of gRPC",
	translate.Status:  "a google.rpc.Status in JSON",
	translate.HTTP:    "an error of HTTP+JSON after AIP-193",
	translate.Problem: "an RFC 9457 problem",
	translate.JSONRPC: "a JSON-RPC 2.0 error object",
}

// Report tells of an error with the errors and types of a catalogue. now is the
// moment from which a date in Retry-After counts. It fails where the text is none of
// the form that it was found or said to be.
func (f Found) Report(catalog *errmap.Catalog, now time.Time) (*Report, error) {
	if f.secrets == nil {
		f.secrets = findSecrets(f.Text)
	}
	r := reader{catalog}
	report := &Report{What: f.Title, RecognizedBy: f.Why, Inside: f.Inside, Form: string(f.Form), HTTPStatus: f.Status, Known: slices.Clone(f.Facts)}
	if report.What == "" {
		report.What = titles[f.Form]
	}
	var errs []*errmap.Error
	var of [][]errmap.Profile
	for _, p := range Profiles() {
		e, err := f.decode(r, p, now)
		if err != nil {
			return nil, err
		}
		e, hid := f.secrets.cleanError(e, catalog)
		report.Redacted = report.Redacted || hid
		if i := slices.IndexFunc(errs, func(other *errmap.Error) bool { return r.same(other, e) }); i >= 0 {
			of[i] = append(of[i], p)
		} else {
			errs, of = append(errs, e), append(of, []errmap.Profile{p})
		}
		if f.Form != translate.JSONRPC {
			break
		}
	}
	for i, e := range errs {
		reading := r.read(e)
		if f.Form == translate.JSONRPC {
			for _, p := range of[i] {
				reading.Profiles = append(reading.Profiles, p.String())
			}
		}
		reading.Wires = r.wires(e, f.Form)
		report.Readings = append(report.Readings, reading)
	}
	report.clean(f.secrets)
	return report, nil
}

func (f Found) decode(r reader, p errmap.Profile, now time.Time) (*errmap.Error, error) {
	opts := []errmap.DecodeOption{errmap.WithCatalog(r.catalog)}
	header := f.Header
	if f.Status != 0 {
		opts = append(opts, errmap.WithHTTPStatus(f.Status))
	}
	if f.Error != nil && f.Form == "" {
		if _, timed := f.Error.RetryDelay(); timed || header.Get("Retry-After") == "" {
			return f.Error, nil
		}
		// The header is read as any decoder reads it.
		timed, err := errmap.DecodeHTTP(nil, errmap.WithHTTPStatus(max(f.Status, 400)), errmap.WithHTTPHeader(http.Header{"Retry-After": header["Retry-After"]}, now))
		if err != nil {
			return f.Error, nil //nolint:nilerr // the delay is left out
		}
		if delay, ok := timed.RetryDelay(); ok {
			return f.Error.WithRetryDelay(delay), nil
		}
		return f.Error, nil
	}
	if header != nil {
		opts = append(opts, errmap.WithHTTPHeader(header, now))
	}
	return translate.Decode(f.Form, p, f.Text, opts...)
}

// cleanError returns an error without secrets: the status form says all of it, so it
// is written so, cleaned and read again.
func (s *secrets) cleanError(e *errmap.Error, catalog *errmap.Catalog) (*errmap.Error, bool) {
	text, changed := s.cleanJSON(errmap.EncodeStatusJSON(e, errmap.WithCatalog(catalog)))
	if !changed {
		return e, false
	}
	clean, err := errmap.DecodeStatusJSON(text, errmap.WithCatalog(catalog))
	if err != nil {
		return errmap.NewCode(e.Code(), Redacted), true
	}
	return clean, true
}

// same tells whether two readings of one text say the same: then they look the same
// in the form that says most of what was received.
func (r reader) same(a, b *errmap.Error) bool {
	opt := errmap.WithCatalog(r.catalog)
	return bytes.Equal(errmap.EncodeStatusJSON(a, opt), errmap.EncodeStatusJSON(b, opt)) && slices.Equal(a.Notes(), b.Notes())
}

func (r reader) read(e *errmap.Error) Reading {
	out := Reading{
		Code: e.Code().String(), Number: e.Number(), Meaning: listing.Meaning(e.Code()), Message: e.Message(),
		Domain: e.Domain(), Reason: e.Reason(), Whose: r.whoseWords(e), Fields: r.fields(e), Notes: e.Notes(),
		Retry: Retry{Advice: r.retryWords(e), Retryable: e.Retryable()},
	}
	if delay, timed := e.RetryDelay(); timed {
		seconds := delay.Seconds()
		out.Retry.Seconds = &seconds
	}
	if d := r.definitionOf(e); d != nil {
		out.Title, out.Defined = d.Title(), string(d.FullName())
	}
	for _, d := range e.Details() {
		out.Details = append(out.Details, r.detailWords(d)...)
	}
	for _, got := range e.Received() {
		out.Received = append(out.Received, receivedWords(got)...)
	}
	return out
}

// whoseWords tells whose error it is.
func (r reader) whoseWords(e *errmap.Error) []string {
	if e.ErrorInfo() == nil {
		return []string{"nobody's in particular: it has no ErrorInfo, so the code is all there is to act on"}
	}
	identity := fmt.Sprintf("%s of %s", orNone(e.Reason()), orNone(e.Domain()))
	if d := r.definitionOf(e); d != nil {
		return []string{fmt.Sprintf("%s: %s", identity, d.Title()), "defined as " + string(d.FullName())}
	}
	if r.catalog.KnowsDomain(e.Domain()) {
		return []string{identity + ", which that domain does not define here"}
	}
	return []string{identity + ", a domain that this program does not know: -I, --descriptors or --upstream tell it"}
}

// fields are the fields of the message that the error is.
func (r reader) fields(e *errmap.Error) []Fact {
	d := r.definitionOf(e)
	if d == nil {
		return nil
	}
	mt, err := r.catalog.FindMessageByName(d.FullName())
	if err != nil {
		return nil
	}
	m := mt.New()
	if !e.Fill(m.Interface()) {
		return nil
	}
	members, _ := readMembers([]byte(r.protoJSON(m.Interface())))
	var out []Fact
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		name := fields.Get(i).Name()
		if value, ok := members[string(name)]; ok && name != protoreflect.Name("@type") {
			out = append(out, Fact{string(name), string(value)})
		}
	}
	return out
}

// wires writes an error in every form but its own.
func (r reader) wires(e *errmap.Error, own translate.Form) []Wire {
	var wires []Wire
	for _, form := range translate.Forms() {
		if form == own && form != translate.JSONRPC {
			continue
		}
		if form != translate.JSONRPC {
			wires = append(wires, wireOf(string(form), translate.Encode(e, form, errmap.ProfileGeneric, errmap.WithCatalog(r.catalog))))
			continue
		}
		var names []string
		var last translate.Result
		flush := func() {
			switch {
			case len(names) == len(Profiles()):
				wires = append(wires, wireOf("jsonrpc, every profile", last))
			case len(names) > 0:
				wires = append(wires, wireOf("jsonrpc, "+strings.Join(names, " and "), last))
			}
			names = nil
		}
		for _, p := range Profiles() {
			result := translate.Encode(e, form, p, errmap.WithCatalog(r.catalog))
			if !bytes.Equal(result.Output, last.Output) || result.HTTPStatus != last.HTTPStatus {
				flush()
			}
			names, last = append(names, p.String()), result
		}
		flush()
	}
	return wires
}

func wireOf(name string, r translate.Result) Wire {
	return Wire{Name: name, HTTPStatus: r.HTTPStatus, Text: string(r.Output), Notes: r.Notes}
}

// clean takes secrets out of every text of a report.
func (r *Report) clean(s *secrets) {
	clean := func(text *string) {
		if now := s.clean(*text); now != *text {
			*text, r.Redacted = now, true
		}
	}
	all := func(texts []string) {
		for i := range texts {
			clean(&texts[i])
		}
	}
	facts := func(facts []Fact) {
		for i := range facts {
			clean(&facts[i].Text)
		}
	}
	clean(&r.What)
	clean(&r.RecognizedBy)
	all(r.Inside)
	facts(r.Known)
	for i := range r.Readings {
		x := &r.Readings[i]
		clean(&x.Message)
		clean(&x.Domain)
		clean(&x.Reason)
		for _, texts := range [][]string{x.Whose, x.Details, x.Received, x.Notes} {
			all(texts)
		}
		facts(x.Fields)
		for j := range x.Wires {
			clean(&x.Wires[j].Text)
			all(x.Wires[j].Notes)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func compactJSON(text []byte) string {
	v := jsontext.Value(text)
	if err := v.Compact(lenient); err != nil {
		return string(text)
	}
	return string(v)
}
