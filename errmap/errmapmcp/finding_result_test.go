package errmapmcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

// denied is an annotated error of a server, whatever it is about.
func denied(server *mcp.Server) {
	if err := errmapmcp.InstallServer(server); err != nil {
		panic(err)
	}
	errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, empty) (*mcp.CallToolResult, any, error) {
		return nil, nil, &mcpv1.DeniedError{Reason: "not yours"}
	})
}

func TestFinding_N02_the_client_catches_the_typed_error_of_a_tool(t *testing.T) {
	t.Parallel()
	session := connectSDK(t, nil, denied, errmapmcp.WithToolErrors())
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order"})
	if result == nil || !result.IsError {
		t.Fatalf("the result is %+v", result)
	}
	typed, ok := errors.AsType[*mcpv1.DeniedError](err)
	if !ok || typed.GetReason() != "not yours" {
		t.Fatalf("the error is %T %v", err, err)
	}
	if e, ok := errors.AsType[*errmap.Error](err); !ok || !e.Remote() || e.Code() != code.Code_PERMISSION_DENIED {
		t.Errorf("the error is %+v", e)
	}
	if _, ok := errors.AsType[*errmapmcp.Error](err); ok {
		t.Error("a tool that ran is a failure of the client")
	}
}

func TestFinding_N02_without_the_option_a_failed_tool_is_a_result(t *testing.T) {
	t.Parallel()
	result, err := connectSDK(t, nil, denied).CallTool(t.Context(), &mcp.CallToolParams{Name: "order"})
	if err != nil {
		t.Fatal(err)
	}
	e := errmapmcp.FromResult(result)
	if _, ok := errors.AsType[*mcpv1.DeniedError](e); !ok {
		t.Errorf("the result's error is %v", e)
	}
}

// A server that is a client of another passes a tool's error on by errmap.Forward,
// and hides it otherwise, like every error of a peer.
func TestFinding_N02_through_a_server_in_between(t *testing.T) {
	t.Parallel()
	upstream := connectSDK(t, nil, denied, errmapmcp.WithToolErrors())
	between := func(pass func(error) error) error {
		session := connectSDK(t, nil, func(server *mcp.Server) {
			if err := errmapmcp.InstallServer(server, new(reports).guard()); err != nil {
				t.Fatal(err)
			}
			errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ empty) (*mcp.CallToolResult, any, error) {
				return nil, nil, pass(callTool(ctx, upstream))
			})
		}, errmapmcp.WithToolErrors())
		return callTool(t.Context(), session)
	}
	forwarded := between(func(err error) error { return errmap.Forward(err) })
	if typed, ok := errors.AsType[*mcpv1.DeniedError](forwarded); !ok || typed.GetReason() != "not yours" {
		t.Errorf("the error is %v", forwarded)
	}
	hidden := between(func(err error) error { return err })
	if e, ok := errors.AsType[*errmap.Error](hidden); !ok || e.Code() != code.Code_INTERNAL || strings.Contains(e.Message(), "not yours") {
		t.Errorf("the error is %v", hidden)
	}
}

func TestWithToolErrors_aToolThatWorks(t *testing.T) {
	t.Parallel()
	result, err := connectSDK(t, nil, answered, errmapmcp.WithToolErrors()).CallTool(t.Context(), &mcp.CallToolParams{Name: "order"})
	if err != nil || result.IsError {
		t.Errorf("the call returned %+v, %v", result, err)
	}
}

func TestFromResult(t *testing.T) {
	t.Parallel()
	text := func(texts ...string) []mcp.Content {
		content := []mcp.Content{&mcp.ImageContent{}}
		for _, text := range texts {
			content = append(content, &mcp.TextContent{Text: text})
		}
		return content
	}
	body := map[string]any{"error": map[string]any{"code": 404, "status": "NOT_FOUND", "message": "gone"}}
	for _, c := range []struct {
		name    string
		result  *mcp.CallToolResult
		code    code.Code
		message string
	}{
		{"none", nil, code.Code_OK, ""},
		{"a success", &mcp.CallToolResult{Content: text("done")}, code.Code_OK, ""},
		{"a success that looks like an error", &mcp.CallToolResult{StructuredContent: body}, code.Code_OK, ""},
		{"in _meta", &mcp.CallToolResult{IsError: true, Meta: mcp.Meta{errmapmcp.MetaKeyError: body}, Content: text("text")}, code.Code_NOT_FOUND, "gone"},
		{"in the structured content", &mcp.CallToolResult{IsError: true, StructuredContent: body}, code.Code_NOT_FOUND, "gone"},
		{"text alone", &mcp.CallToolResult{IsError: true, Content: text("no", "luck")}, code.Code_UNKNOWN, "no\nluck"},
		{"content of its own kind", &mcp.CallToolResult{IsError: true, StructuredContent: map[string]any{"error": "x", "code": 3}, Content: text("no")}, code.Code_UNKNOWN, "no"},
		{"an error of another form", &mcp.CallToolResult{IsError: true, StructuredContent: map[string]any{"error": map[string]any{"kind": "x"}}, Content: text("no")}, code.Code_UNKNOWN, "no"},
		{"no JSON in _meta", &mcp.CallToolResult{IsError: true, Meta: mcp.Meta{errmapmcp.MetaKeyError: func() {}}, Content: text("no")}, code.Code_UNKNOWN, "no"},
		{"nothing", &mcp.CallToolResult{IsError: true}, code.Code_UNKNOWN, ""},
		{"a long text", &mcp.CallToolResult{IsError: true, Content: text(strings.Repeat("é", 5000))}, code.Code_UNKNOWN, strings.Repeat("é", 2048) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := errmapmcp.FromResult(c.result)
			if e.Code() != c.code || e.Message() != c.message || e.Remote() != (c.code != code.Code_OK) {
				t.Errorf("the error is %v %q, remote %t", e.Code(), e.Message(), e.Remote())
			}
		})
	}
}
