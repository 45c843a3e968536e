package main

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
)

// newMCP returns a server of MCP whose tool, prompt and resource fail, each with an
// error of the shop.
func newMCP(guard *errmap.Guard) (http.Handler, error) {
	discard := slog.New(slog.DiscardHandler)
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, &mcp.ServerOptions{Logger: discard})
	if err := errmapmcp.InstallServer(s, errmapmcp.WithGuard(guard)); err != nil {
		return nil, err
	}
	errmapmcp.AddTool(s, &mcp.Tool{Name: "buy"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, stockEmpty("A1 é")
	})
	errmapmcp.AddTool(s, &mcp.Tool{Name: "ok"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "cart"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, stockEmpty("A1 é")
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "shop://{id}", Name: "order"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, errmap.NewCode(code.Code_NOT_FOUND, "no such order")
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, Logger: discard}), nil
}
