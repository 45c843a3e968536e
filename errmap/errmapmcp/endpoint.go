package errmapmcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/errmap/errmap/internal/jsonrpc"
)

const (
	headerVersion     = "Mcp-Protocol-Version"
	headerLastEventID = "Last-Event-Id"
	methodInitialize  = "initialize"
	codeNoMethod      = -32601
)

// endpoint lies below all HTTP requests of one connection. It keeps them at the
// origin of the server, and opens the session anew where the server has lost it
// (MCP 2025-11-25, "Session Management"), which the SDK does not see: for the SDK
// the session keeps the id that it had first.
type endpoint struct {
	base   http.RoundTripper
	link   *link
	origin string // "" where the address has none
	renews bool   // the transport has sessions that can be opened anew
	notify func(Renewal)

	mu      sync.Mutex
	opening []byte // the request that opened the session, nil before
	first   string // the id by which the SDK knows the session
	current string // the id that the server knows now
	renewal *renewal
	// stream is the body of the stream of the session itself, nil before there was
	// one, and streamed the id that it was opened with.
	stream   io.Closer
	streamed string
}

// newEndpoint returns the endpoint of a connection to an address.
func newEndpoint(base http.RoundTripper, l *link, address string) *endpoint {
	if base == nil {
		base = http.DefaultTransport
	}
	p := &endpoint{base: base, link: l}
	if u, err := url.Parse(address); err == nil {
		p.origin = originOf(u)
		l.secrets.addURL(u)
	} else {
		l.secrets.add(address)
	}
	return p
}

// RoundTrip makes a request.
func (p *endpoint) RoundTrip(req *http.Request) (*http.Response, error) {
	p.link.secrets.addRequest(req)
	if p.origin != "" && originOf(req.URL) != p.origin {
		return p.refuse(req)
	}
	switch id := req.Header.Get(headerSession); {
	case !p.renews:
		return p.send(req, id)
	case id == "":
		return p.open(req)
	}
	id := p.id()
	req, old := p.resumed(req, id)
	if old {
		return reply(req, http.StatusNotFound), nil
	}
	resp, err := p.send(req, id)
	if err != nil || !p.lost(req, resp) {
		return resp, err
	}
	return p.again(req, resp, id)
}

// refuse does not send a request to another origin. The SDK gives up a connection
// that has no stream of its own for an error, and not for an answer.
func (p *endpoint) refuse(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	if req.Method == http.MethodGet && evidenceOf(req.Context()) == nil {
		return reply(req, http.StatusMethodNotAllowed), nil
	}
	return nil, otherOrigin(req.URL)
}

// id returns the id that the server knows the session by.
func (p *endpoint) id() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current
}

// resumed looks at a request that resumes a stream. What was the stream of an older
// session cannot be: that of the session itself is begun anew, and old tells that it
// was the stream of an answer, which went with its session.
func (p *endpoint) resumed(req *http.Request, id string) (_ *http.Request, old bool) {
	if req.Method != http.MethodGet || req.Header.Get(headerLastEventID) == "" {
		return req, false
	}
	if ev := evidenceOf(req.Context()); ev != nil {
		ev.use(func() { old = ev.within != id })
		return req, old
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.streamed == id {
		return req, false
	}
	begun := req.Clone(req.Context())
	begun.Header.Del(headerLastEventID)
	return begun, false
}

// open sends a request that belongs to no session, which may open one.
func (p *endpoint) open(req *http.Request) (*http.Response, error) {
	body := initializes(req)
	resp, err := p.send(req, "")
	if err != nil || body == nil || resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return resp, err
	}
	if id := resp.Header.Get(headerSession); id != "" {
		p.link.secrets.add(id)
		p.mu.Lock()
		p.opening, p.first, p.current = body, id, id
		p.mu.Unlock()
	}
	return resp, nil
}

// send sends a request in the session of an id, "" for none.
func (p *endpoint) send(req *http.Request, id string) (*http.Response, error) {
	sent := req
	if req.Header.Get(headerSession) != id {
		sent = req.WithContext(req.Context()) // a copy, which RoundTrippers may change
		sent.Header = req.Header.Clone()
		sent.Header.Del(headerSession)
		if id != "" {
			sent.Header.Set(headerSession, id)
		}
	}
	ev := evidenceOf(req.Context())
	if req.Method == http.MethodPost {
		ev.use(func() { ev.within = id })
	}
	resp, err := p.base.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		// The SDK reads the body of some of these whole.
		resp.Body = &boundedBody{io.LimitReader(resp.Body, maxErrorBody), resp.Body}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first != "" && resp.Header.Get(headerSession) == p.current {
		resp.Header.Set(headerSession, p.first) // the SDK compares it
	}
	if req.Method == http.MethodGet && resp.StatusCode == http.StatusOK && ev == nil {
		p.stream, p.streamed = resp.Body, id
	}
	return resp, nil
}

