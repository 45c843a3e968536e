package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"buf.build/go/bufplugin/check"
	"buf.build/go/bufplugin/check/checktest"
	"buf.build/go/bufplugin/descriptor"
	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/internal/plugin"
)

const root = "../../.."

var update = flag.Bool("update", false, "write the wanted annotations in testdata anew")

func TestSpec(t *testing.T) {
	t.Parallel()
	checktest.SpecTest(t, newSpec())
}

// Each directory of testdata/lint is named for a rule. Its fail.proto breaks
// that rule alone, its pass.proto keeps all of them, and want.txt has the
// annotations, text and place. Other files are further cases for want.txt.
func TestLint(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, rule := range plugin.LintRules() {
		ids = append(ids, rule.ID)
	}
	eachRule(t, "testdata/lint", ids, func(t *testing.T, dir string) {
		files := protoFiles(t, dir)
		if !slices.Contains(files, "fail.proto") || !slices.Contains(files, "pass.proto") {
			t.Fatalf("%s lacks fail.proto or pass.proto", dir)
		}
		var failing []string
		for _, file := range files {
			if file != "pass.proto" {
				failing = append(failing, annotations(t, protoFileSpec(dir, file), nil, ids)...)
			}
		}
		compareWant(t, dir, failing)
		if passing := annotations(t, protoFileSpec(dir, "pass.proto"), nil, ids); len(passing) > 0 {
			t.Errorf("pass.proto has mistakes:\n%s", strings.Join(passing, "\n"))
		}
	})
}

// Each directory of testdata/breaking is named for a rule: the schema in after
// breaks it against the one in before, the one in fine keeps all rules.
func TestBreaking(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, rule := range plugin.BreakingRules() {
		ids = append(ids, rule.ID)
	}
	eachRule(t, "testdata/breaking", ids, func(t *testing.T, dir string) {
		all := func(name string) *checktest.ProtoFileSpec {
			sub := filepath.Join(dir, name)
			return protoFileSpec(sub, protoFiles(t, sub)...)
		}
		compareWant(t, dir, annotations(t, all("after"), all("before"), ids))
		for _, name := range []string{"fine", "before"} {
			if passing := annotations(t, all(name), all("before"), ids); len(passing) > 0 {
				t.Errorf("%s breaks rules:\n%s", name, strings.Join(passing, "\n"))
			}
		}
	})
}

// eachRule runs test for every rule, and fails for a rule without a directory
// and for one whose want.txt does not have it alone.
func eachRule(t *testing.T, base string, ids []string, test func(t *testing.T, dir string)) {
	for _, id := range ids {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(base, id)
			test(t, dir)
			want, err := os.ReadFile(filepath.Join(dir, "want.txt"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(want)) {
				if !strings.Contains(line, " "+id+": ") {
					t.Errorf("want.txt has another rule: %s", line)
				}
			}
			if len(want) == 0 {
				t.Error("want.txt is empty")
			}
		})
	}
}

func compareWant(t *testing.T, dir string, got []string) {
	t.Helper()
	golden := filepath.Join(dir, "want.txt")
	text := strings.Join(got, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

// annotations runs the rules as buf does and writes each annotation in a line.
func annotations(t *testing.T, files, against *checktest.ProtoFileSpec, rules []string) []string {
	t.Helper()
	spec := &checktest.RequestSpec{Files: files, AgainstFiles: against, RuleIDs: rules}
	request, err := spec.ToRequest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, err := check.NewClientForSpec(newSpec())
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Check(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range response.Annotations() {
		line := fmt.Sprintf("%s %s: %s", place(a.FileLocation()), a.RuleID(), a.Message())
		if against := a.AgainstFileLocation(); against != nil {
			line += " [before: " + place(against) + "]"
		}
		lines = append(lines, line)
	}
	return lines
}

func place(l descriptor.FileLocation) string {
	if l == nil {
		return "(deleted)"
	}
	return fmt.Sprintf("%s:%d:%d-%d:%d", l.FileDescriptor().ProtoreflectFileDescriptor().Path(),
		l.StartLine()+1, l.StartColumn()+1, l.EndLine()+1, l.EndColumn()+1)
}

func protoFiles(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.proto"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no schema in %s: %v", dir, err)
	}
	for i, path := range paths {
		paths[i] = filepath.Base(path)
	}
	return paths
}

func protoFileSpec(dir string, files ...string) *checktest.ProtoFileSpec {
	return &checktest.ProtoFileSpec{
		DirPaths:  []string{dir, filepath.Join(root, "proto"), filepath.Join(root, "third_party/googleapis")},
		FilePaths: files,
	}
}
