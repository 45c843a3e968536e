package errmapmcp_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
)

func TestWithObserver(t *testing.T) {
	t.Parallel()
	var (
		mu     sync.Mutex
		events []errmap.Event
		kept   reports
	)
	observe := func(_ context.Context, e errmap.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	}
	told := func() errmap.Event {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if len(events) != 1 {
			t.Fatalf("told %d times: %+v", len(events), events)
		}
		e := events[0]
		events = nil
		return e
	}
	secret := errors.New("dial tcp 10.0.0.7:5432")
	session := connectSDK(t, nil, func(server *mcp.Server) {
		if err := errmapmcp.InstallServer(server, kept.guard(), errmapmcp.WithObserver(observe)); err != nil {
			t.Fatal(err)
		}
		server.AddPrompt(&mcp.Prompt{Name: "cart"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, secret
		})
		server.AddPrompt(&mcp.Prompt{Name: "bare"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, &jsonrpc.Error{Code: 7, Message: "no"}
		})
		errmapmcp.AddTool(server, &mcp.Tool{Name: "get"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
			return nil, nil, secret
		})
	})
	_, _ = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
	if e := told(); e.Procedure != "prompts/get" || e.Wire != errmap.WireJSONRPC || e.RequestID == "" || !errors.Is(e.Err, secret) {
		t.Errorf("of a prompt: told %+v", e)
	}
	_, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get"})
	if e := told(); e.Procedure != "tools/call" || e.Sent.Message() != "internal error" || e.RequestID == "" || !errors.Is(e.Err, secret) {
		t.Errorf("of a tool: told %+v", e)
	}
	_, _ = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "bare"})
	if e := told(); e.Sent.Message() != "no" || e.RequestID != "" {
		t.Errorf("of an error of JSON-RPC: told %+v", e)
	}
}
