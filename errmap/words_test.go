package errmap_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/errmap/errmap/errmap"
)

// Wire 0: what an incoming error says is in the error, or a note tells that
// something went. Every text in the inputs is another word, so that each is found.
func TestProperty_every_word_is_kept_or_noted(t *testing.T) {
	t.Parallel()
	for i := range cases(t, 4000) {
		w := &words{Rand: rand.New(rand.NewPCG(seed(t), uint64(i)))} //nolint:gosec // a failure is to come again
		from, input := w.input()
		e, err := w.decode(from, input)
		if err != nil {
			continue // refused, which says more than a note
		}
		kept := said(e)
		for _, word := range w.all {
			if !strings.Contains(kept, word) && len(e.Notes()) == 0 {
				t.Fatalf("case %d, %s: %s is lost without a note\n in   %s\n kept %s", i, from, word, input, kept)
			}
		}
	}
}

// said is all that an error holds.
func said(e *errmap.Error) string {
	var b strings.Builder
	fmt.Fprintln(&b, e.Number(), e.Message())
	for _, d := range e.Details() {
		text, _ := d.JSON()
		value, _ := d.Value()
		fmt.Fprintf(&b, "%s %s %s\n", d.TypeURL(), text, value)
	}
	for _, r := range e.Received() {
		fmt.Fprintf(&b, "%v %s %s %d %s %s\n", r.Wire, r.Number, r.CodeText, r.HTTPStatus, r.Members, r.UnknownFields)
	}
	return b.String()
}

// words makes inputs in which each text is another one.
type words struct {
	*rand.Rand
	all []string
}

func (w *words) chance(percent int) bool { return w.IntN(100) < percent }

func (w *words) pick(texts ...string) string { return texts[w.IntN(len(texts))] }

func (w *words) word() string {
	word := "word" + strconv.Itoa(len(w.all)+100) + "~" // which is no base64
	w.all = append(w.all, word)
	return word
}

func (w *words) text() string { return strconv.Quote(w.word()) }

func (w *words) value(depth int) string {
	switch n := w.IntN(8); {
	case n < 4 || depth == 0:
		return w.text()
	case n == 4:
		return w.pick("true", "7", "[]", "{}", `""`)
	case n == 5:
		return "[" + w.value(depth-1) + "," + w.value(depth-1) + "]"
	}
	return "{" + w.text() + ":" + w.value(depth-1) + "}"
}

// field is a member that an object may have: how often of a hundred times, and the
// value that it has most of the time.
type field struct {
	name    string
	percent int
	value   func() string
}

