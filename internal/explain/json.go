package explain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
	"github.com/errmap/errmap/internal/translate"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// maxValues bounds how many values of JSON in one text are looked at.
const maxValues = 10_000

// recognizeJSON finds the error in a text that begins as JSON does: one value, or
// one after the other, as logs and streams have them.
func recognizeJSON(text []byte, layer int) (Found, error) {
	value, rest, err := cutValue(text)
	if err != nil {
		if f, textErr := recognizeText(text, layer); textErr == nil {
			return f, nil // such as "[10:02] rpc error: …"
		}
		return Found{}, unknown("this is invalid JSON: %s", jsonReason(err))
	}
	if len(bytes.TrimSpace(rest)) == 0 {
		return recognizeValue(value, layer, false)
	}
	return recognizeValues(text, layer)
}

// recognizeValues finds the first error among values of JSON with whatever between.
func recognizeValues(text []byte, layer int) (Found, error) {
	count := 0
	for rest := text; len(rest) > 0 && count < maxValues; {
		start := bytes.IndexByte(rest, '{')
		if start < 0 {
			break
		}
		value, behind, err := cutValue(rest[start:])
		if err != nil {
			break
		}
		count++
		if f, err := recognizeValue(value, layer+1, true); err == nil {
			return f.inside(fmt.Sprintf("value %d of several of JSON", count)), nil
		}
		rest = behind
	}
	// The first may say no more than a number.
	if value, _, err := cutValue(text); err == nil {
		if f, err := recognizeValue(value, layer, false); err == nil {
			return f.inside("the first of several values of JSON"), nil
		}
	}
	if f, err := recognizeText(text, layer); err == nil {
		return f, nil
	}
	return Found{}, unknown("%d values of JSON, none of which is an error", count)
}

// cutValue returns the first value of JSON and what stands behind it.
func cutValue(text []byte) (value, rest []byte, err error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), lenient)
	v, err := d.ReadValue()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, nil, err
	}
	return bytes.Clone(v), text[d.InputOffset():], nil
}

// recognizeValue finds out in which form one value of JSON is an error. Among others
// it is taken for one only where a success cannot look like it: strict.
func recognizeValue(text []byte, layer int, strict bool) (Found, error) {
	if layer > maxLayers {
		return Found{}, unknown("it stands in more than %d other things", maxLayers)
	}
	members, ok := readMembers(text)
	if !ok {
		return recognizeArray(text, layer, strict)
	}
	for _, read := range []func(map[string]jsontext.Value, []byte, int) (Found, bool, error){rpcValue, resultValue, archiveValue, logValue} {
		if f, ok, err := read(members, text, layer); ok {
			return f, err
		}
	}
	if inner, ok := endOfStream(members); ok {
		return Found{Form: translate.Connect, Text: inner, Why: "a code that is a name, in the member error, as at the end of a stream"}, nil
	}
	if f, ok := ownForm(members, text); ok {
		if !strict || !f.loose {
			return f, nil
		}
		return Found{}, unknown("it may be a success")
	}
	var o map[string]any
	if json.Unmarshal(text, &o, lenient) == nil {
		if f, ok := foreign(o, 0); ok && (!strict || !f.loose) {
			return f, nil
		}
	}
	f, why := guess(members, text)
	switch {
	case f.Form == "":
		return Found{}, unknown("%s (--from says which one it is meant to be)", why)
	case strict && f.loose:
		return Found{}, unknown("it may be a success")
	}
	return f, nil
}

// recognizeArray reads an array: of one error as Google's streams have it, a batch of
// JSON-RPC, or several errors of a service.
func recognizeArray(text []byte, layer int, strict bool) (Found, error) {
	var elements []jsontext.Value
	if json.Unmarshal(text, &elements, lenient) != nil || len(elements) == 0 {
		return Found{}, unknown("this JSON is no object (--from says which form it is meant to be)")
	}
	for i, element := range elements[:min(len(elements), maxValues)] {
		if element.Kind() != '{' {
			continue
		}
		f, err := recognizeValue(element, layer+1, strict || len(elements) > 1)
		if err == nil {
			return f.inside(fmt.Sprintf("element %d of an array of %d", i+1, len(elements))), nil
		}
		if errors.Is(err, ErrSuccess) && len(elements) == 1 {
			return f, err
		}
	}
	return Found{}, unknown("an array of %d, none of which is an error", len(elements))
}

