package wire

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/internal/hub"
)

// codeRow is what one google.rpc.Code is called on the wires.
type codeRow struct {
	name    string // google.rpc, and the status member of AIP-193
	connect string
	http    int
	jsonrpc int64
}

// codeTable is indexed by google.rpc.Code; 0 is no error and has no row.
var codeTable = [...]codeRow{
	1:  {"CANCELLED", "canceled", 499, -31499},
	2:  {"UNKNOWN", "unknown", 500, numberInternalError},
	3:  {"INVALID_ARGUMENT", "invalid_argument", 400, numberInvalidParams},
	4:  {"DEADLINE_EXCEEDED", "deadline_exceeded", 504, -31504},
	5:  {"NOT_FOUND", "not_found", 404, -31404},
	6:  {"ALREADY_EXISTS", "already_exists", 409, -31409},
	7:  {"PERMISSION_DENIED", "permission_denied", 403, -31403},
	8:  {"RESOURCE_EXHAUSTED", "resource_exhausted", 429, -31429},
	9:  {"FAILED_PRECONDITION", "failed_precondition", 400, -31400},
	10: {"ABORTED", "aborted", 409, -31409},
	11: {"OUT_OF_RANGE", "out_of_range", 400, numberInvalidParams},
	12: {"UNIMPLEMENTED", "unimplemented", 501, numberMethodNotFound},
	13: {"INTERNAL", "internal", 500, numberInternalError},
	14: {"UNAVAILABLE", "unavailable", 503, -31503},
	15: {"DATA_LOSS", "data_loss", 500, numberInternalError},
	16: {"UNAUTHENTICATED", "unauthenticated", 401, -31401},
}

// row returns what a number is called: that of UNKNOWN where it is no code.
func row(number int32) *codeRow { return &codeTable[target(number)] }

// target returns the canonical code that a number is shown as where only such
// codes can stand: itself, or UNKNOWN.
func target(number int32) int32 {
	if !hub.Canonical(number) {
		return int32(code.Code_UNKNOWN)
	}
	return number
}

// HTTPStatus returns the HTTP status that a code stands for.
func HTTPStatus(number int32) int { return row(number).http }

// ConnectName returns the name of a code in the Connect protocol.
func ConnectName(number int32) string { return row(number).connect }

// codeByNumber reads the JSON-RPC numbers of the table backwards. Where several
// codes share a number, the one without a star in section 3 of the contract wins.
func codeByNumber(number int64) int32 {
	switch number {
	case numberParseError, numberInvalidRequest, numberInvalidParams:
		return int32(code.Code_INVALID_ARGUMENT)
	case numberMethodNotFound:
		return int32(code.Code_UNIMPLEMENTED)
	case numberInternalError:
		return int32(code.Code_INTERNAL)
	case -31409:
		return int32(code.Code_ALREADY_EXISTS)
	}
	for i := 1; i < len(codeTable); i++ {
		if codeTable[i].jsonrpc == number {
			return int32(i)
		}
	}
	return int32(code.Code_UNKNOWN)
}

// isTableNumber tells whether a number stands for a code without an identity.
func isTableNumber(number int64) bool {
	switch number {
	case numberParseError, numberInvalidRequest:
		return true
	}
	for i := 1; i < len(codeTable); i++ {
		if codeTable[i].jsonrpc == number {
			return true
		}
	}
	return false
}

// codeByName finds a code by its google.rpc name; OK is none.
func codeByName(name string) (int32, bool) {
	n := code.Code_value[name]
	return n, hub.Canonical(n)
}

// codeByConnectName finds a code by its Connect name. connect-go writes a code
// outside the protocol as code_N; numbers are read from it in that spelling only,
// so that no text is taken for a number that would not give it back.
func codeByConnectName(name string) (int32, bool) {
	for n := 1; n < len(codeTable); n++ {
		if codeTable[n].connect == name {
			return int32(n), true
		}
	}
	if digits, ok := strings.CutPrefix(name, "code_"); ok {
		if n, err := strconv.ParseInt(digits, 10, 32); err == nil && n != 0 && strconv.FormatInt(n, 10) == digits {
			return int32(n), true
		}
	}
	return 0, false
}

