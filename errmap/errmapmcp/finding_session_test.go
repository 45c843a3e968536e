package errmapmcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// The official servers answer a lost session with a JSON-RPC error.
func TestFinding_P03_a_lost_session_with_a_JSON_RPC_error(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		kind       errmapmcp.Kind
		reason     errmapmcp.Reason
	}{
		{"Python", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`, errmapmcp.KindSessionExpired, "http:404"},
		{"TypeScript", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`, errmapmcp.KindSessionExpired, "http:404"},
		{"no JSON-RPC", `{"error":{"message":"gone"}}`, errmapmcp.KindSessionExpired, "http:404"},
		{"a method that is not there", `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no such method"}}`, errmapmcp.KindProtocol, "jsonrpc:-32601"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := connectRaw(t, "s-1", answerJSON(http.StatusNotFound, func(message) string { return c.body }))
			wantKind(t, callTool(t.Context(), session), c.kind, c.reason)
		})
	}
}

// The server did not run a request whose session it does not know, so the client
// opens a new one and makes the request again: one new session for all requests.
func TestFinding_S01_a_lost_session_is_renewed(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	session := connect(t, streamable(t, server.url))
	if err := callTool(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		server.lose()
		const calls = 20
		failed := make(chan error, calls)
		for i := range calls {
			go func() {
				_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order", Arguments: map[string]any{"n": i, "round": round}})
				failed <- err
			}()
		}
		for range calls {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
		if count, _ := server.seen(); count != round+2 {
			t.Errorf("%d sessions were opened, want %d", count, round+2)
		}
	}
	for call, times := range server.ran {
		if strings.HasPrefix(call, "tools/call") && times != 1 {
			t.Errorf("%s ran %d times", call, times)
		}
	}
	if got, want := session.ID(), "secret-session-4"; got != want {
		t.Errorf("the id is %s, want %s", got, want)
	}
}

func TestFinding_S01_the_SDKs_own_server(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(testServer, &mcp.ServerOptions{Logger: quiet()})
	answered(server)
	served := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Logger: quiet()}))
	t.Cleanup(served.Close)
	session := connect(t, streamable(t, served.URL))
	for range 3 {
		if err := callTool(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		for theirs := range server.Sessions() {
			_ = theirs.Close()
		}
	}
}

