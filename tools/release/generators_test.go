package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// generator is one that needs no Go, installed in a clean project.
type generator struct {
	command
	name, path string
}

// The package of npm and the wheel are installed in clean projects, where buf and
// protoc run them. They write what the plugins in Go write, and refuse what those
// refuse with the same words.
func TestFinding_N20_generators_without_Go(t *testing.T) {
	t.Parallel()
	// Nothing in the projects finds Go.
	path := "PATH=" + withoutGo(t)

	python := command{dir: t.TempDir(), env: []string{path, "XDG_CACHE_HOME=" + t.TempDir()}}
	python.run(t, "python3", "-m", "venv", ".venv")
	python.run(t, ".venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:",
		one(t, "python/protoc_gen_errmap_python-*.whl"), "grpcio-tools==1.76.0")

	npm := command{dir: t.TempDir(), env: []string{path}}
	npm.write(t, "package.json", `{"private": true, "type": "module"}`)
	npm.run(t, "npm", "install", "--no-audit", "--no-fund", one(t, "npm/errmap-protoc-gen-errmap-es-*.tgz"))

	for _, g := range []generator{
		{npm, "protoc-gen-errmap-es", "node_modules/.bin/protoc-gen-errmap-es"},
		{python, "protoc-gen-errmap-python", ".venv/bin/protoc-gen-errmap-python"},
	} {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			g.starts(t)
			g.generates(t, filepath.Join(python.dir, ".venv/bin/python"))
			g.refuses(t)
		})
	}
}

// starts holds that the plugin, once compiled, starts within a second of processor
// time, whatever else this machine does, and says nothing but what it is asked.
func (g generator) starts(t *testing.T) {
	t.Helper()
	g.run(t, g.path, "--version")
	cmd := exec.CommandContext(t.Context(), filepath.Join(g.dir, g.path), "--version") //nolint:gosec // installed above
	cmd.Dir, cmd.Env = g.dir, append(os.Environ(), g.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	started := time.Now()
	err := cmd.Run()
	took := time.Since(started)
	// Who waits is told why, after three seconds.
	if err != nil || took < 3*time.Second && stderr.Len() > 0 || !strings.HasPrefix(stdout.String(), g.name+" ") {
		t.Errorf("--version: %v, %q, %q", err, &stdout, &stderr)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("it starts in %v, and uses %v of the processor", took.Round(time.Millisecond), used.Round(time.Millisecond))
	if used > time.Second {
		t.Errorf("it takes %v of the processor to start, wanted less than a second", used)
	}
	if _, stderr, err := g.try(t.Context(), g.path, "--none"); err == nil || !strings.Contains(stderr, `unknown argument "--none"`) {
		t.Errorf("an unknown argument: %v, %q", err, stderr)
	}
}

// generates holds its output, by buf and by protoc, to that of the plugin in Go.
func (g generator) generates(t *testing.T, python string) {
	t.Helper()
	native := g.native(t)
	for from, paths := range map[string][]string{
		"proto":              {"errmap/a2a/v1/errors.proto", "errmap/mcp/v1/client.proto", "errmap/mcp/v1/errors.proto"},
		"internal/testproto": {"shop/v1/cart.proto", "library/v1/library.proto"},
	} {
		g.generate(t, absolute(t, from), "want", native)
		g.generate(t, absolute(t, from), "buf", g.path)
		g.same(t, paths, "buf")

		out := filepath.Join(g.dir, "protoc")
		if err := os.MkdirAll(out, 0o750); err != nil {
			t.Fatal(err)
		}
		option := strings.TrimPrefix(g.name, "protoc-gen-")
		args := []string{"-m", "grpc_tools.protoc", "--plugin=" + g.name + "=" + filepath.Join(g.dir, g.path), "--" + option + "_out=" + out}
		for _, dir := range []string{"proto", "internal/testproto", "third_party/googleapis"} {
			args = append(args, "-I", absolute(t, dir))
		}
		g.run(t, python, append(args, paths...)...)
		g.same(t, paths, "protoc")
	}
}

// native is the plugin in Go, built from this tree.
func (g generator) native(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), g.name)
	command{dir: root}.run(t, "go", "build", "-o", path, "./cmd/"+g.name)
	return path
}

// generate runs buf with the plugin over a directory of the repository, into a
// directory of the project.
func (g generator) generate(t *testing.T, from, out, plugin string) {
	t.Helper()
	g.write(t, "buf.gen.yaml", "version: v2\nplugins:\n  - local: "+plugin+"\n    out: "+out+"\n")
	g.run(t, absolute(t, ".build/buf"), "generate", from)
}

func (g generator) same(t *testing.T, paths []string, out string) {
	t.Helper()
	for _, path := range paths {
		name := strings.TrimSuffix(path, ".proto") + "_errmap" + map[string]string{"protoc-gen-errmap-es": ".ts", "protoc-gen-errmap-python": ".py"}[g.name]
		want, got := read(t, filepath.Join(g.dir, "want", name)), read(t, filepath.Join(g.dir, out, name))
		if want == "" || got != want {
			t.Errorf("%s by %s is not what the plugin in Go writes: %d bytes, want %d", name, out, len(got), len(want))
		}
	}
}

// refuses holds what it says of a mistaken schema to what the plugin in Go says.
func (g generator) refuses(t *testing.T) {
	t.Helper()
	g.write(t, "mistaken/shop/v1/shop.proto", `syntax = "proto3";
package shop.v1;
import "errmap/v1/error.proto";
message StockEmptyError {
  option (errmap.v1.error) = {code: FAILED_PRECONDITION message: "No {skew} left"};
  string sku = 1;
}
`)
	g.write(t, "mistaken/buf.yaml", "version: v2\nmodules:\n  - path: .\n    excludes: [third_party]\n  - path: third_party/errmap\n")
	g.run(t, absolute(t, ".build/buf"), "export", absolute(t, "proto"), "-o", "mistaken/third_party/errmap")
	said := make([]string, 2)
	for i, plugin := range []string{g.native(t), g.path} {
		g.write(t, "buf.gen.yaml", "version: v2\nplugins:\n  - local: "+plugin+"\n    out: refused\n")
		_, stderr, err := g.try(t.Context(), absolute(t, ".build/buf"), "generate", "mistaken", "--path", "mistaken/shop")
		if err == nil || !strings.Contains(stderr, "skew") {
			t.Fatalf("%s took a template with an unknown field: %v, %s", plugin, err, stderr)
		}
		_, said[i], _ = strings.Cut(stderr, "shop/v1/shop.proto:")
	}
	if said[0] == "" || said[0] != said[1] {
		t.Errorf("it says %q, the plugin in Go %q", said[1], said[0])
	}
}

// withoutGo is PATH without the directories that have go in them.
func withoutGo(t *testing.T) string {
	t.Helper()
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "go")); err != nil {
			dirs = append(dirs, dir)
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}
