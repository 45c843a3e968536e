//go:build all

package mcp_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// servers are the official servers, with the path and the revision of each way to
// speak with them, and what they answer where something is not there.
var servers = []struct {
	peer
	path, revision string
	sessions       bool
	unknown        errmapmcp.Kind // of a tool that is not listed; 0 for a result
}{
	{peer{"mcp for Python, server", ofPython, inPython("server.py")}, "/mcp", "2025-11-25", true, 0},
	{peer{"mcp for Python, server", ofPython, inPython("server.py")}, "/mcp", "2026-07-28", false, 0},
	{peer{"@modelcontextprotocol/sdk, server", ofNPM("@modelcontextprotocol/sdk"), inJavaScript("server1.mjs")}, "/mcp", "2025-11-25", true, 0},
	{peer{"@modelcontextprotocol/server", ofNPM("@modelcontextprotocol/server"), inJavaScript("server2.mjs")}, "/legacy", "2025-11-25", true, errmapmcp.KindNotFound},
	{peer{"@modelcontextprotocol/server", ofNPM("@modelcontextprotocol/server"), inJavaScript("server2.mjs")}, "/mcp", "2026-07-28", false, errmapmcp.KindNotFound},
}

// connect opens a session with a server.
func connect(t *testing.T, url, revision string, opts ...errmapmcp.Option) (*errmapmcp.Session, error) {
	t.Helper()
	base := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(base.CloseIdleConnections)
	session, err := errmapmcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil, opts...).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: base}}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// wantKind fails the test unless err is of the kind.
func wantKind(t *testing.T, err error, kind errmapmcp.Kind) {
	t.Helper()
	if e, ok := errors.AsType[*errmapmcp.Error](err); !ok || e.Kind() != kind {
		t.Errorf("the error is %v, want %s", err, kind)
	}
}

// What official servers answer is told by its kind. (S02, N02)
func TestFinding_S02_official_servers(t *testing.T) {
	t.Parallel()
	for _, server := range servers {
		t.Run(server.name+", "+server.revision, func(t *testing.T) {
			t.Parallel()
			session, err := connect(t, server.start(t)+server.path, server.revision, errmapmcp.WithToolErrors())
			if err != nil {
				t.Fatal(err)
			}
			if got := session.InitializeResult().ProtocolVersion; got != server.revision {
				t.Errorf("the revision is %s", got)
			}
			// By what is listed the client knows what is not there.
			_, err1 := session.ListTools(t.Context(), nil)
			_, err2 := session.ListResources(t.Context(), nil)
			_, err3 := session.ListResourceTemplates(t.Context(), nil)
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ok"}); err != nil {
				t.Error(err)
			}
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fail"})
			if result == nil || !result.IsError || err == nil {
				t.Errorf("a tool that failed is %+v, %v", result, err)
			}
			result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "unknown"})
			if server.unknown != 0 {
				wantKind(t, err, server.unknown)
			} else if result == nil || !result.IsError {
				t.Errorf("an unknown tool is %+v, %v", result, err)
			}
			_, err = session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "shop://missing"})
			wantKind(t, err, errmapmcp.KindNotFound)
			unknown := "a result"
			if server.unknown != 0 {
				unknown = server.unknown.String()
			}
			server.tell(t, "MCP "+server.revision, 3, "the error of a failed tool, an unknown tool is "+unknown+", a missing resource not_found")
		})
	}
}

// A session that an official server has lost is renewed, and without that it is
// session_expired, whatever the server's body says. (P03, S01)
func TestFinding_P03_S01_official_servers_that_lose_their_sessions(t *testing.T) {
	t.Parallel()
	for _, server := range servers {
		if !server.sessions {
			continue
		}
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			address := server.start(t)
			renewing, err1 := connect(t, address+server.path, server.revision)
			expiring, err2 := connect(t, address+server.path, server.revision, errmapmcp.WithoutRenewal())
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			call := func(session *errmapmcp.Session) error {
				_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ok"})
				return err
			}
			first := renewing.ID()
			if err := errors.Join(call(renewing), call(expiring)); err != nil || first == "" {
				t.Fatalf("session %q: %v", first, err)
			}
			resp, err := http.Post(address+"/lose", "", nil)
			if err != nil || resp.StatusCode != http.StatusNoContent {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if err := call(renewing); err != nil {
				t.Errorf("the session was not renewed: %v", err)
			}
			if renewing.ID() == first {
				t.Error("the session has the same id")
			}
			wantKind(t, call(expiring), errmapmcp.KindSessionExpired)
			server.tell(t, "MCP "+server.revision+", a lost session", 1, "it is renewed, and without that session_expired")
		})
	}
}

// The bodies of the bearer middlewares have an "error" that is OAuth's. (P02)
func TestFinding_P02_official_bearer_middlewares(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]peer{
		"/closed/mcp": {"mcp for Python, server", ofPython, inPython("server.py")},
		"/closed":     {"@modelcontextprotocol/sdk, server", ofNPM("@modelcontextprotocol/sdk"), inJavaScript("server1.mjs")},
	} {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			_, err := connect(t, server.start(t)+name, "2025-11-25")
			wantKind(t, err, errmapmcp.KindAuth)
			server.tell(t, "MCP 2025-11-25, its bearer middleware", 1, "auth")
		})
	}
}
