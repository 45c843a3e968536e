package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/listing"
	"github.com/errmap/errmap/internal/translate"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const explainAbout = `
Explain reads one error from standard input and tells in plain words what it is,
whose it is, whether to make the call again, what it says in detail, and what it
looks like on the other wires.

It recognizes the form by itself: the JSON of Connect, google.rpc.Status,
AIP-193, RFC 9457 and JSON-RPC, the header lines of gRPC, the line "rpc error:
code = …" that gRPC writes into logs, and a whole HTTP response as curl -i prints
it. What a JSON-RPC object means depends on the
profile of the connection, so it is told under all of them.`

const explainExamples = `
curl -si localhost:8080/lf.a2a.v1.A2AService/GetTask -H 'content-type: application/json' -d '{"id":"nope"}' | errmap explain
echo '{"code":-32001,"message":"Task not found"}' | errmap explain
`

var profiles = []errmap.Profile{errmap.ProfileGeneric, errmap.ProfileA2A, errmap.ProfileMCP}

// formTitles is what each form is called in a sentence.
var formTitles = map[translate.Form]string{
	translate.Connect: "an error of the Connect protocol",
	translate.GRPC:    "an error of gRPC",
	translate.Status:  "a google.rpc.Status in JSON",
	translate.HTTP:    "an error of HTTP+JSON after AIP-193",
	translate.Problem: "an RFC 9457 problem",
	translate.JSONRPC: "a JSON-RPC 2.0 error object",
}

func runExplain(_ context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fs := newFlagSet("explain", "explain [flags]", explainAbout, explainExamples)
	from := fs.String("from", "", "the `form` of the input, if it is not to be recognized: "+formNames())
	status := fs.Int("http-status", 0, "the HTTP `status` that the input came with")
	if code, done := fs.parse(args, stdout, stderr); done {
		return code
	}
	if fs.NArg() > 0 {
		return fs.misused(stderr, "unexpected argument %q: the error comes from standard input", fs.Arg(0))
	}
	// The other names are there for the checks alone.
	if _, err := (conversion{from: string(translate.Connect), to: string(translate.Connect), profile: "generic", httpStatus: *status}).request(); err != nil {
		return fs.misused(stderr, "%s", message(err))
	}
	text, err := readBody(stdin)
	if err != nil {
		return failed(stderr, err)
	}
	f := found{text: text, status: *status, why: "the flag --from"}
	if *from != "" {
		if f.form, err = translate.ParseForm(*from); err != nil {
			return fs.misused(stderr, "%s", err)
		}
	} else if f, err = recognize(text); err != nil {
		if *status == 0 || errors.Is(err, errSuccess) {
			return failed(stderr, err)
		}
		// Whatever the body is, the status says something.
		f = found{form: translate.HTTP, text: text, status: *status, why: "the flag --http-status alone"}
	} else if *status != 0 {
		f.status = *status
	}
	report, err := f.explain(time.Now())
	if err != nil {
		return failed(stderr, err)
	}
	if _, err := io.WriteString(stdout, report); err != nil {
		return failed(stderr, err)
	}
	return exitOK
}

// reading is what an error is under some profiles.
type reading struct {
	profiles []errmap.Profile
	e        *errmap.Error
}

