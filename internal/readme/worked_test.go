package readme_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The README of the worked example shows what its clients print; make
// test-example holds the clients to the same file.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	const example = "docs/example"
	want, err := os.ReadFile(filepath.Join(root, example, "expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := blocks(t, filepath.Join(example, "README.md"))
	i := slices.IndexFunc(all, func(b block) bool { return b.language == "text" })
	if i < 0 {
		t.Fatal("the README shows no output")
	}
	if diff := cmp.Diff(string(want), strings.Join(all[i].lines, "\n")+"\n"); diff != "" {
		t.Errorf("(-expected.txt +README.md):\n%s", diff)
	}
	if dir := os.Getenv("ERRMAP_TEST_EXAMPLE"); dir != "" {
		runWorked(t, dir, all)
	}
	makefile, err := os.ReadFile(filepath.Join(root, example, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	// What the README runs is what the Makefile runs.
	for _, client := range []string{"bin/client", "node typescript/dist/client.js", "python/client.py"} {
		inReadme := slices.ContainsFunc(all, func(b block) bool {
			return b.language == "sh" && strings.Contains(strings.Join(b.lines, "\n"), client)
		})
		if !inReadme || !strings.Contains(string(makefile), client) {
			t.Errorf("%s is not run by both README.md and Makefile", client)
		}
	}
}

// runWorked runs the commands of the README in a copy of the example that make has
// built, as make test-example does.
func runWorked(t *testing.T, dir string, all []block) {
	t.Helper()
	all = slices.DeleteFunc(all, func(b block) bool { return b.language == "sh" && strings.HasPrefix(b.lines[0], "make") })
	text := strings.ReplaceAll(script(all), "127.0.0.1:8080", freeAddress(t))
	cmd := exec.CommandContext(t.Context(), "bash", "-c", text)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
