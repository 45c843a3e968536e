package errmapmcp_test

import (
	"fmt"
	"net/http"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/errmap/errmapmcp"
)

// An answer that ends early was cut, whatever its framing says: the server or what
// stands before it went away within it. That is no breach of the protocol.
func TestFinding_K19_answers_that_end_early(t *testing.T) {
	t.Parallel()
	const result = `{"content":[{"type":"text","text":"x"}]}`
	for name, answer := range map[string]func(w http.ResponseWriter, m message, n int){
		"JSON": func(w http.ResponseWriter, m message, n int) { writeJSON(w, http.StatusOK, m.result(result)[:n]) },
		"an error": func(w http.ResponseWriter, m message, n int) {
			writeJSON(w, http.StatusOK, m.failure(`{"code":-32602,"message":"a message that is long enough"}`)[:n])
		},
		"an error at 400": func(w http.ResponseWriter, m message, n int) {
			writeJSON(w, http.StatusBadRequest, m.failure(`{"code":-32602,"message":"a message that is long enough"}`)[:n])
		},
		"JSON as events": func(w http.ResponseWriter, m message, n int) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: %s\n\n", m.result(result)[:n])
		},
		"the last event": func(w http.ResponseWriter, m message, n int) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: %s", m.result(result)[:n])
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			session := connectRaw(t, "", func(w http.ResponseWriter, _ *http.Request, m message) { answer(w, m, n) })
			for n = 1; n < 60; n += 7 {
				e := wantKind(t, callTool(t.Context(), session), errmapmcp.KindConnectionDown, errmapmcp.ReasonEOF)
				if got := errmap.From(e); got.Code() != code.Code_UNAVAILABLE {
					t.Errorf("of %d bytes: %v", n, got)
				}
			}
		})
	}
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		wantKind(t, callTool(t.Context(), connect(t, child(t, "cut"))), errmapmcp.KindConnectionDown, errmapmcp.NewReason("exit", 5))
	})
	t.Run("lines that are whole and no messages", func(t *testing.T) {
		t.Parallel()
		wantKind(t, callTool(t.Context(), connect(t, child(t, "lines"))), errmapmcp.KindProtocol, errmapmcp.ReasonInvalidMessage)
	})
	t.Run("what a status says by itself", func(t *testing.T) {
		t.Parallel()
		for status, kind := range map[int]errmapmcp.Kind{401: errmapmcp.KindAuth, 429: errmapmcp.KindRateLimited} {
			session := connectRaw(t, "", answerJSON(status, func(m message) string { return m.failure(`{"code":1}`)[:20] }))
			wantKind(t, callTool(t.Context(), session), kind, errmapmcp.NewReason("http", int64(status)))
		}
	})
}