// lost tells whether a response says that the server does not know the session.
func (p *endpoint) lost(req *http.Request, resp *http.Response) bool {
	if resp.StatusCode != http.StatusNotFound || req.Method == http.MethodDelete {
		return false
	}
	if req.Method == http.MethodGet && req.Header.Get(headerLastEventID) == "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.stream != nil // else the server has no such stream, and says so by 404
	}
	body, _ := readErrorBody(req.Context(), resp.Body)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	object, ok := errorObject(body)
	return !ok || saysLost(object)
}

// saysLost tells whether a JSON-RPC error at 404 is about the session: unless it
// says that the method is not there, since servers have codes of their own for it.
func saysLost(object []byte) bool {
	code, ok := rpcCode(object)
	return !ok || code != codeNoMethod
}

// again does with a request that the server did not run, since it does not know
// the session of that id, what can be done in a new one. resp is the answer so far.
func (p *endpoint) again(req *http.Request, resp *http.Response, id string) (*http.Response, error) {
	switch {
	case req.Method == http.MethodGet && evidenceOf(req.Context()) != nil:
		return resp, nil // the stream of an answer that the new session does not have
	case req.Method == http.MethodPost && !isRequest(req):
		// It is about something of the old session. The next request opens a new one.
		_ = resp.Body.Close()
		return reply(req, http.StatusAccepted), nil
	}
	if err := p.renew(req, id); err != nil {
		if req.Context().Err() != nil {
			_ = resp.Body.Close()
			return nil, err
		}
		return resp, nil
	}
	repeated := req.Clone(req.Context())
	repeated.Header.Del(headerLastEventID)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return resp, nil
		}
		repeated.Body = body
	}
	_ = resp.Body.Close()
	return p.send(repeated, p.id())
}

// isRequest tells whether the body of a request is a JSON-RPC request that can be
// sent again.
func isRequest(req *http.Request) bool {
	id, ok := messageID(req)
	return ok && id != nil
}

// initializes returns the body of a request that opens a session, nil for another.
func initializes(req *http.Request) []byte {
	if req.Method != http.MethodPost || req.GetBody == nil || req.Header.Get(headerVersion) != "" {
		return nil // the version is agreed on by that request
	}
	body, err := req.GetBody()
	if err != nil {
		return nil
	}
	defer func() { _ = body.Close() }()
	text, err := io.ReadAll(body)
	if err != nil {
		return nil
	}
	found, _ := members(text, "method")
	if found["method"].text() != methodInitialize {
		return nil
	}
	return text
}

// reply returns a response without a body that stands for the server's.
func reply(req *http.Request, status int) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}

// boundedBody is a body of which a bounded part is read.
type boundedBody struct {
	io.Reader
	io.Closer
}

// answerOf reads the response to a request out of a body, JSON or events, of a
// bounded length.
func answerOf(ctx context.Context, resp *http.Response, id jsonrpc.ID) (jsonrpc.Response, bool) {
	stop := context.AfterFunc(ctx, func() { _ = resp.Body.Close() })
	defer stop()
	if mediaType(resp.Header) != typeEvents {
		body, err := jsonrpc.ReadBody(nil, resp.Body, DefaultMaxMessage)
		if err != nil {
			return jsonrpc.Response{}, false
		}
		return response(body, id)
	}
	events := jsonrpc.NewEventReader(resp.Body, DefaultMaxMessage)
	for {
		event, err := events.Next()
		if err != nil {
			return jsonrpc.Response{}, false
		}
		if answer, ok := response(event.Data, id); ok {
			return answer, true
		}
	}
}

// response reads the response to a request; it is false for any other message.
func response(message []byte, id jsonrpc.ID) (jsonrpc.Response, bool) {
	var parser jsonrpc.Parser
	parsed, err := parser.ParseResponses(message, jsonrpc.Rules{MaxDepth: maxDepth})
	if err != nil || parsed.Batch {
		return jsonrpc.Response{}, false
	}
	answer := parsed.Items[0]
	return answer, answer.Invalid == "" && answer.ID != nil && answer.ID.Key() == id.Key()
}
