// The tests of this module try what make -C tools/release all has made, as those
// would who get it: make release-check in the root runs both.
package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	root = "../.."
	made = root + "/.build/release"
)

// absolute is the absolute path of a file below the root.
func absolute(t *testing.T, name ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{root}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// one is the file of the pattern below what was made, of which there must be one.
func one(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(made, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: found %q, %v: run make release-check in the root", pattern, found, err)
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// command is a program to run in a directory, with variables added to the
// environment.
type command struct {
	dir string
	env []string
}

// run runs the program and returns its standard output; it must succeed.
func (c command) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	stdout, stderr, err := c.try(t.Context(), name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout
}

func (c command) try(ctx context.Context, name string, args ...string) (stdout, stderr string, err error) {
	if !filepath.IsAbs(name) && strings.Contains(name, "/") {
		name = filepath.Join(c.dir, name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), c.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// write writes a file below the directory.
func (c command) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
