package errmapmcp

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Session is the SDK's session, whose requests fail with an [*Error]. It is safe
// for concurrent use. Close it by its own Close: what the SDK's session inside it
// closes counts as a connection that broke.
type Session struct {
	*mcp.ClientSession
	client *Client
	link   *link
}

// Close closes the session: requests that are under way fail as [KindClosed] at
// once, and so do all later ones. It returns what the SDK's Close returns, such
// as how a stdio server exited. It may be called again, and concurrently.
func (s *Session) Close() error {
	s.link.close()
	return s.ClientSession.Close()
}
