package errmapmcp

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// closeWait is how long handlers of the client that are under way may take when a
// session is closed.
const closeWait = 2 * time.Second

// Session is the SDK's session, whose requests fail with an [*Error]. It is safe
// for concurrent use. Close it by its own Close: what the SDK's session inside it
// closes counts as a connection that broke.
type Session struct {
	*mcp.ClientSession
	client *Client
	link   *link
}

// Close closes the session: requests that are under way fail as [KindClosed] at
// once, and so do all later ones. Handlers of the client that are under way have
// two seconds; then, but over HTTP, their contexts end with the connection. It
// returns what the SDK's Close returns, such as how a stdio server exited. It may
// be called again, and concurrently.
func (s *Session) Close() error {
	s.link.close()
	timer := time.AfterFunc(closeWait, s.link.abort)
	defer timer.Stop()
	return s.link.secrets.conceal(s.ClientSession.Close())
}

// Wait waits until the connection is over, and returns why as the SDK's Wait does,
// without the id of the session.
func (s *Session) Wait() error { return s.link.secrets.conceal(s.ClientSession.Wait()) }

// ID returns the id by which the server knows the session: another one once the
// session was renewed, "" where there is none.
func (s *Session) ID() string {
	return s.link.sessionID(s.ClientSession.ID())
}
