package conformance_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// suites are the runs of the suite, each with the number of its cases: a run that
// leaves some out, or has none, is no success.
var suites = map[string]struct {
	mode, with string
	config     string
	failing    string
	files      []string // cases in place of those that the runner has built in
	cases      int
}{
	"connect/server":   {mode: "server", with: "connect", config: "connect.yaml", failing: "connect-server-known-failing.txt", cases: 1900},
	"connect/client":   {mode: "client", with: "connect", config: "connect.yaml", failing: "connect-client-known-failing.txt", cases: 2547},
	"connectv1/server": {mode: "server", with: "connectv1", config: "connect.yaml", failing: "connect-server-known-failing.txt", cases: 1900},
	"connectv1/client": {mode: "client", with: "connectv1", config: "connect.yaml", failing: "connect-client-known-failing.txt", cases: 2547},
	"grpc/server":      {mode: "server", with: "grpc", config: "grpc.yaml", failing: "grpc-server-known-failing.txt", cases: 374},
	"grpc/client":      {mode: "client", with: "grpc", config: "grpc.yaml", failing: "grpc-client-known-failing.txt", cases: 409},
	"jsonrpc/both":     {mode: "both", with: "jsonrpc", config: "jsonrpc.yaml", failing: "jsonrpc-known-failing.txt", cases: 204},
	"jsonrpc/one end": {
		mode: "both", with: "jsonrpc", config: "jsonrpc.yaml", failing: "jsonrpc-known-failing.txt", cases: 80,
		files: []string{"client_cancellation.yaml", "connect_client_code_to_http_code.yaml"},
	},
}

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite takes most of a minute")
	}
	bin := t.TempDir()
	for name, pkg := range map[string]string{
		"runner": "connectrpc.com/conformance/cmd/connectconformance",
		"server": "./cmd/server",
		"client": "./cmd/client",
	} {
		command(t, "go", "build", "-o", filepath.Join(bin, name), pkg)
	}
	for name, suite := range suites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--mode", suite.mode, "--conf", suite.config, "--known-failing", "@" + suite.failing, "-v"}
			for _, file := range suite.files {
				args = append(args, "--test-file", forBothEnds(t, file))
			}
			args = append(args, "--")
			if suite.mode != "server" {
				args = append(args, filepath.Join(bin, "client"), "--with", suite.with)
			}
			if suite.mode == "both" {
				args = append(args, "----")
			}
			if suite.mode != "client" {
				args = append(args, filepath.Join(bin, "server"), "--with", suite.with)
			}
			out, err := exec.CommandContext(t.Context(), filepath.Join(bin, "runner"), args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, failures(out))
			}
			total := regexp.MustCompile(`Total cases: (\d+)\n.*`).FindSubmatch(out)
			if total == nil {
				t.Fatalf("no summary in\n%s", out)
			}
			t.Logf("%s", total[0])
			if cases, _ := strconv.Atoi(string(total[1])); cases != suite.cases {
				t.Errorf("%d cases, want %d", cases, suite.cases)
			}
		})
	}
}

// forBothEnds returns a file of cases that the suite has for one end only, against
// its own program at the other, without what only that program sees: the HTTP
// status, which is another in JSON-RPC.
func forBothEnds(t *testing.T, file string) string {
	t.Helper()
	module := bytes.TrimSpace(command(t, "go", "list", "-m", "-f", "{{.Dir}}", "connectrpc.com/conformance"))
	cases, err := os.ReadFile(filepath.Join(string(module), "internal/app/connectconformance/testsuites/data", file))
	if err != nil {
		t.Fatal(err)
	}
	cases = regexp.MustCompile(`(?m)^( *httpStatusCode:|mode:).*\n`).ReplaceAll(cases, nil)
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, cases, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// failures returns what a report says of the cases that failed, and of the whole.
func failures(report []byte) []byte {
	if at := bytes.Index(report, []byte("FAILED:")); at >= 0 {
		return report[at:]
	}
	return report
}

func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%s %v: %v\n%s", name, args, err, failed.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
