package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/translate"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/codes"
)

// found is an error whose form was recognized.
type found struct {
	form   translate.Form
	text   []byte
	status int         // of the HTTP response that it stood in, 0 for none
	header http.Header // of that response
	why    string      // what it was recognized by
}

var (
	errEmpty   = errors.New("standard input is empty: want the text of an error, such as from curl -si URL")
	errSuccess = errors.New("this is a success, and no error")
)

// recognize finds out in which form an error is. It looks at the shape alone: a
// profile of JSON-RPC is never guessed.
func recognize(text []byte) (found, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return found{}, errEmpty
	}
	if response, ok := splitResponse(text); ok {
		return response.recognize()
	}
	if lines := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(slices.Clone(text), "\n\n"...)))); !startsJSON(text) {
		if header, err := lines.ReadMIMEHeader(); err == nil && header.Get("Grpc-Status") != "" {
			return found{form: translate.GRPC, text: text, why: "the header grpc-status"}, nil
		}
		if f, ok := loggedByGRPC(text); ok {
			return f, nil
		}
		return found{}, fmt.Errorf("this is no error in a form known here: want header lines with grpc-status, a whole HTTP response, "+
			"or the JSON of %s (of another body tell the status: --http-status 503)", formNames())
	}
	if err := checkJSON(text); err != nil {
		return found{}, fmt.Errorf("this is invalid JSON: %s", jsonReason(err))
	}
	if isResult(text) {
		return found{}, fmt.Errorf("%w: a JSON-RPC response without the member error", errSuccess)
	}
	form, why := recognizeJSON(text)
	if form == "" {
		return found{}, fmt.Errorf("this JSON is no error in a form known here: %s (--from says which one it is meant to be)", why)
	}
	return found{form: form, text: text, why: why}, nil
}

var statusLine = regexp.MustCompile(`^HTTP/[0-9.]+ ([1-9][0-9][0-9])( [^\r\n]*)?(\r?\n|$)`)

var emptyLine = regexp.MustCompile(`\r?\n\r?\n`)

// splitResponse splits a whole HTTP response, as curl -i prints it: interim
// responses, such as 100 Continue, stand before the one that counts.
func splitResponse(text []byte) (found, bool) {
	match := statusLine.FindSubmatch(text)
	if match == nil {
		return found{}, false
	}
	var f found
	f.status, _ = strconv.Atoi(string(match[1]))
	if at := emptyLine.FindIndex(text); at != nil && f.status/100 == 1 && statusLine.Match(text[at[1]:]) {
		return splitResponse(text[at[1]:])
	}
	reader := bufio.NewReader(bytes.NewReader(append(slices.Clone(text[len(match[0]):]), "\r\n\r\n"...)))
	header, err := textproto.NewReader(reader).ReadMIMEHeader()
	if err != nil {
		return found{}, false
	}
	f.header = http.Header(header)
	rest := new(bytes.Buffer)
	_, _ = rest.ReadFrom(reader) // reads memory
	f.text = bytes.TrimSpace(rest.Bytes())
	return f, true
}

