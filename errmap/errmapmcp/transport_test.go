package errmapmcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

func TestClient_codesThatTheSDKUsesItself(t *testing.T) {
	t.Parallel()
	ways := map[string]func(object string) func(http.ResponseWriter, *http.Request, message){
		"200": answerError,
		"400": func(object string) func(http.ResponseWriter, *http.Request, message) {
			return answerJSON(http.StatusBadRequest, func(m message) string { return m.failure(object) })
		},
		"429": func(object string) func(http.ResponseWriter, *http.Request, message) {
			return answerJSON(http.StatusTooManyRequests, func(m message) string { return m.failure(object) })
		},
		"events": func(object string) func(http.ResponseWriter, *http.Request, message) {
			return func(w http.ResponseWriter, _ *http.Request, m message) { eventStream(w, m.failure(object)) }
		},
		"events without the last line": func(object string) func(http.ResponseWriter, *http.Request, message) {
			return func(w http.ResponseWriter, _ *http.Request, m message) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "event: message\ndata: "+m.failure(object))
			}
		},
	}
	for name, way := range ways {
		for _, number := range []int{-32001, -32003, -32004, -32005} {
			t.Run(fmt.Sprintf("%s %d", name, number), func(t *testing.T) {
				t.Parallel()
				object := fmt.Sprintf(`{"code":%d,"message":"quota","data":{"left":0}}`, number)
				session := connectRaw(t, "", way(object))
				for range 2 {
					err := callTool(t.Context(), session)
					e := wantKind(t, err, errmapmcp.KindProtocol, errmapmcp.NewReason("jsonrpc", int64(number)))
					if string(e.RPCError()) != object {
						t.Errorf("the object is %s, want %s", e.RPCError(), object)
					}
					if errors.Is(err, mcp.ErrConnectionClosed) {
						t.Error("the error is mcp.ErrConnectionClosed")
					}
				}
			})
		}
	}
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		session := connect(t, child(t, "closing"))
		for range 2 {
			e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindProtocol, "jsonrpc:-32003")
			if want := `{"code":-32003,"message":"quota","data":{"left":0}}`; string(e.RPCError()) != want {
				t.Errorf("the object is %s, want %s", e.RPCError(), want)
			}
		}
	})
	t.Run("in memory", func(t *testing.T) {
		t.Parallel()
		ours, theirs := mcp.NewInMemoryTransports()
		server := mcp.NewServer(testServer, &mcp.ServerOptions{Logger: quiet()})
		server.AddPrompt(&mcp.Prompt{Name: "cart"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, &jsonrpc.Error{Code: -32004, Message: "quota", Data: []byte(`{"left":0}`)}
		})
		if _, err := server.Connect(t.Context(), theirs, nil); err != nil {
			t.Fatal(err)
		}
		session := connect(t, ours)
		for range 2 {
			_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart"})
			e := wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-32004")
			if want := `{"code":-32004,"message":"quota","data":{"left":0}}`; string(e.RPCError()) != want {
				t.Errorf("the object is %s, want %s", e.RPCError(), want)
			}
		}
	})
}

