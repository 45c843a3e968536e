package faulttest_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// kinds are those that a call of a tool may end with under a fault; "" stands
// for an answer that arrives in spite of it.
var kinds = map[fault][]errmapmcp.Kind{
	cut:       {errmapmcp.KindConnectionDown, errmapmcp.KindTransport},
	truncate:  {errmapmcp.KindConnectionDown, errmapmcp.KindTransport},
	delay:     {errmapmcp.KindTimeout},
	duplicate: {0},
	garble:    {errmapmcp.KindConnectionDown, errmapmcp.KindTransport},
	html:      {errmapmcp.KindProtocol},
	gateway:   {errmapmcp.KindTransport},
	limited:   {errmapmcp.KindRateLimited},
	half:      {errmapmcp.KindConnectionDown, errmapmcp.KindTransport},
	// A body that cannot be unpacked ends as one that broke off does.
	mislabel: {errmapmcp.KindProtocol, errmapmcp.KindTransport, errmapmcp.KindConnectionDown},
}

// An MCP client ends each broken call with the kind that says what happened, in
// bounded time, and its next call, on a new session where the kind says that the
// old one is gone, is done well.
func TestFaults_MCP(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			quiet := slog.New(slog.DiscardHandler)
			s := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1"}, &mcp.ServerOptions{Logger: quiet})
			if err := errmapmcp.InstallServer(s); err != nil {
				t.Fatal(err)
			}
			errmapmcp.AddTool(s, &mcp.Tool{Name: "get"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("a title ", 20)}}}, nil, nil
			})
			p := newProxy(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
				&mcp.StreamableHTTPOptions{Stateless: true, Logger: quiet}))
			c := errmapmcp.NewClient(&mcp.Implementation{Name: "reader", Version: "1"}, nil)
			session := openSession(t, c, p)
			call := func(ctx context.Context, _ string) error {
				_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "get"})
				return err
			}
			if err := bounded(t, call, 10*time.Second, ""); err != nil {
				t.Fatalf("before the fault: %v", err)
			}
			p.fault.Store(f)
			limit := 10 * time.Second
			if f == delay {
				limit = 300 * time.Millisecond
			}
			err := bounded(t, call, limit, "")
			p.mend()
			e, _ := errors.AsType[*errmapmcp.Error](err)
			if err != nil && e == nil || !slices.Contains(kinds[f], e.Kind()) {
				t.Fatalf("the call ended with %T %v, want one of %v", err, err, kinds[f])
			}
			if err != nil && (strings.Contains(err.Error(), "sorry") || strings.Contains(err.Error(), "10.0.0.7")) {
				t.Errorf("the page is in the text %q", err)
			}
			if d, ok := e.RetryDelay(); f == limited && (!ok || d != 7*time.Second) {
				t.Errorf("the delay is %v, %v", d, ok)
			}
			for range 3 {
				if err = bounded(t, call, 10*time.Second, ""); err == nil {
					return
				}
				if errors.Is(err, errmapmcp.KindConnectionDown) || errors.Is(err, errmapmcp.KindClosed) || errors.Is(err, errmapmcp.KindUnavailable) {
					session = openSession(t, c, p)
				}
			}
			t.Errorf("after the fault: %v", err)
		})
	}
}

func openSession(t *testing.T, c *errmapmcp.Client, p *proxy) *errmapmcp.Session {
	t.Helper()
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "http://localhost/", HTTPClient: &http.Client{Transport: p.transport(t, 1)}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}