// recognize takes what the header says before what the body looks like.
func (f found) recognize() (found, error) {
	success := fmt.Errorf("%w: an HTTP response with the status %d and no error in it", errSuccess, f.status)
	kind, _, _ := strings.Cut(f.header.Get("Content-Type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch {
	case f.header.Get("Grpc-Status") != "" || strings.HasPrefix(kind, "application/grpc"):
		var lines bytes.Buffer
		for _, name := range []string{"Grpc-Status", "Grpc-Message", "Grpc-Status-Details-Bin"} {
			for _, value := range f.header.Values(name) {
				fmt.Fprintf(&lines, "%s: %s\n", name, value)
			}
		}
		f.form, f.text, f.why = translate.GRPC, lines.Bytes(), "the headers of gRPC"
	case kind == "application/problem+json":
		f.form, f.why = translate.Problem, "the content type"
	case kind == "application/a2a+json":
		f.form, f.why = translate.HTTP, "the content type"
	case startsJSON(f.text):
		if f.form, f.why = recognizeJSON(f.text); f.form == "" {
			if f.status/100 == 2 {
				return f, success
			}
			f.form, f.why = translate.HTTP, "an HTTP response with JSON of another kind"
		}
	case f.status/100 == 2:
		return f, success
	default:
		f.form, f.why = translate.HTTP, "an HTTP response without JSON"
	}
	return f, nil
}

// logLine is the text of an error of grpc-go. The names of the codes are those of
// its package codes.
var logLine = regexp.MustCompile(`rpc error: code = ([A-Za-z]+|Code\([0-9]+\)) desc = ([^\r\n]*)`)

// loggedByGRPC takes the first error of gRPC out of a log.
func loggedByGRPC(text []byte) (found, bool) {
	match := logLine.FindSubmatch(text)
	if match == nil {
		return found{}, false
	}
	name := string(match[1])
	number, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(name, "Code("), ")"), 10, 32)
	for c := codes.Canceled; err != nil; c++ {
		if c > codes.Unauthenticated {
			return found{}, false
		}
		if c.String() == name {
			number, err = int64(c), nil
		}
	}
	if number == 0 {
		return found{}, false
	}
	headers := errmap.EncodeGRPC(errmap.NewCode(code.Code(number), string(match[2]))).String()
	return found{form: translate.GRPC, text: []byte(headers), why: "the words of gRPC in a log, which tell no details"}, true
}

func startsJSON(text []byte) bool { return len(text) > 0 && (text[0] == '{' || text[0] == '[') }

// checkJSON returns what is wrong with JSON, nil for one valid value.
func checkJSON(text []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(text), lenient)
	if err := d.SkipValue(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("there is more after the first value")
	}
	return nil
}

// isResult tells whether JSON is a response of JSON-RPC that has no error.
func isResult(text []byte) bool {
	members, ok := readMembers(text)
	return ok && members["jsonrpc"] != nil && members["error"] == nil && members["method"] == nil
}

// recognizeJSON returns "" and what is missing where no form fits.
func recognizeJSON(text []byte) (form translate.Form, why string) {
	members, ok := readMembers(text)
	if !ok {
		var elements []jsontext.Value
		if json.Unmarshal(text, &elements, lenient) == nil && len(elements) == 1 {
			if _, ok := readMembers(elements[0]); ok {
				return translate.HTTP, "an array of one object, as streams of Google APIs have it"
			}
		}
		return "", "it is no object"
	}
	has := func(name string) bool { return members[name] != nil }
	kind := func(name string) jsontext.Kind { return members[name].Kind() }
	switch {
	case has("jsonrpc") && has("error"):
		return translate.JSONRPC, "a JSON-RPC response with the member error"
	case has("error"):
		return translate.HTTP, "the member error around it"
	case kind("code") == '"' && (has("title") || has("detail") || has("type") || has("reason")):
		return translate.Problem, "the members of a problem beside code"
	case kind("code") == '"' && has("status"):
		return translate.HTTP, "the members code and status"
	case kind("code") == '"':
		return translate.Connect, "a code that is a name"
	case kind("code") == '0' && has("data"):
		return translate.JSONRPC, "the members code and data"
	case kind("code") == '0' && kind("status") == '"':
		return translate.HTTP, "the members code and status"
	case kind("code") == '0':
		return recognizeNumber(members["code"], has("details"))
	case has("type") || has("title") || has("detail") || has("instance"):
		return translate.Problem, "the members of a problem"
	case kind("status") == '"':
		return translate.HTTP, "a status that is a name"
	case has("details"):
		return translate.Connect, "details without a code"
	}
	return "", "it has none of code, error, type, title, detail and details"
}

// recognizeNumber tells forms apart by a number that is the code.
func recognizeNumber(token []byte, details bool) (form translate.Form, why string) {
	n, err := strconv.ParseFloat(string(token), 64)
	switch {
	case err == nil && n >= 100 && n <= 599:
		return translate.HTTP, "a code that is an HTTP status"
	case details || err == nil && n >= 0 && n <= 99:
		return translate.Status, "a code that is a number of google.rpc.Code"
	}
	return translate.JSONRPC, "a code that is a number outside google.rpc.Code and HTTP"
}

var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// readMembers returns the members of an object; null ones count as absent, and
// the first of duplicates wins.
func readMembers(text []byte) (map[string]jsontext.Value, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(text), lenient)
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
