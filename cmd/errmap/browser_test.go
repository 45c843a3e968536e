//go:build browser

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// page is what a web page does to the agent: it tells its own server, in JSON, what it
// could read of each answer.
const page = `<!doctype html><meta charset="utf-8"><title>page</title><script type="module">
const agent = %q, message = %q, told = {};
async function attempt(name, path, options) {
  try {
    const response = await fetch(agent + path, { method: "POST", ...options });
    told[name] = { status: response.status, type: response.type, session: response.headers.get("mcp-session-id"), text: await response.text() };
  } catch (error) {
    told[name] = { status: -1, text: String(error) };
  }
}
const json = { "content-type": "application/json", "a2a-version": "1.0", authorization: "Bearer page" };
const rpc = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: JSON.parse(message) });
await attempt("blind", "/message:send?A2A-Version=1.0", { mode: "no-cors", body: new Blob([message]) });
await attempt("blind text", "/message:send?A2A-Version=1.0", { mode: "no-cors", body: message });
await attempt("blind JSON-RPC", "/?A2A-Version=1.0", { mode: "no-cors", body: new Blob([rpc]) });
await attempt("blind Connect", "/lf.a2a.v1.A2AService/SendMessage", { mode: "no-cors", body: new Blob([message]) });
await attempt("HTTP+JSON", "/message:send", { headers: json, body: message });
await attempt("JSON-RPC", "/", { headers: json, body: rpc });
await attempt("Connect", "/lf.a2a.v1.A2AService/SendMessage", { headers: { ...json, "connect-protocol-version": "1" }, body: message });
await attempt("an error", "/tasks/nope", { method: "GET", headers: json });
await attempt("another method", "/message:send", { method: "DELETE", headers: json });
await fetch("/told", { method: "POST", body: JSON.stringify(told) });
</script>`

// attempt is what a page could see.
type attempt struct {
	Status int    `json:"status"`
	Type   string `json:"type"`
	Text   string `json:"text"`
}

// site is an origin that has the page. Its agent may be set later.
type site struct {
	*httptest.Server
	agent string
	told  chan string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{told: make(chan string, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, page, s.agent, sendMessage)
	})
	mux.HandleFunc("POST /told", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.told <- string(body)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// browse opens the page in Chromium, and returns what it tells.
func (s *site) browse(t *testing.T) map[string]attempt {
	t.Helper()
	command := exec.CommandContext(t.Context(), "chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--no-first-run", "--user-data-dir="+t.TempDir(), s.URL)
	if err := command.Start(); err != nil {
		t.Fatalf("Chromium: %v (make chromium installs it)", err)
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		time.Sleep(100 * time.Millisecond) // for its children to leave the folder
	}()
	select {
	case text := <-s.told:
		var attempts map[string]attempt
		if err := json.Unmarshal([]byte(text), &attempts); err != nil {
			t.Fatal(err)
		}
		return attempts
	case <-time.After(time.Minute):
		t.Fatal("the page tells nothing")
		return nil
	}
}

func tasks(t *testing.T, base string) string {
	t.Helper()
	_, list := get(t, http.MethodPost, base, `{"jsonrpc":"2.0","id":2,"method":"ListTasks","params":{}}`)
	return list
}

// A page of an origin that nobody allowed changes nothing, and reads nothing.
func TestFinding_A08_browserRefused(t *testing.T) {
	s := newSite(t)
	base, stop := serve(t)
	defer stop()
	s.agent = base
	for name, a := range s.browse(t) {
		if a.Status > 0 || strings.Contains(a.Text, "task") {
			t.Errorf("%s: the page saw %+v", name, a)
		}
	}
	if list := tasks(t, base); strings.Contains(list, "TASK_STATE") {
		t.Errorf("the page made a task: %s", list)
	}
}

// A page of an allowed origin is served on every mount, and only by methods and with
// content types that they have.
func TestFinding_A08_browserAllowed(t *testing.T) {
	s := newSite(t)
	base, stop := serve(t, "--allow-origin", s.URL)
	defer stop()
	s.agent = base
	attempts := s.browse(t)
	for _, name := range []string{"HTTP+JSON", "JSON-RPC", "Connect"} {
		if a := attempts[name]; a.Status != http.StatusOK || !strings.Contains(a.Text, "TASK_STATE_COMPLETED") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if a := attempts["an error"]; a.Status != http.StatusNotFound || !strings.Contains(a.Text, "TASK_NOT_FOUND") {
		t.Errorf("an error: %+v", a)
	}
	if a := attempts["another method"]; a.Status != -1 {
		t.Errorf("another method: %+v", a)
	}
}
