package errmapmcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap"
)

// MetaKeyError is the key under which the _meta of a failed tool's result has the
// error, in the form of AIP-193. It is in _meta and not in the structured content
// since a client may check that against the output schema of the tool, and since
// some show it to the model in the place of the text.
const MetaKeyError = "io.github.errmap/error"

// toolResult returns the result of a tool that failed: a copy of the SDK's, which
// has members that only the SDK can set.
func (s *serverErrors) toolResult(ctx context.Context, req mcp.Request, result *mcp.CallToolResult) *mcp.CallToolResult {
	err := result.GetError()
	_, ours := errors.AsType[*toolFailure](err)
	var e *errmap.Error
	switch wire := wireFirst(err); {
	case err == nil:
		return result
	case wire != nil:
		s.told(ctx, methodCallTool, err, wire, req)
		e = s.readWire(wire, profileOf(revisionOf(req)))
	case ours || speaks(err):
		e = s.Outgoing(ctx, methodCallTool, errmap.WireJSONRPC, err)
	default:
		return result
	}
	failed := *result
	if isText(result.Content, err.Error()) {
		failed.Content = nil
	}
	s.describe(&failed, e)
	return &failed
}

// newFailedResult returns the result of a tool whose handler returned none, as
// the SDK would have made it for the version of the protocol that req is of.
func (s *serverErrors) newFailedResult(req mcp.Request, e *errmap.Error) *mcp.CallToolResult {
	var result mcp.CallToolResult
	if revisionOf(req) >= firstWithResultType {
		// The SDK has no other way to set it. The text is ours, so it can be read.
		_ = json.Unmarshal([]byte(`{"content":[],"resultType":"complete"}`), &result)
	}
	s.describe(&result, e)
	return &result
}

// describe makes a result say that the tool failed with e. Content that is there
// stays: the tool wrote it for its callers.
func (s *serverErrors) describe(result *mcp.CallToolResult, e *errmap.Error) {
	result.IsError = true
	if len(result.Content) == 0 {
		result.Content = []mcp.Content{&mcp.TextContent{Text: advice(e, s.catalog.Find(e.Domain(), e.Reason()))}}
	}
	_, body := errmap.EncodeHTTP(e, errmap.WithCatalog(s.catalog))
	meta := mcp.Meta(maps.Clone(result.Meta))
	if meta == nil {
		meta = mcp.Meta{}
	}
	meta[MetaKeyError] = json.RawMessage(body)
	result.Meta = meta
}

// isText tells whether content is what the SDK makes of an error.
func isText(content []mcp.Content, text string) bool {
	if len(content) != 1 {
		return false
	}
	first, ok := content[0].(*mcp.TextContent)
	return ok && first.Text == text
}
