package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bash completes what is typed by the script that the command writes.
func TestCompletion_bash(t *testing.T) {
	t.Parallel()
	script, stderr, code := runErrmap(t, "", "completion", "bash")
	if code != exitOK || stderr != "" {
		t.Fatal(code, stderr)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "errmap.bash"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "answer.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"errmap exp":                        "explain",
		"errmap ":                           "--help --version catalog completion convert explain gateway health help serve version",
		"errmap completion ":                "--help bash fish zsh",
		"errmap explain --form":             "--format",
		"errmap explain --format ":          "json text",
		"errmap explain ans":                "answer.json",
		"errmap explain --upstream ":        "",
		"errmap gateway --profile mcp":      "mcp mcp-2025-11-25",
		"errmap gateway --names ":           "bare dotted slash",
		"errmap convert --to pr":            "problem",
		"errmap convert --from-profile a":   "a2a",
		"errmap health --protocol grpc-":    "grpc-web",
		"errmap help ver":                   "version",
		"errmap unheard-of ":                "",
		"errmap gateway --tls-cert answer.": "answer.json",
	} {
		words := strings.Split(typed, " ")
		cmd := exec.CommandContext(t.Context(), "bash", append([]string{"--norc", "-c", `source ./errmap.bash
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _errmap
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"`, "bash"}, words...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", typed, err)
		}
		got := strings.Fields(string(out))
		slices.Sort(got)
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: -want +got\n%s", typed, diff)
		}
	}
}

// The scripts name every command and every flag of it.
func TestCompletion_complete(t *testing.T) {
	t.Parallel()
	for shell := range shells {
		script, _, code := runErrmap(t, "", "completion", shell)
		if code != exitOK {
			t.Fatal(shell, code)
		}
		for _, c := range completedCommands() {
			for _, f := range c.flags {
				name := dashed(f.name)
				if shell == "fish" {
					name = " " + f.name + " "
				}
				if !strings.Contains(script, c.name) || !strings.Contains(script, name) {
					t.Errorf("%s: nothing of %s %s", shell, c.name, f.name)
				}
			}
		}
	}
	if _, stderr, code := runErrmap(t, "", "completion", "tcsh"); code != exitUsage || !strings.Contains(stderr, "bash, zsh or fish") {
		t.Errorf("%d %s", code, stderr)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	text, _, code := runErrmap(t, "", "version", "--modules")
	if code != exitOK || !strings.HasPrefix(text, "errmap ") || !strings.Contains(text, "google.golang.org/protobuf ") {
		t.Errorf("%d %s", code, text)
	}
	object, _, code := runErrmap(t, "", "version", "--format", "json")
	var got build
	if err := json.Unmarshal([]byte(object), &got); err != nil || code != exitOK || got.Version == "" || !strings.HasPrefix(got.Go, "go1.") || !strings.Contains(got.Platform, "/") {
		t.Errorf("%d %s: %v", code, object, err)
	}
	if _, stderr, code := runErrmap(t, "", "version", "now"); code != exitUsage || !strings.Contains(stderr, `"now"`) {
		t.Errorf("%d %s", code, stderr)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	base, stop := serve(t)
	defer stop()
	down := answering(t, http.StatusServiceUnavailable, (*httptest.Server).Start).URL
	for name, test := range map[string]struct {
		args   []string
		code   int
		stderr string
	}{
		"HTTP":                {[]string{base}, exitOK, ""},
		"a path":              {[]string{base + "/healthz", "--timeout", "10s"}, exitOK, ""},
		"gRPC":                {[]string{base, "--protocol", "grpc", "--timeout", "10s"}, exitOK, ""},
		"Connect":             {[]string{base, "--protocol", "connect", "--timeout", "10s"}, exitOK, ""},
		"gRPC-Web":            {[]string{base, "--protocol", "grpc-web", "--timeout", "10s"}, exitOK, ""},
		"a service":           {[]string{base, "--protocol", "grpc", "--service", "lf.a2a.v1.A2AService", "--timeout", "10s"}, exitOK, ""},
		"an unknown service":  {[]string{base, "--protocol", "grpc", "--service", "a.B", "--timeout", "10s"}, exitFailure, `no service "a.B"`},
		"503":                 {[]string{down}, exitFailure, "HTTP status 503"},
		"no page there":       {[]string{base + "/nothing"}, exitFailure, "HTTP status 404"},
		"nobody there":        {[]string{"http://127.0.0.1:1"}, exitFailure, "no answer"},
		"a password":          {[]string{"http://u:secret@127.0.0.1:1"}, exitFailure, "no answer"},
		"no URL":              {nil, exitUsage, "want one URL"},
		"no URL of HTTP":      {[]string{"localhost:8080"}, exitUsage, "URL"},
		"an unknown protocol": {[]string{base, "--protocol", "soap"}, exitUsage, `"soap"`},
		"no time":             {[]string{base, "--timeout", "0s"}, exitUsage, "--timeout"},
		"a service of HTTP":   {[]string{base, "--service", "a.B"}, exitUsage, "--service"},
	} {
		stdout, stderr, code := runErrmap(t, "", append([]string{"health"}, test.args...)...)
		if code != test.code || !strings.Contains(stderr, test.stderr) || (stdout == "serving\n") != (code == exitOK) || strings.Contains(stderr, "secret") {
			t.Errorf("%s: exit %d %q %q", name, code, stdout, stderr)
		}
	}
}
