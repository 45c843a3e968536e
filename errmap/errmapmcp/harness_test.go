package errmapmcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// legacy is the version of the protocol that has sessions.
const legacy = "2025-11-25"

var (
	testClient = &mcp.Implementation{Name: "test-client", Version: "1"}
	testServer = &mcp.Implementation{Name: "test-server", Version: "1"}
)

// message is a JSON-RPC message that a hand-written server receives.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// result returns a response to the message.
func (m message) result(result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// failure returns an error response to the message.
func (m message) failure(object string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, object)
}

const initializeResult = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"raw","version":"1"}}`

// rawServer serves MCP by hand: it opens sessions as it should, and leaves all
// else to answer. With a session id it has sessions.
func rawServer(t *testing.T, session string, answer func(w http.ResponseWriter, r *http.Request, m message)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
			return
		}
		var m message
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		switch m.Method {
		case "initialize":
			if session != "" {
				w.Header().Set("Mcp-Session-Id", session)
			}
			writeJSON(w, http.StatusOK, m.result(initializeResult))
		case "notifications/initialized", "notifications/cancelled":
			w.WriteHeader(http.StatusAccepted)
		default:
			answer(w, r, m)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func writeJSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// answerJSON answers every request with a status and a body made of it.
func answerJSON(status int, body func(m message) string) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, m message) { writeJSON(w, status, body(m)) }
}

// answerError answers every request with an error object.
func answerError(object string) func(http.ResponseWriter, *http.Request, message) {
	return answerJSON(http.StatusOK, func(m message) string { return m.failure(object) })
}

// answerStatus answers every request with a status and no body.
func answerStatus(status int, header ...string) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, _ message) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		w.WriteHeader(status)
	}
}

// streamable returns the transport to a server, with connections of its own.
func streamable(t *testing.T, url string) *mcp.StreamableClientTransport {
	t.Helper()
	base := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(base.CloseIdleConnections)
	return &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: base}, MaxRetries: -1, DisableStandaloneSSE: true,
	}
}

// connect opens a session of the version that has sessions.
func connect(t *testing.T, transport mcp.Transport, opts ...errmapmcp.Option) *errmapmcp.Session {
	t.Helper()
	return connectWith(t, transport, nil, opts...)
}

func connectWith(t *testing.T, transport mcp.Transport, sdk *mcp.ClientOptions, opts ...errmapmcp.Option) *errmapmcp.Session {
	t.Helper()
	client := errmapmcp.NewClient(testClient, sdk, opts...)
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// connectRaw opens a session with a hand-written server.
func connectRaw(t *testing.T, session string, answer func(http.ResponseWriter, *http.Request, message), opts ...errmapmcp.Option) *errmapmcp.Session {
	t.Helper()
	return connect(t, streamable(t, rawServer(t, session, answer)), opts...)
}

// quiet is a logger for servers that are meant to fail.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// sdkServer serves the SDK's own server over HTTP, with what add adds to it, in
// the newest version of the protocol.
func sdkServer(t *testing.T, add func(*mcp.Server)) string {
	t.Helper()
	server := mcp.NewServer(testServer, &mcp.ServerOptions{Logger: quiet()})
	add(server)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, Logger: quiet()})
	served := httptest.NewServer(handler)
	t.Cleanup(served.Close)
	return served.URL
}

// connectSDK opens a session with the SDK's own server.
func connectSDK(t *testing.T, sdk *mcp.ClientOptions, add func(*mcp.Server), opts ...errmapmcp.Option) *errmapmcp.Session {
	t.Helper()
	client := errmapmcp.NewClient(testClient, sdk, opts...)
	session, err := client.Connect(t.Context(), streamable(t, sdkServer(t, add)), nil)
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// child returns the transport to a child process that runs this test binary as a
// stdio server of a kind.
func child(t *testing.T, mode string) *mcp.CommandTransport {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(executable)
	command.Env = append(os.Environ(), childMode+"="+mode)
	return &mcp.CommandTransport{Command: command, TerminateDuration: 2 * time.Second}
}

// runChild is what a child process does. Most modes serve by hand, line by line.
func runChild(mode string) int {
	if strings.HasPrefix(mode, "panic of") {
		return runPanicking(mode)
	}
	reader := bufio.NewReader(os.Stdin)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return 0
		}
		var m message
		if json.Unmarshal([]byte(line), &m) != nil {
			return 2
		}
		switch m.Method {
		case "initialize":
			fmt.Println(m.result(initializeResult))
		case "notifications/initialized", "notifications/cancelled":
		case "ping":
			fmt.Println(m.result("{}"))
			if mode == "exit after ping" {
				return 3
			}
		default:
			if code := childAnswer(mode, m); code >= 0 {
				return code
			}
		}
	}
}

// runPanicking serves a tool that panics, by the SDK.
func runPanicking(mode string) int {
	server := mcp.NewServer(testServer, nil)
	if mode == "panic of a mended server" {
		if err := errmapmcp.InstallServer(server); err != nil {
			return 3
		}
	}
	mcp.AddTool(server, &mcp.Tool{Name: "order"}, func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
		panic("no such order")
	})
	if server.Run(context.Background(), &mcp.StdioTransport{}) != nil {
		return 4
	}
	return 0
}

// childAnswer answers a request; it returns the exit code with which the child
// ends, -1 where it goes on.
func childAnswer(mode string, m message) int {
	switch mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "fatal: token=hunter2")
		return 1
	case "cut":
		fmt.Print(m.result(`{"content":[`)[:30])
		return 5
	case "lines":
		fmt.Print("{\n\"jsonrpc\"")
	case "kill":
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	case "close":
		_ = os.Stdout.Close()
		select {}
	case "silent":
	case "deaf":
		fmt.Println(m.result(`{"content":[]}`))
		select {}
	case "garbage":
		fmt.Println("Listening on stdio ...")
	case "large":
		fmt.Println(m.result(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 1<<16) + `"}]}`))
	case "endless":
		fmt.Print(strings.TrimSuffix(m.result(`{"content":[{"type":"text","text":"`), "}"))
		for range 200 {
			fmt.Print(strings.Repeat("x", 1<<20))
		}
		fmt.Println(`"}]}}`)
	case "closing":
		fmt.Println(m.failure(`{"code":-32003,"message":"quota","data":{"left":0}}`))
	case "malformed":
		fmt.Println(m.failure(`"boom"`))
	case "batch":
		fmt.Println("[" + m.result(`{"content":[]}`) + "]")
	case "empty cursor":
		fmt.Println(m.result(`{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":""}`))
	default:
		fmt.Println(m.result(`{"content":[]}`))
	}
	return -1
}

