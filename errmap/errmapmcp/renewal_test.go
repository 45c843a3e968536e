package errmapmcp_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// A program that closes the session does not wait for a new one.
func TestSession_Close_whileItIsRenewed(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	session := connect(t, streamable(t, server.url))
	asked, release := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(release) })
	server.mu.Lock()
	server.refuse = func(_ http.ResponseWriter, _ *http.Request, m message) bool {
		if m.Method == "initialize" {
			close(asked)
			server.mu.Unlock()
			<-release
			server.mu.Lock()
		}
		return false
	}
	server.mu.Unlock()
	server.lose()
	failed := make(chan error, 1)
	go func() { failed <- callTool(t.Context(), session) }()
	<-asked
	_ = within(t, 2*time.Second, session.Close)
	wantKind(t, <-failed, errmapmcp.KindClosed, errmapmcp.ReasonClosed)
}

// Whatever comes in the place of a new session, the call fails as the session did,
// and the cause says why.
func TestRenewal_answersThatAreNone(t *testing.T) {
	t.Parallel()
	const long = `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, m message)
		cause  error
	}{
		"a page":                 {func(w http.ResponseWriter, _ message) { _, _ = w.Write([]byte("<html>")) }, errmapmcp.KindProtocol},
		"events without it":      {func(w http.ResponseWriter, _ message) { eventStream(w, long) }, errmapmcp.KindProtocol},
		"another's":              {func(w http.ResponseWriter, _ message) { writeJSON(w, 200, `{"jsonrpc":"2.0","id":"x","result":{}}`) }, errmapmcp.KindProtocol},
		"a batch":                {func(w http.ResponseWriter, m message) { writeJSON(w, 200, "["+m.result("{}")+"]") }, errmapmcp.KindProtocol},
		"an error":               {func(w http.ResponseWriter, m message) { writeJSON(w, 200, m.failure(`{"code":-32603,"message":"x"}`)) }, errmapmcp.KindProtocol},
		"a bad status":           {func(w http.ResponseWriter, _ message) { w.WriteHeader(http.StatusBadGateway) }, errmapmcp.KindTransport},
		"a connection that ends": {func(http.ResponseWriter, message) { panic(http.ErrAbortHandler) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newSessions(t)
			session := connect(t, streamable(t, server.url))
			server.mu.Lock()
			server.refuse = func(w http.ResponseWriter, _ *http.Request, m message) bool {
				if m.Method == "initialize" {
					c.answer(w, m)
				}
				return m.Method == "initialize"
			}
			server.mu.Unlock()
			server.lose()
			e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindSessionExpired, "http:404")
			if c.cause != nil && !errors.Is(e.Cause(), c.cause) {
				t.Errorf("the cause is %v", e.Cause())
			}
		})
	}
}

// A server that opens the new session without an id has no sessions any more.
func TestRenewal_intoNoSession(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	session := connect(t, streamable(t, server.url))
	server.mu.Lock()
	server.refuse = func(w http.ResponseWriter, r *http.Request, m message) bool {
		if r.Header.Get("Mcp-Session-Id") != "" {
			return false
		}
		switch m.Method {
		case "initialize":
			writeJSON(w, http.StatusOK, m.result(initializeResult))
		case "tools/call":
			writeJSON(w, http.StatusOK, m.result(`{"content":[]}`))
		default:
			w.WriteHeader(http.StatusAccepted)
		}
		return true
	}
	server.id = "lost"
	server.mu.Unlock()
	for range 2 {
		if err := callTool(t.Context(), session); err != nil {
			t.Error(err)
		}
	}
}

// What a session had may not be had again for many reasons, and the session is
// renewed for all that.
func TestRenewal_Lost(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	renewals := make(chan errmapmcp.Renewal, 1)
	session := connect(t, streamable(t, server.url), errmapmcp.WithRenewals(func(r errmapmcp.Renewal) {
		renewals <- r
		panic("of the program")
	}))
	var want []string
	for i := range 3 {
		uri := fmt.Sprintf("shop://%d", i)
		if err := session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
		want = append(want, "resources/subscribe "+uri)
	}
	server.mu.Lock()
	server.refuse = func(w http.ResponseWriter, _ *http.Request, m message) bool {
		switch {
		case m.Method != "resources/subscribe":
			return false
		case strings.Contains(string(m.Params), "shop://0"):
			w.WriteHeader(http.StatusForbidden)
		case strings.Contains(string(m.Params), "shop://1"):
			writeJSON(w, http.StatusOK, m.failure(`{"code":-32602,"message":"gone"}`))
		default:
			server.mu.Unlock()
			defer server.mu.Lock()
			panic(http.ErrAbortHandler)
		}
		return true
	}
	server.mu.Unlock()
	server.lose()
	if err := callTool(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	lost := (<-renewals).Lost()
	if strings.Join(lost, ", ") != strings.Join(want, ", ") {
		t.Errorf("what is told as lost is %q, want %q", lost, want)
	}
}

// A request that finds the old session gone when there is a new one already uses
// that.
func TestRenewal_ofALateRequest(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	session := connect(t, streamable(t, server.url))
	held, release := make(chan struct{}), make(chan struct{})
	server.mu.Lock()
	server.refuse = func(w http.ResponseWriter, r *http.Request, m message) bool {
		if !strings.Contains(string(m.Params), "slow") || r.Header.Get("Mcp-Session-Id") != "secret-session-1" {
			return false
		}
		server.mu.Unlock()
		close(held)
		<-release
		server.mu.Lock()
		w.WriteHeader(http.StatusNotFound)
		return true
	}
	server.mu.Unlock()
	slow := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "slow"})
		slow <- err
	}()
	<-held
	server.lose()
	if err := callTool(t.Context(), session); err != nil {
		t.Error(err)
	}
	close(release)
	if err := <-slow; err != nil {
		t.Error(err)
	}
	if count, _ := server.seen(); count != 2 {
		t.Errorf("%d sessions were opened, want 2", count)
	}
}

// What the old session listed says nothing of the new one.
func TestRenewal_forgetsWhatWasListed(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	server.refuse = func(w http.ResponseWriter, r *http.Request, m message) bool {
		switch {
		case m.Method == "tools/list":
			writeJSON(w, http.StatusOK, m.result(`{"tools":[]}`))
		case m.Method == "tools/call" && r.Header.Get("Mcp-Session-Id") == server.id:
			writeJSON(w, http.StatusOK, m.failure(`{"code":-32602,"message":"no"}`))
		default:
			return false
		}
		return true
	}
	session := connect(t, streamable(t, server.url))
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wantKind(t, callTool(t.Context(), session), errmapmcp.KindNotFound, "jsonrpc:-32602")
	server.lose()
	wantKind(t, callTool(t.Context(), session), errmapmcp.KindProtocol, "jsonrpc:-32602")
}

// The stream of the session may be the first to find it gone for good.
func TestRenewal_thatFailsForTheStream(t *testing.T) {
	t.Parallel()
	server, broken := newSessions(t), make(chan struct{})
	stream := server.streaming(broken)
	streaming := server.refuse
	refused := make(chan struct{})
	server.refuse = func(w http.ResponseWriter, r *http.Request, m message) bool {
		if m.Method == "initialize" && server.count > 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			close(refused)
			return true
		}
		return streaming(w, r, m)
	}
	transport := streamable(t, server.url)
	transport.DisableStandaloneSSE, transport.MaxRetries = false, 1
	session := connect(t, transport)
	<-stream
	server.lose()
	close(broken)
	<-refused
	_ = within(t, 5*time.Second, session.Wait) // the SDK gives the connection up
	wantKind(t, callTool(t.Context(), session), errmapmcp.KindSessionExpired, "http:404")
}