func TestClient_stdio(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode   string
		reason errmapmcp.Reason
	}{
		{"malformed", errmapmcp.ReasonInvalidErrorObject},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			session := connect(t, child(t, c.mode))
			for range 2 { // the connection lives
				e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindProtocol, c.reason)
				if got := fmt.Sprintf("%s", e.Data()[errmapmcp.DataError]); got != `"boom"` {
					t.Errorf("the data is %s", got)
				}
			}
		})
	}
	for _, mode := range []string{"answer", "batch"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			session := connect(t, child(t, mode))
			if err := callTool(t.Context(), session); err != nil {
				t.Error(err)
			}
			if err := session.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	t.Run("after the end", func(t *testing.T) {
		t.Parallel()
		session := connect(t, child(t, "large"), errmapmcp.WithMaxMessage(4096))
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindMessageTooLarge, "received:4096")
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindUnavailable, "received:4096")
	})
	t.Run("a server that does not read", func(t *testing.T) {
		t.Parallel()
		transport := child(t, "deaf")
		transport.TerminateDuration = 50 * time.Millisecond
		session := connect(t, transport)
		if err := callTool(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err := within(t, time.Second, func() error {
			_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "order", Arguments: map[string]any{"note": strings.Repeat("x", 1<<20)}})
			return err
		})
		wantKind(t, err, errmapmcp.KindTimeout, errmapmcp.ReasonDeadline)
		_ = within(t, 4*time.Second, session.Close)
	})
	t.Run("a handler that does not return", func(t *testing.T) {
		t.Parallel()
		ours, theirs := mcp.NewInMemoryTransports()
		server := mcp.NewServer(testServer, &mcp.ServerOptions{Logger: quiet()})
		served, err := server.Connect(t.Context(), theirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		started := make(chan struct{})
		session := connectWith(t, ours, &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			close(started)
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		go func() { _, _ = served.Elicit(context.Background(), &mcp.ElicitParams{Message: "?"}) }()
		<-started
		_ = within(t, 4*time.Second, session.Close)
	})
	t.Run("over pipes", func(t *testing.T) {
		t.Parallel()
		theirs, ours := io.Pipe()
		reader, writer := io.Pipe()
		server := mcp.NewServer(testServer, &mcp.ServerOptions{Logger: quiet()})
		answered(server)
		served, err := server.Connect(t.Context(), &mcp.IOTransport{Reader: theirs, Writer: writer}, nil)
		if err != nil {
			t.Fatal(err)
		}
		session := connect(t, &mcp.IOTransport{Reader: reader, Writer: ours})
		if err := callTool(t.Context(), session); err != nil {
			t.Error(err)
		}
		_ = served.Close()
		_ = session.Wait()
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindUnavailable, errmapmcp.ReasonEOF)
	})
}

func TestClient_httpWithSSETransport(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(testServer, &mcp.ServerOptions{Logger: quiet()})
	answered(server)
	var reject atomic.Int32
	handler := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil)
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := reject.Load(); status != 0 && r.Method == http.MethodPost {
			w.WriteHeader(int(status))
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(served.Close)
	base := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(base.CloseIdleConnections)
	session := connect(t, &mcp.SSEClientTransport{Endpoint: served.URL, HTTPClient: &http.Client{Transport: base}})
	if err := callTool(t.Context(), session); err != nil {
		t.Error(err)
	}
	_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "unknown"})
	wantKind(t, err, errmapmcp.KindProtocol, "jsonrpc:-32602")
	reject.Store(http.StatusUnauthorized)
	wantKind(t, callTool(t.Context(), session), errmapmcp.KindAuth, "http:401")
	t.Run("refused", func(t *testing.T) {
		refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
		t.Cleanup(refusing.Close)
		_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), &mcp.SSEClientTransport{Endpoint: refusing.URL}, nil)
		wantKind(t, err, errmapmcp.KindAuth, "http:403")
	})
}

func TestWithMaxMessage_otherTransports(t *testing.T) {
	t.Parallel()
	ours, theirs := mcp.NewInMemoryTransports()
	server := mcp.NewServer(testServer, &mcp.ServerOptions{Logger: quiet()})
	server.AddPrompt(&mcp.Prompt{Name: "cart"}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: strings.Repeat("x", len(req.Params.Arguments["size"])*1000)}, nil
	})
	if _, err := server.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	session := connect(t, ours, errmapmcp.WithMaxMessage(4096))
	for _, c := range []struct {
		size   int
		reason errmapmcp.Reason
	}{{1, ""}, {5, "received:4096"}, {5000, "sent:4096"}, {1, ""}} {
		_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "cart", Arguments: map[string]string{"size": strings.Repeat("x", c.size)}})
		if c.reason != "" {
			wantKind(t, err, errmapmcp.KindMessageTooLarge, c.reason)
		} else if err != nil {
			t.Errorf("a message under the cap failed: %v", err)
		}
	}
}

type forwarding struct {
	inner *mcp.StreamableClientTransport
}

func (f forwarding) Connect(ctx context.Context) (mcp.Connection, error) { return f.inner.Connect(ctx) }

func TestRoundTripper_belowATransportOfTheProgram(t *testing.T) {
	t.Parallel()
	url := rawServer(t, "s-1", answerStatus(http.StatusTooManyRequests, "Retry-After", "7"))
	inner := streamable(t, url)
	inner.HTTPClient.Transport = errmapmcp.NewRoundTripper(inner.HTTPClient.Transport)
	e := wantKind(t, callTool(t.Context(), connect(t, forwarding{inner})), errmapmcp.KindRateLimited, "http:429")
	if delay, _ := e.RetryDelay(); delay != 7*time.Second {
		t.Errorf("the delay is %v", delay)
	}
	t.Run("without one", func(t *testing.T) {
		t.Parallel()
		session := connect(t, forwarding{streamable(t, rawServer(t, "", answerError(`{"code":4010,"message":"m"}`)))})
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindProtocol, "jsonrpc:4010")
	})
}

