package explain

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/errmap/errmap/errmap"
)

var (
	markup     = regexp.MustCompile(`(?is)^\s*(?:<!--.*?-->\s*)*<(?:!doctype|html|head|title|body|h1|\?xml|error|errorresponse|soap|s:envelope|env:|response)\b`)
	isXML      = regexp.MustCompile(`(?is)^\s*(?:<\?xml\b[^>]*>\s*)?<(?:[a-z]+:)?(error|errorresponse|fault|envelope|response)\b`)
	titleTag   = regexp.MustCompile(`(?is)<title[^>]*>(.{0,500}?)</title>`)
	headTag    = regexp.MustCompile(`(?is)<h[1-3][^>]*>(.{0,500}?)</h[1-3]>`)
	anyTag     = regexp.MustCompile(`(?s)<[^<>]{0,1000}>`)
	hidden     = regexp.MustCompile(`(?is)<(script|style)\b.*?</(?:script|style)>`)
	statusWord = regexp.MustCompile(`\b([45][0-9][0-9])\b[\s:|–-]*([A-Za-z][A-Za-z -]{2,50})?`)
	xmlTag     = regexp.MustCompile(`(?is)<(?:[a-z]+:)?(code|faultcode|message|faultstring|requestid|hostid|resource|key|bucketname)\b[^>]*>([^<]{0,1000})</`)
)

// proxies are what writes pages and answers before a service does, by what is in
// them.
var proxies = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"Cloudflare", regexp.MustCompile(`(?i)\bcloudflare\b|^error code: 1[0-9]{3}\b|\bRay ID\b`)},
	{"CloudFront", regexp.MustCompile(`(?i)\bcloudfront\b`)},
	{"Envoy", regexp.MustCompile(`(?i)^(?:upstream connect error or disconnect|no healthy upstream|upstream request timeout|upstream max stream duration|RBAC: access denied|stream timeout|request timeout|response timeout|no cluster match|local_rate_limited|ext_authz|cluster_not_found)|\benvoy\b`)},
	{"HAProxy", regexp.MustCompile(`(?i)\bhaproxy\b|No server is available to handle this request|The server didn't respond in time`)},
	{"Varnish", regexp.MustCompile(`(?i)\bvarnish\b|Guru Meditation`)},
	{"nginx", regexp.MustCompile(`(?i)\b(?:nginx|openresty)(?:/[0-9.]+)?`)},
	{"Apache httpd", regexp.MustCompile(`(?i)\bApache(?:/[0-9.]+)?`)},
	{"IIS", regexp.MustCompile(`(?i)\b(?:Microsoft-IIS|Internet Information Services)\b|<h2>[^<]*HTTP Error`)},
	{"an AWS load balancer", regexp.MustCompile(`(?i)\bawselb/`)},
	{"Google's front end", regexp.MustCompile(`(?i)That’s an error\.|That's an error\.|\bGoogle Frontend\b|Error: Server Error`)},
	{"Traefik", regexp.MustCompile(`(?i)\btraefik\b`)},
	{"Caddy", regexp.MustCompile(`(?i)\bcaddy\b`)},
	{"Kong", regexp.MustCompile(`(?i)\bkong\b|no Route matched with those values`)},
	{"Squid", regexp.MustCompile(`(?i)\bsquid\b`)},
	{"Akamai", regexp.MustCompile(`(?i)\bAkamai|edgesuite\.net`)},
	{"Fastly", regexp.MustCompile(`(?i)\bfastly\b`)},
	{"Tomcat", regexp.MustCompile(`(?i)\bApache Tomcat\b`)},
	{"Jetty", regexp.MustCompile(`(?i)\bPowered by Jetty\b`)},
}

// proxyOf returns which of the proxies speaks in a text.
func proxyOf(texts ...string) string {
	for _, text := range texts {
		text = text[:min(len(text), 1<<16)]
		for _, p := range proxies {
			if p.pattern.MatchString(text) {
				return p.name
			}
		}
	}
	return ""
}

// page reads the body of a response that is no JSON.
func (r response) page() (Found, bool) {
	f, ok := readMarkup(r.body, r.status)
	if !ok {
		text := strings.TrimSpace(string(r.body))
		proxy := proxyOf(text)
		if proxy == "" && (text == "" || len(text) > 2000) {
			proxy = proxyOf(r.header.Get("Server"))
		}
		if proxy == "" {
			return Found{}, false
		}
		f = proxyFound(proxy, r.status, text)
	}
	if r.header.Get("Server") != "" {
		f = f.noted("Server", r.header.Get("Server"))
	}
	return f, true
}

