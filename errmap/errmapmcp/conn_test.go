package errmapmcp_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerOnce answers the first request of a connection.
func answerOnce(t *testing.T, conn mcp.Connection, result string) {
	msg, err := conn.Read(t.Context())
	if err != nil {
		return // the test has ended
	}
	if request, ok := msg.(*jsonrpc.Request); ok {
		_ = conn.Write(t.Context(), &jsonrpc.Response{ID: request.ID, Result: []byte(result)})
	}
}
