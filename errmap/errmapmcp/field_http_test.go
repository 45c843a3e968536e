package errmapmcp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errmap/errmap/errmap/errmapmcp"
)

func TestField_124_not_every_404_is_a_lost_session(t *testing.T) {
	t.Parallel()
	methodNotFound := answerJSON(http.StatusNotFound, func(m message) string {
		return m.failure(`{"code":-32601,"message":"no such method"}`)
	})
	for _, c := range []struct {
		name, session string
		answer        func(http.ResponseWriter, *http.Request, message)
		kind          errmapmcp.Kind
		reason        errmapmcp.Reason
	}{
		{"with a session id sent", "s-1", answerStatus(http.StatusNotFound), errmapmcp.KindSessionExpired, "http:404"},
		{"without", "", answerStatus(http.StatusNotFound), errmapmcp.KindTransport, "http:404"},
		{"with a JSON-RPC body", "s-1", methodNotFound, errmapmcp.KindProtocol, "jsonrpc:-32601"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := connectRaw(t, c.session, c.answer)
			e := wantKind(t, callTool(t.Context(), session), c.kind, c.reason)
			if e.HTTPStatus() != http.StatusNotFound {
				t.Errorf("the status is %d", e.HTTPStatus())
			}
			// What it was does not change when it is asked again.
			wantKind(t, callTool(t.Context(), session), c.kind, c.reason)
		})
	}
}

func TestField_125_lost_session_as_400_or_401(t *testing.T) {
	t.Parallel()
	t.Run("400 with a body without meaning", func(t *testing.T) {
		t.Parallel()
		const object = `{"code":-32000,"message":"session gone"}`
		session := connectRaw(t, "s-1", answerJSON(http.StatusBadRequest, func(message) string {
			return `{"jsonrpc":"2.0","id":null,"error":` + object + `}`
		}))
		e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindProtocol, "jsonrpc:-32000")
		if string(e.RPCError()) != object {
			t.Errorf("the object is %s, want %s", e.RPCError(), object)
		}
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindProtocol, "jsonrpc:-32000")
	})
	t.Run("401", func(t *testing.T) {
		t.Parallel()
		const challenge = `Bearer error="invalid_token"`
		session := connectRaw(t, "s-1", answerStatus(http.StatusUnauthorized, "WWW-Authenticate", challenge))
		e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindAuth, "http:401")
		if e.Challenge() != challenge {
			t.Errorf("the challenge is %q, want %q", e.Challenge(), challenge)
		}
	})
}

func TestField_126_insufficient_scope_is_no_lost_session(t *testing.T) {
	t.Parallel()
	const challenge = `Bearer error="insufficient_scope", scope="cart.write"`
	for _, c := range []struct {
		name             string
		answer           func(http.ResponseWriter, *http.Request, message)
		reason           errmapmcp.Reason
		challenge, scope string
	}{
		{"403 with a challenge", answerStatus(http.StatusForbidden, "WWW-Authenticate", challenge), "http:403", challenge, "cart.write"},
		{"403 bare", answerStatus(http.StatusForbidden), "http:403", "", ""},
		{"401 bare", answerStatus(http.StatusUnauthorized), "http:401", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := wantKind(t, callTool(t.Context(), connectRaw(t, "s-1", c.answer)), errmapmcp.KindAuth, c.reason)
			if diff := cmp.Diff([]string{c.challenge, c.scope}, []string{e.Challenge(), e.Scope()}); diff != "" {
				t.Errorf("challenge and scope (-want +got):\n%s", diff)
			}
		})
	}
}

// What a peer may send at any length is kept to a bounded one.
func TestField_126_long_challenge(t *testing.T) {
	t.Parallel()
	long := "Bearer scope=\"" + strings.Repeat("x", 10_000) + "\""
	e := wantKind(t, callTool(t.Context(), connectRaw(t, "", answerStatus(http.StatusForbidden, "WWW-Authenticate", long))), errmapmcp.KindAuth, "http:403")
	if len(e.Challenge()) != 4096 || len(e.Scope()) != 4096 || !strings.HasPrefix(long, e.Challenge()) {
		t.Errorf("the challenge has %d bytes, the scope %d", len(e.Challenge()), len(e.Scope()))
	}
}

