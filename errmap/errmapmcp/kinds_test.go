package errmapmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

type empty struct{}

// answered is a tool that says what it is asked.
func answered(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, empty) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
	})
}

// asking is a tool that asks for input without end.
func asking(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, empty) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{"size": &mcp.ElicitParams{Message: "Which size?"}},
			RequestState:  "the same",
		}, nil, nil
	})
}

func elicits(answer func() (*mcp.ElicitResult, error)) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return answer()
	}}
}

var errPrompt = errors.New("the prompt was dismissed")

// kindCase brings one kind about, against a real server.
type kindCase struct {
	name   string
	kind   errmapmcp.Kind
	reason errmapmcp.Reason
	run    func(t *testing.T) error
}

func kindCases() []kindCase {
	return []kindCase{
		{"timeout", errmapmcp.KindTimeout, errmapmcp.ReasonDeadline, func(t *testing.T) error {
			session := connect(t, child(t, "silent"))
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			err := callTool(ctx, session)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error("the error is not context.DeadlineExceeded")
			}
			return err
		}},
		{"transport", errmapmcp.KindTransport, "http:502", func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", answerStatus(http.StatusBadGateway)))
		}},
		{"protocol", errmapmcp.KindProtocol, "jsonrpc:-32602", func(t *testing.T) error {
			session := connectSDK(t, nil, answered)
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "unknown"})
			return err
		}},
		{"denied", errmapmcp.KindDenied, "read_only", func(t *testing.T) error {
			session := connectSDK(t, nil, answered, errmapmcp.WithPolicy(func(_ context.Context, call errmapmcp.Call) errmapmcp.Decision {
				if call.Method() == "tools/call" && call.Name() == "order" {
					return errmapmcp.Deny("read_only")
				}
				return errmapmcp.Allow()
			}))
			return callTool(t.Context(), session)
		}},
		{"not_found", errmapmcp.KindNotFound, "jsonrpc:-32602", func(t *testing.T) error {
			session := connectSDK(t, nil, answered)
			_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "shop://missing"})
			return err
		}},
		{"hook", errmapmcp.KindHook, errmapmcp.ReasonPostHook, func(t *testing.T) error {
			session := connectSDK(t, nil, answered, errmapmcp.WithPostHook(func(context.Context, errmapmcp.Call, mcp.Result) error {
				return errPrompt
			}))
			return callTool(t.Context(), session)
		}},
		{"unavailable", errmapmcp.KindUnavailable, "exit:3", func(t *testing.T) error {
			session := connect(t, child(t, "exit after ping"))
			if err := session.Ping(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			_ = session.Wait()
			return callTool(t.Context(), session)
		}},
		{"closed", errmapmcp.KindClosed, errmapmcp.ReasonClosed, func(t *testing.T) error {
			called := make(chan struct{})
			session := connectRaw(t, "", func(_ http.ResponseWriter, r *http.Request, _ message) {
				close(called)
				<-r.Context().Done()
			})
			failed := make(chan error)
			go func() { failed <- callTool(t.Context(), session) }()
			<-called
			_ = session.Close()
			return <-failed
		}},
		{"overloaded", errmapmcp.KindOverloaded, "in_flight:1", func(t *testing.T) error {
			called, release := make(chan struct{}), make(chan struct{})
			session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
				close(called)
				<-release
				writeJSON(w, http.StatusOK, m.result(`{"content":[]}`))
			}, errmapmcp.WithMaxInFlight(1, 0))
			first := make(chan error)
			go func() { first <- callTool(t.Context(), session) }()
			<-called
			err := callTool(t.Context(), session)
			close(release)
			if err := <-first; err != nil {
				t.Errorf("the call in flight failed: %v", err)
			}
			return err
		}},
		{"input_handler", errmapmcp.KindInputHandler, errmapmcp.ReasonHandler, func(t *testing.T) error {
			session := connectSDK(t, elicits(func() (*mcp.ElicitResult, error) { return nil, errPrompt }), asking)
			err := callTool(t.Context(), session)
			if !errors.Is(err, errPrompt) {
				t.Errorf("the handler's own error is not in the chain of %v", err)
			}
			return err
		}},
		{"auth", errmapmcp.KindAuth, "http:401", func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", answerStatus(http.StatusUnauthorized)))
		}},
		{"rate_limited", errmapmcp.KindRateLimited, "http:429", func(t *testing.T) error {
			err := callTool(t.Context(), connectRaw(t, "", answerStatus(http.StatusTooManyRequests, "Retry-After", "7")))
			if e, ok := errors.AsType[*errmapmcp.Error](err); ok {
				if delay, ok := e.RetryDelay(); !ok || delay != 7*time.Second {
					t.Errorf("the delay is %v %t, want 7s", delay, ok)
				}
			}
			return err
		}},
		{"session_expired", errmapmcp.KindSessionExpired, "http:404", func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "s-1", answerStatus(http.StatusNotFound)))
		}},
		{"mrtr_round_limit", errmapmcp.KindMRTRRoundLimit, "rounds:10", func(t *testing.T) error {
			session := connectSDK(t, elicits(func() (*mcp.ElicitResult, error) { return &mcp.ElicitResult{Action: "accept"}, nil }), asking)
			return callTool(t.Context(), session)
		}},
		{"pagination_cycle", errmapmcp.KindPaginationCycle, errmapmcp.ReasonCursorRepeated, func(t *testing.T) error {
			session := connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string {
				return m.result(`{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"again"}`)
			}), errmapmcp.WithPagination(0))
			for _, err := range session.Tools(t.Context(), nil) {
				if err != nil {
					return err
				}
			}
			return nil
		}},
		{"message_too_large", errmapmcp.KindMessageTooLarge, "received:4096", func(t *testing.T) error {
			session := connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string {
				return m.result(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 5000) + `"}]}`)
			}), errmapmcp.WithMaxMessage(4096))
			return callTool(t.Context(), session)
		}},
		{"connection_down", errmapmcp.KindConnectionDown, "exit:1", func(t *testing.T) error {
			return callTool(t.Context(), connect(t, child(t, "exit")))
		}},
	}
}

