package errmapmcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
)

// maxResultText is how much of the text of a result becomes a message, in bytes.
const maxResultText = 4 << 10

// FromResult returns the error that a tool says it failed with, nil where result
// is nil or does not say isError. A tool that ran and failed is a result and no
// error of the client, so this is for a program that wants the tool's own error:
// errors.As finds the annotated message of the server in it.
//
// It is what a server of this package wrote into _meta under [MetaKeyError], or
// an object of AIP-193's form in the structured content. Of any other result the
// text becomes the message of an error of code UNKNOWN. It is marked as received
// (see [errmap.Error.Remote]): a handler that returns it to its own callers hides
// it, unless it is forwarded by errmap.Forward.
func FromResult(result *mcp.CallToolResult, opts ...errmap.DecodeOption) *errmap.Error {
	if result == nil || !result.IsError {
		return nil
	}
	for _, value := range []any{result.Meta[MetaKeyError], result.StructuredContent} {
		if e := resultError(value, opts); e != nil {
			return e
		}
	}
	return errmap.NewCode(code.Code_UNKNOWN, resultText(result.Content)).WithRemote()
}

// resultError reads the error that stands in a result, nil where none does.
func resultError(value any, opts []errmap.DecodeOption) *errmap.Error {
	if value == nil {
		return nil
	}
	body, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	var form struct {
		Error *struct {
			Code   json.RawMessage `json:"code"`
			Status string          `json:"status"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &form) != nil || form.Error == nil || form.Error.Code == nil || form.Error.Status == "" {
		return nil // structured content is the tool's own, so its form must be plain
	}
	e, err := errmap.DecodeHTTP(body, opts...)
	if err != nil {
		return nil
	}
	return e.WithRemote()
}

// resultText returns the text blocks of a result.
func resultText(content []mcp.Content) string {
	var text strings.Builder
	for _, block := range content {
		if block, ok := block.(*mcp.TextContent); ok && text.Len() < maxResultText {
			if text.Len() > 0 {
				text.WriteByte('\n')
			}
			text.WriteString(block.Text)
		}
	}
	if text.Len() > maxResultText {
		return strings.ToValidUTF8(text.String()[:maxResultText], "") + "…"
	}
	return text.String()
}

// CallTool calls a tool as the SDK's session does. With [WithToolErrors] it
// returns, beside the result of a tool that failed, the error of [FromResult].
func (s *Session) CallTool(ctx context.Context, params *mcp.CallToolParams) (*mcp.CallToolResult, error) {
	result, err := s.ClientSession.CallTool(ctx, params)
	if err != nil || !s.client.config.toolErrors {
		return result, err
	}
	if e := FromResult(result); e != nil {
		return result, e
	}
	return result, nil
}
