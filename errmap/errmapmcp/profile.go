package errmapmcp

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap"
)

// firstWithResultType is the first revision of the protocol in which every result
// says what it is. Revisions are dates, and are compared as text.
const firstWithResultType = "2026-07-28"

// profileOf returns the profile of a revision of the protocol; of a connection that
// has not agreed on one yet it is that of the newest.
func profileOf(revision string) errmap.Profile {
	if revision != "" && revision < firstWithResultType {
		return errmap.ProfileMCP20251125
	}
	return errmap.ProfileMCP
}

// revisionOf returns the revision that a request of a client or of a server is of,
// "" where none was agreed on yet.
func revisionOf(req mcp.Request) string {
	if received, ok := req.(interface{ ProtocolVersion() string }); ok {
		return received.ProtocolVersion()
	}
	if session, ok := req.GetSession().(*mcp.ClientSession); ok {
		if initialized := session.InitializeResult(); initialized != nil {
			return initialized.ProtocolVersion
		}
	}
	return ""
}
