package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// serve runs the command on a free port and returns its address, and what ends
// it: that returns the exit code and all that was printed.
func serve(t *testing.T, args ...string) (base string, stop func() (code int, stdout, stderr string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	var printed, errs bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), strings.NewReader(""), io.MultiWriter(write, &printed), &errs)
		_ = write.Close()
	}()
	first := make([]byte, 256)
	n, err := read.Read(first)
	if err != nil {
		t.Fatalf("exit %d: %s", <-done, errs.String())
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	base = regexp.MustCompile(`http://[^ /]+`).FindString(string(first[:n]))
	return base, func() (int, string, string) {
		cancel()
		code := <-done
		return code, printed.String(), errs.String()
	}
}

func get(t *testing.T, method, url, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(answer)
}

func TestServe(t *testing.T) {
	t.Parallel()
	base, stop := serve(t, "--url", "https://agent.example.com")
	const info = `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"nope"}}]`
	for name, test := range map[string]struct{ method, path, body, want string }{
		"JSON-RPC": {http.MethodPost, "/", `{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask","params":{"id":"nope"}}`,
			`{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32001,"message":"Task not found","data":` + info + `}}`},
		"HTTP+JSON": {http.MethodGet, "/tasks/nope", "",
			`{"error":{"code":404,"message":"Task not found","status":"NOT_FOUND","details":` + info + `}}`},
	} {
		if _, got := get(t, test.method, base+test.path, test.body); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, test.want)
		}
	}
	if _, got := get(t, http.MethodPost, base+"/lf.a2a.v1.A2AService/GetTask", `{"id":"nope"}`); !strings.HasPrefix(got, `{"code":"not_found","message":"Task not found"`) {
		t.Errorf("Connect: %s", got)
	}
	if _, got := get(t, http.MethodGet, base+"/.well-known/agent-card.json", ""); !strings.Contains(got, `"url":"https://agent.example.com/"`) {
		t.Errorf("the card: %s", got)
	}
	code, stdout, stderr := stop()
	if code != exitOK || !strings.HasSuffix(stdout, "stopped\n") || stderr != "" {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if strings.Count(stdout, "\n  curl ")+strings.Count(stdout, "\n  buf curl ") != 3 || !strings.Contains(stdout, base+"/.well-known/agent-card.json") {
		t.Errorf("the welcome: %s", stdout)
	}
	if _, err := http.Get(base); err == nil {
		t.Error("the port is still open")
	}
}

func TestServe_Misused(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"an unknown flag":        {[]string{"serve", "--port", "80"}, exitUsage, "errmap: serve: unknown flag --port: the flags are --addr, --allow-host, --allow-origin, --listen, --url, --help"},
		"an argument":            {[]string{"serve", "now"}, exitUsage, `unexpected argument "now"`},
		"a flag without a value": {[]string{"serve", "--listen"}, exitUsage, "flag needs an argument: --listen: want its address"},
		"a port that is taken": {
			[]string{"serve", "--listen", taken.Addr().String()}, exitFailure,
			"address already in use: another program listens there; give another port with --listen, or port 0 for a free one\n",
		},
		"no address":             {[]string{"serve", "--listen", "nowhere"}, exitUsage, `--listen "nowhere": want HOST:PORT such as :8080 or localhost:0`},
		"a port alone":           {[]string{"serve", "--listen", "18412"}, exitUsage, `--listen "18412": want HOST:PORT`},
		"a host alone":           {[]string{"serve", "--listen", "localhost:"}, exitUsage, `--listen "localhost:": want HOST:PORT`},
		"no port":                {[]string{"serve", "--listen", ":99999"}, exitUsage, `--listen ":99999": want HOST:PORT`},
		"no origin":              {[]string{"serve", "--allow-origin", "app"}, exitUsage, `--allow-origin "app": want its origin`},
		"no URL":                 {[]string{"serve", "--url", "foo"}, exitUsage, `--url "foo": want an http:// or https:// URL`},
		"a URL without a scheme": {[]string{"serve", "--url", "agent.example.com:443"}, exitUsage, `want an http:// or https:// URL`},
		"an unknown command":     {[]string{"sevre"}, exitUsage, `errmap: unknown command "sevre": want one of the commands serve, `},
		"an unknown first flag":  {[]string{"--addr"}, exitUsage, `errmap: unknown flag "--addr"`},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), test.args, strings.NewReader(""), &stdout, &stderr)
		if code != test.code || !strings.Contains(stderr.String(), test.want) || stdout.Len() > 0 {
			t.Errorf("%s: exit %d, %q, %q", name, code, stdout.String(), stderr.String())
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want []string
	}{
		"nothing":  {nil, []string{"errmap <command>", "serve", "Exit codes"}},
		"help":     {[]string{"--help"}, []string{"errmap <command>"}},
		"of one":   {[]string{"serve", "--help"}, []string{"errmap serve [flags]", "--listen address", "--addr address", "(default localhost:8080)", "A2A-Version: 1.0", "Examples:"}},
		"help one": {[]string{"help", "serve"}, []string{"errmap serve [flags]"}},
		"version":  {[]string{"--version"}, []string{"errmap ", " go1."}},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), test.args, strings.NewReader(""), &stdout, &stderr)
		for _, want := range test.want {
			if code != exitOK || !strings.Contains(stdout.String(), want) || stderr.Len() > 0 {
				t.Errorf("%s: exit %d, no %q in %q, %q", name, code, want, stdout.String(), stderr.String())
			}
		}
	}
}
