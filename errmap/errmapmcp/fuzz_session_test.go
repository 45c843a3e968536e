package errmapmcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// forgetful is a server out of memory that has lost the session which it opened
// first, and answers foreign's response to the request for a new one.
type forgetful struct {
	foreign
	opened atomic.Int32
}

func (f *forgetful) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodPost {
		return f.foreign.RoundTrip(req)
	}
	sent, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(sent))
	answer := foreign{http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`}
	session := ""
	switch {
	case bytes.Contains(sent, []byte(`"method":"initialize"`)) && f.opened.Add(1) == 1:
		session = "s-1"
	case bytes.Contains(sent, []byte(`"method":"initialize"`)):
		session, answer = "s-2", f.foreign
		sent = nil // no request that foreign knows
	case req.Header.Get("Mcp-Session-Id") == "s-1" && bytes.Contains(sent, []byte(`"id"`)):
		answer = foreign{http.StatusNotFound, "text/plain", ""}
	}
	if sent == nil {
		req.Body = http.NoBody
	}
	resp, err := answer.RoundTrip(req)
	if err == nil && session != "" {
		resp.Header.Set("Mcp-Session-Id", session)
	}
	return resp, err
}

// Whatever comes in the place of a new session, the call ends with a result or as
// session_expired.
func FuzzClient_renewal(f *testing.F) {
	good := `{"jsonrpc":"2.0","id":1,"result":` + initializeResult + `}`
	for _, body := range []string{
		good, strings.Replace(good, `"id":1`, `"id":2`, 1), strings.Replace(good, "2025-11-25", "2024-11-05", 1), "[" + good + "]",
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"marker"}}`, `{"id":1,"result":null}`, "data: " + good + "\n\n",
		":\n\ndata: {}\n\ndata: " + good + "\n\n", "marker", "",
	} {
		for _, contentType := range []string{"application/json", "text/event-stream", "text/html", ""} {
			f.Add(200, contentType, body)
		}
		f.Add(404, "application/json", body)
	}
	f.Fuzz(func(t *testing.T, status int, contentType, body string) {
		if status < 200 || status > 999 {
			t.Skip("no status of a final response")
		}
		server := &forgetful{foreign: foreign{status, contentType, body}}
		session, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: "http://shop.example.com", MaxRetries: -1, DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: server},
		}, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = session.Close() }()
		err = callTool(t.Context(), session)
		if err != nil {
			wantKind(t, err, errmapmcp.KindSessionExpired, "http:404")
		}
		if (err == nil) != (session.ID() == "s-2") || server.opened.Load() != 2 {
			t.Errorf("the call returned %v in session %s, which was asked for %d times", err, session.ID(), server.opened.Load())
		}
	})
}

func FuzzFromResult(f *testing.F) {
	for _, seed := range []string{
		`{"isError":true,"content":[{"type":"text","text":"no stock"}]}`,
		`{"isError":true,"content":[],"_meta":{"io.github.errmap/error":{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R"}]}}}}`,
		`{"isError":true,"content":[],"structuredContent":{"error":{"code":"404","status":"X","details":{}}}}`,
		`{"isError":true,"content":[],"structuredContent":[1,"\ud800"],"_meta":{"io.github.errmap/error":null}}`,
		`{"isError":false,"content":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var result mcp.CallToolResult
		if json.Unmarshal(text, &result) != nil {
			return
		}
		e := errmapmcp.FromResult(&result)
		if (e != nil) != result.IsError || e != nil && (!e.Remote() || e.Code() == code.Code_OK) {
			t.Errorf("the result %s reads as %v", text, e)
		}
	})
}