// callTool calls a tool.
func callTool(ctx context.Context, session *errmapmcp.Session) error {
	_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "order"})
	return err
}

// wantKind fails the test unless err is an *Error of the kind and the reason; ""
// stands for any reason.
func wantKind(t *testing.T, err error, kind errmapmcp.Kind, reason errmapmcp.Reason) *errmapmcp.Error {
	t.Helper()
	e, ok := errors.AsType[*errmapmcp.Error](err)
	if !ok {
		t.Fatalf("the error is %T %v, want an *Error of kind %s", err, err, kind)
	}
	if e.Kind() != kind || reason != "" && e.Reason() != reason {
		t.Fatalf("the error is %s, want %s (%s); its cause: %+v", e, kind, reason, causes(e))
	}
	if !errors.Is(err, kind) {
		t.Errorf("errors.Is(err, %s) is false", kind)
	}
	return e
}

// causes returns the texts that an error hides, for a failing test.
func causes(e *errmapmcp.Error) []string {
	var texts []string
	for _, link := range e.Unwrap() {
		texts = append(texts, link.Error())
	}
	return texts
}

// within fails the test if f takes longer than d.
func within(t *testing.T, d time.Duration, f func() error) error {
	t.Helper()
	start := time.Now()
	err := f()
	if took := time.Since(start); took > d {
		t.Errorf("it took %v, want at most %v", took, d)
	}
	return err
}
