package errmapmcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

func TestClient_callersCancelIsNoKind(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request, _ message) { <-r.Context().Done() }
	sessions := map[string]func(*testing.T) *errmapmcp.Session{
		"http":  func(t *testing.T) *errmapmcp.Session { return connectRaw(t, "", hang) },
		"stdio": func(t *testing.T) *errmapmcp.Session { return connect(t, child(t, "silent")) },
	}
	for name, open := range sessions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := open(t)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(30*time.Millisecond, cancel)
			err := within(t, time.Second, func() error { return callTool(ctx, session) })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %T %v, want context.Canceled", err, err)
			}
			if e, ok := errors.AsType[*errmapmcp.Error](err); ok {
				t.Errorf("the error has the kind %s", e.Kind())
			}
		})
	}
	t.Run("before the request", func(t *testing.T) {
		t.Parallel()
		session := connect(t, child(t, "answer"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := callTool(ctx, session); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		if err := callTool(t.Context(), session); err != nil {
			t.Errorf("the next call failed: %v", err)
		}
	})
}

// A server may choose the codes that the SDK uses for itself.
// The SDK's own server says that a session is gone.
// forwarding is a transport of a program's own around the streamable one.
// oauthHandler authorizes as a test wants.
type oauthHandler struct {
	token     func() (*oauth2.Token, error)
	authorize func(context.Context, *http.Request, *http.Response) error
}

func (h oauthHandler) TokenSource(context.Context) (oauth2.TokenSource, error) { return h, nil }
func (h oauthHandler) Token() (*oauth2.Token, error)                           { return h.token() }
func (h oauthHandler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	_ = resp.Body.Close()
	return h.authorize(ctx, req, resp)
}

func TestClient_oauth(t *testing.T) {
	t.Parallel()
	errConsent := errors.New("the user closed the window")
	good := func() (*oauth2.Token, error) { return &oauth2.Token{AccessToken: "hunter2"}, nil }
	const challenge = `Bearer resource_metadata="https://shop.example.com/meta", scope="cart.read cart.write"`
	open := func(t *testing.T, handler auth.OAuthHandler, answer func(http.ResponseWriter, *http.Request, message)) *errmapmcp.Session {
		transport := streamable(t, rawServer(t, "", answer))
		transport.OAuthHandler = handler
		return connect(t, transport)
	}
	t.Run("the flow fails", func(t *testing.T) {
		t.Parallel()
		session := open(t, oauthHandler{good, func(_ context.Context, _ *http.Request, resp *http.Response) error {
			if resp.Header.Get("WWW-Authenticate") != challenge || resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("the flow sees %d %v", resp.StatusCode, resp.Header)
			}
			return errConsent
		}}, answerStatus(http.StatusUnauthorized, "WWW-Authenticate", challenge))
		for range 2 {
			err := callTool(t.Context(), session)
			e := wantKind(t, err, errmapmcp.KindAuth, "http:401")
			if !errors.Is(err, errConsent) || e.Challenge() != challenge || e.Scope() != "cart.read cart.write" {
				t.Errorf("the cause, the challenge %q or the scope %q is lost", e.Challenge(), e.Scope())
			}
		}
	})
	t.Run("the flow succeeds", func(t *testing.T) {
		t.Parallel()
		var calls atomic.Int32
		session := open(t, oauthHandler{good, func(context.Context, *http.Request, *http.Response) error { return nil }},
			func(w http.ResponseWriter, _ *http.Request, m message) {
				if calls.Add(1) == 1 {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				writeJSON(w, http.StatusOK, m.result(`{"content":[]}`))
			})
		if err := callTool(t.Context(), session); err != nil {
			t.Error(err)
		}
	})
	t.Run("the flow asks servers of its own", func(t *testing.T) {
		t.Parallel()
		elsewhere := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(elsewhere.Close)
		transport := streamable(t, rawServer(t, "", answerStatus(http.StatusUnauthorized)))
		watched := errmapmcp.NewRoundTripper(transport.HTTPClient.Transport)
		transport.HTTPClient.Transport = watched
		transport.OAuthHandler = oauthHandler{good, func(ctx context.Context, _ *http.Request, _ *http.Response) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, elsewhere.URL, strings.NewReader("grant_type=refresh_token"))
			if err != nil {
				return err
			}
			resp, err := transport.HTTPClient.Do(req)
			if err != nil {
				return err
			}
			_ = resp.Body.Close()
			return errConsent
		}}
		wantKind(t, callTool(t.Context(), connect(t, transport)), errmapmcp.KindAuth, "http:401")
	})
	t.Run("there is no token", func(t *testing.T) {
		t.Parallel()
		var fail atomic.Bool
		session := open(t, oauthHandler{func() (*oauth2.Token, error) {
			if fail.Load() {
				return nil, errConsent
			}
			return good()
		}, nil}, answerStatus(http.StatusTeapot))
		fail.Store(true)
		err := callTool(t.Context(), session)
		wantKind(t, err, errmapmcp.KindAuth, errmapmcp.ReasonToken)
		if !errors.Is(err, errConsent) {
			t.Error("the cause is lost")
		}
		fail.Store(false)
	})
}

