// Mutate runs gremlins over the Go files of packages, one after another, in a copy of
// the repository, and prints what the tests saw. It goes on where it stopped: what was
// found of a file is kept until the Go files of its package change.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// found is what gremlins says of one file.
type found struct {
	Files []struct {
		Name      string     `json:"file_name"`
		Mutations []mutation `json:"mutations"`
	} `json:"files"`
}

type mutation struct {
	Type   string `json:"type"`
	Status string `json:"status"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// What gremlins says of a mutation that no test failed for, and of one that no test ran.
const (
	lived      = "LIVED"
	notCovered = "NOT COVERED"
)

func main() {
	root := flag.String("root", "..", "the directory of the module")
	gremlins := flag.String("gremlins", "", "the gremlins binary")
	kept := flag.String("kept", "", "the directory for what was found")
	only := flag.String("files", "", "a regular expression for the names of files; default all")
	limit := flag.Duration("for", 45*time.Minute, "how long to run at most")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	r := &runner{root: *root, gremlins: *gremlins, kept: *kept, out: os.Stdout}
	if err := r.run(ctx, flag.Args(), regexp.MustCompile(*only)); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

type runner struct {
	root, gremlins, kept string
	out                  io.Writer
}

// run mutates each package's files that were not mutated as they are, until ctx ends,
// and prints what is known of all.
func (r *runner) run(ctx context.Context, packages []string, only *regexp.Regexp) error {
	for _, p := range packages {
		files, key, err := r.sources(p)
		if err != nil {
			return err
		}
		for _, f := range files {
			if !only.MatchString(f) {
				continue
			}
			path := filepath.Join(r.kept, key, f+".json")
			if _, err := os.Stat(path); err != nil && ctx.Err() == nil {
				if err := r.mutate(ctx, p, f, path); err != nil {
					return fmt.Errorf("%s/%s: %w", p, f, err)
				}
			}
			if err := r.print(p, f, path); err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		fmt.Fprintln(r.out, "The time is over: run it again for the rest.")
	}
	return nil
}

// sources returns the files of a package that have code, and what tells its state.
func (r *runner) sources(p string) (files []string, key string, err error) {
	all, err := filepath.Glob(filepath.Join(r.root, p, "*.go"))
	if err != nil || len(all) == 0 {
		return nil, "", errors.Join(err, fmt.Errorf("%s has no Go files", p))
	}
	sum := sha256.New()
	for _, f := range all {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, "", err
		}
		name := filepath.Base(f)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		if !strings.HasSuffix(name, "_test.go") && name != "doc.go" {
			files = append(files, name)
		}
	}
	return files, strings.ReplaceAll(p, "/", "_") + "-" + hex.EncodeToString(sum.Sum(nil))[:12], nil
}

// mutate runs gremlins over one file, and keeps what it found.
func (r *runner) mutate(ctx context.Context, p, file, path string) error {
	work, err := os.MkdirTemp(r.kept, "work")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	others, err := filepath.Glob(filepath.Join(r.root, p, "*.go"))
	if err != nil {
		return err
	}
	result := filepath.Join(work, "result.json")
	// It copies the module into TMPDIR, goes into the packages below, and has the machine
	// to itself one at a time.
	args := []string{"unleash", "./" + p, "--workers", "1", "--test-cpu", "1", "--timeout-coefficient", "10", "--output", result, "--exclude-files", "/"}
	for _, other := range others {
		if name := filepath.Base(other); name != file {
			args = append(args, "--exclude-files", "^"+regexp.QuoteMeta(name)+"$")
		}
	}
	command := exec.CommandContext(ctx, r.gremlins, args...)
	command.Dir = r.root
	command.Env = append(os.Environ(), "TMPDIR="+work)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	said, err := command.CombinedOutput()
	if ctx.Err() != nil {
		return nil // it said what it had, and not all
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	text, err := os.ReadFile(result)
	if errors.Is(err, os.ErrNotExist) { // nothing to mutate
		text, err = []byte("{}"), nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// print says what is known of a file, with the lines of what no test saw.
func (r *runner) print(p, file, path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(r.out, "%s/%s: not run\n", p, file)
		return nil
	}
	var all found
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return err
	}
	source, err := os.ReadFile(filepath.Join(r.root, p, file))
	if err != nil {
		return err
	}
	lines, counts := strings.Split(string(source), "\n"), map[string]int{}
	var unseen []string
	for _, f := range all.Files {
		slices.SortFunc(f.Mutations, func(a, b mutation) int { return a.Line - b.Line })
		for _, m := range f.Mutations {
			counts[m.Status]++
			if m.Status != lived && m.Status != notCovered || m.Line > len(lines) {
				continue
			}
			unseen = append(unseen, fmt.Sprintf("  %s/%s:%d:%d: %s %s: %s", p, file, m.Line, m.Column, m.Status, m.Type, strings.TrimSpace(lines[m.Line-1])))
		}
	}
	fmt.Fprintf(r.out, "%s/%s: %d killed, %d timed out, %d lived, %d not covered\n", p, file, counts["KILLED"], counts["TIMED OUT"], counts[lived], counts[notCovered])
	for _, line := range unseen {
		fmt.Fprintln(r.out, line)
	}
	return nil
}
