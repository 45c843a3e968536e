//go:build all

package mcp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const sdk = "github.com/modelcontextprotocol/go-sdk"

// edit is one change to the source of a program. It must apply as often as times
// says, so that a new version of the SDK cannot leave errmapmcp out unseen.
type edit struct {
	old, new string
	times    int
}

// program is one of the SDK's own programs, and what puts errmapmcp into it.
type program struct {
	name  string
	edits []edit
}

const importSDK = `"` + sdk + `/mcp"`

// programs are the SDK's conformance programs. The edits change which package
// makes the server, its tools, the client and its session, and nothing else.
var programs = map[string]program{
	"server": {"everything-server", []edit{
		{importSDK, importSDK + "\n\n\t\"github.com/errmap/errmap/errmap/errmapmcp\"", 1},
		{"\t// Register server features.\n", "\tif err := errmapmcp.InstallServer(server); err != nil {\n\t\tlog.Fatal(err)\n\t}\n", 1},
		{"mcp.AddTool(server", "errmapmcp.AddTool(server", 29},
	}},
	"client": {"everything-client", []edit{
		{importSDK, importSDK + "\n\n\t\"github.com/errmap/errmap/errmap/errmapmcp\"", 1},
		{"mcp.NewClient(", "errmapmcp.NewClient(", 1},
		{"(*mcp.ClientSession, error)", "(*errmapmcp.Session, error)", 1},
	}},
}

// build builds a program twice, as the SDK has it and with errmapmcp in it, and
// returns the paths.
func build(t *testing.T, kind string) (bare, with string) {
	t.Helper()
	p, dir := programs[kind], t.TempDir()
	bare, with = filepath.Join(dir, "bare"), filepath.Join(dir, "with")
	run(t, "go", "build", "-o", bare, sdk+"/conformance/"+p.name)

	path := filepath.Join(strings.TrimSpace(run(t, "go", "list", "-m", "-f", "{{.Dir}}", sdk)), "conformance", p.name, "main.go")
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, e := range p.edits {
		if times := strings.Count(text, e.old); times != e.times {
			t.Fatalf("%s holds %q %d times, want %d", path, e.old, times, e.times)
		}
		text = strings.ReplaceAll(text, e.old, e.new)
	}
	changed := filepath.Join(dir, "main.go")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// The overlay puts the file into a package of this module, which it makes.
	here, err := filepath.Abs(filepath.Join("cmd", p.name, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {here: changed}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "go", "build", "-overlay", list, "-o", with, "./cmd/"+p.name)
	return bare, with
}

// run runs a command to its end, and returns what it wrote.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}
