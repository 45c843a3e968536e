package errmapmcp

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The reasons of this package that bear no number.
const (
	// ReasonDeadline is that of a deadline that passed.
	ReasonDeadline Reason = "deadline"
	// ReasonDNS is that of a name that did not resolve.
	ReasonDNS Reason = "dns"
	// ReasonRefused is that of a connection that was refused.
	ReasonRefused Reason = "refused"
	// ReasonDial is that of a connection that could not be made otherwise.
	ReasonDial Reason = "dial"
	// ReasonStart is that of a stdio server that did not start.
	ReasonStart Reason = "start"
	// ReasonFailed is that of a transport that failed in another way.
	ReasonFailed Reason = "failed"
	// ReasonOrigin is that of a request that would have gone to another origin than
	// that of the server's address (RFC 6454): after a redirect, or to an endpoint
	// that the server named. It was not sent.
	ReasonOrigin Reason = "other_origin"
	// ReasonEOF is that of a connection or a stream that ended.
	ReasonEOF Reason = "eof"
	// ReasonReset is that of a connection that was reset.
	ReasonReset Reason = "reset"
	// ReasonSession is that of an answer that went with the session which the server
	// lost.
	ReasonSession Reason = "session"
	// ReasonStale is that of a connection that an earlier failure broke.
	ReasonStale Reason = "stale"
	// ReasonInvalidErrorObject is that of an error that is no error object
	// (JSON-RPC 2.0 section 5.1).
	ReasonInvalidErrorObject Reason = "invalid_error_object"
	// ReasonInvalidMessage is that of bytes that are no JSON-RPC message.
	ReasonInvalidMessage Reason = "invalid_message"
	// ReasonInvalidResult is that of a result that is not of its type.
	ReasonInvalidResult Reason = "invalid_result"
	// ReasonUnmatchedID is that of an answer to another request.
	ReasonUnmatchedID Reason = "unmatched_id"
	// ReasonContentType is that of a body that is neither JSON nor a stream of
	// events.
	ReasonContentType Reason = "unexpected_content_type"
	// ReasonProtocolVersion is that of a server that speaks no version of the
	// protocol that the SDK speaks.
	ReasonProtocolVersion Reason = "unsupported_protocol_version"
	// ReasonPolicy is that of a policy that refused, or failed.
	ReasonPolicy Reason = "policy"
	// ReasonApprover is that of an approver that refused, or failed.
	ReasonApprover Reason = "approver"
	// ReasonHidden is that of a tool, resource or prompt that the policy hides.
	ReasonHidden Reason = "hidden"
	// ReasonPreHook is that of a hook before the call.
	ReasonPreHook Reason = "pre_hook"
	// ReasonPostHook is that of a hook after the call.
	ReasonPostHook Reason = "post_hook"
	// ReasonHandler is that of a handler of the client that failed.
	ReasonHandler Reason = "handler"
	// ReasonToken is that of a token that could not be had.
	ReasonToken Reason = "token"
	// ReasonRate is that of the local rate limiter.
	ReasonRate Reason = "rate"
	// ReasonClosed is that of a session that the program closed.
	ReasonClosed Reason = "closed"
	// ReasonCursorRepeated is that of a cursor that came a second time.
	ReasonCursorRepeated Reason = "cursor_repeated"
)

// What stands before the number of a reason that has one.
const (
	tokenJSONRPC  = "jsonrpc"
	tokenHTTP     = "http"
	tokenExit     = "exit"
	tokenSignal   = "signal"
	tokenInFlight = "in_flight"
	tokenQueue    = "queue"
	tokenStdio    = "stdio_servers"
	tokenRounds   = "rounds"
	tokenInputs   = "inputs"
	tokenState    = "state"
	tokenPages    = "pages"
	tokenReceived = "received"
	tokenSent     = "sent"
)

// maxReason is how much of a reason is rendered, in bytes.
const maxReason = 120

// Reason says what happened in a short machine-readable form: a token such as
// "deadline", or a token with a number such as "jsonrpc:-32602", "http:503" or
// "exit:1". This package makes reasons of its own words and of numbers only,
// never of a peer's text. The empty Reason says nothing.
type Reason string

// NewReason returns the reason of a token and a number.
func NewReason(token string, number int64) Reason {
	return Reason(token + ":" + strconv.FormatInt(number, 10))
}

// Token returns what stands before the number.
func (r Reason) Token() string {
	token, _, _ := strings.Cut(string(r), ":")
	return token
}

// Number returns the number, and false where the reason has none.
func (r Reason) Number() (int64, bool) {
	_, text, _ := strings.Cut(string(r), ":")
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// String returns the reason, cut to a bounded length, with U+FFFD for what does
// not print.
func (r Reason) String() string {
	text, cut := string(r), ""
	if len(text) > maxReason {
		text, cut = text[:maxReason], "…"
		for len(text) > 0 && !utf8.RuneStart(string(r)[len(text)]) {
			text = text[:len(text)-1]
		}
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return utf8.RuneError
	}, text) + cut
}