// object makes an object of some of the fields, one of them of another type, twice
// or in another case now and then, and of other members.
func (w *words) object(fields ...field) string {
	var members []string
	add := func(name, value string) { members = append(members, strconv.Quote(name)+":"+value) }
	for _, f := range fields {
		if w.chance(f.percent) {
			if w.chance(7) {
				add(f.name, w.value(2))
			} else {
				add(f.name, f.value())
			}
			if w.chance(5) {
				add(f.name, f.value())
			}
		}
		if w.chance(2) {
			add(strings.ToUpper(f.name[:1])+f.name[1:], w.value(1))
		}
	}
	if w.chance(30) {
		add(w.word(), w.value(2))
	}
	if w.chance(20) {
		w.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (w *words) one(texts ...string) func() string { return func() string { return w.pick(texts...) } }

// typed makes an object with that "@type", as a rule.
func (w *words) typed(name string, fields ...field) string {
	return w.object(append([]field{{"@type", 100, w.one(`"type.googleapis.com/` + name + `"`)}}, fields...)...)
}

func (w *words) element() string {
	switch w.IntN(8) {
	case 0, 1, 2:
		return w.typed("google.rpc.ErrorInfo", field{"reason", 80, w.text},
			field{"domain", 80, func() string { return w.pick(`"a2a-protocol.org"`, `"modelcontextprotocol.io"`, w.text()) }},
			field{"metadata", 50, func() string { return w.object(field{"uri", 50, w.text}, field{"k", 50, w.text}) }})
	case 3:
		return w.typed("google.rpc.BadRequest", field{"fieldViolations", 90, func() string {
			return "[" + w.object(field{"field", 90, w.text}, field{"description", 90, w.text}) + "]"
		}})
	case 4:
		return w.typed("acme.v9.Mystery", field{"x", 80, w.text})
	case 5:
		return `{"@type":"type.googleapis.com/google.rpc.Status","code":` + w.pick("5", "7", "99") + w.pick("", `,"code":3`, `,"message":`+w.text()) + `}`
	case 6:
		return w.typed("google.protobuf.Value", field{"value", 100, func() string { return w.value(2) }})
	}
	return w.value(2)
}

func (w *words) elements() string {
	list := make([]string, w.IntN(4))
	for i := range list {
		list[i] = w.element()
	}
	return "[" + strings.Join(list, ",") + "]"
}

// input makes an error of some form.
func (w *words) input() (form, text string) {
	number := w.one("-32001", "-32002", "-32021", "-32022", "-32602", "-32603", "-31404", "-77", "1.5", `"-5"`)
	message, details := field{"message", 90, w.text}, field{"details", 80, w.elements}
	status := func() string { return w.pick(`"NOT_FOUND"`, `"INTERNAL"`, w.text()) }
	form = w.pick("connect", "status", "http", "problem", "grpc", "generic", "a2a", "mcp")
	switch form {
	case "connect":
		return form, w.object(field{"code", 90, func() string { return w.pick(`"not_found"`, `"code_99"`, `"ok"`, w.text()) }}, message,
			field{"details", 70, func() string {
				return "[" + w.object(field{"type", 100, w.one(`"acme.v9.Mystery"`, `"google.rpc.DebugInfo"`)}, field{"value", 100, w.encoded}) + "]"
			}})
	case "status":
		return form, w.object(field{"code", 100, func() string { return w.pick("5", "99", `"NOT_FOUND"`, w.text()) }}, message, details)
	case "http":
		inner := w.object(field{"code", 90, w.one("404", "500", "5", `"404"`, "302", "700")}, message, field{"status", 80, status}, details)
		return form, w.pick(inner, w.object(field{"error", 100, w.one(inner)}, field{"message", 10, w.text}), "["+w.object(field{"error", 100, w.one(inner)})+"]")
	case "problem":
		return form, w.object(field{"type", 60, w.text}, field{"title", 60, w.text}, field{"status", 80, w.one("404", "302", `"404"`)}, field{"detail", 80, w.text},
			field{"code", 60, status}, field{"reason", 40, w.text}, field{"domain", 40, w.text},
			field{"metadata", 40, func() string { return w.object(field{"k", 80, w.text}) }}, field{"details", 50, w.elements},
			field{"errors", 20, func() string { return w.value(2) }}, field{"instance", 20, w.text})
	case "grpc":
		return form, w.headers()
	}
	data := func() string {
		object := func() string {
			return w.object(field{"uri", 60, w.text}, field{"supported", 30, func() string { return "[" + w.text() + "]" }}, field{"requested", 30, w.text}, details)
		}
		return []func() string{w.elements, w.element, object, func() string { return w.value(2) }}[w.IntN(4)]()
	}
	object := w.object(field{"code", 95, number}, message, field{"data", 90, data})
	if w.chance(30) {
		object = `{"jsonrpc":"2.0","id":1,"error":` + object + w.pick("", `,"result":`+w.text(), `,"data":`+w.text(), `,"error":{"message":`+w.text()+`}`, `,`+w.text()+`:1`) + `}`
	}
	return form, object
}

func (w *words) encoded() string {
	return strconv.Quote(base64.StdEncoding.EncodeToString([]byte(w.word())))
}

// headers makes header lines whose Status has a part too many now and then.
func (w *words) headers() string {
	part := func(b []byte, number protowire.Number) []byte {
		return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), w.word())
	}
	detail := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "type.googleapis.com/acme.v9.Mystery")
	detail = part(detail, 2)
	status := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), []uint64{5, 5, 13}[w.IntN(3)])
	for _, number := range []protowire.Number{2, 4} {
		if w.chance(50) {
			status = part(status, number)
		}
		if w.chance(10) {
			status = part(status, number)
			detail = part(detail, number)
		}
	}
	status = protowire.AppendBytes(protowire.AppendTag(status, 3, protowire.BytesType), detail)
	lines := []string{"grpc-status: 5", "grpc-status-details-bin: " + base64.RawStdEncoding.EncodeToString(status)}
	for w.chance(50) {
		lines = append(lines, w.pick("grpc-message", "Grpc-Message")+": "+w.word())
	}
	if w.chance(10) {
		lines = append(lines, "grpc-status: "+w.word())
	}
	return strings.Join(lines, "\n")
}

func (w *words) decode(form, input string) (*errmap.Error, error) {
	// Words that were made and not used are none of the input.
	var whole strings.Builder
	whole.WriteString(input)
	for _, part := range strings.FieldsFunc(input, func(r rune) bool { return strings.ContainsRune("\" \n", r) }) {
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
			if b, err := encoding.DecodeString(part); err == nil {
				whole.Write(b)
			}
		}
	}
	all := w.all
	w.all = nil
	for _, word := range all {
		if strings.Contains(whole.String(), word) {
			w.all = append(w.all, word)
		}
	}
	switch form {
	case "connect":
		return errmap.DecodeConnect([]byte(input))
	case "status":
		return errmap.DecodeStatusJSON([]byte(input))
	case "http":
		return errmap.DecodeHTTP([]byte(input))
	case "problem":
		return errmap.DecodeProblem([]byte(input))
	case "grpc":
		headers := map[string][]string{}
		for line := range strings.SplitSeq(input, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			headers[name] = append(headers[name], value)
		}
		return errmap.DecodeGRPC(headers)
	}
	profile := map[string]errmap.Profile{"generic": errmap.ProfileGeneric, "a2a": errmap.ProfileA2A, "mcp": errmap.ProfileMCP}[form]
	return errmap.DecodeJSONRPC([]byte(input), profile)
}
