package readme_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// fileLine is the first line of a block that is a file: its path as a comment.
var fileLine = regexp.MustCompile(`^(?://|#) ([\w./-]+\.\w+)$`)

// A script runs a document: it writes the blocks that are files, and runs those of
// shell, in the order in which they stand. Where a block of text follows commands, the
// last of them must print it.
func script(all []block) string {
	var b strings.Builder
	b.WriteString("set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n")
	for i, blk := range all {
		text := strings.Join(blk.lines, "\n")
		switch file := fileLine.FindStringSubmatch(blk.lines[0]); {
		case file != nil:
			fmt.Fprintf(&b, "mkdir -p %s\ncat > %s <<'END_OF_FILE'\n%s\nEND_OF_FILE\n", filepath.Dir(file[1]), file[1], text)
		case blk.language == "sh" && i+1 < len(all) && all[i+1].language == "text":
			lines := blk.lines[:len(blk.lines)-1]
			fmt.Fprintf(&b, "echo '%s:%d' >&2\n%s\n%s > printed.txt\ndiff -u - printed.txt <<'END_OF_FILE'\n%s\nEND_OF_FILE\n", blk.document, blk.line,
				strings.Join(lines, "\n"), blk.lines[len(lines)], strings.Join(all[i+1].lines, "\n"))
		case blk.language == "sh":
			fmt.Fprintf(&b, "echo '%s:%d' >&2\n%s\n", blk.document, blk.line, text)
			if strings.HasSuffix(text, "&") {
				host := "localhost:8080"
				if strings.Contains(text, "127.0.0.1:8080") {
					host = "127.0.0.1:8080"
				}
				fmt.Fprintf(&b, "curl -s -o /dev/null --retry 50 --retry-delay 1 --retry-connrefused http://%s/\n", host)
			}
		}
	}
	return b.String()
}

// TestFinding_N09 does what docs/start.md says, word for word: the schema generates,
// with google/api beside google/rpc, and the programs run. Modules come from the cache,
// as of the versions that this repository takes.
func TestFinding_N09(t *testing.T) {
	t.Parallel()
	all := blocks(t, started)
	if os.Getenv("ERRMAP_TEST_START") == "" {
		// The clients in other languages take npm and pip: make test-start.
		all = all[:slices.IndexFunc(all, func(b block) bool { return b.language == "sh" && strings.Contains(b.lines[0], "npm") })]
	}
	// The plugin's rules that the guide adds take the schema, and so does a repository
	// that has googleapis elsewhere.
	for _, b := range blocks(t, "docs/guide.md") {
		if b.language == "yaml" && b.lines[0] == "# buf.yaml" {
			all = append(all, b, block{document: b.document, line: b.line, language: "sh", lines: []string{
				"buf lint", "buf build proto -o released.binpb", "buf breaking proto --against released.binpb",
				"mkdir own && mv third_party/googleapis own/", "sed -i.bak s,third_party/googleapis,own/googleapis, buf.yaml",
				"buf lint && buf generate", "go build ./...",
			}})
		}
	}
	runDocument(t, all)
}

// runDocument runs a document in an empty directory, beside which is this repository
// where the clone would be.
func runDocument(t *testing.T, all []block, env ...string) {
	t.Helper()
	dir := t.TempDir()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(here, filepath.Join(dir, "errmap")); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(script(all), "localhost:8080", freeAddress(t))
	text = strings.ReplaceAll(text, "git clone https://github.com/errmap/errmap\n", "")
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.TrimSpace(string(cache))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOMODCACHE="+modules, "GOPATH="+filepath.Join(dir, "go"), "GOBIN=", "GOFLAGS=", "GOWORK=off",
		"GOPROXY=file://"+filepath.ToSlash(modules)+"/cache/download", "GONOSUMDB=*", "GONOSUMCHECK=1", "GOSUMDB=off"), env...)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Log(out.String())
}

// freeAddress returns an address of this machine that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
