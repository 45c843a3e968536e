package explain

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/translate"
)

// response is an HTTP response as far as somebody has it.
type response struct {
	status int // 0 where it was not shown
	header http.Header
	body   []byte
	shown  string // how it was shown, "" for nothing worth saying
}

// recognize takes what the headers say before what the body looks like.
func (r response) recognize(layer int) (Found, error) {
	f, err := r.content(layer)
	if err == nil {
		if r.status >= 400 && f.Status != r.status {
			f = f.WithStatus(r.status)
		}
		if f.Status == 0 {
			f.Status = r.status
		}
		if f.Header == nil {
			f.Header = r.header
		}
		f = f.noted("Request", r.requestID())
	}
	return f, err
}

func (r response) content(layer int) (Found, error) {
	kind, _, _ := strings.Cut(r.header.Get("Content-Type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch {
	case strings.HasPrefix(kind, "application/grpc-web"), strings.HasPrefix(kind, "application/connect+"):
		if frames, ok := splitFrames(r.body); ok {
			return frames.recognize(layer + 1)
		}
		if text, ok := fromBase64(r.body); ok && strings.HasPrefix(kind, "application/grpc-web-text") {
			if frames, ok := splitFrames(text); ok {
				return frames.recognize(layer + 1)
			}
		}
	case kind == "text/event-stream":
		return recognizeEvents(bytes.TrimSpace(r.body), layer+1)
	}
	if r.header.Get(errmap.HeaderGRPCStatus) != "" || strings.HasPrefix(kind, "application/grpc") {
		return r.grpc()
	}
	body := bytes.TrimSpace(r.body)
	switch {
	case kind == "application/problem+json":
		return Found{Form: translate.Problem, Text: body, Why: "the content type"}, nil
	case kind == "application/a2a+json":
		return Found{Form: translate.HTTP, Text: body, Why: "the content type"}, nil
	}
	if f, ok := r.challenge(); ok && !startsJSON(body) {
		return f, nil
	}
	if startsJSON(body) {
		f, err := recognizeJSON(body, layer+1)
		if err == nil && r.isSuccess() && f.loose {
			return f, success("an HTTP response with the status %d and no error in it", r.status)
		}
		if err == nil || errors.Is(err, ErrSuccess) && r.status < 400 {
			return f, err
		}
	}
	switch {
	case r.isSuccess():
		return Found{}, success("an HTTP response with the status %d and no error in it", r.status)
	case r.status == 0:
		return Found{}, unknown("the headers name no status, and the body is none of an error")
	case r.status < 400:
		return Found{}, success("an HTTP response with the status %d, which sends to another place", r.status)
	case startsJSON(body):
		return Found{Form: translate.HTTP, Text: body, Why: "an HTTP response with JSON of another kind"}, nil
	}
	if page, ok := r.page(); ok {
		return page, nil
	}
	return Found{Form: translate.HTTP, Text: body, Why: "an HTTP response without JSON"}, nil
}

func (r response) isSuccess() bool { return r.status/100 == 2 }

// grpc reads the headers of gRPC, and the trailers that curl -i prints behind the
// body, with nothing between where the last message is binary.
func (r response) grpc() (Found, error) {
	var lines bytes.Buffer
	for _, name := range []string{errmap.HeaderGRPCStatus, errmap.HeaderGRPCMessage, errmap.HeaderGRPCDetails} {
		values := r.header.Values(name)
		if len(values) == 0 {
			if match := trailers[name].FindSubmatch(r.body); match != nil {
				values = []string{string(match[1])}
			}
		}
		for _, value := range values {
			fmt.Fprintf(&lines, "%s: %s\n", name, value)
		}
	}
	f := Found{Form: translate.GRPC, Text: lines.Bytes(), Why: "the headers of gRPC"}
	if match := bytes.TrimSpace(lines.Bytes()); bytes.HasPrefix(match, []byte("grpc-status: 0")) && !bytes.HasPrefix(match, []byte("grpc-status: 0\ngrpc-status-details")) {
		return Found{}, success("grpc-status is 0")
	}
	if lines.Len() == 0 && r.isSuccess() {
		f.Facts = append(f.Facts, Fact{"Cut", "it ends without grpc-status, as where trailers were not shown or never arrived"})
	}
	return f, nil
}

var trailers = func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for _, name := range []string{errmap.HeaderGRPCStatus, errmap.HeaderGRPCMessage, errmap.HeaderGRPCDetails} {
		all[name] = regexp.MustCompile(`(?i)` + name + `:[ \t]*([^\r\n]*)`)
	}
	return all
}()

// requestID returns by what the server's people find the request, where a header
// says it.
func (r response) requestID() string {
	for _, name := range []string{
		"X-Request-Id", "Request-Id", "X-Correlation-Id", "X-Amzn-Requestid", "X-Amz-Request-Id", "X-Amz-Cf-Id",
		"X-Ms-Request-Id", "X-Github-Request-Id", "Cf-Ray", "X-Cloud-Trace-Context", "X-Trace-Id",
	} {
		if value := r.header.Get(name); value != "" {
			return name + ": " + value
		}
	}
	return ""
}

var (
	statusLine = regexp.MustCompile(`^[ \t]*HTTP/[0-9.]+ +([1-9][0-9][0-9])\b[^\r\n]*(?:\r?\n|$)`)
	headerLine = regexp.MustCompile("^[ \t]*(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t\r]*$")
)

// splitResponse splits a whole HTTP response, as curl -i prints it. Others may stand
// before the one that counts: 100 Continue, a redirection, a proxy's own.
func splitResponse(text []byte) (response, bool) {
	text = bytes.TrimLeft(text, "\r\n")
	match := statusLine.FindSubmatch(text)
	if match == nil {
		return response{}, false
	}
	r := response{status: atoi(match[1])}
	r.header, r.body = readHeader(text[len(match[0]):])
	if next, ok := splitResponse(r.body); ok {
		return next, true
	}
	return r, true
}

// readHeader reads header lines up to an empty line, and what stands behind it. A
// line that is no header is passed over.
func readHeader(text []byte) (http.Header, []byte) {
	header := http.Header{}
	for len(text) > 0 {
		line := text
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			line, text = text[:end], text[end+1:]
		} else {
			text = nil
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		if match := headerLine.FindSubmatch(line); match != nil {
			header.Add(string(match[1]), string(match[2]))
		}
	}
	return header, text
}

// challenge reads an error of OAuth out of WWW-Authenticate (RFC 6750 section 3).
func (r response) challenge() (Found, bool) {
	for _, value := range r.header.Values("Www-Authenticate") {
		parameters := map[string]string{}
		for _, match := range parameter.FindAllStringSubmatch(value, 64) {
			if _, twice := parameters[match[1]]; !twice {
				parameters[match[1]] = match[2]
			}
		}
		if parameters["error"] == "" {
			continue
		}
		members := map[string]any{"error": parameters["error"]}
		for _, name := range []string{"error_description", "error_uri"} {
			if parameters[name] != "" {
				members[name] = parameters[name]
			}
		}
		f, ok := foreign(members, r.status)
		f.Why = "the header WWW-Authenticate"
		return f.noted("Scope", parameters["scope"]), ok
	}
	return Found{}, false
}

var parameter = regexp.MustCompile(`\b([a-z_]+)="([^"]*)"`)

func atoi(digits []byte) int {
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' || n > 1<<24 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// ResponseStatus tells whether a text is a whole HTTP response, and its status.
func ResponseStatus(text []byte) (status int, ok bool) {
	r, ok := splitResponse(text)
	return r.status, ok
}
