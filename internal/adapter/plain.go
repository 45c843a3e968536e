package adapter

import (
	"regexp"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
)

// What Connect's clients say of an answer that is none of an RPC server, by the code that
// they say it with. Nothing else tells such an error from one that a program made, and it
// holds what the peer wrote. What Connect's servers say in the same words comes to a Guard
// as an *errmap.Error.
var (
	ofAnswer = map[code.Code]*regexp.Regexp{
		code.Code_UNKNOWN: shapes(
			`invalid content-type: "(?s:.*)"; expecting "application/[^"]*"`,
			`protocol error: (?:invalid error code ".*"|no Grpc-Status trailer.*)`,
			`(?:final message has protocol-specific flags|read message|read enveloped message): .*`,
		),
		code.Code_INTERNAL: shapes(
			`invalid content-type: "(?s:.*)"; expecting "application/[^"]*"`,
			`unknown encoding ".*": accepted encodings are .*`,
			`(?:gRPC-Web )?protocol error: .*`,
			`server returned invalid (?:grpc-status-details-bin trailer|protobuf for error details): .*`,
			`corrupt response: \d+ extra bytes after end of stream`,
			`unmarshal (?:end stream message|web trailers): .*`,
			`EOF`,
		),
		code.Code_INVALID_ARGUMENT: shapes(`(?:unmarshal message|get decompressor|decompress): .*`),
		code.Code_RESOURCE_EXHAUSTED: shapes(
			`message (?:size \d+ )?is larger than configured max \d+(?: - unable to determine message size: .*)?`,
			`(?:compressed )?message size \d+ exceeds sendMaxBytes \d+.*`,
			`(?:compressed )?url size \d+ exceeds getURLMaxBytes \d+`,
			`bandwidth exhausted: .*`,
		),
		code.Code_PERMISSION_DENIED: shapes(`transport protocol insecure: .*`),
		code.Code_UNIMPLEMENTED: shapes(
			`unary (?:stream|response) has (?:multiple|zero) messages`,
			`response from .* is HTTP/\d\.\d: bidi streams require at least HTTP/2`,
		),
		code.Code_UNAVAILABLE: shapes(
			`(?:net/http: |http2: |http: |possible h2c configuration issue ).*`, // of bytes that are no HTTP
			`invalid base URL: .*`,
		),
	}
	statusLine = regexp.MustCompile(`^(?:HTTP status )?(\d\d\d)(?: |$)`)
)

func shapes(each ...string) *regexp.Regexp {
	return regexp.MustCompile(`^(?s:` + strings.Join(each, "|") + `)$`)
}

// OfAnswer tells whether an error of Connect with that code and text is what its clients
// make of an answer that they cannot use.
func OfAnswer(c code.Code, text string) bool {
	if shape := ofAnswer[c]; shape != nil && shape.MatchString(text) {
		return true
	}
	line := statusLine.FindStringSubmatch(text)
	return line != nil && c == ofStatus(line[1])
}

// ofStatus is the code of an HTTP status, as gRPC's mapping for clients and so Connect has
// it.
func ofStatus(status string) code.Code {
	switch status {
	case "400":
		return code.Code_INTERNAL
	case "401":
		return code.Code_UNAUTHENTICATED
	case "403":
		return code.Code_PERMISSION_DENIED
	case "404":
		return code.Code_UNIMPLEMENTED
	case "429", "502", "503", "504":
		return code.Code_UNAVAILABLE
	}
	return code.Code_UNKNOWN
}
