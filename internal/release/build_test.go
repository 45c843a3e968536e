package release_test

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Every command tells its name and its version, and is the same bytes whenever it
// is installed from one source. With -trimpath it is so wherever, too; that would
// compile every dependency once more here.
func TestInstall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it links every command twice")
	}
	first, second := install(t), install(t)
	commands, err := os.ReadDir(root + "/cmd")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		if !c.IsDir() {
			continue
		}
		name := c.Name()
		one, two := digest(t, filepath.Join(first, name)), digest(t, filepath.Join(second, name))
		if one != two {
			t.Errorf("%s was built into %x and into %x", name, one, two)
		}
		out, err := exec.Command(filepath.Join(first, name), "--version").CombinedOutput() //nolint:gosec // built above
		if want := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + ` \S+(?s:.*)\n$`); err != nil || !want.Match(out) {
			t.Errorf("%s --version: %v: %q", name, err, out)
		}
	}
}

// install installs every command into a directory of its own.
func install(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	c := exec.Command("go", "install", "-buildvcs=false", "./cmd/...")
	c.Dir = root
	c.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	return dir
}

func digest(t *testing.T, path string) [sha256.Size]byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(content)
}
