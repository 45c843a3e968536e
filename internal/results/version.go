package results

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Go returns the version of a Go module that go.mod has.
func Go(t *testing.T, module string) string {
	t.Helper()
	// The context of a test has ended where its clean-up asks.
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "go", "list", "-m", "-f", "{{.Version}}", module).Output() //nolint:gosec // a name from a test
	if err != nil {
		t.Fatalf("the version of %s: %v", module, err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
}

// NPM returns the version of a package that package-lock.json has.
func NPM(t *testing.T, lock, name string) string {
	t.Helper()
	var content struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal([]byte(read(t, lock)), &content); err != nil {
		t.Fatal(err)
	}
	version := content.Packages["node_modules/"+name].Version
	if version == "" {
		t.Fatalf("%s has no %s", lock, name)
	}
	return version
}

// Pinned returns what a pattern's first group matches in a file, such as the
// version of a package in requirements.txt, Cargo.lock or pom.xml.
func Pinned(t *testing.T, path, pattern string) string {
	t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(read(t, path))
	if match == nil {
		t.Fatalf("%s has no %s", path, pattern)
	}
	return match[1]
}

// PyPI returns the version of a package that requirements.txt has.
func PyPI(t *testing.T, requirements, name string) string {
	t.Helper()
	return Pinned(t, requirements, `(?m)^`+regexp.QuoteMeta(name)+`==(\S+)$`)
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path) //nolint:gosec // a path from a test
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