// What was subscribed in the old session is in the new one, or it is told.
func TestFinding_S01_what_the_session_had(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	renewals := make(chan errmapmcp.Renewal, 1)
	session := connect(t, streamable(t, server.url), errmapmcp.WithRenewals(func(r errmapmcp.Renewal) { renewals <- r }))
	for _, uri := range []string{"shop://a", "shop://b", "shop://c"} {
		if err := session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
	}
	//lint:ignore SA1019 sessions of the deprecation window still have it
	err := errors.Join(session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}),
		session.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: "shop://b"}))
	if err != nil {
		t.Fatal(err)
	}
	_, before := server.seen()
	server.mu.Lock()
	server.refuse = func(w http.ResponseWriter, _ *http.Request, m message) bool {
		if m.Method != "resources/subscribe" || !strings.Contains(string(m.Params), "shop://c") {
			return false
		}
		writeJSON(w, http.StatusOK, m.failure(`{"code":-32602,"message":"gone"}`))
		return true
	}
	server.mu.Unlock()
	server.lose()
	if err := callTool(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	_, all := server.seen()
	want := []string{"initialize", "notifications/initialized", "resources/subscribe", "logging/setLevel", "tools/call"}
	if diff := cmp.Diff(want, all[len(before):]); diff != "" {
		t.Errorf("what the new session got (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"resources/subscribe shop://c"}, (<-renewals).Lost()); diff != "" {
		t.Errorf("what is told as lost (-want +got):\n%s", diff)
	}
}

func TestFinding_S01_a_session_that_cannot_be_renewed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		refuse func(w http.ResponseWriter, r *http.Request, m message) bool
		opts   []errmapmcp.Option
		opened int // attempts to open a session
	}{
		{"the server does not open one", func(w http.ResponseWriter, _ *http.Request, m message) bool {
			if m.Method == "initialize" {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return m.Method == "initialize"
		}, nil, 1},
		{"it answers with an error", func(w http.ResponseWriter, _ *http.Request, m message) bool {
			if m.Method == "initialize" {
				writeJSON(w, http.StatusOK, m.failure(`{"code":-32603,"message":"secret-session-1"}`))
			}
			return m.Method == "initialize"
		}, nil, 1},
		{"it speaks another version", func(w http.ResponseWriter, _ *http.Request, m message) bool {
			if m.Method == "initialize" {
				writeJSON(w, http.StatusOK, m.result(strings.Replace(initializeResult, "2025-11-25", "2025-03-26", 1)))
			}
			return m.Method == "initialize"
		}, nil, 1},
		{"it does not take the new one", func(w http.ResponseWriter, _ *http.Request, m message) bool {
			if m.Method == "notifications/initialized" {
				w.WriteHeader(http.StatusBadRequest)
			}
			return m.Method == "notifications/initialized"
		}, nil, 1},
		{"it loses it at once", func(w http.ResponseWriter, _ *http.Request, m message) bool {
			if m.Method == "tools/call" {
				w.WriteHeader(http.StatusNotFound)
			}
			return m.Method == "tools/call"
		}, nil, 1},
		{"the client does not", func(http.ResponseWriter, *http.Request, message) bool { return false }, []errmapmcp.Option{errmapmcp.WithoutRenewal()}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := newSessions(t)
			session := connect(t, streamable(t, server.url), c.opts...)
			opened, requests := 0, 0
			server.mu.Lock()
			server.refuse = func(w http.ResponseWriter, r *http.Request, m message) bool {
				requests++
				if m.Method == "initialize" {
					opened++
				}
				if m.Method != "initialize" && m.Method != "notifications/initialized" && m.Method != "tools/call" {
					return false
				}
				return c.refuse(w, r, m)
			}
			server.mu.Unlock()
			server.lose()
			e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindSessionExpired, "http:404")
			if id, ok := e.Data()[errmapmcp.DataSession].(errmapmcp.Secret); !ok || id.Reveal() != session.ID() || !strings.HasPrefix(id.Reveal(), "secret-session-") {
				t.Errorf("the id of the session is %q, want %q", id.Reveal(), session.ID())
			}
			if opened != c.opened {
				t.Errorf("a session was asked for %d times, want %d", opened, c.opened)
			}
			before := requests
			wantKind(t, callTool(t.Context(), session), errmapmcp.KindSessionExpired, "http:404")
			if requests != before {
				t.Error("a request was sent on a session that is known to be gone")
			}
		})
	}
}

func TestFinding_S01_a_404_before_any_session(t *testing.T) {
	t.Parallel()
	opened := 0
	url := rawServer(t, "", answerStatus(http.StatusNotFound))
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") == "" {
			opened++
		}
		proxy(t, w, r, url)
	}))
	t.Cleanup(front.Close)
	session := connect(t, streamable(t, front.URL))
	wantKind(t, callTool(t.Context(), session), errmapmcp.KindTransport, "http:404")
	if opened != 1 {
		t.Errorf("a session was asked for %d times", opened)
	}
}

// The caller that waits for the new session first is not the only one.
func TestFinding_S01_a_caller_that_gives_up(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	session := connect(t, streamable(t, server.url))
	asked, release := make(chan struct{}), make(chan struct{})
	server.mu.Lock()
	server.refuse = func(_ http.ResponseWriter, _ *http.Request, m message) bool {
		if m.Method == "initialize" {
			close(asked)
			<-release
		}
		return false
	}
	server.mu.Unlock()
	server.lose()
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- callTool(ctx, session) }()
	<-asked
	go func() { second <- callTool(t.Context(), session) }()
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was cancelled returned %v", err)
	}
	close(release)
	if err := <-second; err != nil {
		t.Errorf("the other call failed: %v", err)
	}
}

