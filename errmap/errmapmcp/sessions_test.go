package errmapmcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// sessions is a server by hand that knows one session at a time, and can lose it.
type sessions struct {
	t   *testing.T
	url string
	// refuse answers a request in the place of the server, unless it returns false.
	refuse func(w http.ResponseWriter, r *http.Request, m message) bool

	mu    sync.Mutex
	id    string
	count int      // of the sessions that were opened
	got   []string // the methods that were run, in their order
	ran   map[string]int
}

func newSessions(t *testing.T) *sessions {
	t.Helper()
	s := &sessions{t: t, ran: map[string]int{}, refuse: func(http.ResponseWriter, *http.Request, message) bool { return false }}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// lose has the server forget its session, as when it starts again.
func (s *sessions) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = ""
}

func (s *sessions) seen() (sessions int, methods []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count, append([]string(nil), s.got...)
}

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m message
	if r.Method == http.MethodPost && json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse(w, r, m) {
		return
	}
	switch {
	case m.Method == "initialize":
		if id := r.Header.Get("Mcp-Session-Id") + r.Header.Get("Mcp-Protocol-Version"); id != "" {
			s.t.Errorf("initialize has the headers %s", id)
		}
		s.count++
		s.id = fmt.Sprintf("secret-session-%d", s.count)
		w.Header().Set("Mcp-Session-Id", s.id)
	case r.Header.Get("Mcp-Session-Id") != s.id:
		writeJSON(w, http.StatusNotFound, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`)
		return
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Add("Mcp-Session-Id", s.id)
	s.got = append(s.got, m.Method)
	s.ran[m.Method+string(m.Params)]++
	switch {
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "initialize":
		eventStream(w, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`+"\n\ndata: "+m.result(initializeResult))
	default:
		writeJSON(w, http.StatusOK, m.result(`{"content":[]}`))
	}
}
