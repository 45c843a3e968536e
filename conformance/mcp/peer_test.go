//go:build all

package mcp_test

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/errmap/errmap/internal/results"
)

// python returns the path of the Python that has the official SDK.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("MCP_PYTHON")
	if path == "" {
		t.Fatal("MCP_PYTHON is not set: make test-mcp sets it")
	}
	return path
}

// found is what the tests found out, for the table of docs/interop.md.
var found = results.New("../../docs/interop.md", "MCP")

func TestMain(m *testing.M) { os.Exit(found.Run(m)) }

// peer is a program on one of the official SDKs.
type peer struct {
	name    string
	version func(*testing.T) string
	command func(t *testing.T, args ...string) *exec.Cmd
}

// tell puts what a peer does into the table, if its test passed.
func (p peer) tell(t *testing.T, wires string, errs int, result string) {
	t.Helper()
	if !t.Failed() {
		found.Add(results.Row{Peer: p.name, Version: p.version(t), Wires: wires, Errors: errs, Result: result})
	}
}

// ofPython and ofNPM return the version of a package that is installed.
func ofPython(t *testing.T) string { return results.PyPI(t, "python/requirements.txt", "mcp") }

func ofNPM(name string) func(*testing.T) string {
	return func(t *testing.T) string { return results.NPM(t, "package-lock.json", name) }
}

func inPython(file string) func(*testing.T, ...string) *exec.Cmd {
	return func(t *testing.T, args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), python(t), append([]string{filepath.Join("python", file)}, args...)...)
	}
}

func inJavaScript(file string) func(*testing.T, ...string) *exec.Cmd {
	return func(t *testing.T, args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), node(t), append([]string{filepath.Join("javascript", file)}, args...)...)
	}
}

// start starts a server of a peer, and returns its address once it listens.
func (p peer) start(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	command := p.command(t, strconv.Itoa(port))
	var stderr strings.Builder
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
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
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		_ = command.Process.Kill()
		_ = command.Wait()
		t.Fatalf("%s does not start: %q, %v\n%s", p.name, line, err, stderr.String())
	}
	address := "127.0.0.1:" + strconv.Itoa(port)
	for range 100 { // ready may come a moment before the port is open
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return "http://" + address
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("nothing listens on %s", address)
	return ""
}