func TestKind_eachFromARealFailure(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range kindCases() {
		names = append(names, c.name)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := within(t, 5*time.Second, func() error { return c.run(t) })
			e := wantKind(t, err, c.kind, c.reason)
			if e.Kind().String() != c.name {
				t.Errorf("the kind is called %q, want %q", e.Kind(), c.name)
			}
			if want := "mcp client: " + c.name + " (" + string(c.reason) + ")"; e.Error() != want {
				t.Errorf("the text is %q, want %q", e.Error(), want)
			}
		})
	}
	var want []string
	for _, kind := range errmapmcp.Kinds() {
		want = append(want, kind.String())
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("the cases are not the kinds in their order (-kinds +cases):\n%s", diff)
	}
}

// More ways to the same kinds.
func TestKind_otherFailures(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request, _ message) { <-r.Context().Done() }
	hijack := func(t *testing.T, then func(*net.TCPConn)) func(http.ResponseWriter, *http.Request, message) {
		return func(w http.ResponseWriter, _ *http.Request, _ message) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			then(conn.(*net.TCPConn))
			_ = conn.Close()
		}
	}
	cases := []kindCase{
		{"http.Client's own timeout", errmapmcp.KindTimeout, errmapmcp.ReasonDeadline, func(t *testing.T) error {
			transport := streamable(t, rawServer(t, "", hang))
			transport.HTTPClient.Timeout = 200 * time.Millisecond
			return callTool(t.Context(), connect(t, transport))
		}},
		{"http.Client's own timeout in the body", errmapmcp.KindTimeout, errmapmcp.ReasonDeadline, func(t *testing.T) error {
			transport := streamable(t, rawServer(t, "", func(w http.ResponseWriter, r *http.Request, _ message) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte("{"))
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}))
			transport.HTTPClient.Timeout = 200 * time.Millisecond
			return callTool(t.Context(), connect(t, transport))
		}},
		{"refused", errmapmcp.KindTransport, errmapmcp.ReasonRefused, func(t *testing.T) error {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			url := "http://" + listener.Addr().String()
			_ = listener.Close()
			_, err = errmapmcp.NewClient(testClient, nil).Connect(t.Context(), streamable(t, url), nil)
			return err
		}},
		{"a name that does not resolve", errmapmcp.KindTransport, errmapmcp.ReasonDNS, func(t *testing.T) error {
			transport := streamable(t, "http://shop.invalid/mcp")
			transport.HTTPClient.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "shop.invalid", IsNotFound: true}}
			})
			_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), transport, nil)
			return err
		}},
		{"a server that does not start", errmapmcp.KindTransport, errmapmcp.ReasonStart, func(t *testing.T) error {
			transport := child(t, "")
			transport.Command.Path = "/nonexistent/server"
			_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), transport, nil)
			return err
		}},
		{"a connection reset before the answer", errmapmcp.KindConnectionDown, "", func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", hijack(t, func(conn *net.TCPConn) { _ = conn.SetLinger(0) })))
		}},
		{"a connection closed before the answer", errmapmcp.KindConnectionDown, errmapmcp.ReasonEOF, func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", hijack(t, func(*net.TCPConn) {})))
		}},
		{"a body that breaks off", errmapmcp.KindConnectionDown, errmapmcp.ReasonEOF, func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", hijack(t, func(conn *net.TCPConn) {
				_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"))
			})))
		}},
		{"a stream that ends without the answer", errmapmcp.KindConnectionDown, "", func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, _ message) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = w.Write([]byte("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}\n\n"))
			}))
		}},
		{"a stream that breaks off", errmapmcp.KindConnectionDown, errmapmcp.ReasonEOF, func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", hijack(t, func(conn *net.TCPConn) {
				_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ndata: {\n\r\n"))
			})))
		}},
		{"a stream of HTTP/2 that is reset before the answer", errmapmcp.KindConnectionDown, errmapmcp.ReasonReset, func(t *testing.T) error {
			return callTool(t.Context(), connectHTTP2(t, func(http.ResponseWriter) { panic(http.ErrAbortHandler) }))
		}},
		{"a stream of HTTP/2 that is reset in the answer", errmapmcp.KindConnectionDown, errmapmcp.ReasonReset, func(t *testing.T) error {
			return callTool(t.Context(), connectHTTP2(t, func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte("{"))
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}))
		}},
		{"no address", errmapmcp.KindTransport, errmapmcp.ReasonFailed, func(t *testing.T) error {
			_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), streamable(t, "http://[::1"), nil)
			return err
		}},
		{"a scheme that is not HTTP's", errmapmcp.KindTransport, errmapmcp.ReasonFailed, func(t *testing.T) error {
			_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), streamable(t, "gopher://shop.example.com"), nil)
			return err
		}},
		{"a killed server", errmapmcp.KindConnectionDown, "signal:9", func(t *testing.T) error {
			return callTool(t.Context(), connect(t, child(t, "kill")))
		}},
		{"a server that closes its output and lives", errmapmcp.KindConnectionDown, errmapmcp.ReasonEOF, func(t *testing.T) error {
			return callTool(t.Context(), connect(t, child(t, "close")))
		}},
		{"garbage on the output of a server", errmapmcp.KindProtocol, errmapmcp.ReasonInvalidMessage, func(t *testing.T) error {
			return callTool(t.Context(), connect(t, child(t, "garbage")))
		}},
		{"a line over the cap", errmapmcp.KindMessageTooLarge, "received:4096", func(t *testing.T) error {
			return callTool(t.Context(), connect(t, child(t, "large"), errmapmcp.WithMaxMessage(4096)))
		}},
		{"an event over the cap", errmapmcp.KindMessageTooLarge, "received:4096", func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", func(w http.ResponseWriter, r *http.Request, m message) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = w.Write([]byte("data: " + m.result(`{"content":[{"type":"text","text":"`+strings.Repeat("x", 5000)+`"}]}`) + "\n\n"))
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}, errmapmcp.WithMaxMessage(4096)))
		}},
		{"a request over the cap", errmapmcp.KindMessageTooLarge, "sent:4096", func(t *testing.T) error {
			session := connectRaw(t, "", answerStatus(http.StatusTeapot), errmapmcp.WithMaxMessage(4096))
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order", Arguments: map[string]any{"note": strings.Repeat("x", 5000)}})
			return err
		}},
		{"a request over the cap on stdio", errmapmcp.KindMessageTooLarge, "sent:4096", func(t *testing.T) error {
			session := connect(t, child(t, "answer"), errmapmcp.WithMaxMessage(4096))
			_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order", Arguments: map[string]any{"note": strings.Repeat("x", 5000)}})
			if next := callTool(t.Context(), session); next != nil {
				t.Errorf("the next call failed: %v", next)
			}
			return err
		}},
		{"an answer to nobody", errmapmcp.KindProtocol, errmapmcp.ReasonUnmatchedID, func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", answerJSON(http.StatusOK, func(message) string {
				return `{"jsonrpc":"2.0","id":"other","result":{}}`
			})))
		}},
		{"a result of another type", errmapmcp.KindProtocol, errmapmcp.ReasonInvalidResult, func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string { return m.result(`"done"`) })))
		}},
		{"no answer in a good response", errmapmcp.KindProtocol, "http:202", func(t *testing.T) error {
			return callTool(t.Context(), connectRaw(t, "", answerStatus(http.StatusAccepted)))
		}},
		{"a server of another version", errmapmcp.KindProtocol, errmapmcp.ReasonProtocolVersion, func(t *testing.T) error {
			transport, theirs := mcp.NewInMemoryTransports()
			conn, err := theirs.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			go answerOnce(t, conn, `{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"old","version":"0"}}`)
			_, err = errmapmcp.NewClient(testClient, nil).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
			return err
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantKind(t, within(t, 4*time.Second, func() error { return c.run(t) }), c.kind, c.reason)
		})
	}
}

// connectHTTP2 opens a session over HTTP/2 with a server that answers calls with
// then.
func connectHTTP2(t *testing.T, then func(http.ResponseWriter)) *errmapmcp.Session {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		switch m.Method {
		case "initialize":
			writeJSON(w, http.StatusOK, m.result(initializeResult))
		case "tools/call":
			then(w)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	transport := streamable(t, server.URL)
	transport.HTTPClient.Transport = server.Client().Transport
	return connect(t, transport)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
