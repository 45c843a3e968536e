package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/errmap/errmap/internal/plugin"
)

// binaries builds buf and the plugin once, into a directory that lasts as long
// as the tests.
var (
	binaries    = sync.OnceValues(buildBinaries)
	binariesDir string
)

func TestMain(m *testing.M) {
	status := m.Run()
	if binariesDir != "" {
		os.RemoveAll(binariesDir)
	}
	os.Exit(status)
}

func buildBinaries() (dir string, err error) {
	if binariesDir, err = os.MkdirTemp("", "buf-plugin-errmap"); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", binariesDir, ".", "github.com/bufbuild/buf/cmd/buf")
	cmd.Stderr = os.Stderr
	return binariesDir, cmd.Run()
}

// buf itself finds the plugin, passes it the modules and shows what it says.
func TestBuf_lint(t *testing.T) {
	t.Parallel()
	dir := newWorkspace(t)
	write(t, filepath.Join(dir, "a/a/v1/a.proto"), `syntax = "proto3";

package a.v1;

import "errmap/v1/error.proto";

message LowerError {
  option (errmap.v1.error) = {
    code: NOT_FOUND
    info: {
      domain: "orders.example.com"
      reason: "lower"
    }
  };
}
`)
	stdout, status := runBuf(t, dir, "lint")
	want := `a/a/v1/a.proto:12:7:reason "lower" is malformed, expected [A-Z][A-Z0-9_]+[A-Z0-9] (AIP-193), change info.reason (buf-plugin-errmap)` + "\n"
	if diff := cmp.Diff(want, stdout); diff != "" || status == 0 {
		t.Errorf("exit status %d, output (-want +got):\n%s", status, diff)
	}
}

func TestBuf_breaking(t *testing.T) {
	t.Parallel()
	before, after := newWorkspace(t), newWorkspace(t)
	write(t, filepath.Join(after, "a/a/v1/a.proto"), orderNotFound("a", "ABORTED"))
	if err := os.RemoveAll(filepath.Join(after, "b/b")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(after, "b/c/v1/c.proto"), "syntax = \"proto3\";\n\npackage c.v1;\n")
	stdout, status := runBuf(t, after, "breaking", "--against", before)
	want := `<input>:1:1:error b.v1.OrderNotFoundError is deleted, expected it, since clients know orders.example.com/ORDER_NOT_FOUND, bring it back, deprecated if need be (buf-plugin-errmap)
a/a/v1/a.proto:9:31:code of a.v1.OrderNotFoundError changed from NOT_FOUND to ABORTED, expected the code that clients know, set it back, or define a new error (buf-plugin-errmap)
`
	if diff := cmp.Diff(want, stdout); diff != "" || status == 0 {
		t.Errorf("exit status %d, output (-want +got):\n%s", status, diff)
	}
}

// Lint sees one module at a time, so two modules may each be fine and together
// have one error twice. The same rules over the image of all find it.
func TestImage_acrossModules(t *testing.T) {
	t.Parallel()
	dir := newWorkspace(t)
	if stdout, status := runBuf(t, dir, "lint"); status != 0 {
		t.Errorf("a module alone is not fine:\n%s", stdout)
	}
	want := []string{
		`b/v1/b.proto:9:10: b.v1.OrderNotFoundError is orders.example.com/ORDER_NOT_FOUND, and so is a.v1.OrderNotFoundError (a/v1/a.proto:8:1), expected one error for each domain and reason, set info.reason in one of them`,
	}
	if diff := cmp.Diff(want, checkImage(t, dir)); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}

// The whole image of this repository is without mistakes.
func TestImage_repository(t *testing.T) {
	t.Parallel()
	for _, mistake := range checkImage(t, root) {
		// The service for tests names an error that nobody knows, to see
		// what becomes of it.
		if strings.HasPrefix(mistake, "shop/v1/") && strings.Contains(mistake, "which does not exist") {
			continue
		}
		t.Error(mistake)
	}
}

// newWorkspace makes a workspace of two modules, a and b, that both have the
// error orders.example.com/ORDER_NOT_FOUND, beside copies of errmap's schema.
func newWorkspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{"proto": "errmap", "third_party/googleapis": "googleapis"} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(filepath.Join(root, from))); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "buf.yaml"), `version: v2
modules:
  - path: a
  - path: b
  - path: errmap
  - path: googleapis
lint:
  use: [ERRMAP]
breaking:
  use: [ERRMAP]
plugins:
  - plugin: buf-plugin-errmap
`)
	write(t, filepath.Join(dir, "a/a/v1/a.proto"), orderNotFound("a", "NOT_FOUND"))
	write(t, filepath.Join(dir, "b/b/v1/b.proto"), orderNotFound("b", "NOT_FOUND"))
	return dir
}

func orderNotFound(module, code string) string {
	return `syntax = "proto3";

package ` + module + `.v1;

import "errmap/v1/error.proto";
option (errmap.v1.domain) = "orders.example.com";

message OrderNotFoundError {
  option (errmap.v1.error) = {code: ` + code + `};
}
`
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func runBuf(t *testing.T, dir string, args ...string) (stdout string, status int) {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	cmd := exec.Command(filepath.Join(bin, "buf"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = absolute, &out, &errOut
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "BUF_CACHE_DIR="+t.TempDir())
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 100 {
		t.Fatalf("buf %v: %v\n%s", args, err, errOut.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// checkImage has buf build everything in dir and returns the mistakes.
func checkImage(t *testing.T, dir string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.binpb")
	runBuf(t, dir, "build", "-o", path)
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(image, set); err != nil {
		t.Fatal(err)
	}
	registry, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	var files []protoreflect.FileDescriptor
	registry.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		files = append(files, file)
		return true
	})
	if len(files) < 5 {
		t.Fatalf("the image has %d files only", len(files))
	}
	var mistakes []string
	for _, mistake := range plugin.NewSchema(files).Check() {
		mistakes = append(mistakes, mistake.String())
	}
	return mistakes
}