// A challenge stays with an error of the protocol too.
func TestField_126_challenge_beside_a_json_rpc_error(t *testing.T) {
	t.Parallel()
	session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x", Bearer scope="cart.write"`)
		writeJSON(w, http.StatusForbidden, m.failure(`{"code":-31403,"message":"no"}`))
	})
	e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindProtocol, "jsonrpc:-31403")
	if e.Scope() != "cart.write" || e.Challenge() == "" || e.HTTPStatus() != http.StatusForbidden {
		t.Errorf("challenge %q, scope %q, status %d", e.Challenge(), e.Scope(), e.HTTPStatus())
	}
}

func TestField_127_retry_after(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		value       func() string
		least, most time.Duration
	}{
		{"seconds", func() string { return "30" }, 30 * time.Second, 30 * time.Second},
		{"a date", func() string { return time.Now().Add(time.Minute).UTC().Format(http.TimeFormat) }, 50 * time.Second, time.Minute},
		{"a date that has passed", func() string { return "Thu, 01 Jan 2015 00:00:00 GMT" }, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, _ message) {
				w.Header().Set("Retry-After", c.value())
				w.WriteHeader(http.StatusTooManyRequests)
			})
			e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindRateLimited, "http:429")
			if delay, ok := e.RetryDelay(); !ok || delay < c.least || delay > c.most {
				t.Errorf("the delay is %v %t, want %v to %v", delay, ok, c.least, c.most)
			}
		})
	}
	t.Run("a tool that says isError", func(t *testing.T) {
		t.Parallel()
		session := connectRaw(t, "", answerJSON(http.StatusOK, func(m message) string {
			return m.result(`{"isError":true,"content":[{"type":"text","text":"429 too many"}]}`)
		}))
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "order"})
		if err != nil || !result.IsError {
			t.Errorf("the call returned %+v, %v: want the result", result, err)
		}
	})
}

func TestField_129_bad_status_does_not_hang(t *testing.T) {
	t.Parallel()
	endless := func(status int) func(http.ResponseWriter, *http.Request, message) {
		return func(w http.ResponseWriter, r *http.Request, _ message) {
			w.WriteHeader(status)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request, message)
		kind   errmapmcp.Kind
		reason errmapmcp.Reason
	}{
		{"500", answerStatus(500), errmapmcp.KindTransport, "http:500"},
		{"403", answerStatus(403), errmapmcp.KindAuth, "http:403"},
		{"404", answerStatus(404), errmapmcp.KindTransport, "http:404"},
		{"418", answerStatus(418), errmapmcp.KindTransport, "http:418"},
		{"a body that does not end", endless(500), errmapmcp.KindTransport, "http:500"},
		{"a body that does not end, which the SDK reads", endless(404), errmapmcp.KindTransport, "http:404"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := connectRaw(t, "", c.answer)
			wantKind(t, within(t, 4*time.Second, func() error { return callTool(t.Context(), session) }), c.kind, c.reason)
		})
	}
}

