package errmapmcp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// elsewhere is a server at another origin, and what came to it.
func elsewhere(t *testing.T) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body, _ := io.ReadAll(r.Body)
		t.Errorf("another origin got %s %s with the headers %v", r.Method, body, r.Header)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// Neither the session nor the arguments nor credentials are for another origin,
// wherever the server sends a request.
func TestFinding_A15_a_redirect_to_another_origin(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			other, _ := elsewhere(t)
			calls := 0
			url := rawServer(t, "secret-session", func(w http.ResponseWriter, r *http.Request, m message) {
				if calls++; calls == 1 {
					http.Redirect(w, r, other+"/mcp?token=hunter2", status)
					return
				}
				writeJSON(w, http.StatusOK, m.result(`{"content":[]}`))
			})
			transport := streamable(t, url)
			base := transport.HTTPClient.Transport
			transport.HTTPClient.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
				req = req.Clone(req.Context())
				req.Header.Set("Authorization", "Bearer hunter2")
				return base.RoundTrip(req)
			})
			session := connect(t, transport)
			e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindTransport, "other_origin")
			if e.Retryable() || e.Data()["origin"] != other {
				t.Errorf("retryable %t, data %v", e.Retryable(), e.Data())
			}
			if err := callTool(t.Context(), session); err != nil {
				t.Errorf("the next call failed: %v", err)
			}
		})
	}
}

func TestFinding_A15_a_redirect_while_connecting(t *testing.T) {
	t.Parallel()
	other, _ := elsewhere(t)
	server := httptest.NewServer(http.RedirectHandler(other, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), streamable(t, server.URL), nil)
	wantKind(t, err, errmapmcp.KindTransport, "other_origin")
}

// The stream of the session is a request like any other; without it the session
// goes on.
func TestFinding_A15_a_redirect_of_the_stream(t *testing.T) {
	t.Parallel()
	other, _ := elsewhere(t)
	url := rawServer(t, "secret-session", answerJSON(http.StatusOK, func(m message) string { return m.result(`{"content":[]}`) }))
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.Redirect(w, r, other, http.StatusTemporaryRedirect)
			return
		}
		proxy(t, w, r, url)
	}))
	t.Cleanup(front.Close)
	transport := streamable(t, front.URL)
	transport.DisableStandaloneSSE = false
	if err := callTool(t.Context(), connect(t, transport)); err != nil {
		t.Error(err)
	}
}

// A RoundTripper below a transport of the program's own does not know the address,
// but it sees a redirect.
func TestFinding_A15_below_a_transport_of_the_program(t *testing.T) {
	t.Parallel()
	other, _ := elsewhere(t)
	inner := streamable(t, rawServer(t, "s-1", func(w http.ResponseWriter, r *http.Request, _ message) {
		http.Redirect(w, r, other, http.StatusTemporaryRedirect)
	}))
	inner.HTTPClient.Transport = errmapmcp.NewRoundTripper(inner.HTTPClient.Transport)
	wantKind(t, callTool(t.Context(), connect(t, forwarding{inner})), errmapmcp.KindTransport, "other_origin")
}

// On the older transport it is the server that says where requests go.
func TestFinding_A15_an_endpoint_at_another_origin(t *testing.T) {
	t.Parallel()
	other, _ := elsewhere(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: endpoint\ndata: "+other+"/message?sessionid=1\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	base := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(base.CloseIdleConnections)
	_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), &mcp.SSEClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: base}},
		&mcp.ClientSessionOptions{ProtocolVersion: legacy})
	wantKind(t, err, errmapmcp.KindTransport, "other_origin")
}

// At the same origin a redirect is followed, however it is written.
func TestFinding_A15_a_redirect_within_the_origin(t *testing.T) {
	t.Parallel()
	url := rawServer(t, "s-1", answerJSON(http.StatusOK, func(m message) string { return m.result(`{"content":[]}`) }))
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "HTTP://"+strings.ToUpper(r.Host)+"/moved", http.StatusTemporaryRedirect)
			return
		}
		proxy(t, w, r, url)
	}))
	t.Cleanup(front.Close)
	if err := callTool(t.Context(), connect(t, streamable(t, front.URL+"/"))); err != nil {
		t.Error(err)
	}
}
