package errmapmcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type linkKey struct{}

// link is what is known of the connection of a session.
type link struct {
	listed  listings
	secrets secrets
	state   state

	mu      sync.Mutex
	bound   bool // a session has it
	session *mcp.ClientSession
	closed  bool
	closing chan struct{}  // is closed when closed is set
	end     *Error         // of the connection, nil while it lives
	conn    mcp.Connection // nil where the SDK has it alone
	http    *endpoint      // nil but over HTTP
	calls   map[*context.CancelCauseFunc]struct{}
}

func newLink() *link {
	return &link{closing: make(chan struct{}), calls: map[*context.CancelCauseFunc]struct{}{}}
}

// bind gives the link to a session unless one has it.
func (l *link) bind(session *mcp.ClientSession) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bound {
		return false
	}
	l.bound, l.session = true, session
	return true
}

// connected forgets the session, which then keeps the link and not the other way
// round.
func (l *link) connected() *mcp.ClientSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	session := l.session
	l.session = nil
	return session
}

// close ends all calls of the session.
func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	close(l.closing)
	for cancel := range l.calls {
		(*cancel)(errClosing)
	}
}

// ended takes in why the connection is over. The first reason stays.
func (l *link) ended(e *Error) *Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == nil {
		l.end = l.secrets.concealCause(e)
	}
	return l.end
}

// gone returns the error of a request that must not be sent: the session was
// closed, or the connection is over.
func (l *link) gone() *Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return closedError()
	case l.end != nil && l.end.kind == KindSessionExpired:
		return l.end
	case l.end != nil:
		return l.end.as(KindUnavailable)
	}
	return nil
}

// abort closes the connection below the SDK, which waits for what it handles.
func (l *link) abort() {
	l.mu.Lock()
	conn := l.conn
	l.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
	}
}

// connect takes in the connection.
func (l *link) connect(conn mcp.Connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = conn
}

// sessionID returns the id by which the server knows the session, given the one that
// the SDK has: they differ once the session was renewed.
func (l *link) sessionID(first string) string {
	if l != nil && l.http != nil {
		if id := l.http.id(); id != "" {
			return id
		}
	}
	return first
}

// isClosed tells whether the program closed the session.
func (l *link) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// enter counts a call of the session, whose context close cancels.
func (l *link) enter(cancel *context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[cancel] = struct{}{}
	if l.closed {
		(*cancel)(errClosing)
	}
}

func (l *link) leave(cancel *context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, cancel)
}

func closedError() *Error {
	return newError(KindClosed, ReasonClosed, WithCause(mcp.ErrConnectionClosed))
}
