package explain

import (
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
)

const codeUnknown = code.Code_UNKNOWN

// connectCodes and statusCodes are the codes of errors by the names that Connect and
// google.rpc have for them; codeNames has them in lower case without what parts words.
var connectCodes, statusCodes, codeNames = func() (connect, status, bare map[string]code.Code) {
	connect, status, bare = map[string]code.Code{}, map[string]code.Code{}, map[string]code.Code{}
	for number, name := range code.Code_name {
		if number == 0 {
			continue
		}
		c := code.Code(number)
		status[name] = c
		connect[strings.ToLower(name)] = c
		bare[bareName(name)] = c
	}
	delete(connect, "cancelled")
	connect["canceled"], bare["canceled"] = code.Code_CANCELLED, code.Code_CANCELLED
	return connect, status, bare
}()

// bareName returns a name in lower case without what parts its words.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-' || r == ' ' || r == '.':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// codeNamed returns the code that a language calls so: NotFound, NOT_FOUND,
// not_found, StatusCode.NOT_FOUND, 5, Code(42). OK is none.
func codeNamed(name string) (code.Code, bool) {
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		name = name[at+1:]
	}
	if inner, ok := strings.CutPrefix(name, "Code("); ok {
		name = strings.TrimSuffix(inner, ")")
	}
	if c, ok := codeNames[bareName(name)]; ok {
		return c, true
	}
	n, err := strconv.ParseInt(name, 10, 32)
	return code.Code(n), err == nil && n != 0
}

// wordCodes are the codes of what services call their errors, by the words that the
// names are made of, without what parts them. The first that is in a name counts.
var wordCodes = []struct {
	words []string
	code  code.Code
}{
	{[]string{"ratelimit", "toomanyrequest", "throttl", "quota", "slowdown", "limitexceeded", "exhausted", "requestlimit"}, code.Code_RESOURCE_EXHAUSTED},
	{[]string{"notfound", "nosuch", "doesnotexist", "missingresource", "unknownresource", "gone", "modelnotfound"}, code.Code_NOT_FOUND},
	{[]string{"alreadyexist", "duplicate"}, code.Code_ALREADY_EXISTS},
	{[]string{"unauthorized", "unauthenticated", "authentication", "invalidtoken", "invalidapikey", "expiredtoken", "tokenexpired", "invalidclient", "badcredentials", "signaturedoesnotmatch", "notauthed", "invalidauth", "accesstoken"}, code.Code_UNAUTHENTICATED},
	{[]string{"forbidden", "accessdenied", "permission", "insufficientscope", "notallowed", "unauthorizedclient", "accessblocked"}, code.Code_PERMISSION_DENIED},
	{[]string{"timeout", "timedout", "deadline"}, code.Code_DEADLINE_EXCEEDED},
	{[]string{"overloaded", "unavailable", "temporarily", "serverbusy"}, code.Code_UNAVAILABLE},
	{[]string{"conflict", "preconditionfailed", "concurrent"}, code.Code_ABORTED},
	{[]string{"unsupportedgranttype", "notimplemented", "methodnotfound", "unimplemented"}, code.Code_UNIMPLEMENTED},
	{[]string{"invalid", "validation", "badrequest", "malformed", "missingparameter", "unprocessable", "parameter"}, code.Code_INVALID_ARGUMENT},
	{[]string{"carderror", "declined"}, code.Code_FAILED_PRECONDITION},
	{[]string{"internal", "servererror", "apierror", "serviceerror"}, code.Code_INTERNAL},
}

// codeOfWords returns the code that a name of a service speaks of.
func codeOfWords(names ...string) (code.Code, string, bool) {
	for _, name := range names {
		bare := bareName(name)
		if bare == "" || len(bare) > 100 {
			continue
		}
		if c, ok := codeNames[bare]; ok && c != code.Code_UNKNOWN {
			return c, name, true
		}
		for _, row := range wordCodes {
			for _, word := range row.words {
				if strings.Contains(bare, word) {
					return row.code, name, true
				}
			}
		}
	}
	return code.Code_UNKNOWN, "", false
}

// codeOfStatus returns what an HTTP status says.
func codeOfStatus(status int) code.Code { return errmap.FromHTTPStatus(errmap.WireHTTP, status).Code() }

// statusOfPhrase returns the status of "404 Not Found", whose phrase is that of the
// number, 0 for another text.
func statusOfPhrase(digits, phrase string) int {
	status := atoi([]byte(digits))
	if status < 400 || status > 599 {
		return 0
	}
	for _, name := range []string{http.StatusText(status), otherPhrases[status]} {
		if name != "" && len(phrase) >= len(name) && strings.EqualFold(phrase[:len(name)], name) {
			return status
		}
	}
	return 0
}

// otherPhrases are names of statuses that are older than those of net/http, newer, or
// of a proxy alone.
var otherPhrases = map[int]string{
	401: "Authorization Required", 408: "Request Time-out", 413: "Content Too Large", 414: "Request-URI Too Large", 416: "Requested Range Not Satisfiable",
	422: "Unprocessable Content", 429: "Too Many Request", 499: "Client Closed Request", 500: "Internal Error", 503: "Service Temporarily Unavailable",
	504: "Gateway Time-out", 520: "Web server is returning an unknown error", 521: "Web server is down", 522: "Connection timed out",
	523: "Origin is unreachable", 524: "A timeout occurred", 525: "SSL handshake failed", 526: "Invalid SSL certificate", 530: "Site is frozen",
}
