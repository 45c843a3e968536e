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