// A notification that finds the session gone is about that session.
func TestFinding_S01_a_notification_of_the_old_session(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	session := connect(t, streamable(t, server.url))
	server.lose()
	if err := session.NotifyProgress(t.Context(), &mcp.ProgressNotificationParams{ProgressToken: "p", Progress: 1}); err != nil {
		t.Error(err)
	}
	if count, _ := server.seen(); count != 1 {
		t.Errorf("%d sessions were opened for a notification", count)
	}
	if err := callTool(t.Context(), session); err != nil {
		t.Error(err)
	}
}

// streaming has a server answer GET by a stream that ends with the request or when
// broken is closed, and sends the session id and Last-Event-ID of each to the channel.
func (s *sessions) streaming(broken <-chan struct{}) <-chan string {
	stream := make(chan string, 8)
	s.refuse = func(w http.ResponseWriter, r *http.Request, _ message) bool {
		if r.Method != http.MethodGet || r.Header.Get("Mcp-Session-Id") != s.id {
			return false
		}
		stream <- s.id + r.Header.Get("Last-Event-ID")
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: e-1\nretry: 10\ndata:\n\n")
		_ = http.NewResponseController(w).Flush()
		s.mu.Unlock()
		defer s.mu.Lock()
		select {
		case <-broken:
		case <-r.Context().Done():
		}
		return true
	}
	return stream
}

// The stream of the session itself moves to the new one, whether the server ends the
// old one or not.
func TestFinding_S01_the_stream_of_the_session(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{true, false} {
		t.Run(fmt.Sprintf("it ends: %t", ends), func(t *testing.T) {
			t.Parallel()
			server, broken := newSessions(t), make(chan struct{})
			stream := server.streaming(broken)
			transport := streamable(t, server.url)
			transport.DisableStandaloneSSE, transport.MaxRetries = false, 3
			session := connect(t, transport)
			if id := <-stream; id != "secret-session-1" {
				t.Errorf("the stream is of %s", id)
			}
			server.lose()
			if ends {
				close(broken)
			} else if err := callTool(t.Context(), session); err != nil {
				t.Error(err)
			}
			select {
			case id := <-stream:
				if id != "secret-session-2" {
					t.Errorf("the stream is of %s", id)
				}
			case <-time.After(5 * time.Second):
				t.Error("the stream was not opened again")
			}
			if err := callTool(t.Context(), session); err != nil {
				t.Error(err)
			}
		})
	}
}

// That a server has no such stream and says so by 404 is no lost session.
func TestFinding_S01_no_stream_of_the_session(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	server.refuse = func(w http.ResponseWriter, r *http.Request, _ message) bool {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusNotFound)
		}
		return r.Method == http.MethodGet
	}
	transport := streamable(t, server.url)
	transport.DisableStandaloneSSE = false
	if err := callTool(t.Context(), connect(t, transport)); err != nil {
		t.Error(err)
	}
	if count, _ := server.seen(); count != 1 {
		t.Errorf("%d sessions were opened", count)
	}
}

// An answer that was to come on a stream of the old session is not asked for in the
// new one, and the connection lives.
func TestFinding_S01_an_answer_of_the_old_session(t *testing.T) {
	t.Parallel()
	server := newSessions(t)
	held, release := make(chan struct{}), make(chan struct{})
	server.refuse = func(w http.ResponseWriter, r *http.Request, m message) bool {
		switch {
		case r.Method == http.MethodGet:
			t.Errorf("the stream is resumed at %q in %s", r.Header.Get("Last-Event-ID"), server.id)
			return false
		case !strings.Contains(string(m.Params), "slow"):
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: e-1\nretry: 10\ndata:\n\n")
		_ = http.NewResponseController(w).Flush()
		server.mu.Unlock()
		defer server.mu.Lock()
		close(held)
		<-release
		return true
	}
	transport := streamable(t, server.url)
	transport.MaxRetries = 3
	session := connect(t, transport)
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
	wantKind(t, <-slow, errmapmcp.KindConnectionDown, errmapmcp.ReasonSession)
	if err := callTool(t.Context(), session); err != nil {
		t.Error(err)
	}
}