func TestRoundTripper_leavesOtherRequestsAlone(t *testing.T) {
	t.Parallel()
	want := &http.Response{StatusCode: http.StatusTeapot, Body: http.NoBody}
	rt := errmapmcp.NewRoundTripper(roundTrip(func(*http.Request) (*http.Response, error) { return want, nil }))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://shop.example.com", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := rt.RoundTrip(req)
	if err != nil || got != want || got.Body != http.NoBody {
		t.Errorf("the response is %v, %v", got, err)
	}
	rt.CloseIdleConnections() // the base has none
}

func TestClient_largeMessagesWithoutACap(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 17<<20)
	result := `{"content":[{"type":"text","text":"` + large + `"}]}`
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, message){
		"json":   answerJSON(http.StatusOK, func(m message) string { return m.result(result) }),
		"events": func(w http.ResponseWriter, _ *http.Request, m message) { eventStream(w, m.result(result)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transport := streamable(t, rawServer(t, "", answer))
			got, err := connect(t, transport, errmapmcp.WithMaxMessage(-1)).CallTool(t.Context(), &mcp.CallToolParams{Name: "order"})
			if err != nil || len(got.Content[0].(*mcp.TextContent).Text) != len(large) {
				t.Errorf("the call failed: %v", err)
			}
		})
	}
}

func TestClient_eventsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	progress := make(chan float64, 2)
	session := connectWith(t, streamable(t, rawServer(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": hello\n\nid: 1\ndata:\n\n")
		_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\ndata: \"params\":{\"progressToken\":\"p\",\"progress\":0.5}}\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case got := <-progress:
			progress <- got
		case <-time.After(2 * time.Second):
			t.Error("the event does not arrive before the answer")
		}
		_, _ = io.WriteString(w, "data: "+m.result(`{"content":[]}`)+"\n\n")
	})), &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
		progress <- req.Params.Progress
	}})
	if err := callTool(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	if got := <-progress; got != 0.5 {
		t.Errorf("the progress is %v", got)
	}
}

func TestClient_resumedStream(t *testing.T) {
	t.Parallel()
	for name, resume := range map[string]func(http.ResponseWriter, message){
		"with the answer":          func(w http.ResponseWriter, m message) { eventStream(w, m.result(`{"content":[]}`)) },
		"to no avail":              func(w http.ResponseWriter, _ message) { w.WriteHeader(http.StatusInternalServerError) },
		"to find the session gone": func(w http.ResponseWriter, _ message) { w.WriteHeader(http.StatusNotFound) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var id atomic.Value
			resumed := make(chan http.Header, 1)
			answer := func(w http.ResponseWriter, m message) {
				id.Store(m)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "id: e-1\nretry: 10\ndata:\n\n")
			}
			url := rawServer(t, "s-1", func(w http.ResponseWriter, _ *http.Request, m message) { answer(w, m) })
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					select {
					case resumed <- r.Header:
					default:
					}
					resume(w, id.Load().(message))
					return
				}
				proxy(t, w, r, url)
			}))
			t.Cleanup(front.Close)
			transport := streamable(t, front.URL)
			transport.MaxRetries = 1
			err := callTool(t.Context(), connect(t, transport))
			select {
			case header := <-resumed:
				if got := header.Get("Last-Event-ID"); got != "e-1" {
					t.Errorf("the stream is resumed at %q", got)
				}
			default:
				t.Fatalf("the stream is not resumed: %v", err)
			}
			switch name {
			case "with the answer":
				if err != nil {
					t.Error(err)
				}
			case "to no avail":
				wantKind(t, err, errmapmcp.KindConnectionDown, errmapmcp.ReasonEOF)
			default:
				// The server may have run it, so it is not made again.
				wantKind(t, err, errmapmcp.KindConnectionDown, errmapmcp.ReasonSession)
			}
		})
	}
}

func proxy(t *testing.T, w http.ResponseWriter, r *http.Request, url string) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, url, r.Body)
	if err != nil {
		t.Error(err)
		return
	}
	req.Header = r.Header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer func() { _ = resp.Body.Close() }()
	for key, values := range resp.Header {
		w.Header()[key] = values
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}
