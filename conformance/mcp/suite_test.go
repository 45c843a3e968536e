//go:build all

package mcp_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// suites are the runs of the suite, each with the number of its scenarios and of
// their checks when the bare SDK is tested: a run that leaves some out, or has
// none, is no success. Without a revision they are all scenarios that the suite has,
// with the extensions; the SDK fails some.
var suites = []struct {
	end, revision     string
	args              []string // of the server
	scenarios, checks int
}{
	{"server", "2025-11-25", []string{"-stateless=false"}, 33, 82},
	{"server", "2026-07-28", nil, 40, 153},
	{"client", "2025-11-25", nil, 19, 272},
	{"client", "2026-07-28", nil, 33, 445},
	{"server", "", []string{"-stateless=false"}, 65, 202},
	{"client", "", nil, 48, 507},
}

// The suite finds nothing in the programs of the SDK with errmapmcp in them that
// it does not find in them without it: each check of each scenario has the same
// outcome, in both revisions.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"server", "client"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			bare, with := build(t, end)
			for _, suite := range suites {
				if suite.end != end {
					continue
				}
				t.Run(nameOf(suite.revision), func(t *testing.T) {
					want := outcomes(t, end, suite.revision, bare, suite.args)
					got := outcomes(t, end, suite.revision, with, suite.args)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("not as the bare SDK (-bare +errmapmcp):\n%s", diff)
					}
					scenarios, checks, failed := tally(want)
					t.Logf("%s, %s: %d scenarios, %d checks, %d failed, each as the bare SDK has it", end, nameOf(suite.revision), scenarios, checks, failed)
					if scenarios != suite.scenarios || checks < suite.checks {
						t.Errorf("there are %d scenarios and %d checks, want %d and %d", scenarios, checks, suite.scenarios, suite.checks)
					}
				})
			}
		})
	}
}

func nameOf(revision string) string {
	if revision == "" {
		return "all"
	}
	return revision
}

// outcomes runs the suite over a program, and returns the outcome of each check by
// its scenario.
func outcomes(t *testing.T, end, revision, path string, args []string) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	suite := []string{
		filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"),
		end, "--suite", "all", "--output-dir", dir,
	}
	if revision != "" {
		suite = append(suite, "--spec-version", revision)
	}
	if end == "client" {
		suite = append(suite, "--command", path)
	} else {
		suite = append(suite, "--url", serve(t, path, args))
	}
	out, err := exec.CommandContext(t.Context(), node(t), suite...).CombinedOutput()
	found := checks(t, dir)
	if len(found) == 0 {
		t.Fatalf("the suite ended with %v and no result:\n%s", err, out)
	}
	return found
}

// node returns the path of the Node that package.json pins: the suite needs a
// newer one than the rest of the project.
func node(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", ".bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: make test-mcp installs it", err)
	}
	return path
}

// serve starts the everything-server, and returns its URL.
func serve(t *testing.T, path string, args []string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	command := exec.Command(path, append([]string{"-http=" + address}, args...)...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	for range 100 {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return "http://" + address
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("nothing listens on %s", address)
	return ""
}

// stamp is the time that the suite adds to the name of a directory.
var stamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[0-9-]+Z$`)

// checks reads what the suite wrote.
func checks(t *testing.T, dir string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var all []struct{ ID, Name, Status string }
		if err := json.Unmarshal(text, &all); err != nil {
			return err
		}
		scenario, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		scenario = stamp.ReplaceAllString(scenario, "")
		found[scenario] = []string{}
		for _, check := range all {
			found[scenario] = append(found[scenario], fmt.Sprintf("%s %s: %s", check.ID, check.Name, check.Status))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tally counts scenarios, their checks that are more than a remark, and those of
// them that failed.
func tally(found map[string][]string) (scenarios, checks, failed int) {
	for _, outcomes := range found {
		for _, outcome := range outcomes {
			switch {
			case strings.HasSuffix(outcome, ": SUCCESS"):
				checks++
			case strings.HasSuffix(outcome, ": FAILURE"):
				checks++
				failed++
			}
		}
	}
	return len(found), checks, failed
}
