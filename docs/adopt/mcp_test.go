package adopt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// order is what the tool takes.
type order struct {
	SKU string `json:"sku"`
}

func addTool(server *mcp.Server, do func(context.Context) error, with bool) error {
	tool := &mcp.Tool{Name: "order"}
	handler := func(ctx context.Context, _ *mcp.CallToolRequest, _ order) (*mcp.CallToolResult, any, error) {
		return nil, nil, do(ctx)
	}
	if !with {
		mcp.AddTool(server, tool, handler)
		return nil
	}
	if err := errmapmcp.InstallServer(server); err != nil {
		return err
	}
	errmapmcp.AddTool(server, tool, handler)
	return nil
}

func ofMCP() []failure {
	return []failure{
		common[0], common[1], {name: panicked, do: common[3].do}, common[4], common[5],
		{name: "`&jsonrpc.Error{Code: 4010, Message: \"no A1\"}`", do: func(context.Context) error {
			return &jsonrpc.Error{Code: 4010, Message: "no A1"}
		}},
	}
}

func TestTable_mcp(t *testing.T) {
	if os.Getenv(diesIn) != "" {
		t.Log(overMCP(t, failure{do: func(context.Context) error { panic("index out of range") }}, false))
		return
	}
	table(t, "mcp", ofMCP(), func(t *testing.T, f failure, with bool) string {
		if f.name == panicked && !with {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestTable_mcp$")
			cmd.Env = append(os.Environ(), diesIn+"=1")
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "panic: index out of range") {
				t.Errorf("the process lives: %v\n%s", err, out)
			}
			return "no answer: the process ends"
		}
		return overMCP(t, f, with)
	})
}

func overMCP(t *testing.T, f failure, with bool, middleware ...mcp.Middleware) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	if err := addTool(server, f.do, with); err != nil {
		t.Fatal(err)
	}
	server.AddReceivingMiddleware(only(middleware, "tools/call")...)
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), near, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "caller", Version: "1"}, nil).Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order", Arguments: order{"A1"}})
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fmt.Sprintf("the JSON-RPC error %d `%s`", e.Code, e.Message)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, c := range result.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	text = strings.ReplaceAll(strings.TrimSpace(ids.ReplaceAllString(text, "…")), "\n", "`, `")
	cell := fmt.Sprintf("isError, `%s`", text)
	if _, ok := result.Meta[errmapmcp.MetaKeyError]; ok {
		cell += ", the error itself in `_meta`"
	}
	return cell
}

// only has middleware see one method.
func only(middleware []mcp.Middleware, method string) []mcp.Middleware {
	var out []mcp.Middleware
	for _, m := range middleware {
		out = append(out, func(next mcp.MethodHandler) mcp.MethodHandler {
			seen := m(next)
			return func(ctx context.Context, called string, req mcp.Request) (mcp.Result, error) {
				if called == method {
					return seen(ctx, called, req)
				}
				return next(ctx, called, req)
			}
		})
	}
	return out
}
