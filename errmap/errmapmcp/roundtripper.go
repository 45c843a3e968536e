package errmapmcp

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errmap/errmap/internal/cause"
	"github.com/errmap/errmap/internal/jsonrpc"
)

const (
	// errorBodyWait is how long the body of a bad response is waited for.
	errorBodyWait = 2 * time.Second
	// maxErrorBody is how much of such a body is read, in bytes.
	maxErrorBody = 1 << 20
	// maxEvidence is how large a message may be to be looked at where there is
	// no cap, in bytes: what the SDK allows by default.
	maxEvidence = 16 << 20

	headerSession = "Mcp-Session-Id"
	typeJSON      = "application/json"
	typeEvents    = "text/event-stream"
)

// RoundTripper is an [http.RoundTripper] that keeps the evidence which the SDK's
// HTTP transport destroys: status, Retry-After, WWW-Authenticate and the real
// error object. [Client.Connect] puts one below the SDK's own transports; a
// program needs one itself only below a transport of its own. Requests that are
// not made for a [Client] pass through untouched. It is immutable and safe for
// concurrent use.
//
// A body with which the SDK would give up the whole connection is closed, and a
// JSON-RPC error that stands for it goes up in its place; status and header
// fields stay what they are, but for the content type.
type RoundTripper struct{ base http.RoundTripper }

// NewRoundTripper returns a RoundTripper on top of base, which is
// [http.DefaultTransport] where it is nil.
func NewRoundTripper(base http.RoundTripper) *RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &RoundTripper{base}
}

// RoundTrip makes the request. It returns an [*Error] of its own only for a
// message over the byte cap, which is not sent.
func (t *RoundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	x := begin(req)
	if x == nil {
		return t.base.RoundTrip(req)
	}
	if limit := x.ev.maxMessage; limit > 0 && req.ContentLength > int64(limit) {
		e := tooLarge(tokenSent, limit)
		x.note(func() { x.tooLarge = e })
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, e
	}
	if from := req.Response; from != nil && from.Request != nil && originOf(from.Request.URL) != originOf(req.URL) {
		e := otherOrigin(req.URL)
		x.failed(req.Context(), e)
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, e
	}
	trace := &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		x.note(func() { x.written = info.Err == nil })
	}}
	resp, err := t.base.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		x.failed(req.Context(), err)
		return nil, err
	}
	x.observe(req, resp)
	return resp, nil
}

// CloseIdleConnections closes the idle connections of the base.
func (t *RoundTripper) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// begin returns the exchange that a request begins; nil for one that is none of
// a Client's messages, such as those of an OAuth flow.
func begin(req *http.Request) *exchange {
	ev := evidenceOf(req.Context())
	if ev == nil {
		return nil
	}
	if ev.link != nil {
		ev.link.secrets.addRequest(req)
	}
	x := &exchange{ev: ev, session: req.Header.Get(headerSession)}
	var previous *exchange
	if !ev.use(func() { previous = ev.last }) {
		return nil
	}
	switch {
	case req.Response != nil && previous != nil: // a redirect
		x.id, x.resume = previous.id, previous.resume
	case req.Method == http.MethodGet && ev.connecting && wantsEvents(req):
	case req.Method == http.MethodGet && previous != nil && wantsEvents(req):
		x.id, x.resume = previous.id, true
	default:
		id, ok := messageID(req)
		if !ok {
			return nil
		}
		x.id = id
	}
	ev.use(func() { ev.last, ev.sent = x, true })
	return x
}

func wantsEvents(req *http.Request) bool {
	return slices.ContainsFunc(req.Header.Values("Accept"), func(value string) bool {
		return strings.Contains(value, typeEvents)
	})
}

// messageID reads the id of the JSON-RPC request that is the body, nil for a
// notification; it is false for a body that is neither.
func messageID(req *http.Request) ([]byte, bool) {
	if req.Method != http.MethodPost || req.GetBody == nil {
		return nil, false
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, false
	}
	defer func() { _ = body.Close() }()
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, false
	}
	var parser jsonrpc.Parser
	parsed, err := parser.ParseRequests(text, jsonrpc.Rules{MaxDepth: maxDepth})
	if err != nil || parsed.Batch || len(parsed.Items) != 1 || parsed.Items[0].Invalid != "" {
		return nil, false
	}
	return parsed.Items[0].ID, true
}

