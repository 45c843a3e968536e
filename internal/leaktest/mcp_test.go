package leaktest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// No secret that a tool, a resource or a prompt of an MCP server comes across
// leaves it.
func TestLeaks_MCP(t *testing.T) {
	t.Parallel()
	for name, p := range plants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret, l := newSecret(), new(log)
			quiet := slog.New(slog.DiscardHandler)
			s := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1"}, &mcp.ServerOptions{Logger: quiet})
			if err := errmapmcp.InstallServer(s, errmapmcp.WithGuard(l.guard())); err != nil {
				t.Fatal(err)
			}
			errmapmcp.AddTool(s, &mcp.Tool{Name: "get"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
				return nil, nil, p.fail(secret)
			})
			s.AddResource(&mcp.Resource{Name: "b", URI: "book://b"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return nil, p.fail(secret)
			})
			s.AddPrompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return nil, p.fail(secret)
			})
			r := serve(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, Logger: quiet}))
			session, err := mcp.NewClient(&mcp.Implementation{Name: "reader", Version: "1"}, nil).Connect(t.Context(),
				&mcp.StreamableClientTransport{Endpoint: "http://library/", HTTPClient: r.client(t, 1), MaxRetries: -1, DisableStandaloneSSE: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get"}); err == nil && !result.IsError {
				t.Errorf("the tool did not fail")
			}
			if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "book://b"}); err == nil {
				t.Errorf("the resource did not fail")
			}
			if _, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "p"}); err == nil {
				t.Errorf("the prompt did not fail")
			}
			p.check(t, r.text(t), l, secret)
		})
	}
}

// The error of an MCP client says kind and reason wherever it is shown, and
// nothing of what the server sent or of the secrets that it holds.
func TestLeaks_MCPClient(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"MCP data", "MCP cause"} {
		secret := newSecret()
		e, ok := errors.AsType[*errmapmcp.Error](plants[name].fail(secret))
		if !ok {
			t.Fatalf("%s is no error of an MCP client", name)
		}
		var shown strings.Builder
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			fmt.Fprintf(&shown, verb+"\n", e)
		}
		slog.New(slog.NewTextHandler(&shown, nil)).Error("failed", "error", e)
		slog.New(slog.NewJSONHandler(&shown, nil)).Error("failed", "error", e, "wrapped", fmt.Errorf("call: %w", e))
		if holds([]byte(shown.String()), secret) {
			t.Errorf("%s shows: %s", name, shown.String())
		}
	}
}
