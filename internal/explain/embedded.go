package explain

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxTries bounds at how many places of a text JSON is looked for.
const maxTries = 32

// readEmbedded finds an error in JSON, or in what Python prints of a dict, in the
// midst of other text: "Error code: 404 - {…}".
func readEmbedded(text []byte, layer int) (Found, bool) {
	rest := text
	for tries := 0; tries < maxTries; tries++ {
		start := bytes.IndexByte(rest, '{')
		if start < 0 {
			break
		}
		rest = rest[start:]
		value, behind, err := cutValue(rest)
		if err != nil {
			if value, behind, err = cutDict(rest); err != nil {
				rest = rest[1:]
				continue
			}
		}
		if len(value) > 2 {
			f, err := recognizeValue(value, layer+1, true)
			if err != nil {
				f, err = recognizeValue(unescaped(value), layer+1, true)
			}
			if err == nil {
				if f.Status == 0 {
					f.Status = statusBefore(text[:len(text)-len(rest)])
				}
				return f.inside("a line of text"), true
			}
		}
		rest = behind
	}
	return Found{}, false
}

// unescaped returns the JSON that a string in JSON holds, as logs have bodies.
func unescaped(value []byte) []byte {
	return bytes.ReplaceAll(value, []byte(`\"`), []byte(`"`))
}

var statusNear = regexp.MustCompile(`\b([45][0-9][0-9])\b[^0-9]{0,40}$`)

// statusBefore returns the HTTP status that stands shortly before a body.
func statusBefore(text []byte) int {
	text = text[max(0, len(text)-64):]
	if match := statusNear.FindSubmatch(text); match != nil {
		return atoi(match[1])
	}
	return 0
}

// cutDict turns what Python prints of a dict into JSON, and returns what stands
// behind it.
func cutDict(text []byte) (value, rest []byte, err error) {
	var out bytes.Buffer
	depth := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end, plain, ok := pythonString(text[i:])
			if !ok {
				return nil, nil, ErrUnknown
			}
			out.Write(appendQuoted(nil, plain))
			i += end
			continue
		case c == '{' || c == '[':
			depth++
			out.WriteByte(c)
		case c == '}' || c == ']':
			depth--
			out.WriteByte(c)
			if depth == 0 {
				if !jsontext.Value(out.Bytes()).IsValid(lenient) {
					return nil, nil, ErrUnknown
				}
				return out.Bytes(), text[i+1:], nil
			}
		case bytes.HasPrefix(text[i:], []byte("None")):
			out.WriteString("null")
			i += len("None")
			continue
		case bytes.HasPrefix(text[i:], []byte("True")), bytes.HasPrefix(text[i:], []byte("False")):
			word := "true"
			if c == 'F' {
				word = "false"
			}
			out.WriteString(word)
			i += len(word)
			continue
		case strings.IndexByte(" \t,:-+.eE0123456789", c) >= 0:
			out.WriteByte(c)
		default:
			return nil, nil, ErrUnknown
		}
		i++
	}
	return nil, nil, ErrUnknown
}

// pythonString reads a string of Python and returns where it ends.
func pythonString(text []byte) (end int, plain string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == text[0]:
			return i + 1, b.String(), true
		case c == '\\' && i+1 < len(text):
			i++
			switch text[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
				b.WriteByte('\r')
			default:
				b.WriteByte(text[i])
			}
		case c == '\n':
			return 0, "", false
		default:
			b.WriteByte(c)
		}
	}
	return 0, "", false
}

// logValue reads a record of a log in JSON: what it has as error counts, else its
// message.
func logValue(members map[string]jsontext.Value, _ []byte, layer int) (Found, bool, error) {
	if !has(members, "level", "severity", "lvl", "levelname", "log.level", "loglevel", "stream", "Level", "@l") ||
		!has(members, "msg", "message", "time", "ts", "timestamp", "@timestamp", "log", "textPayload", "jsonPayload", "event", "T", "@t", "@m") {
		return Found{}, false, nil
	}
	const shown = "a record of a log"
	for _, name := range []string{
		"err", "error", "exception", "cause", "errorVerbose", "jsonPayload", "protoPayload", "fields", "exc_info", "error.message", "err.message", "stack_trace", "stack",
		"textPayload", "log", "msg", "message", "event", "@x", "@m",
	} {
		value := members[name]
		switch value.Kind() {
		case '"':
			if f, err := recognize([]byte(text(value)), layer+2); err == nil {
				return f.inside(shown), true, nil
			}
		case '{':
			if f, ok := grpcObject(value); ok {
				return f.inside(shown), true, nil
			}
			if f, err := recognizeValue(value, layer+2, true); err == nil {
				return f.inside(shown), true, nil
			}
			inner, _ := readMembers(value)
			for _, name := range []string{"message", "msg", "error", "err", "stack", "stack_trace"} {
				if inner[name].Kind() != '"' {
					continue
				}
				if f, err := recognize([]byte(text(inner[name])), layer+2); err == nil {
					return f.inside(shown), true, nil
				}
			}
		}
	}
	return Found{}, true, unknown("a record of a log, whose error is in none")
}

// grpcObject reads an error of JavaScript's gRPC as logs serialize it: a number, the
// details as text, and the trailers.
func grpcObject(value []byte) (Found, bool) {
	var o struct {
		Code     *int32                      `json:"code"`
		Details  *string                     `json:"details"`
		Metadata map[string][]jsontext.Value `json:"metadata"`
	}
	if json.Unmarshal(value, &o, lenient) != nil || o.Code == nil || o.Details == nil || *o.Code == 0 {
		return Found{}, false
	}
	number, _ := codeNamed(itoa(int(*o.Code)))
	e := errmap.NewCode(number, *o.Details)
	text := []byte(errmap.EncodeGRPC(e).String())
	for _, v := range o.Metadata[errmap.HeaderGRPCDetails] {
		var buffer struct {
			Data []uint16 `json:"data"`
		}
		if json.Unmarshal(v, &buffer, lenient) == nil && len(buffer.Data) > 0 {
			raw := make([]byte, len(buffer.Data))
			for i, b := range buffer.Data {
				raw[i] = byte(b)
			}
			text = append(text, ("\n" + errmap.HeaderGRPCDetails + ": " + toBase64(raw))...)
			break
		}
	}
	return Found{Form: "grpc", Text: text, Why: "an error of JavaScript's gRPC"}, true
}