// CodeFromConnectHTTP returns the code that an HTTP status stands for where the
// protocol of the call is Connect, gRPC or JSON-RPC, after the table of the Connect
// protocol.
func CodeFromConnectHTTP(status int) code.Code {
	switch status {
	case http.StatusBadRequest:
		return code.Code_INTERNAL
	case http.StatusUnauthorized:
		return code.Code_UNAUTHENTICATED
	case http.StatusForbidden:
		return code.Code_PERMISSION_DENIED
	case http.StatusNotFound:
		return code.Code_UNIMPLEMENTED
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return code.Code_UNAVAILABLE
	}
	return code.Code_UNKNOWN
}

// CodeFromHTTP returns the code that an HTTP status stands for on HTTP+JSON, after
// the comments of google.rpc.Code. A bad gateway is a peer that was not reached.
func CodeFromHTTP(status int) code.Code {
	switch status {
	case http.StatusBadRequest:
		return code.Code_INVALID_ARGUMENT
	case http.StatusUnauthorized:
		return code.Code_UNAUTHENTICATED
	case http.StatusForbidden:
		return code.Code_PERMISSION_DENIED
	case http.StatusNotFound:
		return code.Code_NOT_FOUND
	case http.StatusConflict:
		return code.Code_ABORTED
	case http.StatusTooManyRequests:
		return code.Code_RESOURCE_EXHAUSTED
	case 499:
		return code.Code_CANCELLED
	case http.StatusNotImplemented:
		return code.Code_UNIMPLEMENTED
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return code.Code_UNAVAILABLE
	case http.StatusGatewayTimeout:
		return code.Code_DEADLINE_EXCEEDED
	}
	switch status / 100 {
	case 4:
		return code.Code_FAILED_PRECONDITION
	case 5:
		return code.Code_INTERNAL
	}
	return code.Code_UNKNOWN
}

// IsHTTPStatus tells whether a response can have a status (RFC 9110 section 15).
func IsHTTPStatus(n int) bool { return n >= 100 && n <= 999 }

// standable tells whether an HTTP status is one of an error.
func standable(status int) bool { return status >= 400 && status <= 599 }

// phrase returns the phrase of a status in the registry of IANA, and "HTTP status N"
// for one that is not registered or not used.
func phrase(status int) string {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return "Content Too Large"
	case http.StatusRequestURITooLong:
		return "URI Too Long"
	case http.StatusRequestedRangeNotSatisfiable:
		return "Range Not Satisfiable"
	case http.StatusUnprocessableEntity:
		return "Unprocessable Content"
	case http.StatusTeapot: // registered as unused
	default:
		if text := http.StatusText(status); text != "" {
			return text
		}
	}
	return "HTTP status " + strconv.Itoa(status)
}

// formerPhrases are the names that statuses had in older standards, which peers
// still write.
var formerPhrases = map[int][]string{
	http.StatusFound:                        {"Moved Temporarily"},
	http.StatusRequestEntityTooLarge:        {"Payload Too Large", "Request Entity Too Large"},
	http.StatusRequestURITooLong:            {"Request-URI Too Long", "Request URI Too Long"},
	http.StatusRequestedRangeNotSatisfiable: {"Requested Range Not Satisfiable", "Requested range not satisfiable"},
	http.StatusTeapot:                       {"I'm a teapot", "I'm a Teapot"},
	http.StatusUnprocessableEntity:          {"Unprocessable Entity"},
}

// isPhrase tells whether a text is the phrase of a status, now or formerly.
func isPhrase(text string, status int) bool {
	if text == phrase(status) {
		return true
	}
	for _, former := range formerPhrases[status] {
		if text == former {
			return true
		}
	}
	return false
}

// StatusText is the message of an error that only its HTTP status tells.
func StatusText(status int) string {
	text := phrase(status)
	if strings.HasPrefix(text, "HTTP status ") {
		return text
	}
	return fmt.Sprintf("HTTP status %d %s", status, text)
}