func TestField_130_login_page_at_200(t *testing.T) {
	t.Parallel()
	const page = "<html>sign in</html>"
	login := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page)
	}
	var calls atomic.Int32
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, message){
		"at once": func(w http.ResponseWriter, r *http.Request, _ message) { login(w, r) },
		"after a redirect": func(w http.ResponseWriter, r *http.Request, _ message) {
			if calls.Add(1) == 1 {
				http.Redirect(w, r, "/login", http.StatusTemporaryRedirect)
				return
			}
			login(w, r)
		},
		"said to be JSON": func(w http.ResponseWriter, r *http.Request, _ message) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, page)
		},
		"said to be a stream": func(w http.ResponseWriter, r *http.Request, _ message) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, page)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := callTool(t.Context(), connectRaw(t, "", answer))
			e := wantKind(t, err, errmapmcp.KindProtocol, "")
			if want := errmapmcp.ReasonContentType; name == "said to be JSON" {
				want = errmapmcp.ReasonInvalidMessage
				if e.Reason() != want {
					t.Errorf("the reason is %q, want %q", e.Reason(), want)
				}
			} else if e.Reason() != want {
				t.Errorf("the reason is %q, want %q", e.Reason(), want)
			}
			if strings.Contains(fmt.Sprintf("%+v %#v", err, err), "sign in") {
				t.Errorf("the text %+v holds the page", err)
			}
		})
	}
}

func TestField_132_json_said_to_be_a_stream(t *testing.T) {
	t.Parallel()
	const object = `{"code":-32602,"message":"x"}`
	session := connectRaw(t, "", func(w http.ResponseWriter, r *http.Request, m message) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, m.failure(object))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // nothing ends the stream
	})
	e := wantKind(t, within(t, 2*time.Second, func() error { return callTool(t.Context(), session) }), errmapmcp.KindProtocol, "jsonrpc:-32602")
	if string(e.RPCError()) != object {
		t.Errorf("the object is %s, want %s", e.RPCError(), object)
	}
}

func TestField_148_each_call_on_its_own(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(http.ResponseWriter, *http.Request, message){
		"503": answerStatus(503),
		"418": answerStatus(418),
		"400 with a body without an id": answerJSON(400, func(message) string {
			return `{"jsonrpc":"2.0","error":{"code":-32600,"message":"x"}}`
		}),
		"401":                      answerStatus(401),
		"not JSON":                 answerJSON(200, func(message) string { return "oops" }),
		"a page":                   func(w http.ResponseWriter, _ *http.Request, _ message) { _, _ = io.WriteString(w, "<html>") },
		"another's answer":         answerJSON(200, func(message) string { return `{"jsonrpc":"2.0","id":99,"result":{}}` }),
		"an event of another kind": func(w http.ResponseWriter, _ *http.Request, _ message) { eventStream(w, "oops") },
		"such an event behind a good one": func(w http.ResponseWriter, _ *http.Request, _ message) {
			eventStream(w, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`+"\r\n\r\ndata: oops")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			session := connectRaw(t, "", func(w http.ResponseWriter, r *http.Request, m message) {
				if calls.Add(1) == 1 {
					first(w, r, m)
					return
				}
				writeJSON(w, http.StatusOK, m.result(`{"content":[]}`))
			})
			if err := callTool(t.Context(), session); err == nil {
				t.Error("the first call succeeded")
			}
			if err := callTool(t.Context(), session); err != nil {
				t.Errorf("the second call failed: %v", err)
			}
		})
	}
	t.Run("a connection that the SDK gave up", func(t *testing.T) {
		t.Parallel()
		// The SDK takes a line without a colon for the end of the connection.
		session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`+"\nnonsense\n\n")
		})
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindConnectionDown, errmapmcp.ReasonEOF)
		wantKind(t, callTool(t.Context(), session), errmapmcp.KindConnectionDown, errmapmcp.ReasonStale)
	})
}

func eventStream(w http.ResponseWriter, data string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: "+data+"\n\n")
}

func TestField_149_rejected_notification(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	session := connectRaw(t, "", func(w http.ResponseWriter, r *http.Request, m message) {
		if calls.Add(1) == 1 {
			writeJSON(w, http.StatusBadRequest, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"not now"}}`)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	})
	progress := &mcp.ProgressNotificationParams{ProgressToken: "p", Progress: 1}
	wantKind(t, session.NotifyProgress(t.Context(), progress), errmapmcp.KindProtocol, "jsonrpc:-32600")
	if err := session.NotifyProgress(t.Context(), progress); err != nil {
		t.Errorf("the second notification failed: %v", err)
	}
}
