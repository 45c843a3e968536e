package explain

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/translate"
)

// phrase is how a program writes an error as text. The groups of its pattern are the
// code and the message; a code that names none makes it no match.
type phrase struct {
	of      string
	pattern *regexp.Regexp
	form    translate.Form
}

// quoted is the inside of a string between double quotes.
const quoted = `"((?:[^"\\]|\\.)*)"`

// phrases are tried in turn; the first that is in a text counts. Those that could be
// about something else come last.
var phrases = []phrase{
	{"the words of gRPC", regexp.MustCompile(`rpc error: code = ([A-Za-z]+(?:\([0-9-]+\))?) desc = (.*)`), translate.GRPC},
	{"an exception of ConnectError", regexp.MustCompile(`ConnectError: \[([a-z_]+)\] ?(.*)`), translate.Connect},
	{"the status of an exception of Python's gRPC", regexp.MustCompile(`(?s)\bstatus = StatusCode\.([A-Z_]+)\s+details = "(.*?)"\s+debug_error_string`), translate.GRPC},
	{"the status of an exception of Python's gRPC", regexp.MustCompile(`\bstatus = StatusCode\.([A-Z_]+)\s+details = "(.*)"`), translate.GRPC},
	{"an exception of Java's gRPC", regexp.MustCompile(`\bStatus(?:Runtime)?Exception: ([A-Z_]+)(?:: (.*))?`), translate.GRPC},
	{"a Status of Java's gRPC", regexp.MustCompile(`(?s)\bStatus\{code=([A-Z_]+), description=(.*?), cause=`), translate.GRPC},
	{"an exception of .NET's gRPC", regexp.MustCompile(`\bStatus\(StatusCode="?([A-Za-z]+)"?, Detail=` + quoted), translate.GRPC},
	{"an error of Rust's gRPC", regexp.MustCompile(`\b(?:status|code): '?([A-Z][A-Za-z]+)'?, message: ` + quoted), translate.GRPC},
	{"an error of Rust's gRPC", regexp.MustCompile(`\b(?:status|code): '([A-Z][^']{5,90})', (?:self|message): ` + quoted), translate.GRPC},
	{"an error of Dart's gRPC", regexp.MustCompile(`\bgRPC Error \(code: ([0-9]+), codeName: [A-Z_]+, message: (.*?), details: `), translate.GRPC},
	{"an exception of Ruby's gRPC", regexp.MustCompile(`\b([0-9]{1,2}):(.*?)\. debug_error_string:`), translate.GRPC},
	{"an exception of Ruby's gRPC", regexp.MustCompile(`\(?GRPC::[A-Za-z]+\)?: ?([0-9]{1,2}):(.*)`), translate.GRPC},
	{"a number and a code of gRPC", regexp.MustCompile(`\b([0-9]{1,10} (?:[A-Z][A-Z_]+|undefined)): (.*)`), translate.GRPC},
	{"an exception of Google's libraries", regexp.MustCompile(`\b(?:api_core|gax[a-z.]*)\.(?:exceptions\.)?([A-Za-z]+): [0-9]{3} (.*)`), translate.GRPC},
	{"a code of gRPC", regexp.MustCompile(`\b(?:StatusCode|status_code|grpc\.code|grpc-code|statusCode)["']?\s*[=:.]\s*["']?(?:codes?\.)?([A-Za-z_]+)["']?,?\s*(?:[A-Za-z_.]*(?:desc|description|message|msg|detail|details)["']?\s*[=:]\s*["']?([^"'\r\n]*))?`), translate.GRPC},
	{"a code of Connect before a text", regexp.MustCompile(`(?m)(?:^|: |[="'\[]|\berr(?:or)? )(canceled|unknown|invalid_argument|deadline_exceeded|not_found|already_exists|permission_denied|resource_exhausted|failed_precondition|aborted|out_of_range|unimplemented|internal|unavailable|data_loss|unauthenticated): (.*)`), translate.Connect},
	{"a code of gRPC before a text", regexp.MustCompile(`(?m)(?:^|[\s:="'(\[])(?:Code\.|codes\.|StatusCode\.|Status\.)?(CANCELLED|INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|ABORTED|OUT_OF_RANGE|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|DATA_LOSS|UNAUTHENTICATED)["')\]]?(?:[:,-]\s*(.*)|$)`), translate.GRPC},
}

