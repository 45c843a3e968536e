package explain

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"

	"github.com/errmap/errmap/errmap"
)

var (
	// What curl -v writes: "< " before what came, "> " before what went, "* " before
	// its own words, and "{ [348 bytes data]" for a body.
	received  = regexp.MustCompile(`(?m)^< HTTP/[0-9.]+ +[1-9][0-9][0-9]\b`)
	dataLine  = regexp.MustCompile(`^[{}] \[[0-9]+ bytes data\]\s*$`)
	meterLine = regexp.MustCompile(`--:--:--|^ +% Total |^ +Dload `)
	ownWords  = regexp.MustCompile(`\* (?:Connection #|Closing connection|shutting down connection|Leftovers? |Curl_|TLSv1|Request completely|HTTP/2 stream |upload completely)[^\r\n]*`)
	// What curl --trace-ascii writes.
	traced    = regexp.MustCompile(`(?m)^(?:[0-9:.]+ )?<= Recv header, `)
	traceHead = regexp.MustCompile(`^(?:[0-9:.]+ )?(<= Recv header|<= Recv data|=> Send [a-zA-Z ]+|== Info|<= Recv SSL data)[,:]`)
	traceText = regexp.MustCompile(`^[0-9a-f]{4,}: (.*)$`)
	ownInfo   = regexp.MustCompile(`== Info: [^\r\n]*`)
)

// splitTranscript splits what a client shows of a call into the response.
func splitTranscript(text []byte) (response, bool) {
	switch {
	case received.Match(text):
		return splitVerbose(text), true
	case traced.Match(text):
		return splitTrace(text), true
	}
	return splitResponse(text)
}

// splitVerbose reads what curl -v prints. The body is what has no mark; headers that
// come behind it are trailers.
func splitVerbose(text []byte) response {
	var head, body bytes.Buffer
	for line := range bytes.Lines(text) {
		bare := bytes.TrimRight(line, "\r\n")
		switch {
		case bytes.HasPrefix(bare, []byte("< ")), bytes.Equal(bare, []byte("<")):
			rest := bytes.TrimPrefix(bare[1:], []byte(" "))
			if statusLine.Match(rest) {
				head.Reset()
				body.Reset()
			}
			if len(bytes.TrimSpace(rest)) > 0 {
				head.Write(rest)
				head.WriteByte('\n')
			}
		case bytes.HasPrefix(bare, []byte("> ")), bytes.HasPrefix(bare, []byte("* ")), bytes.Equal(bare, []byte(">")):
		case dataLine.Match(bare), meterLine.Match(bare):
		default:
			body.Write(ownWords.ReplaceAll(line, nil))
		}
	}
	r, _ := splitResponse(head.Bytes())
	r.body, r.shown = body.Bytes(), "what curl -v prints"
	return r
}

// splitTrace reads what curl --trace-ascii prints.
func splitTrace(text []byte) response {
	var head, data, rest bytes.Buffer
	part := ""
	for line := range bytes.Lines(text) {
		bare := bytes.TrimRight(line, "\r\n")
		if match := traceHead.FindSubmatch(bare); match != nil {
			part = string(match[1])
			continue
		}
		match := traceText.FindSubmatch(bare)
		switch {
		case match == nil:
			rest.Write(ownInfo.ReplaceAll(line, nil))
		case part == "<= Recv header":
			if statusLine.Match(match[1]) {
				head.Reset()
				data.Reset()
			}
			if len(bytes.TrimSpace(match[1])) > 0 {
				head.Write(match[1])
				head.WriteByte('\n')
			}
		case part == "<= Recv data":
			data.Write(match[1])
		}
	}
	r, _ := splitResponse(head.Bytes())
	r.shown = "what curl --trace-ascii prints"
	// The body itself is whole where the trace has dots for what is no ASCII.
	if r.body = rest.Bytes(); len(bytes.TrimSpace(rest.Bytes())) == 0 {
		r.body = data.Bytes()
	}
	return r
}

// splitHeaders reads headers without a status line, as the tools of browsers copy
// them: "name: value" in a line, or the value in the next line. One of them must say
// what became of the call.
func splitHeaders(text []byte) (response, bool) {
	header, body := readHeader(text)
	if len(header) == 0 || !tellsOutcome(header) {
		if header = alternating(text); !tellsOutcome(header) {
			return response{}, false
		}
		body = nil
	}
	r := response{header: header, body: body, shown: "headers as the tools of a browser copy them"}
	for _, name := range []string{":status", "Status Code", "Status-Code", "Status"} {
		if value := strings.TrimLeft(first(header, name), " ●"); r.status == 0 && len(value) >= 3 {
			r.status = atoi([]byte(value[:3]))
		}
	}
	if first(header, ":status") == "" && first(header, "Status Code") == "" {
		r.shown = ""
	}
	return r, true
}

func tellsOutcome(header http.Header) bool {
	if header.Get(errmap.HeaderGRPCStatus) != "" {
		return true
	}
	for _, name := range []string{":status", "Status Code"} {
		if value := strings.TrimLeft(first(header, name), " ●"); len(value) >= 3 && atoi([]byte(value[:3])) >= 100 {
			return true
		}
	}
	return false
}

// first returns the first value of a header whose name is not canonical.
func first(header http.Header, name string) string {
	for key, values := range header {
		if strings.EqualFold(key, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

var loneName = regexp.MustCompile("^(?::?[a-z0-9][!#$%&'*+.^_`|~0-9A-Za-z-]*|Status Code|Request URL|Request Method|Remote Address|Referrer Policy|Status|Version):?$")

// alternating reads headers whose values stand in the line behind the name.
func alternating(text []byte) http.Header {
	header := http.Header{}
	name := ""
	for line := range bytes.Lines(text) {
		bare := strings.TrimSpace(string(line))
		switch match := spacedLine.FindStringSubmatch(bare); {
		case name != "" && bare != "":
			header.Add(name, bare)
			name = ""
		case match != nil:
			header.Add(match[1], match[2])
		case loneName.MatchString(bare):
			name = strings.TrimSuffix(bare, ":")
		}
	}
	return header
}

// spacedLine is a line of a browser's overview, whose names have spaces.
var spacedLine = regexp.MustCompile(`^(:?[A-Za-z][A-Za-z0-9 -]*):[ \t]+(.+)$`)