// rpcValue reads a response of JSON-RPC.
func rpcValue(members map[string]jsontext.Value, text []byte, layer int) (Found, bool, error) {
	switch {
	case members["jsonrpc"] == nil:
		return Found{}, false, nil
	case members["error"] != nil:
		return Found{Form: translate.JSONRPC, Text: text, Why: "a JSON-RPC response with the member error"}, true, nil
	case members["result"] != nil:
		if inner, ok := readMembers(members["result"]); ok {
			if f, ok, err := resultValue(inner, members["result"], layer); ok {
				return f, true, err
			}
		}
	case members["method"] != nil:
		return Found{}, true, unknown("it is a request of JSON-RPC, or a notification, and no answer")
	}
	return Found{}, true, success("a JSON-RPC response without the member error")
}

// resultValue reads the result of a tool of MCP.
func resultValue(members map[string]jsontext.Value, text []byte, layer int) (Found, bool, error) {
	if members["content"].Kind() != '[' || members["isError"] == nil {
		return Found{}, false, nil
	}
	if string(members["isError"]) != "true" {
		return Found{}, true, success("a result of MCP without isError")
	}
	const title = "the error of a tool of MCP"
	var result mcp.CallToolResult
	if json.Unmarshal(text, &result, lenient) == nil {
		if e := errmapmcp.FromResult(&result); e != nil {
			if e.ErrorInfo() != nil || len(e.Details()) > 0 {
				return Found{Error: e, Title: title, Why: "a result with isError, and the error that errmap puts beside it"}, true, nil
			}
		}
	}
	var words []string
	var content []map[string]any
	if json.Unmarshal(members["content"], &content, lenient) == nil {
		for _, c := range content {
			if s, ok := c["text"].(string); ok {
				words = append(words, s)
			}
		}
	}
	message := strings.Join(words, "\n")
	if len(words) == 1 { // tools pass on what they were told
		if f, err := recognize([]byte(message), layer+2); err == nil && !f.loose {
			return f.inside("the text of a tool's result of MCP"), true, nil
		}
	}
	return Found{Error: errmap.NewCode(codeUnknown, message), Title: title, Why: "a result with isError, which has text for the model and no code"}, true, nil
}

// archiveValue reads an archive of calls as browsers save it (HAR): the first that
// failed counts.
func archiveValue(members map[string]jsontext.Value, _ []byte, layer int) (Found, bool, error) {
	var log struct {
		Entries []struct {
			Response *struct {
				Status  int `json:"status"`
				Headers []struct{ Name, Value string }
				Content struct{ Text, Encoding string }
			} `json:"response"`
		} `json:"entries"`
	}
	if members["log"].Kind() != '{' || json.Unmarshal(members["log"], &log, lenient, json.MatchCaseInsensitiveNames(true)) != nil || log.Entries == nil {
		return Found{}, false, nil
	}
	for i, entry := range log.Entries {
		if entry.Response == nil {
			continue
		}
		r := response{status: entry.Response.Status, header: map[string][]string{}, body: []byte(entry.Response.Content.Text)}
		for _, h := range entry.Response.Headers {
			r.header.Add(h.Name, h.Value)
		}
		if entry.Response.Content.Encoding == "base64" {
			r.body, _ = fromBase64(r.body)
		}
		if f, err := r.recognize(layer + 1); err == nil {
			return f.inside(fmt.Sprintf("call %d of %d in an archive of a browser", i+1, len(log.Entries))), true, nil
		}
	}
	return Found{}, true, success("an archive of a browser with %d calls, none of which failed", len(log.Entries))
}

// endOfStream returns the error of {"error":{"code":"not_found",…}}, whose code is
// Connect's.
func endOfStream(members map[string]jsontext.Value) ([]byte, bool) {
	inner, ok := readMembers(members["error"])
	if !ok || inner["status"] != nil || inner["code"].Kind() != '"' {
		return nil, false
	}
	if _, known := connectCodes[text(inner["code"])]; !known {
		return nil, false
	}
	return members["error"], true
}

