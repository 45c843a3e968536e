package errmap

import (
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
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

// codeByNumber reads the JSON-RPC numbers of the table backwards. Where several
// codes share a number, the one without a star in WIRE section 3 wins.
func codeByNumber(number int64) (c code.Code, ok bool) {
	switch number {
	case numberParseError, numberInvalidRequest, numberInvalidParams:
		return code.Code_INVALID_ARGUMENT, true
	case numberMethodNotFound:
		return code.Code_UNIMPLEMENTED, true
	case numberInternalError:
		return code.Code_INTERNAL, true
	case -31409:
		return code.Code_ALREADY_EXISTS, true
	}
	for i := 1; i < len(codeTable); i++ {
		if codeTable[i].jsonrpc == number {
			return code.Code(i), true
		}
	}
	return code.Code_UNKNOWN, false
}

// HTTPStatus returns the HTTP status that c stands for on every HTTP wire: 404
// for NOT_FOUND, 499 for CANCELLED, and 500 for a number that is no code.
func HTTPStatus(c code.Code) int { return row(int32(c)).http }

// ConnectName returns the name of c in the Connect protocol, such as
// "not_found"; a number that is no code is "unknown".
func ConnectName(c code.Code) string { return row(int32(c)).connect }

// CodeFromConnectHTTP returns the code that an HTTP status stands for on a
// Connect, gRPC or JSON-RPC call whose response has no readable error, after
// the table of the Connect protocol.
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

// CodeFromHTTP returns the code that an HTTP status stands for on an HTTP+JSON
// call whose response does not say its code, after the comments of
// google.rpc.Code.
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
	case http.StatusServiceUnavailable:
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

// row returns what a number is called: that of UNKNOWN where it is no code.
func row(number int32) *codeRow {
	if !canonical(number) {
		number = int32(code.Code_UNKNOWN)
	}
	return &codeTable[number]
}

func canonical(number int32) bool { return number >= 1 && int(number) < len(codeTable) }

// codeByName finds a code by its google.rpc name; OK is none.
func codeByName(name string) (int32, bool) {
	n := code.Code_value[name]
	return n, canonical(n)
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
