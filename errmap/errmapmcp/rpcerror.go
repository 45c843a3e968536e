package errmapmcp

import (
	"encoding/json"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/errmap/errmap/errmap"
)

// The codes of a resource that is not there: that of MCP before 2026-07-28, and
// that of JSON-RPC which MCP uses since, with the URI in data.
const (
	codeResourceNotFound = -32002
	codeInvalidParams    = -32602
)

const methodReadResource = "resources/read"

// FromRPCError returns the error that a JSON-RPC error object is (JSON-RPC 2.0
// section 5.1): of kind protocol, with the reason "jsonrpc:<code>" and the whole
// object in data under [DataError]. Whatever came in the place of an object with
// an integral code and a text as its message has the reason
// [ReasonInvalidErrorObject] and is in data as it is. It is read under the profile
// of the newest revision; a client reads what it is answered under that of its
// session.
//
// That an answer to resources/read may be not_found is for the client to say: an
// error object alone does not tell which request it answers.
func FromRPCError(object []byte) *Error { return fromRPCError(object, nil) }

func fromRPCError(object []byte, delay *time.Duration, opts ...ErrorOption) *Error {
	code, valid := rpcCode(object)
	if !valid {
		e := newError(KindProtocol, ReasonInvalidErrorObject, opts...)
		if json.Valid(object) {
			e.hidden().data[DataError] = cloneJSON(object)
		} else {
			e.hidden().data[DataError] = bounded(string(object))
		}
		return e
	}
	if delay != nil {
		opts = append(opts, WithRetryDelay(*delay))
	}
	e := newError(KindProtocol, NewReason(tokenJSONRPC, code), opts...)
	hidden := e.hidden()
	hidden.object = cloneJSON(object)
	hidden.data[DataError] = json.RawMessage(hidden.object)
	hidden.peer = sync.OnceValue(func() *errmap.Error { return readPeer(hidden.object, delay, errmap.ProfileMCP) })
	return e
}

// under returns e with what the server answered read under another profile than
// that of the newest revision.
func (e *Error) under(p errmap.Profile) *Error {
	object := e.hidden().object
	if object == nil || p == errmap.ProfileMCP {
		return e
	}
	c := e.as(e.kind)
	delay := c.hidden().delay
	c.hidden().peer = sync.OnceValue(func() *errmap.Error { return readPeer(object, delay, p) })
	return c
}

// readPeer reads the error object as errmap does.
func readPeer(object []byte, delay *time.Duration, p errmap.Profile) *errmap.Error {
	peer, err := errmap.DecodeJSONRPC(object, p)
	if err != nil {
		return nil
	}
	if _, has := peer.RetryDelay(); !has && delay != nil {
		peer = peer.WithRetryDelay(*delay)
	}
	return peer.WithRemote()
}

// rpcCode returns the code of an error object, and false for what is none.
func rpcCode(object []byte) (int64, bool) {
	found, ok := members(object, "code", "message")
	if !ok || !found["code"].isNumber() || !found["message"].is('"') {
		return 0, false
	}
	return integer(string(found["code"]))
}

// integer reads the token of an integral number, 1.0 and 1e3 too.
func integer(token string) (int64, bool) {
	if n, err := strconv.ParseInt(token, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(token, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53-1 {
		return 0, false
	}
	return int64(f), true
}

// answered returns what an error of kind protocol is as the answer to a call: that
// of a resource that the server does not have, or of a tool, prompt or resource that
// is not among all that it has listed, is not_found.
func (l *link) answered(e *Error, call Call) *Error {
	if e.kind != KindProtocol || e.hidden().object == nil {
		return e
	}
	number, _ := e.reason.Number()
	lacked := number == codeInvalidParams && l.listed.lack(call.Method(), call.Name())
	switch {
	case call.Method() == methodReadResource && (lacked || e.missingResource()):
		return e.as(KindNotFound, WithData(DataMethod, call.Method()), WithData(DataURI, call.Name()))
	case lacked:
		return e.as(KindNotFound, WithData(DataMethod, call.Method()), WithData(DataName, call.Name()))
	}
	return e
}

// missingResource tells whether the object is the one that MCP has for a resource
// that is not there.
func (e *Error) missingResource() bool {
	number, _ := e.reason.Number()
	if number != codeInvalidParams {
		return number == codeResourceNotFound
	}
	object, _ := members(e.hidden().object, "data")
	data, ok := members(object["data"], "uri")
	return ok && data["uri"].is('"')
}
