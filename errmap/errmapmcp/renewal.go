package errmapmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/internal/jsonrpc"
)

// renewWait is how long opening a session anew may take, whoever waits for it.
const renewWait = 30 * time.Second

// Renewal tells of a session that the server did not know any more and that was
// opened anew.
type Renewal struct{ lost []string }

// Lost returns what the old session had and the new one has not, each as a method
// and what it was about, such as "resources/subscribe shop://a". It is empty where
// all was restored. Notifications of what changed between the two sessions are lost
// in any case.
func (r Renewal) Lost() []string { return slices.Clone(r.lost) }

// renewal is the opening of a new session, for all requests that wait for it.
type renewal struct {
	done chan struct{}
	err  error // once done is closed
}

// renew opens a new session in the place of that of an id, unless another request
// has done so. One that failed is not tried again.
func (p *endpoint) renew(req *http.Request, id string) error {
	p.mu.Lock()
	if p.current != id {
		p.mu.Unlock()
		return nil
	}
	r := p.renewal
	if r == nil {
		r = &renewal{done: make(chan struct{})}
		p.renewal = r
		go p.run(r, req)
	}
	p.mu.Unlock()
	select {
	case <-r.done:
	case <-req.Context().Done():
		return req.Context().Err()
	}
	if r.err != nil {
		note(req, r.err)
	}
	return r.err
}

// note tells the request that waits why its session could not be renewed.
func note(req *http.Request, err error) {
	ev := evidenceOf(req.Context())
	var x *exchange
	if ev.use(func() { x = ev.last }) && x != nil {
		x.note(func() { x.renewal = err })
	}
}

// run opens a new session. It is bound to no caller: others wait too.
func (p *endpoint) run(r *renewal, like *http.Request) {
	defer close(r.done)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(like.Context()), renewWait)
	defer cancel()
	go func() {
		select {
		case <-p.link.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	id, lost, err := p.reopen(ctx, like)
	if err != nil {
		r.err = err
		expired := newError(KindSessionExpired, NewReason(tokenHTTP, http.StatusNotFound),
			WithCause(err), WithData(DataSession, NewSecret(p.id())), WithData(DataHTTPStatus, http.StatusNotFound))
		p.link.ended(expired)
		return
	}
	p.link.listed.forget("")
	p.mu.Lock()
	p.current, p.renewal = id, nil
	stream := p.stream
	p.mu.Unlock()
	if stream != nil {
		// Nothing comes on it any more, even if it is open. The SDK opens another.
		_ = stream.Close()
	}
	if p.notify != nil {
		_ = guarded(func() error {
			p.notify(Renewal{lost})
			return nil
		})
	}
}

// reopen opens a session as the first one was, and restores what that had. It
// returns the new id, and what could not be restored.
func (p *endpoint) reopen(ctx context.Context, like *http.Request) (id string, lost []string, _ error) {
	p.mu.Lock()
	opening := p.opening
	p.mu.Unlock()
	if opening == nil {
		return "", nil, errors.New("errmapmcp: the session was not opened by a request that is known")
	}
	version := like.Header.Get(headerVersion)
	resp, err := p.post(ctx, like, "", "", opening)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return "", nil, newError(KindTransport, NewReason(tokenHTTP, int64(resp.StatusCode)))
	}
	found, _ := members(opening, "id")
	answer, ok := answerOf(ctx, resp, jsonrpc.ID(found["id"]))
	switch {
	case !ok:
		return "", nil, newError(KindProtocol, ReasonInvalidMessage)
	case answer.Error != nil:
		return "", nil, FromRPCError(answer.Error)
	}
	result, _ := members(answer.Result, "protocolVersion")
	if result["protocolVersion"].text() != version {
		return "", nil, newError(KindProtocol, ReasonProtocolVersion)
	}
	id = resp.Header.Get(headerSession)
	p.link.secrets.add(id)
	if err := p.tell(ctx, like, id, version); err != nil {
		return "", nil, err
	}
	for i, one := range p.link.kept() {
		if err := p.restore(ctx, like, id, version, i, one); err != nil {
			lost = append(lost, one.String())
		}
	}
	return id, lost, nil
}

// tell tells the server that the session is open.
func (p *endpoint) tell(ctx context.Context, like *http.Request, id, version string) error {
	resp, err := p.post(ctx, like, id, version, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return newError(KindTransport, NewReason(tokenHTTP, int64(resp.StatusCode)))
	}
	return nil
}

// restore makes a request of the old session in the new one.
func (p *endpoint) restore(ctx context.Context, like *http.Request, id, version string, i int, one kept) error {
	callID := jsonrpc.ID(fmt.Sprintf(`"errmap-%d"`, i+1))
	resp, err := p.post(ctx, like, id, version, jsonrpc.AppendRequest(nil, callID, one.method, one.params))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, ok := answerOf(ctx, resp, callID)
	switch {
	case !ok || resp.StatusCode < 200 || resp.StatusCode >= 300:
		return newError(KindTransport, NewReason(tokenHTTP, int64(resp.StatusCode)))
	case answer.Error != nil:
		return FromRPCError(answer.Error)
	}
	return nil
}

// post sends a message of the client's own with the credentials of a request.
func (p *endpoint) post(ctx context.Context, like *http.Request, id, version string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, like.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range like.Header {
		if !strings.HasPrefix(name, "Mcp-") && name != headerLastEventID {
			req.Header[name] = slices.Clone(values)
		}
	}
	req.Header.Set("Content-Type", typeJSON)
	req.Header.Set("Accept", typeJSON+", "+typeEvents)
	if version != "" {
		req.Header.Set(headerVersion, version)
	}
	if id != "" {
		req.Header.Set(headerSession, id)
	}
	return p.base.RoundTrip(req)
}

// kept is a request that made something of a session that lasts.
type kept struct {
	method, about string
	params        []byte
}

// String returns what the request was about.
func (k kept) String() string { return strings.TrimSpace(k.method + " " + k.about) }

// state is what a session has, for a new one.
type state struct {
	mu  sync.Mutex
	all []kept
}

// keep takes in a request that succeeded.
func (s *state) keep(req mcp.Request) {
	var one kept
	undo := false
	switch p := req.GetParams().(type) {
	case *mcp.SubscribeParams:
		if p == nil {
			return
		}
		one = kept{method: "resources/subscribe", about: p.URI}
	case *mcp.UnsubscribeParams:
		if p == nil {
			return
		}
		one, undo = kept{method: "resources/subscribe", about: p.URI}, true
	//lint:ignore SA1019 sessions of the deprecation window still have it
	case *mcp.SetLoggingLevelParams:
		if p == nil {
			return
		}
		one = kept{method: "logging/setLevel"}
	default:
		return
	}
	if !undo {
		params, err := json.Marshal(req.GetParams())
		if err != nil {
			return
		}
		one.params = params
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(k kept) bool { return k.method == one.method && k.about == one.about })
	if !undo {
		s.all = append(s.all, one)
	}
}

// kept returns what a new session is to have.
func (l *link) kept() []kept {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	return slices.Clone(l.state.all)
}