// statusName is a status of AIP-193, or one that was made in its image.
var statusName = regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$`)

// ownForm finds one of errmap's forms by what others do not have.
func ownForm(members map[string]jsontext.Value, body []byte) (Found, bool) {
	kind := func(name string) jsontext.Kind { return members[name].Kind() }
	if inner, ok := readMembers(members["error"]); ok {
		if statusName.MatchString(text(inner["status"])) && inner["code"].Kind() != '"' {
			return Found{Form: translate.HTTP, Text: body, Why: "the member error around it"}, true
		}
	}
	if _, known := connectCodes[text(members["code"])]; known && !has(members, "title", "detail", "type", "reason", "status") {
		return Found{Form: translate.Connect, Text: body, Why: "a code that is a name"}, true
	}
	if kind("type") == '"' && kind("title") == '"' && strings.ContainsAny(text(members["type"]), ":/") {
		f := Found{Form: translate.Problem, Text: body, Why: "the members of a problem"}
		return problemFacts(f, members), true
	}
	return Found{}, false
}

// guess finds the form whose members an object has, where none says it for sure. It
// returns what is missing where no form fits.
func guess(members map[string]jsontext.Value, body []byte) (f Found, why string) {
	kind := func(name string) jsontext.Kind { return members[name].Kind() }
	f.Text = body
	switch {
	case has(members, "error"):
		f.Form, f.Why = translate.HTTP, "the member error around it"
	case kind("code") == '"' && has(members, "title", "detail", "type", "reason"):
		f.Form, f.Why = translate.Problem, "the members of a problem beside code"
	case kind("code") == '"' && has(members, "status"):
		f.Form, f.Why = translate.HTTP, "the members code and status"
	case kind("code") == '"':
		f.Form, f.Why, f.loose = translate.Connect, "a code that is a name", true
	case kind("code") == '0' && has(members, "data"):
		f.Form, f.Why, f.loose = translate.JSONRPC, "the members code and data", true
	case kind("code") == '0' && kind("status") == '"':
		f.Form, f.Why, f.loose = translate.HTTP, "the members code and status", true
	case kind("code") == '0':
		f.Form, f.Why = guessNumber(members["code"], has(members, "details"))
		f.loose = true
	case kind("status") == '"':
		if _, known := statusCodes[text(members["status"])]; !known {
			return f, "its status names no code of google.rpc"
		}
		f.Form, f.Why = translate.HTTP, "a status that is a name"
	case has(members, "type", "title", "detail", "instance"):
		f.Form, f.Why, f.loose = translate.Problem, "the members of a problem", true
		f = problemFacts(f, members)
	case has(members, "details"):
		f.Form, f.Why, f.loose = translate.Connect, "details without a code", true
	default:
		return f, "it has none of code, error, type, title, detail and details"
	}
	return f, ""
}

// guessNumber tells forms apart by a number that is the code.
func guessNumber(token []byte, details bool) (form translate.Form, why string) {
	n, err := strconv.ParseFloat(string(token), 64)
	switch {
	case err == nil && n >= 100 && n <= 599:
		return translate.HTTP, "a code that is an HTTP status"
	case details || err == nil && n >= 0 && n <= 99:
		return translate.Status, "a code that is a number of google.rpc.Code"
	}
	return translate.JSONRPC, "a code that is a number outside google.rpc.Code and HTTP"
}

// problemFacts keeps the type and the instance of a problem, which are its identity.
func problemFacts(f Found, members map[string]jsontext.Value) Found {
	if kind := text(members["type"]); kind != "about:blank" {
		f = f.noted("Type", kind)
	}
	if status := atoi([]byte(text(members["status"]))); status >= 400 && status < 600 {
		f.Status = status // some write it as a string
	}
	return f.noted("Instance", text(members["instance"]))
}

func has(members map[string]jsontext.Value, names ...string) bool {
	for _, name := range names {
		if members[name] != nil {
			return true
		}
	}
	return false
}

// text returns what a JSON string says, "" for another value.
func text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, []byte(v))
	return string(s)
}

// readMembers returns the members of an object; null ones count as absent, and
// the first of duplicates wins.
func readMembers(text []byte) (map[string]jsontext.Value, bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), lenient)
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return nil, false
	}
	members := map[string]jsontext.Value{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		if _, twice := members[key]; !twice && value.Kind() != 'n' {
			members[key] = value.Clone()
		}
	}
	return members, true
}

// jsonReason tells what is wrong with JSON, without the name of its parser.
func jsonReason(err error) string { return strings.TrimPrefix(err.Error(), "jsontext: ") }
