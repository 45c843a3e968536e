package errmapmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errClosing is the cause of the contexts that the close of a session ends.
var errClosing = errors.New("errmapmcp: the session is being closed")

// watchedConn is a connection between a transport and the SDK. What ends it, and
// each error that it is answered with, goes up as a fault.
type watchedConn struct {
	mcp.Connection
	link       *link
	maxMessage int

	mu      sync.Mutex
	pending map[jsonrpc.ID]*evidence
}

func newWatchedConn(inner mcp.Connection, l *link, maxMessage int) *watchedConn {
	return &watchedConn{Connection: inner, link: l, maxMessage: maxMessage, pending: map[jsonrpc.ID]*evidence{}}
}

// Read reads the next message.
func (c *watchedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		return nil, &fault{c.link.ended(readError(err))}
	}
	response, ok := msg.(*jsonrpc.Response)
	if !ok {
		return msg, nil
	}
	c.mu.Lock()
	ev := c.pending[response.ID]
	delete(c.pending, response.ID)
	c.mu.Unlock()
	if ev != nil {
		ev.look(response.Result)
	}
	changed := *response
	switch {
	case c.over(response):
		changed.Result, changed.Error = nil, &fault{tooLarge(tokenReceived, c.maxMessage)}
	case response.Error != nil:
		changed.Error = &fault{answerError(response.Error)}
	}
	return &changed, nil
}

// Write writes a message, unless it is over the cap.
func (c *watchedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if c.over(msg) {
		return &rejection{fault{tooLarge(tokenSent, c.maxMessage)}}
	}
	request, isRequest := msg.(*jsonrpc.Request)
	if ev := evidenceOf(ctx); isRequest && ev != nil {
		c.expect(request.ID, ev)
	}
	err := c.Connection.Write(ctx, msg)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &fault{c.link.ended(ioError(err, false))}
}

// envelope is more than what a message has beside what it carries, in bytes.
const envelope = 1 << 10

// over tells whether a message is over the cap. What has no encoding is for the
// transport to refuse.
func (c *watchedConn) over(msg jsonrpc.Message) bool {
	if c.maxMessage <= 0 {
		return false
	}
	switch m := msg.(type) { // most are far below it, and need no encoding to tell
	case *jsonrpc.Request:
		if len(m.Method)+len(m.Params)+envelope < c.maxMessage {
			return false
		}
	case *jsonrpc.Response:
		if m.Error == nil && len(m.Result)+envelope < c.maxMessage {
			return false
		}
	}
	text, err := jsonrpc.EncodeMessage(msg)
	return err == nil && len(text) > c.maxMessage
}

// expect has the answer to a request looked at for the evidence of the call.
func (c *watchedConn) expect(id jsonrpc.ID, ev *evidence) {
	ev.use(func() {
		ev.sent = true
		if !id.IsValid() {
			return
		}
		c.mu.Lock()
		c.pending[id] = ev
		c.mu.Unlock()
		ev.unpend = func() {
			c.mu.Lock()
			delete(c.pending, id)
			c.mu.Unlock()
		}
	})
}

// answerError returns what the error of a response is.
func answerError(err error) *Error {
	if e := inChain(err); e != nil {
		return e
	}
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return newError(KindProtocol, ReasonInvalidErrorObject, WithCause(err))
	}
	object, err := json.Marshal(wire)
	if err != nil {
		return newError(KindProtocol, NewReason(tokenJSONRPC, wire.Code), WithCause(err))
	}
	return FromRPCError(object)
}

// readError returns what ended the reading of a connection.
func readError(err error) *Error {
	e := ioError(err, false)
	if e.kind == KindTransport && e.reason == ReasonFailed {
		// Of the transports of the SDK only what they could not decode is left.
		return newError(KindProtocol, ReasonInvalidMessage, WithCause(err))
	}
	return e
}

// watchedTransport puts a watchedConn around the connection of a transport.
type watchedTransport struct {
	inner      mcp.Transport
	link       *link
	maxMessage int
}

// Connect connects the transport.
func (t *watchedTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	ev := &evidence{connecting: true}
	conn, err := t.inner.Connect(withEvidence(ctx, ev))
	ev.seal(func() {})
	if err != nil {
		return nil, connectError(ctx, ev, err)
	}
	if fmt.Sprintf("%T", conn) == "*mcp.streamableClientConn" {
		// The SDK tells this connection, and no wrapper of it, what version of
		// the protocol was agreed on; a RoundTripper watches it.
		return conn, nil
	}
	t.link.connect(conn)
	return newWatchedConn(conn, t.link, t.maxMessage), nil
}

// connectError returns what kept a transport from connecting.
func connectError(ctx context.Context, ev *evidence, err error) error {
	if ctx.Err() != nil {
		return contextError(ctx, err)
	}
	if e := ev.last.verdict(err); e != nil {
		return e
	}
	return ioError(err, false)
}

// contextError returns the error of a request whose caller's context is over: a
// timeout for a deadline, else the context's own error.
func contextError(ctx context.Context, cause error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	if cause == nil || !errors.Is(cause, context.DeadlineExceeded) {
		cause = ctx.Err()
	}
	return newError(KindTimeout, ReasonDeadline, WithCause(cause))
}