// rustCodes are what tonic calls the codes.
var rustCodes = map[string]code.Code{
	"The operation was cancelled": 1, "Unknown error": 2, "Client specified an invalid argument": 3,
	"Deadline expired before operation could complete": 4, "Some requested entity was not found": 5,
	"Some entity that we attempted to create already exists":                 6,
	"The caller does not have permission to execute the specified operation": 7,
	"Some resource has been exhausted":                                       8,
	"The system is not in a state required for the operation's execution":    9,
	"The operation was aborted":                                              10,
	"Operation was attempted past the valid range":                           11,
	"Operation is not implemented or not supported":                          12,
	"Internal error":                                                               13,
	"The service is currently unavailable":                                         14,
	"Unrecoverable data loss or corruption":                                        15,
	"The request does not have valid authentication credentials":                   16,
	"The request does not have valid authentication credentials for the operation": 16,
}

// escapes are the sequences by which programs colour their text.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// recognizeText finds an error in what is no JSON: exceptions, lines of logs, pages.
func recognizeText(text []byte, layer int) (Found, error) {
	if layer > maxLayers {
		return Found{}, unknown("it stands in more than %d other things", maxLayers)
	}
	f, ok := readText(text, layer)
	if !ok && escapes.Match(text) {
		f, ok = readText(escapes.ReplaceAll(text, nil), layer)
	}
	if !ok {
		return Found{}, unknown("want header lines with grpc-status, a whole HTTP response, what a client or a log prints of an error, "+
			"or the JSON of %s (of another body tell the status: --http-status 503)", forms())
	}
	return f, nil
}

