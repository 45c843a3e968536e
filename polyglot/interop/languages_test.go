package interop_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/errmap/errmap/internal/results"
)

const a2aWires = "JSON-RPC, gRPC, HTTP+JSON"

// What a peer shows of the errors of errors.json.
const (
	whole = "code, message and each detail with its bytes"
	shown = "the error and its message; of details what the next table says"
)

// tell puts a peer into the table, if its tests passed.
func tell(t *testing.T, peer, version, wires, result string) {
	t.Helper()
	if !t.Failed() {
		found.Add(results.Row{Peer: peer, Version: version, Wires: wires, Errors: len(rows), Result: result})
	}
}

// TestInterop_JavaScript runs the clients of npm packages.
func TestInterop_JavaScript(t *testing.T) {
	t.Parallel()
	const lock = "javascript/package-lock.json"
	told := map[string]func(*testing.T){
		"a2a.test.js": func(t *testing.T) {
			tell(t, "@a2a-js/sdk, client", results.NPM(t, lock, "@a2a-js/sdk"), a2aWires, shown)
		},
		"connect.test.js": func(t *testing.T) {
			tell(t, "@connectrpc/connect-node", results.NPM(t, lock, "@connectrpc/connect-node"), "Connect, gRPC, gRPC-Web", whole)
		},
	}
	for file, tell := range told {
		t.Run(file, func(t *testing.T) {
			t.Cleanup(func() { tell(t) })
			runClient(t, "javascript", regexp.MustCompile(`(?m)^# pass (\d+)$`), "node", "--test", "--test-reporter", "tap", file)
		})
	}
}

// TestInterop_Python runs the clients of PyPI packages.
func TestInterop_Python(t *testing.T) {
	t.Parallel()
	python, err := filepath.Abs(build + "/interop-python/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	const pinned = "python/requirements.txt"
	told := map[string]func(*testing.T){
		"test_a2a.py": func(t *testing.T) {
			tell(t, "a2a-sdk for Python, client", results.PyPI(t, pinned, "a2a-sdk"), a2aWires, shown)
		},
		"test_connect.py": func(t *testing.T) {
			tell(t, "connectrpc for Python", results.PyPI(t, pinned, "connectrpc"), "Connect, gRPC, gRPC-Web", whole)
		},
		"test_grpc.py": func(t *testing.T) {
			tell(t, "grpcio with grpcio-status", results.PyPI(t, pinned, "grpcio"), "gRPC", whole)
		},
	}
	for file, tell := range told {
		t.Run(file, func(t *testing.T) {
			t.Cleanup(func() { tell(t) })
			runClient(t, "python", regexp.MustCompile(`(?m)^Ran (\d+) tests? in`), python, "-B", file)
		})
	}
}

// runClient runs a program in a folder, and expects it to say that it ran tests.
func runClient(t *testing.T, folder string, ran *regexp.Regexp, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = folder
	command.Env = environment
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	found := ran.FindSubmatch(output)
	if found == nil {
		t.Fatalf("it does not say what it ran\n%s", output)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil || n == 0 {
		t.Errorf("it ran no tests\n%s", output)
	}
	t.Logf("%d tests", n)
}
