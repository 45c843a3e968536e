package errmaphttp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/adapter"
	"github.com/errmap/errmap/internal/cause"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// Protocol is what a call was made with: it says what an HTTP status stands for
// where no body says it (docs/wire.md section 3).
type Protocol int

const (
	// HTTPJSON is a call over HTTP+JSON: 404 is NOT_FOUND, 400 INVALID_ARGUMENT.
	HTTPJSON Protocol = iota
	// Connect is a unary call of the Connect protocol: 404 is UNIMPLEMENTED, 400
	// INTERNAL.
	Connect
)

// A ResponseError is the cause of an error that ReadError returns: the answer that
// it was read from. Its text is the status alone.
type ResponseError struct {
	// StatusCode is the HTTP status.
	StatusCode int
	// Header is that of the response.
	Header http.Header
	// Body is what was read of the body, decompressed where that was possible.
	Body []byte
	// Err is why the body could not be read to its end; nil where it was.
	Err error
}

// Error returns the HTTP status, and why the body was not read to its end.
func (e *ResponseError) Error() string {
	text := fmt.Sprintf("HTTP status %d", e.StatusCode)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *ResponseError) Unwrap() error { return e.Err }

// ReadError returns the error that a response says: nil where its status is from
// 200 to 299, whatever the body looks like, else an *errmap.Error whose cause is a
// *ResponseError. It reads the body of an error, within the limit of WithMaxBody,
// and closes it; that of another response is left to the caller.
//
// The error is Remote where the body says it: as AIP-193, as problem details, or
// as the error of the Connect protocol, whichever the protocol of the call. Else
// it is Local: an answer that is none of a service, such as a proxy's page, is the
// error that its status says on that protocol; the text of a JSON member "message"
// is kept, and what was cut is UNAVAILABLE. Retry-After becomes a RetryInfo detail
// where the error has none.
func ReadError(resp *http.Response, p Protocol, opts ...ReadOption) error {
	if resp.StatusCode/100 == 2 {
		return nil
	}
	ctx := context.Background()
	if resp.Request != nil {
		ctx = resp.Request.Context()
	}
	return newReadOptions(opts).read(ctx, resp, p)
}

func (o *readOptions) read(ctx context.Context, resp *http.Response, p Protocol) *errmap.Error {
	body, err := o.body(resp)
	answer := &ResponseError{StatusCode: resp.StatusCode, Header: resp.Header, Body: body, Err: err}
	// What is left of an error that was cut says less than nothing: a status alone
	// may be of what stands before the server.
	if e := adapter.OfContext(err); e != nil {
		return e.WithCause(adapter.Join(answer, err))
	}
	if cause.Cut(err) || err == nil && isJSON(body) && cause.EndsEarly(body) {
		return adapter.NewCut(ctx, answer)
	}
	opts := append([]errmap.DecodeOption{errmap.WithLimits(errmap.Limits{Body: o.maxBody})}, o.Decode...)
	decode, own := reader(body, resp.Header, p, opts)
	e, decodeErr := decode(body, append(opts, errmap.WithHTTPStatus(resp.StatusCode), errmap.WithHTTPHeader(resp.Header, time.Now()))...)
	if decodeErr != nil { // unreachable: with a status there is always an error
		e = errmap.NewCode(code.Code_UNKNOWN, answer.Error())
	}
	if own {
		return e.WithRemote().WithCause(answer)
	}
	return e.WithLocal().WithCause(answer)
}

// body reads the body of a response, within the limit, and closes it. Where the
// limit is passed it is one byte longer than that, or shorter where it breaks off.
func (o *readOptions) body(resp *http.Response) ([]byte, error) {
	if resp.Body == nil {
		return nil, nil
	}
	defer resp.Body.Close()
	body, err := limited(resp.Body, o.maxBody)
	encoding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	// A label on an empty body, or on one that is not compressed, is a mistake that
	// intermediaries make.
	if err != nil || encoding != "gzip" && encoding != "x-gzip" || !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body, err
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body, err
	}
	return limited(z, o.maxBody)
}

// limited reads at most one byte more than the limit, and reports where that is
// passed.
func limited(r io.Reader, limit int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(body) > limit {
		err = fmt.Errorf("the body is longer than %d bytes", limit)
	}
	return body, err
}

// isJSON tells whether a body begins as JSON that may be an error does.
func isJSON(body []byte) bool {
	text := bytes.TrimLeft(body, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

type decoder func([]byte, ...errmap.DecodeOption) (*errmap.Error, error)

// reader returns what reads a body, and whether the body is a service's own error.
func reader(body []byte, h http.Header, p Protocol, opts []errmap.DecodeOption) (decode decoder, own bool) {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	byProtocol := decoder(errmap.DecodeHTTP)
	if p == Connect {
		byProtocol = errmap.DecodeConnect
	}
	text := bytes.TrimLeft(body, " \t\r\n")
	if len(text) == 0 || kind == "text/html" {
		return byProtocol, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		// An array may hold an error of AIP-193.
		_, err := errmap.DecodeHTTP(body, opts...)
		if text[0] == '[' && err == nil {
			return errmap.DecodeHTTP, true
		}
		return byProtocol, false
	}
	if kind == errmap.ContentTypeProblem {
		_, err := errmap.DecodeProblem(body, opts...)
		return errmap.DecodeProblem, err == nil
	}
	has := func(name string) bool { _, ok := members[name]; return ok }
	switch {
	case has("error"):
		_, err := errmap.DecodeHTTP(body, opts...)
		return errmap.DecodeHTTP, err == nil
	case isConnectCode(members["code"]):
		return errmap.DecodeConnect, true
	case has("status") || isNumber(members["code"]):
		return errmap.DecodeHTTP, true
	}
	// A message, or an unknown text as a code, is what the protocol makes of it.
	_, err := byProtocol(body, opts...)
	return byProtocol, err == nil && has("code")
}

// isConnectCode tells whether a member is the name of a code in the Connect
// protocol.
func isConnectCode(raw json.RawMessage) bool {
	var name string
	if json.Unmarshal(raw, &name) != nil {
		return false
	}
	for number := range code.Code_name {
		if number != 0 && errmap.ConnectName(code.Code(number)) == name {
			return true
		}
	}
	return strings.HasPrefix(name, "code_")
}

func isNumber(raw json.RawMessage) bool {
	var number json.Number
	return json.Unmarshal(raw, &number) == nil
}
