package soak_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// memoryLimit is what the runtime of errmap serve is told to keep to, which it does where
// what lives is less, and peakLimit is how much the process may have had then: the runtime
// counts neither the program nor what it is about to give back.
const (
	memoryLimit = "256MiB"
	peakLimit   = 320 << 20
)

// process is errmap serve in a process of its own.
type process struct {
	base string
	pid  int
}

func startServe(t *testing.T) process {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "errmap")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/errmap/errmap/cmd/errmap")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := exec.CommandContext(t.Context(), binary, "serve", "--addr", "127.0.0.1:0")
	command.Env = append(os.Environ(), "GOMEMLIMIT="+memoryLimit)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return process{regexp.MustCompile(`http://[^ ]+`).FindString(line), command.Process.Pid}
}

// memory returns a line of what the system tells of the process, in bytes: VmHWM for
// the most it had, VmRSS for what it has.
func (p process) memory(t *testing.T, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, alive := strings.Cut(string(status), name+":")
	if !alive {
		t.Fatal("the process is gone")
	}
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

func zipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

func repeated(n int, call string) string {
	calls := make([]string, n)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, call)
	}
	return "[" + strings.Join(calls, ",") + "]"
}

// request is one of HTTP/1.1 with a JSON body, less what has to be said of that.
func request(path, headers, body string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n" + headers +
		"Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// attacks are requests that cost little, each with how many connections it comes on at
// the same time. None of them reads its answer.
func attacks() map[string]struct {
	connections int
	text        string
} {
	var many strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&many, "%x:\r\n", i)
	}
	var few strings.Builder
	for i := range 100 {
		fmt.Fprintf(&few, "%x:\r\n", i)
	}
	const packed = "Content-Encoding: gzip\r\n"
	getTask := `"method":"GetTask","params":{"id":"a"}`
	stream := `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"wait 20s"}]}}}`
	parts := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[` + strings.Repeat("{},", (4<<20-200)/3) + `{}]}}`
	large := `{"message":{"messageId":"m","role":"ROLE_USER","x":"` + strings.Repeat("x", 4<<20-200) + `"}}`
	return map[string]struct {
		connections int
		text        string
	}{
		"headers":               {4, request("/", many.String(), repeated(400, getTask))},
		"headers of a batch":    {20, request("/", few.String(), repeated(1000, getTask))},
		"discovery":             {60, request("/", packed, zipped(repeated(1000, `"method":"rpc.discover"`)))},
		"discovery, packed":     {20, request("/", packed+"Accept-Encoding: gzip\r\n", zipped(repeated(1000, `"method":"rpc.discover"`)))},
		"long names":            {20, request("/", packed, zipped(`{"jsonrpc":"2.0","method":"`+strings.Repeat("m", 4<<20-100)+`"}`))},
		"notifications":         {20, request("/", packed, zipped("["+strings.Repeat(`{"jsonrpc":"2.0","method":"m"},`, 999)+`{"jsonrpc":"2.0","method":"m"}]`))},
		"large bodies":          {40, request("/message:send", packed, zipped(large))},
		"many parts":            {10, request("/", packed, zipped(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":`+strings.ReplaceAll(parts, "{},{},{},{}", "{},{},{}")+`}`))},
		"many parts, HTTP+JSON": {10, request("/message:send", packed, zipped(parts))},
		"many parts, Connect":   {10, request("/lf.a2a.v1.A2AService/SendMessage", packed, zipped(parts))},
		"large bodies, Connect": {40, request("/lf.a2a.v1.A2AService/SendMessage", packed, zipped(large))},
		"discovery of Connect":  {20, request("/lf.a2a.v1.A2AService/ListTasks", "", `{}`)},
		"streams":               {1030, request("/", "Accept: text/event-stream\r\n", stream)},
		"slow bodies":           {200, strings.TrimSuffix(request("/message:send", "", `{"message":1}`), "}")},
		"idle":                  {500, ""},
	}
}

// While the worst of each comes at once, every honest caller is answered, and the process
// stays within its memory.
func TestFinding_A02_AttackedAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("measures memory as Linux tells it")
	}
	p, all := startServe(t), attacks()
	// At least 15 s, and as long as a slow machine needs for ten honest calls a protocol.
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var running sync.WaitGroup
	for _, attack := range all {
		for range attack.connections {
			running.Go(func() { hold(ctx, p.base, attack.text) })
		}
	}
	honest := map[string]func() error{
		"JSON-RPC": func() error {
			return honestly(p.base+"/", `{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"nope"}}`, `"id":7,"error":{"code":-32001,`)
		},
		"HTTP+JSON": func() error { return honestly(p.base+"/tasks/nope", "", `"status":"NOT_FOUND"`) },
		"Connect": func() error {
			return honestly(p.base+"/lf.a2a.v1.A2AService/GetTask", `{"id":"nope"}`, `"code":"not_found"`)
		},
	}
	var mu sync.Mutex
	answered, longest := map[string]int{}, time.Duration(0)
	for name, call := range honest {
		running.Go(func() {
			for ctx.Err() == nil {
				start := time.Now()
				if err := call(); err != nil {
					t.Errorf("an honest caller over %s: %v", name, err)
					return
				}
				mu.Lock()
				answered[name]++
				longest = max(longest, time.Since(start))
				if time.Since(begin) > 15*time.Second && len(answered) == len(honest) && !slices.ContainsFunc(slices.Collect(maps.Values(answered)), func(n int) bool { return n < 10 }) {
					cancel()
				}
				mu.Unlock()
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	running.Wait()
	peak := p.memory(t, "VmHWM")
	t.Logf("peak %d MiB, honest calls %v, the longest %v", peak>>20, answered, longest)
	if peak > peakLimit {
		t.Errorf("the process had %d MiB", peak>>20)
	}
	for name := range honest {
		if answered[name] < 10 {
			t.Errorf("%s: %d honest calls were answered", name, answered[name])
		}
	}
}

// hold sends a request and reads nothing until ctx ends.
func hold(ctx context.Context, base, text string) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		return
	}
	defer conn.Close()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4096)
	}
	_, _ = io.WriteString(conn, text)
	<-ctx.Done()
}

// honestly makes a call that has a quarter of a minute.
func honestly(url, body, want string) error {
	client := &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequest(method, url, strings.NewReader(body)) //nolint:noctx // the client has a time limit
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && !strings.Contains(string(text), want) {
		err = fmt.Errorf("answered with %d %s", response.StatusCode, text)
	}
	return err
}

// Answers that nobody reads are gone after the time to write.
func TestFinding_A02_UnreadAreGone(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 45 s")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("measures memory as Linux tells it")
	}
	p := startServe(t)
	attack := attacks()["discovery"]
	ctx, cancel := context.WithTimeout(t.Context(), 42*time.Second)
	defer cancel()
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() { hold(ctx, p.base, attack.text) })
	}
	time.Sleep(40 * time.Second)
	if open := p.connections(t); open > 1 {
		t.Errorf("%d connections are open", open)
	}
	if now := p.memory(t, "VmRSS"); now > 200<<20 {
		t.Errorf("the process has %d MiB", now>>20)
	}
	running.Wait()
}

// connections counts the sockets of the process.
func (p process) connections(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.pid))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		if to, err := os.Readlink(f); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}
