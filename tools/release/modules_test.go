package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// The library, each generator and the plugin of buf are installed by one command
// each, out of a proxy that has the released modules, into an empty module cache.
func TestFinding_N21_one_command_each(t *testing.T) {
	t.Parallel()
	cache := command{dir: "."}.run(t, "go", "env", "GOMODCACHE")
	proxies := "file://" + absolute(t, ".build/release/go") + ",file://" + filepath.ToSlash(strings.TrimSpace(cache)) + "/cache/download"
	c := command{dir: t.TempDir(), env: []string{
		"GOPROXY=" + proxies, "GONOSUMDB=*", "GOFLAGS=-modcacherw",
		"GOMODCACHE=" + t.TempDir(), "GOBIN=" + t.TempDir(), "GOWORK=off",
	}}
	bin := strings.TrimPrefix(c.env[4], "GOBIN=")

	c.run(t, "go", "mod", "init", "example.com/shop")
	c.run(t, "go", "get", "github.com/errmap/errmap@latest")
	c.write(t, "main.go", `package main

import (
	"fmt"

	"github.com/errmap/errmap/errmap"
)

func main() { fmt.Println(errmap.ProfileA2A) }
`)
	c.run(t, "go", "mod", "tidy")
	if got, want := c.run(t, "go", "run", "."), "a2a\n"; got != want {
		t.Errorf("a program with the library says %q, want %q", got, want)
	}

	// Every other module but tools has a package to import.
	r, err := openRepository("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	for path, dir := range r.dirs {
		if dir != "." && dir != "tools" {
			c.run(t, "go", "get", path+"@latest")
			c.write(t, filepath.Base(path)+".go", "package main\n\nimport _ \""+path+"\"\n")
		}
	}
	c.run(t, "go", "mod", "tidy")
	c.run(t, "go", "build", "-o", os.DevNull, ".")

	programs := []string{"tools/cmd/buf-plugin-errmap"}
	commands, err := os.ReadDir(root + "/cmd")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		programs = append(programs, "cmd/"+c.Name())
	}
	for _, program := range programs {
		c.run(t, "go", "install", "github.com/errmap/errmap/"+program+"@latest")
		name := filepath.Base(program)
		if name == "buf-plugin-errmap" {
			continue // its --version is that of the protocol; TestBinaries runs it
		}
		out := c.run(t, filepath.Join(bin, name), "--version")
		if version := strings.TrimSpace(read(t, one(t, "go/github.com/errmap/errmap/@v/list"))); !strings.HasPrefix(out, name+" "+version) {
			t.Errorf("%s --version says %q, want version %s", name, out, version)
		}
	}
}

// Released modules have no directive that go install refuses, and require each
// other by version.
func TestModules_released(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(made + "/go/github.com/errmap/errmap/@v/*.mod")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(made + "/go/github.com/errmap/errmap/*/@v/*.mod")
	if err != nil {
		t.Fatal(err)
	}
	if files = append(files, more...); len(files) < 2 {
		t.Fatalf("only %q are released", files)
	}
	for _, name := range files {
		file, err := modfile.Parse(name, []byte(read(t, name)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(file.Replace)+len(file.Exclude) > 0 {
			t.Errorf("%s has directives that go install refuses", name)
		}
		if path := file.Module.Mod.Path; path != "github.com/errmap/errmap" {
			if !slices.ContainsFunc(file.Require, func(r *modfile.Require) bool {
				return r.Mod.Path == "github.com/errmap/errmap" && r.Mod.Version == strings.TrimSuffix(filepath.Base(name), ".mod")
			}) {
				t.Errorf("%s does not require the root module of its own version", name)
			}
		}
	}
}

// What goes into the commit of the tags verifies: the sums of go.sum are those that
// the go command has of the released modules.
func TestModules_sums(t *testing.T) {
	t.Parallel()
	r, err := openRepository("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.all()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		dir := r.dirs[m.version.Path]
		if dir == "." {
			continue
		}
		// The proxy has other bytes of the root, where files changed since.
		proxy := t.TempDir()
		if err := r.writeProxy(proxy); err != nil {
			t.Fatal(err)
		}
		c := command{dir: t.TempDir(), env: []string{"GOFLAGS=-modcacherw -mod=readonly", "GOMODCACHE=" + t.TempDir(), "GONOSUMDB=*", "GOWORK=off"}}
		cache := strings.TrimSpace(command{dir: "."}.run(t, "go", "env", "GOMODCACHE"))
		c.env = append(c.env, "GOPROXY=file://"+proxy+",file://"+filepath.ToSlash(cache)+"/cache/download")
		c.write(t, "go.mod", string(m.mod))
		c.write(t, "go.sum", string(m.sum))
		c.run(t, "go", "mod", "download", "github.com/errmap/errmap")
	}
}