func proxyFound(proxy string, status int, message string) Found {
	title := "an answer of " + proxy + ", which stands before the service"
	if proxy == "" {
		title = "a page for people, of a proxy or of a framework"
	}
	return Found{Title: title, Why: "what it says", Status: status, Error: errmap.NewCode(codeOfStatus(status), message)}
}

// readMarkup reads a page of HTML, or the XML that some services answer with. The
// status is that of the response, 0 where it is not known.
func readMarkup(text []byte, status int) (Found, bool) {
	text = text[:min(len(text), 1<<18)]
	if !markup.Match(text) {
		return Found{}, false
	}
	if isXML.Match(text) {
		if f, ok := readXML(text, status); ok {
			return f, true
		}
	}
	var headings []string
	for _, tag := range []*regexp.Regexp{titleTag, headTag} {
		if match := tag.FindSubmatch(text); match != nil {
			headings = append(headings, plainText(match[1]))
		}
	}
	told := strings.Join(headings, "\n")
	if status == 0 {
		for _, match := range statusWord.FindAllStringSubmatch(told, 8) {
			if status = statusOfPhrase(match[1], strings.TrimSpace(match[2])); status != 0 {
				break
			}
		}
		if match := statusWord.FindStringSubmatch(told); status == 0 && match != nil && regexp.MustCompile(`(?i)error|HTTP`).MatchString(told) {
			status = atoi([]byte(match[1]))
		}
	}
	message := ""
	if len(headings) > 0 {
		message = headings[0]
	}
	if status == 0 {
		if proxy := proxyOf(string(text)); proxy == "" {
			return Found{}, false
		}
	}
	if message == "" {
		message = clip(plainText(hidden.ReplaceAll(text, nil)), 200)
	}
	f := proxyFound(proxyOf(plainText(text), string(text)), status, message)
	f.Why = "its title"
	if match := regexp.MustCompile(`(?i)\b(Ray ID|Request ID|Reference ?#?|XID):?\s*([0-9A-Za-z._=-]{6,80})`).FindStringSubmatch(plainText(text)); match != nil {
		f = f.noted("Request", match[1]+": "+match[2])
	}
	if status == 0 {
		f = f.noted("Unknown", "the page names no HTTP status: --http-status tells it")
	}
	return f, true
}

// readXML reads the error of a service that speaks XML, such as Amazon's S3 or SOAP.
func readXML(text []byte, status int) (Found, bool) {
	said := map[string]string{}
	for _, match := range xmlTag.FindAllSubmatch(text, 64) {
		name := strings.ToLower(string(match[1]))
		if said[name] == "" {
			said[name] = strings.TrimSpace(html.UnescapeString(string(match[2])))
		}
	}
	kind, message := said["code"]+said["faultcode"], said["message"]+said["faultstring"]
	if kind == "" {
		return Found{}, false
	}
	title := "an error in XML, as Amazon's S3 has it"
	if said["faultcode"] != "" {
		title = "a fault of SOAP"
	}
	parts := parts{title: title, identity: kind, message: message, status: status, requestID: said["requestid"]}
	parts.resource = said["resource"]
	if parts.resource == "" {
		parts.resource = said["key"]
	}
	return parts.found("the members of the XML"), true
}

