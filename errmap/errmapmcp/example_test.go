package errmapmcp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
)

// A program tells failures apart by their kind, never by their text.
func ExampleNewClient() {
	ctx := context.Background()
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
		return nil, nil, &jsonrpc.Error{Code: 4010, Message: "sold out"}
	})
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, theirs, nil); err != nil {
		log.Fatal(err)
	}

	client := errmapmcp.NewClient(&mcp.Implementation{Name: "buyer", Version: "1.0"}, nil,
		errmapmcp.WithPolicy(func(_ context.Context, call errmapmcp.Call) errmapmcp.Decision {
			if call.Name() == "refund" {
				return errmapmcp.Deny("needs_a_person")
			}
			return errmapmcp.Allow()
		}))
	session, err := client.Connect(ctx, ours, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close() }()

	for _, tool := range []string{"order", "refund"} {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool})
		var e *errmapmcp.Error
		if errors.As(err, &e) {
			fmt.Println(e.Kind(), e.Reason(), e.Code(), e.Retryable())
		}
	}
	// Output:
	// protocol jsonrpc:4010 INTERNAL false
	// denied needs_a_person PERMISSION_DENIED false
}

func ExampleFromRPCError() {
	e := errmapmcp.FromRPCError([]byte(`{"code":-31404,"message":"no cart c-1","data":{"cart":"c-1"}}`))
	fmt.Println(e)
	fmt.Println(e.Peer().Code(), e.Peer().Message())
	fmt.Println(errmapmcp.FromRPCError([]byte(`"boom"`)))
	// Output:
	// mcp client: protocol (jsonrpc:-31404)
	// NOT_FOUND no cart c-1
	// mcp client: protocol (invalid_error_object)
}

func ExampleSecret() {
	token := errmapmcp.NewSecret("hunter2")
	fmt.Printf("%v %q %x %#v\n", token, token, token, token)
	fmt.Println(len(token.Reveal()))
	// Output:
	// #Secret<redacted> #Secret<redacted> #Secret<redacted> #Secret<redacted>
	// 7
}

// A tool's typed error is a result that a model can read, and a program too.
func ExampleInstallServer() {
	ctx := context.Background()
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1.0"}, nil)
	if err := errmapmcp.InstallServer(server); err != nil {
		log.Fatal(err)
	}
	errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
		return nil, nil, errmap.NewCode(code.Code_NOT_FOUND, "no cart c-1")
	})
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, theirs, nil); err != nil {
		log.Fatal(err)
	}
	session, err := errmapmcp.NewClient(&mcp.Implementation{Name: "buyer", Version: "1.0"}, nil).Connect(ctx, ours, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close() }()

	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "order"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	fmt.Println(errmapmcp.FromResult(result).Code())
	// Output:
	// no cart c-1
	// Do not try again without a change: it would fail in the same way.
	// NOT_FOUND
}

// A program that acts on typed errors has the client return those of tools.
func ExampleWithToolErrors() {
	ctx := context.Background()
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1.0"}, nil)
	if err := errmapmcp.InstallServer(server); err != nil {
		log.Fatal(err)
	}
	errmapmcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
		return nil, nil, errmap.NewCode(code.Code_RESOURCE_EXHAUSTED, "too many orders").WithRetryDelay(30 * time.Second)
	})
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, theirs, nil); err != nil {
		log.Fatal(err)
	}
	client := errmapmcp.NewClient(&mcp.Implementation{Name: "buyer", Version: "1.0"}, nil, errmapmcp.WithToolErrors())
	session, err := client.Connect(ctx, ours, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close() }()

	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "order"})
	if e, ok := errors.AsType[*errmap.Error](err); ok {
		delay, _ := e.RetryDelay()
		fmt.Println(e.Code(), delay)
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	// Output:
	// RESOURCE_EXHAUSTED 30s
	// too many orders
	// Try again after 30s.
}
