//go:build interop

package interop_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestInterop_JavaScript runs the clients of npm packages.
func TestInterop_JavaScript(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"a2a.test.js", "connect.test.js"} {
		t.Run(file, func(t *testing.T) {
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
	for _, file := range []string{"test_a2a.py", "test_connect.py", "test_grpc.py"} {
		t.Run(file, func(t *testing.T) {
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
