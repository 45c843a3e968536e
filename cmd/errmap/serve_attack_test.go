package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// open sends the beginning of a request.
func open(t *testing.T, base, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// A connection that is held ends in the time that server/httpserver gives it.
func TestFinding_A09_serve(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 40 s")
	}
	t.Parallel()
	base, stop := serve(t)
	defer stop()
	const header = " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: 1000\r\n\r\n{"
	connections := map[string]net.Conn{}
	for name, first := range map[string]string{
		"Connect":    "POST /lf.a2a.v1.A2AService/GetTask",
		"JSON-RPC":   "POST /",
		"HTTP+JSON":  "POST /message:send",
		"reflection": "POST /grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
		"health":     "POST /grpc.health.v1.Health/Check",
		"agent card": "GET /.well-known/agent-card.json",
	} {
		connections[name] = open(t, base, first+header)
	}
	end := time.Now().Add(50 * time.Second)
	for name, c := range connections {
		_ = c.SetReadDeadline(end)
		_, err := io.ReadAll(c)
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
			t.Errorf("%s: a body that does not come is waited for", name)
		}
	}
}

// startTask makes a task that takes a while, and returns its answer once it is there.
func startTask(t *testing.T, base, text string) <-chan string {
	t.Helper()
	answer := make(chan string, 1)
	go func() {
		_, got := get(t, http.MethodPost, base, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"`+text+`"}]}}}`)
		answer <- got
	}()
	for { // until the task runs
		_, list := get(t, http.MethodPost, base, `{"jsonrpc":"2.0","id":2,"method":"ListTasks","params":{}}`)
		if strings.Contains(list, "TASK_STATE_WORKING") {
			return answer
		}
		time.Sleep(time.Millisecond)
	}
}

// A call that runs when the command is told to stop is finished, and so is a request
// whose body is on its way.
func TestFinding_A18_serveFinishes(t *testing.T) {
	t.Parallel()
	base, stop := serve(t)
	answer := startTask(t, base, "wait 1500ms")
	body := `{"jsonrpc":"2.0","id":3,"method":"GetTask","params":{"id":"nope"}}`
	slow := open(t, base, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: "+
		"66\r\n\r\n"+body[:10])
	if len(body) != 66 {
		t.Fatal(len(body))
	}
	time.AfterFunc(time.Second, func() { _, _ = io.WriteString(slow, body[10:]) })
	time.Sleep(50 * time.Millisecond) // for the server to see the request
	code, stdout, stderr := stop()
	if got := <-answer; !strings.Contains(got, `"state":"TASK_STATE_COMPLETED"`) {
		t.Errorf("the task's answer: %s", got)
	}
	if got, _ := io.ReadAll(slow); !strings.Contains(string(got), `"id":3,"error"`) {
		t.Errorf("the slow body's answer: %q", got)
	}
	if code != exitOK || !strings.HasSuffix(stdout, "stopped\n") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
}

// What takes too long is told that the server stops, and the exit code tells it too.
func TestFinding_A18_serveGivesUp(t *testing.T) {
	t.Parallel()
	base, stop := serve(t)
	answer := startTask(t, base, "wait 1m")
	slow := open(t, base, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 66\r\n\r\n{")
	time.Sleep(50 * time.Millisecond)
	code, _, stderr := stop()
	if got := <-answer; !strings.Contains(got, `"state":"TASK_STATE_FAILED"`) && !strings.Contains(got, `-31503`) {
		t.Errorf("the task's answer: %s", got)
	}
	if got, _ := io.ReadAll(slow); !strings.HasPrefix(string(got), "HTTP/1.1 503 ") {
		t.Errorf("the slow body's answer: %q", got)
	}
	if code != exitFailure || !strings.Contains(stderr, "calls that ran were given up after 5s") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
	if _, err := http.Get(base); err == nil {
		t.Error("the port is still open")
	}
}

// mounts are a path of each.
var mounts = map[string]string{
	"JSON-RPC":   "/",
	"HTTP+JSON":  "/message:send",
	"no body":    "/tasks/1:cancel",
	"Connect":    "/lf.a2a.v1.A2AService/SendMessage",
	"health":     "/grpc.health.v1.Health/Check",
	"reflection": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
}

const sendMessage = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`

func exchange(t *testing.T, method, url, body string, header map[string]string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("A2A-Version", "1.0")
	for key, value := range header {
		if r.Header.Set(key, value); key == "Host" {
			r.Host = value
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func TestFinding_A08_serve(t *testing.T) {
	t.Parallel()
	const evil, app = "https://evil.example.com", "https://app.example.com"
	base, stop := serve(t, "--allow-origin", app)
	defer stop()
	for name, path := range mounts {
		body := sendMessage
		if name == "no body" {
			body = ""
		}
		for what, header := range map[string]map[string]string{
			"a page":                     {"Origin": evil, "Sec-Fetch-Site": "cross-site"},
			"a page, JSON":               {"Origin": evil, "Sec-Fetch-Site": "cross-site", "Content-Type": "application/json"},
			"a page of an old browser":   {"Origin": evil},
			"a name that resolves here":  {"Origin": "http://evil.example.com", "Sec-Fetch-Site": "same-origin", "Host": "evil.example.com", "Content-Type": "application/json"},
			"the same without an origin": {"Host": "evil.example.com", "Content-Type": "application/json"},
		} {
			if got := exchange(t, http.MethodPost, base+path, body, header); got.StatusCode != http.StatusForbidden || got.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s from %s: status %d, headers %v", name, what, got.StatusCode, got.Header)
			}
		}
		if name == "no body" || name == "reflection" { // which needs HTTP/2
			continue
		}
		if got := exchange(t, http.MethodPost, base+path, body, nil); got.StatusCode != http.StatusUnsupportedMediaType {
			t.Errorf("%s without a content type: status %d", name, got.StatusCode)
		}
		preflight := map[string]string{"Origin": app, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "a2a-version,authorization,content-type"}
		got := exchange(t, http.MethodOptions, base+path, "", preflight)
		if got.Header.Get("Access-Control-Allow-Origin") != app || got.Header.Get("Access-Control-Allow-Methods") != "POST" {
			t.Errorf("%s, preflight: headers %v", name, got.Header)
		}
		preflight["Access-Control-Request-Method"] = "DELETE"
		if got := exchange(t, http.MethodOptions, base+path, "", preflight); got.Header.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("%s, preflight for a method that it has not: headers %v", name, got.Header)
		}
		preflight["Access-Control-Request-Method"], preflight["Origin"] = "POST", evil
		if got := exchange(t, http.MethodOptions, base+path, "", preflight); got.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s, preflight of another origin: headers %v", name, got.Header)
		}
	}
	got := exchange(t, http.MethodPost, base+"/message:send", sendMessage, map[string]string{"Origin": app, "Sec-Fetch-Site": "cross-site", "Content-Type": "application/json"})
	if got.StatusCode != http.StatusOK || got.Header.Get("Access-Control-Allow-Origin") != app || !strings.Contains(got.Header.Get("Access-Control-Expose-Headers"), "Retry-After") {
		t.Errorf("the allowed origin: status %d, headers %v", got.StatusCode, got.Header)
	}
	got = exchange(t, http.MethodGet, base+"/tasks/nope", "", map[string]string{"Origin": evil, "Sec-Fetch-Site": "cross-site"})
	if got.StatusCode != http.StatusNotFound {
		t.Errorf("a link of another page: status %d", got.StatusCode)
	}
}