// explain returns the whole report. now is the moment from which a date in
// Retry-After counts.
func (f found) explain(now time.Time) (string, error) {
	var opts []errmap.DecodeOption
	if f.status != 0 {
		opts = append(opts, errmap.WithHTTPStatus(f.status))
	}
	if f.header != nil {
		opts = append(opts, errmap.WithHTTPHeader(f.header, now))
	}
	var readings []reading
	for _, p := range profiles {
		e, err := translate.Decode(f.form, p, f.text, opts...)
		if err != nil {
			return "", err
		}
		if i := slices.IndexFunc(readings, func(r reading) bool { return sameError(r.e, e) }); i >= 0 {
			readings[i].profiles = append(readings[i].profiles, p)
		} else {
			readings = append(readings, reading{[]errmap.Profile{p}, e})
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "This is %s (recognized by %s)", formTitles[f.form], f.why)
	if f.status != 0 {
		fmt.Fprintf(&b, ", received with HTTP status %d", f.status)
	}
	b.WriteString(".\n")
	for _, r := range readings {
		if f.form == translate.JSONRPC {
			fmt.Fprintf(&b, "\nUnder %s\n", r.names())
		}
		b.WriteByte('\n')
		tell(&b, r.e)
		b.WriteString("\n  On the other wires\n")
		f.tellWires(&b, r)
	}
	return b.String(), nil
}

func (r reading) names() string {
	if len(r.profiles) == len(profiles) {
		return "every profile"
	}
	names := make([]string, len(r.profiles))
	for i, p := range r.profiles {
		names[i] = p.String()
	}
	if len(names) == 1 {
		return "the profile " + names[0]
	}
	return "the profiles " + strings.Join(names, " and ")
}

// sameError tells whether two readings of one text say the same: then they look
// the same in the form that says most of what was received.
func sameError(a, b *errmap.Error) bool {
	return bytes.Equal(errmap.EncodeStatusJSON(a), errmap.EncodeStatusJSON(b)) && slices.Equal(a.Notes(), b.Notes())
}

// tell writes what an error says, a label before each part.
func tell(b *strings.Builder, e *errmap.Error) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(b, "  %-9s %s\n", label, printable(fmt.Sprintf(format, args...)))
	}
	list := func(label string, lines []string) {
		for i, text := range lines {
			if i > 0 {
				label = ""
			}
			line(label, "%s", text)
		}
	}
	what := e.Code().String()
	if e.Number() != int32(e.Code()) {
		what = fmt.Sprintf("%s, private number %d", what, e.Number())
	}
	line("What", "%s: %s", what, listing.Meaning(e.Code()))
	line("Message", "%s", orNone(e.Message()))
	list("Whose", whoseWords(e))
	line("Retry", "%s", retryWords(e))
	list("Fields", fieldWords(e))
	var details, received []string
	for _, d := range e.Details() {
		details = append(details, detailWords(d)...)
	}
	list("Details", details)
	for _, r := range e.Received() {
		received = append(received, receivedWords(r)...)
	}
	list("Received", received)
	list("Notes", e.Notes())
}

// whoseWords tells whose error it is.
func whoseWords(e *errmap.Error) []string {
	if e.ErrorInfo() == nil {
		return []string{"nobody's in particular: it has no ErrorInfo, so the code is all there is to act on"}
	}
	identity := fmt.Sprintf("%s of %s", orNone(e.Reason()), orNone(e.Domain()))
	if d := definitionOf(e); d != nil {
		return []string{fmt.Sprintf("%s: %s", identity, d.Title()), "defined as " + string(d.FullName())}
	}
	if errmap.Linked().KnowsDomain(e.Domain()) {
		return []string{identity + ", which that domain does not define here"}
	}
	return []string{identity + ", a domain that this program does not know"}
}

// fieldWords tells the fields of the message that the error is.
func fieldWords(e *errmap.Error) []string {
	d := definitionOf(e)
	if d == nil {
		return nil
	}
	mt, err := errmap.Linked().FindMessageByName(d.FullName())
	if err != nil {
		return nil
	}
	m := mt.New()
	if !e.Fill(m.Interface()) {
		return nil
	}
	members, _ := readMembers([]byte(protoJSON(m.Interface())))
	var lines []string
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		name := fields.Get(i).Name()
		if value, ok := members[string(name)]; ok && name != protoreflect.Name("@type") {
			lines = append(lines, fmt.Sprintf("%s = %s", name, value))
		}
	}
	return lines
}

// tellWires writes what an error looks like in every form but its own.
func (f found) tellWires(b *strings.Builder, r reading) {
	for _, form := range translate.Forms() {
		if form == f.form && form != translate.JSONRPC {
			continue
		}
		if form != translate.JSONRPC {
			writeWire(b, string(form), translate.Encode(r.e, form, errmap.ProfileGeneric))
			continue
		}
		var names []string
		var last translate.Result
		flush := func() {
			switch {
			case len(names) == len(profiles):
				writeWire(b, "jsonrpc, every profile", last)
			case len(names) > 0:
				writeWire(b, "jsonrpc, "+strings.Join(names, " and "), last)
			}
			names = nil
		}
		for _, p := range profiles {
			result := translate.Encode(r.e, form, p)
			if !bytes.Equal(result.Output, last.Output) || result.HTTPStatus != last.HTTPStatus {
				flush()
			}
			names, last = append(names, p.String()), result
		}
		flush()
	}
}

func writeWire(b *strings.Builder, name string, r translate.Result) {
	if r.HTTPStatus != 0 {
		name = fmt.Sprintf("%s, HTTP %d", name, r.HTTPStatus)
	}
	fmt.Fprintf(b, "    %s\n", name)
	for line := range strings.Lines(string(r.Output)) {
		fmt.Fprintf(b, "      %s\n", printable(strings.TrimRight(line, "\n")))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(b, "      (%s)\n", printable(note))
	}
}

// printable keeps what a peer wrote from steering the terminal.
func printable(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func compactJSON(text []byte) string {
	v := jsontext.Value(text)
	if err := v.Compact(lenient); err != nil {
		return string(text)
	}
	return string(v)
}
