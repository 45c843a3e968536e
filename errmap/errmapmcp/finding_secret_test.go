package errmapmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

// The secrets of a connection, none of which any way through an error may print.
var connectionSecrets = []string{"secret-session", "secret-token", "secret-query", "secret-password", "secret-cookie"}

// printed returns all that can be made of an error by walking its causes, printing
// each link, and asking it for the types that are known to hold URLs or texts.
func printed(err error) []string {
	var all []string
	var walk func(error)
	walk = func(link error) {
		if link == nil {
			return
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			all = append(all, fmt.Sprintf(verb, link))
		}
		var log strings.Builder
		slog.New(slog.NewJSONHandler(&log, nil)).Error("x", "err", link)
		text, _ := json.Marshal(link)
		all = append(all, log.String(), string(text))
		if e, ok := errors.AsType[*url.Error](link); ok {
			all = append(all, e.URL, e.Error())
		}
		if e, ok := errors.AsType[net.Error](link); ok {
			all = append(all, e.Error())
		}
		var wraps interface{ Unwrap() error }
		if errors.As(link, &wraps) {
			all = append(all, fmt.Sprint(wraps))
		}
		if e, ok := link.(*errmapmcp.Error); ok {
			walk(e.Cause())
		}
		switch w := link.(type) {
		case interface{ Unwrap() error }:
			walk(w.Unwrap())
		case interface{ Unwrap() []error }:
			for _, member := range w.Unwrap() {
				walk(member)
			}
		}
	}
	walk(err)
	return all
}

func TestFinding_S04_no_way_through_an_error_prints_a_secret(t *testing.T) {
	t.Parallel()
	lost := func(w http.ResponseWriter, _ *http.Request, _ message) { w.WriteHeader(http.StatusNotFound) }
	hang := func(_ http.ResponseWriter, r *http.Request, _ message) { <-r.Context().Done() }
	cut := func(w http.ResponseWriter, _ *http.Request, _ message) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	echo := func(w http.ResponseWriter, r *http.Request, m message) {
		writeJSON(w, http.StatusOK, m.failure(fmt.Sprintf(`{"code":-32603,"message":"no session %s"}`, r.Header.Get("Mcp-Session-Id"))))
	}
	// The SDK takes a line without a colon for the end of the connection.
	broken := func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("id: e-1\nretry: 1\ndata:\n\nnonsense\n\n"))
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, message){
		"session lost": lost, "deadline": hang, "cut": cut, "its own words": echo, "broken stream": broken,
		"unavailable": answerStatus(http.StatusServiceUnavailable), "unauthorized": answerStatus(http.StatusUnauthorized),
		"teapot": answerStatus(http.StatusTeapot), "page": func(w http.ResponseWriter, _ *http.Request, _ message) { _, _ = w.Write([]byte("<html>")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transport := streamable(t, strings.Replace(rawServer(t, "secret-session-1", answer), "http://", "http://user:secret-password@", 1)+"/mcp?key=secret-query")
			base := transport.HTTPClient.Transport
			transport.HTTPClient.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
				req = req.Clone(req.Context())
				req.Header.Set("Authorization", "Bearer secret-token")
				req.Header.Set("Cookie", "a=secret-cookie")
				return base.RoundTrip(req)
			})
			transport.MaxRetries = 1
			session := connect(t, transport)
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
				err := callTool(ctx, session)
				cancel()
				if err == nil {
					t.Fatal("the call succeeded")
				}
				noSecret(t, err)
			}
			_ = session.ClientSession.Close()
			noSecret(t, session.Wait())
			noSecret(t, callTool(t.Context(), session))
			noSecret(t, session.Close())
		})
	}
}

// noSecret fails the test where a secret can be printed by way of an error.
func noSecret(t *testing.T, err error) {
	t.Helper()
	for _, text := range printed(err) {
		for _, secret := range connectionSecrets {
			if strings.Contains(text, secret) || strings.Contains(text, hexOf(secret)) {
				t.Errorf("%q holds %q", text, secret)
			}
		}
	}
}

func TestFinding_S04_while_connecting(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	refusing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(refusing.Close)
	for _, address := range []string{
		"http://user:secret-password@[::1/?key=secret-query", "gopher://user:secret-password@shop.example.com/?key=secret-query",
		closed.URL + "/?key=secret-query", refusing.URL + "/?key=secret-query",
	} {
		for _, transport := range []mcp.Transport{
			streamable(t, address), &mcp.SSEClientTransport{Endpoint: address, HTTPClient: streamable(t, address).HTTPClient},
		} {
			_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), transport, nil)
			if err == nil {
				t.Fatal("it connected")
			}
			noSecret(t, err)
		}
	}
}

// What is hidden is still found: only its text is not shown.
func TestFinding_S04_what_is_behind_is_found(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom secret-query")
	transport := streamable(t, "http://shop.example.com/?key=secret-query")
	transport.HTTPClient.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("%w: %w", boom, &net.DNSError{Name: "shop.example.com"})}
	})
	_, err := errmapmcp.NewClient(testClient, nil).Connect(t.Context(), transport, nil)
	wantKind(t, err, errmapmcp.KindTransport, errmapmcp.ReasonDNS)
	if dns, ok := errors.AsType[*net.DNSError](err); !ok || dns.Name != "shop.example.com" || !errors.Is(err, boom) {
		t.Error("the cause is not found")
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		t.Errorf("%v is found, which tells the secret", op)
	}
	if !slices.ContainsFunc(printed(err), func(text string) bool { return strings.Contains(text, shown) }) {
		t.Error("nothing tells that something is hidden")
	}
}

// token is an OAuth handler that has a token.
type token string

func (t token) TokenSource(context.Context) (oauth2.TokenSource, error) {
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: string(t)}), nil
}

func (token) Authorize(context.Context, *http.Request, *http.Response) error {
	return errors.New("no")
}

// What a transport below says of a request holds what the SDK and net/http put into
// it: the token of an OAuth handler, the cookies of a jar, the query of an endpoint.
func TestFinding_S04_what_a_transport_says_of_a_request(t *testing.T) {
	t.Parallel()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	shop := &url.URL{Scheme: "http", Host: "shop.example.com"}
	jar.SetCookies(shop, []*http.Cookie{{Name: "a", Value: "secret-cookie"}})
	_, err = errmapmcp.NewClient(testClient, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: shop.String(), OAuthHandler: token("secret-cookie-and-secret-token"),
		HTTPClient: &http.Client{Jar: jar, Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			// One secret begins with the other.
			return nil, fmt.Errorf("refused %s, %s", req.Cookies()[0].Value, strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "))
		})},
	}, nil)
	wantKind(t, err, errmapmcp.KindTransport, "")
	noSecret(t, err)
	if all := strings.Join(printed(err), " "); strings.Contains(all, "and-secret") || !strings.Contains(all, "refused") {
		t.Errorf("%s tells a part of it", all)
	}

	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("event: endpoint\ndata: /message?sessionid=secret-session-1\n\n"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(served.Close)
	base := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(base.CloseIdleConnections)
	_, err = errmapmcp.NewClient(testClient, nil).Connect(t.Context(), &mcp.SSEClientTransport{
		Endpoint: served.URL,
		HTTPClient: &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost {
				return nil, errors.New("refused " + req.URL.Query().Get("sessionid"))
			}
			return base.RoundTrip(req)
		})},
	}, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
	if err == nil {
		t.Fatal("it connected")
	}
	noSecret(t, err)
}