// observe takes in what a response says, and puts itself between its body and
// the SDK.
func (x *exchange) observe(req *http.Request, resp *http.Response) {
	x.note(func() {
		x.status, x.header, x.received = resp.StatusCode, resp.Header.Clone(), time.Now()
	})
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "":
	case x.resume && x.expired():
		x.standInEvent(resp)
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		if !x.resume {
			x.observeError(req.Context(), resp)
		}
	case x.id == nil || !wantsEvents(req):
		// Nothing answers a notification, and on the older transport answers
		// come another way.
	default:
		x.observeAnswer(req.Context(), resp)
	}
}

// observeAnswer looks at the body of a good response.
func (x *exchange) observeAnswer(ctx context.Context, resp *http.Response) {
	contentType, media := resp.Header.Get("Content-Type"), mediaType(resp.Header)
	switch {
	case media == typeEvents:
		resp.Body = newEventBody(ctx, x, resp.Body)
	case media == typeJSON && resp.StatusCode != http.StatusAccepted:
		resp.Body = newJSONBody(ctx, x, resp.Body)
	default:
		_ = resp.Body.Close()
		x.note(func() {
			x.problem, x.contentType = ReasonContentType, contentType
			if resp.StatusCode != http.StatusOK {
				x.problem = NewReason(tokenHTTP, int64(resp.StatusCode))
			}
		})
		x.standIn(resp)
	}
}

// mediaType returns the media type of a body, without parameters.
func mediaType(header http.Header) string {
	contentType := header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return strings.ToLower(strings.TrimSpace(contentType))
	}
	return media
}

// observeError looks for a JSON-RPC error in the body of a bad response.
func (x *exchange) observeError(ctx context.Context, resp *http.Response) {
	body, cut := readErrorBody(ctx, resp.Body)
	object, ok := errorObject(body)
	if x.expired() && (!ok || saysLost(object)) {
		x.note(func() { x.gone = object })
		// The SDK must learn from this that the session is gone, and would take a
		// JSON-RPC error for the failure of this request alone.
		resp.Body, resp.ContentLength = http.NoBody, 0
		return
	}
	x.note(func() { x.object, x.cut = object, cut })
	x.standIn(resp)
}

// standInEvent answers the request of the exchange by a stream of one event: the
// SDK gives up the whole connection where it cannot resume a stream.
func (x *exchange) standInEvent(resp *http.Response) {
	_ = resp.Body.Close()
	body := jsonrpc.AppendEvent(nil, "", x.standInMessage())
	resp.StatusCode, resp.Status = http.StatusOK, "200 OK"
	resp.Header = http.Header{"Content-Type": {typeEvents}}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.TransferEncoding = nil
}

// standIn puts a JSON-RPC error in the place of a body: the SDK takes it for the
// failure of this request alone.
func (x *exchange) standIn(resp *http.Response) {
	body := x.standInMessage()
	resp.Header = resp.Header.Clone()
	resp.Header.Set("Content-Type", typeJSON)
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	resp.Header.Del("Content-Encoding")
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.TransferEncoding = nil
}

// standInMessage returns a response with an error to the request of the exchange.
func (x *exchange) standInMessage() []byte {
	id := jsonrpc.ID(x.id)
	if id == nil {
		id = jsonrpc.ID("0")
	}
	return jsonrpc.AppendError(nil, id, jsonrpc.CodeInternalError, "the request failed below the SDK")
}

// readErrorBody reads what comes of a body in a bounded time, and closes it: a
// peer must not hold up an error by not ending it. cut tells whether the body broke off.
func readErrorBody(ctx context.Context, body io.ReadCloser) (text []byte, cut bool) {
	done := make(chan struct{})
	var failed error
	go func() {
		defer close(done)
		text, failed = jsonrpc.ReadBody(nil, body, maxErrorBody)
	}()
	timer := time.NewTimer(errorBodyWait)
	defer timer.Stop()
	select {
	case <-done:
		cut = cause.Cut(failed) || failed == nil && cause.EndsEarly(text)
	case <-timer.C:
	case <-ctx.Done():
	}
	_ = body.Close()
	<-done // closing the body has ended the read
	return text, cut
}

// errorObject returns the error of the JSON-RPC response that body is, whatever
// its id. Without its version it is the body of something else that has an
// "error", such as OAuth's or a proxy's.
func errorObject(body []byte) ([]byte, bool) {
	var parser jsonrpc.Parser
	parsed, err := parser.ParseResponses(body, jsonrpc.Rules{MaxDepth: maxDepth})
	if err != nil || parsed.Batch || parsed.Items[0].Error == nil || !parsed.Items[0].Versioned {
		return nil, false
	}
	return bytes.Clone(parsed.Items[0].Error), true
}

func tooLarge(direction string, limit int) *Error {
	return newError(KindMessageTooLarge, NewReason(direction, int64(limit)), WithData(DataCap, limit))
}
