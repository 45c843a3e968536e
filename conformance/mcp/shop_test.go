//go:build all

package mcp_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
)

type (
	none    struct{}
	receipt struct {
		Order string `json:"order"`
	}
)

// stockEmpty is the error that the tools of the shop fail with.
func stockEmpty() *errmap.Error {
	return errmap.NewCode(code.Code_FAILED_PRECONDITION, "no stock of A1").
		WithDetail(&errdetails.ErrorInfo{Reason: "STOCK_EMPTY", Domain: "shop.example.com", Metadata: map[string]string{"sku": "A1"}})
}

// stockText is what a model reads of it.
const stockText = "no stock of A1\nDo not try again without a change: it would fail in the same way.\n" +
	"Reason: STOCK_EMPTY of shop.example.com; sku: A1"

// newShop returns a server of errors: tools with and without an output schema, a
// prompt and a resource, of which none works but for the tool "ok".
func newShop(t *testing.T) *mcp.Server {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	silent := errmap.NewGuard(errmap.WithLog(func(context.Context, errmap.Report) {}))
	if err := errmapmcp.InstallServer(server, errmapmcp.WithGuard(silent)); err != nil {
		t.Fatal(err)
	}
	errmapmcp.AddTool(server, &mcp.Tool{Name: "schema"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, receipt, error) {
		return nil, receipt{}, stockEmpty()
	})
	errmapmcp.AddTool(server, &mcp.Tool{Name: "plain"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
		return nil, nil, stockEmpty()
	})
	errmapmcp.AddTool(server, &mcp.Tool{Name: "hidden"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("token hunter2 refused")
	})
	errmapmcp.AddTool(server, &mcp.Tool{Name: "ok"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, receipt, error) {
		return nil, receipt{"o-1"}, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "cart"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, stockEmpty()
	})
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "shop://{id}", Name: "order"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, errmap.NewCode(code.Code_NOT_FOUND, "no order o-1")
	})
	return server
}

// serveShop serves the shop over HTTP, with sessions or, as revision 2026-07-28
// has it, without.
func serveShop(t *testing.T, stateless bool) string {
	t.Helper()
	server := newShop(t)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless, Logger: slog.New(slog.DiscardHandler)})
	served := httptest.NewServer(handler)
	t.Cleanup(served.Close)
	return served.URL
}