func plainText(markup []byte) string {
	return strings.Join(strings.Fields(html.UnescapeString(string(anyTag.ReplaceAll(markup, []byte(" "))))), " ")
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// readProxyText reads what proxies say in one line of text.
func readProxyText(text []byte) (Found, bool) {
	line := strings.TrimSpace(string(text[:min(len(text), 4096)]))
	for _, answer := range proxyTexts {
		if answer.pattern.MatchString(line) {
			return proxyFound(answer.of, answer.status, line), true
		}
	}
	return Found{}, false
}

// proxyTexts are the texts that Envoy and others answer with, and the status that
// goes with each (Envoy: response flags UF, UH, UT, RBAC, RL).
var proxyTexts = []struct {
	of      string
	pattern *regexp.Regexp
	status  int
}{
	{"Envoy", regexp.MustCompile(`^(?:upstream connect error or disconnect/reset before headers|no healthy upstream)`), 503},
	{"Envoy", regexp.MustCompile(`^(?:upstream request timeout|stream timeout|response timeout|upstream max stream duration)`), 504},
	{"Envoy", regexp.MustCompile(`^RBAC: access denied`), 403},
	{"Envoy", regexp.MustCompile(`^local_rate_limited`), 429},
	{"Cloudflare", regexp.MustCompile(`^error code: (?:1006|1007|1008|1009|1010|1012|1020)\b`), 403},
	{"Cloudflare", regexp.MustCompile(`^error code: 1015\b`), 429},
	{"Cloudflare", regexp.MustCompile(`^error code: (?:1000|1001|1002|1016|1018|1033)\b`), 530},
	{"Cloudflare", regexp.MustCompile(`^error code: 502\b`), 502},
	{"Cloudflare", regexp.MustCompile(`^error code: 504\b`), 504},
	{"", regexp.MustCompile(`^404 page not found$`), 404},
	{"", regexp.MustCompile(`^default backend - 404$`), 404},
	{"", regexp.MustCompile(`^Bad Gateway$`), 502},
	{"", regexp.MustCompile(`^Service Unavailable$`), 503},
	{"", regexp.MustCompile(`^Gateway Timeout$`), 504},
}

var clientLines = []*regexp.Regexp{
	regexp.MustCompile(`\b([45][0-9][0-9]) (?:Client|Server) Error: ([A-Za-z -]*) for url`),
	regexp.MustCompile(`\b(?:Client|Server) error '([45][0-9][0-9]) ([A-Za-z -]*)' for url`),
	regexp.MustCompile(`(?i)\bstatus(?:[ _]?code)?(?: of| is|:|=)? ?['"(]?([45][0-9][0-9])\b()`),
	regexp.MustCompile(`(?i)\bURL returned error: ([45][0-9][0-9])\b()`),
	regexp.MustCompile(`(?i)\bHTTP(?:/[0-9.]+)?(?: Error| error|StatusError)?[ :=]*([45][0-9][0-9])\b[: ]*([A-Za-z -]*)`),
	regexp.MustCompile(`(?i)\berror code: ([45][0-9][0-9])\b()`),
	regexp.MustCompile(`(?i)\bresponse(?: code)?[ :=]*([45][0-9][0-9])\b()`),
}

var phraseLine = regexp.MustCompile(`\b([45][0-9][0-9])[ :]+([A-Z][A-Za-z -]{2,40})`)

var awsLine = regexp.MustCompile(`An error occurred \(([A-Za-z0-9.]{2,80})\) when calling the ([A-Za-z0-9]{2,80}) operation(?: \([^)]*\))?: (.*)`)

// readClientText reads what clients of HTTP print of a response that they took for
// a failure.
func readClientText(text []byte) (Found, bool) {
	if match := awsLine.FindSubmatch(text); match != nil {
		p := parts{title: "an error of Amazon's services, as their Python client prints it", identity: string(match[1]), message: strings.TrimSpace(string(match[3]))}
		return p.found("the words of the exception").noted("Operation", string(match[2])), true
	}
	for _, pattern := range clientLines {
		match := pattern.FindSubmatch(text)
		if match == nil {
			continue
		}
		return clientFound(text, match[0], atoi(match[1])), true
	}
	for _, match := range phraseLine.FindAllSubmatch(text, 16) {
		if status := statusOfPhrase(string(match[1]), string(match[2])); status != 0 {
			return clientFound(text, match[0], status), true
		}
	}
	return Found{}, false
}

func clientFound(text, at []byte, status int) Found {
	line := text
	if i := bytes.Index(text, at); i >= 0 {
		start := bytes.LastIndexByte(text[:i], '\n') + 1
		line = text[start:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
	}
	return Found{
		Title: "an HTTP status in what a client prints, without the body of the answer", Why: fmt.Sprintf("the status %d", status),
		Status: status, Error: errmap.NewCode(codeOfStatus(status), clip(strings.TrimSpace(string(line)), 500)),
	}
}

// readNetwork reads what clients print where no answer came.
func readNetwork(text []byte) (Found, bool) {
	for _, row := range networkWords {
		at := row.pattern.FindIndex(text)
		if at == nil {
			continue
		}
		start := bytes.LastIndexByte(text[:at[0]], '\n') + 1
		line := text[start:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		e := errmap.NewCode(row.code, clip(strings.TrimSpace(string(line)), 500)).WithLocal()
		return Found{Title: "a failure of the connection, which the client tells: no answer came", Why: row.why, Error: e}, true
	}
	return Found{}, false
}