// A transport without an http.Client of its own uses the default one, which stays
// as it is.
func TestClient_defaultHTTPClient(t *testing.T) {
	t.Parallel()
	transport := &mcp.StreamableClientTransport{Endpoint: rawServer(t, "", answerStatus(http.StatusBadGateway)), DisableStandaloneSSE: true}
	wantKind(t, callTool(t.Context(), connect(t, transport)), errmapmcp.KindTransport, "http:502")
	if transport.HTTPClient != nil || http.DefaultClient.Transport != nil {
		t.Error("the transport or the default client was changed")
	}
}

func TestClient_mistakesOfTheProgramAreNoKind(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) *errmapmcp.Session{
		"http":  func(t *testing.T) *errmapmcp.Session { return connectRaw(t, "", answerStatus(http.StatusTeapot)) },
		"stdio": func(t *testing.T) *errmapmcp.Session { return connect(t, child(t, "answer")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open(t).CallTool(t.Context(), &mcp.CallToolParams{Name: "order", Arguments: map[string]any{"f": func() {}}})
			if e, ok := errors.AsType[*errmapmcp.Error](err); err == nil || ok {
				t.Errorf("the error is %v, of kind %s", err, e.Kind())
			}
		})
	}
}

// Without a cap, a message larger than what is looked at goes through.
// Events that are not the answer reach the SDK, before the answer does.
// A stream that broke off with an id is resumed by the SDK.
// proxy passes a request on.
func TestSession_Close(t *testing.T) {
	t.Parallel()
	session := connectRaw(t, "s-1", answerStatus(http.StatusTeapot))
	if err := session.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := session.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
	wantKind(t, callTool(t.Context(), session), errmapmcp.KindClosed, errmapmcp.ReasonClosed)
	if err := callTool(t.Context(), session); !errors.Is(err, mcp.ErrConnectionClosed) {
		t.Errorf("the error is not the SDK's for a closed connection: %v", err)
	}
	if err := session.Ping(t.Context(), nil); !errors.Is(err, errmapmcp.KindClosed) {
		t.Errorf("Ping: %v", err)
	}
}

// A server that holds a stream open behind its answer holds up nothing.
func TestSession_Close_streamHeldOpen(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	session := connectRaw(t, "", func(w http.ResponseWriter, r *http.Request, m message) {
		eventStream(w, m.result(`{"content":[]}`))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(done)
	})
	if err := callTool(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	_ = within(t, time.Second, session.Close)
	select {
	case <-done:
	case <-time.After(2 * time.Second):
		t.Error("the stream outlives the session")
	}
}

func TestClient_Connect_failures(t *testing.T) {
	t.Parallel()
	t.Run("the handshake is refused", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
		t.Cleanup(server.Close)
		_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), streamable(t, server.URL), nil)
		wantKind(t, err, errmapmcp.KindAuth, "http:403")
	})
	t.Run("the caller gives up", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := errmapmcp.NewClient(testClient, nil).Connect(ctx, child(t, "silent"), nil)
		if _, ok := errors.AsType[*errmapmcp.Error](err); !errors.Is(err, context.Canceled) || ok {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("the server dies in the handshake", func(t *testing.T) {
		t.Parallel()
		transport := child(t, "answer")
		transport.Command.Path = "/bin/false"
		_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), transport, nil)
		e, ok := errors.AsType[*errmapmcp.Error](err)
		if !ok || e.Kind() != errmapmcp.KindConnectionDown && e.Kind() != errmapmcp.KindUnavailable || e.Reason() != "exit:1" {
			t.Errorf("the error is %v", e)
		}
	})
	t.Run("the command has an output of its own", func(t *testing.T) {
		t.Parallel()
		transport := child(t, "answer")
		transport.Command.Stdout = io.Discard
		_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), transport, nil)
		wantKind(t, err, errmapmcp.KindTransport, errmapmcp.ReasonStart)
	})
}