func forms() string {
	names := make([]string, 0, 6)
	for _, f := range translate.Forms() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func readText(text []byte, layer int) (Found, bool) {
	if page, ok := readMarkup(text, 0); ok {
		return page, true
	}
	for _, read := range []func([]byte) (Found, bool){readBlock, readStatusText, readPhrase} {
		if f, ok := read(text); ok {
			return f, true
		}
	}
	if f, ok := readEmbedded(text, layer); ok {
		return f, true
	}
	for _, read := range []func([]byte) (Found, bool){readProxyText, readClientText, readDetailsText, readNetwork} {
		if f, ok := read(text); ok {
			return f, true
		}
	}
	return Found{}, false
}

// readPhrase finds the first phrase that is in a text.
func readPhrase(text []byte) (Found, bool) {
	for _, p := range phrases {
		at := p.pattern.FindSubmatchIndex(text)
		if at == nil {
			continue
		}
		name, message := string(text[at[2]:at[3]]), ""
		if at[4] >= 0 {
			message = string(text[at[4]:at[5]])
		}
		if inner, ok := unquoted(text, at[2]); ok {
			if match := p.pattern.FindSubmatch(inner); match != nil {
				name, message = string(match[1]), string(match[2])
			}
		}
		number, ok := phraseCode(name)
		if !ok {
			continue
		}
		if strings.HasSuffix(p.pattern.String(), quoted) {
			if plain, err := strconv.Unquote(`"` + message + `"`); err == nil {
				message = plain
			}
		}
		message, _, _ = strings.Cut(message, ` [reason: "`) // Google's libraries append the details
		message = strings.TrimRight(message, " \r\t")
		why := p.of + ", without details"
		if p.form == translate.Connect {
			return Found{Form: p.form, Text: errmap.EncodeConnect(errmap.NewCode(number, message)), Why: why}, true
		}
		if f, ok := readDetailsText(text); ok && bytes.Contains(f.Text, fmt.Appendf(nil, "grpc-status: %d\n", number)) {
			f.Why = p.of + ", and grpc-status-details-bin"
			return f, true
		}
		return Found{Form: translate.GRPC, Text: []byte(errmap.EncodeGRPC(errmap.NewCode(number, message)).String()), Why: why}, true
	}
	return Found{}, false
}

// phraseCode reads the code of a phrase; "9 FAILED_PRECONDITION" must agree.
func phraseCode(name string) (code.Code, bool) {
	number, word, both := strings.Cut(name, " ")
	if c, ok := rustCodes[name]; ok {
		return c, true
	}
	if !both || number == "" || number[0] < '0' || number[0] > '9' {
		c, ok := codeNamed(name)
		return c, ok
	}
	c, ok := codeNamed(number)
	if !ok {
		return 0, false
	}
	named, known := codeNames[bareName(word)]
	return c, known && named == c || word == "undefined" && c > 16
}

// unquoted returns what the string between double quotes says in which a place of a
// text stands, such as that of err="…" in a log.
func unquoted(text []byte, at int) ([]byte, bool) {
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	for start < at {
		next := bytes.IndexByte(text[start:at], '"')
		if next < 0 {
			break
		}
		start += next
		line := text[start:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		prefix, err := strconv.QuotedPrefix(string(line[:min(len(line), 1<<20)]))
		if err != nil {
			start++
			if len(line) > 1<<16 {
				break // a line that long is looked at once
			}
			continue
		}
		if start+len(prefix) > at {
			inner, err := strconv.Unquote(prefix)
			return []byte(inner), err == nil
		}
		start += len(prefix)
	}
	return nil, false
}

var (
	blockHead = regexp.MustCompile(`(?m)^ERROR:\s*\n\s+Code: (\S+)\s*\n\s+Message:[ \t]?`)
	blockMore = regexp.MustCompile(`(?m)^\s+Details:\s*$`)
	blockItem = regexp.MustCompile(`(?m)^\s+[0-9]+\)\s*`)
)

// readBlock reads what grpcurl prints of an error.
func readBlock(text []byte) (Found, bool) {
	at := blockHead.FindSubmatchIndex(text)
	if at == nil {
		return Found{}, false
	}
	number, ok := codeNamed(string(text[at[2]:at[3]]))
	if !ok {
		return Found{}, false
	}
	message, rest := text[at[1]:], []byte(nil)
	if more := blockMore.FindIndex(message); more != nil {
		message, rest = message[:more[0]], message[more[1]:]
	}
	body := fmt.Appendf(nil, `{"code":%d,"message":`, number)
	body = appendQuoted(body, strings.TrimRight(string(message), "\r\n\t "))
	body = append(body, `,"details":[`...)
	for i := 0; ; i++ {
		item := blockItem.FindIndex(rest)
		if item == nil {
			break
		}
		value, behind, err := cutValue(rest[item[1]:])
		if err != nil {
			break
		}
		if i > 0 {
			body = append(body, ',')
		}
		body, rest = append(body, value...), behind
	}
	return Found{Form: translate.Status, Text: append(body, "]}"...), Title: "an error of gRPC", Why: "the block ERROR of grpcurl"}, true
}

var statusText = regexp.MustCompile(`(?m)^\s*code:\s*[1-9][0-9]*\s+message:\s*"`)

// readStatusText reads a google.rpc.Status in the text format of Protobuf.
func readStatusText(text []byte) (Found, bool) {
	at := statusText.FindIndex(text)
	if at == nil {
		return Found{}, false
	}
	s := new(statuspb.Status)
	if err := (prototext.UnmarshalOptions{Resolver: errmap.Linked()}).Unmarshal(text[at[0]:], s); err != nil {
		return Found{}, false
	}
	e, err := errmap.FromStatus(s)
	if err != nil {
		return Found{}, false
	}
	return Found{Form: translate.Status, Text: errmap.EncodeStatusJSON(e), Title: "a google.rpc.Status as text of Protobuf", Why: "its fields"}, true
}

var detailsText = regexp.MustCompile(`(?i)grpc-status-details-bin["']?\s*(?:=>|[=:])\s*\[?\s*["']?([A-Za-z0-9+/_=-]{8,})`)

// readDetailsText reads the Status that the trailer grpc-status-details-bin holds,
// wherever a program prints it.
func readDetailsText(text []byte) (Found, bool) {
	match := detailsText.FindSubmatch(text)
	if match == nil {
		return Found{}, false
	}
	raw, ok := fromBase64(match[1])
	s := new(statuspb.Status)
	if !ok || proto.Unmarshal(raw, s) != nil || s.GetCode() == 0 {
		return Found{}, false
	}
	e, err := errmap.FromStatus(s)
	if err != nil {
		return Found{}, false
	}
	head := errmap.EncodeGRPC(errmap.NewCode(e.Code(), e.Message()))
	return Found{
		Form: translate.GRPC, Why: "grpc-status-details-bin",
		Text: fmt.Appendf(nil, "grpc-status: %d\n%s: %s\n%s: %s\n", s.GetCode(), errmap.HeaderGRPCMessage, head.Message, errmap.HeaderGRPCDetails, base64.RawStdEncoding.EncodeToString(raw)),
	}, true
}
