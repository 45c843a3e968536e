package errmapmcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"time"
)

// The keys of data.
const (
	// DataError is the whole JSON-RPC error object, or whatever came in its
	// place, as a json.RawMessage; as a string where it is not even JSON.
	DataError = "error"
	// DataMethod is the method of the request, as a string.
	DataMethod = "method"
	// DataName is the tool or prompt that was asked for, as a string.
	DataName = "name"
	// DataResultType is what a result said that it is, as a string.
	DataResultType = "result_type"
	// DataURI is the resource that was asked for, as a string.
	DataURI = "uri"
	// DataHTTPStatus is the status of the response, as an int.
	DataHTTPStatus = "http_status"
	// DataContentType is the content type of the response, as a string.
	DataContentType = "content_type"
	// DataRetryDelay is how long to wait, as a time.Duration.
	DataRetryDelay = "retry_delay"
	// DataOrigin is the origin to which a request would have gone, as a string.
	DataOrigin = "origin"
	// DataChallenge is the WWW-Authenticate header of the response (RFC 9110
	// section 11.6.1), as a string; several are joined by commas.
	DataChallenge = "challenge"
	// DataScope is the scope that the challenge names (RFC 6750 section 3), as
	// a string.
	DataScope = "scope"
	// DataSession is the id of the session, as a Secret.
	DataSession = "session"
	// DataExitCode is the exit code of a stdio server, -1 after a signal, as an
	// int.
	DataExitCode = "exit_code"
	// DataStderr is the end of what a stdio server wrote to its standard error,
	// as a Secret: servers log tokens too.
	DataStderr = "stderr"
	// DataCount is how much was counted when a cap was hit, as an int.
	DataCount = "count"
	// DataCap is the cap that was hit, as an int.
	DataCap = "cap"
)

// maxDataText is how much of a header is kept, in bytes.
const maxDataText = 4 << 10

// WithData adds context under a key, in place of what stood there. A string, a
// bool, a number, a [time.Duration], a [Secret] and a [json.RawMessage] stay what
// they are; anything else becomes its JSON at once, and is left out if it has
// none.
func WithData(key string, value any) ErrorOption {
	return errorOption(func(e *Error) {
		data := e.hidden().data
		switch v := value.(type) {
		case string, bool, int, int32, int64, uint, uint32, uint64, float32, float64, time.Duration, Secret:
			data[key] = v
		case json.RawMessage:
			data[key] = cloneJSON(v)
		default:
			if text, err := json.Marshal(v); err == nil {
				data[key] = json.RawMessage(text)
			}
		}
	})
}

// Data returns a copy of the context of the error by key, nil for nil. It may
// hold the server's own content, so it is for programs and not for logs or
// prompts.
func (e *Error) Data() map[string]any {
	if e == nil {
		return nil
	}
	data := maps.Clone(e.hidden().data)
	for key, value := range data {
		if raw, ok := value.(json.RawMessage); ok {
			data[key] = cloneJSON(raw)
		}
	}
	return data
}

// HTTPStatus returns the status of the HTTP response that the error came with;
// 0 where there was none.
func (e *Error) HTTPStatus() int {
	status, _ := e.value(DataHTTPStatus).(int)
	return status
}

// Challenge returns the WWW-Authenticate header that the server sent with a 401
// or 403, "" where there was none.
func (e *Error) Challenge() string {
	challenge, _ := e.value(DataChallenge).(string)
	return challenge
}

// Scope returns the scope that the server wants (RFC 6750 section 3), "" where
// it named none.
func (e *Error) Scope() string {
	scope, _ := e.value(DataScope).(string)
	return scope
}

func (e *Error) value(key string) any {
	if e == nil {
		return nil
	}
	return e.hidden().data[key]
}

func cloneJSON(raw []byte) json.RawMessage { return bytes.Clone(raw) }

// bounded cuts a text of a peer.
func bounded(text string) string {
	if len(text) > maxDataText {
		return text[:maxDataText]
	}
	return text
}
