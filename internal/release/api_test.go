// Package release_test holds what a release promises: the exported names, and
// commands that are built alike from the same source and tell their version.
package release_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	root    = "../.."
	listing = root + "/docs/api"
)

var update = flag.Bool("update", false, "write docs/api anew")

// public are the trees whose packages users import.
var public = []string{"client", "errmap", "server"}

// The exported names of each public package are those of its listing in
// docs/api, so that a change is seen and meant.
func TestAPI(t *testing.T) {
	t.Parallel()
	listed := make(map[string]bool)
	for _, dir := range packages(t) {
		name := strings.ReplaceAll(dir, "/", "-") + ".txt"
		listed[name] = true
		got := exported(t, dir)
		path := filepath.Join(listing, name)
		if *update {
			if err := os.MkdirAll(listing, 0o755); err != nil { //nolint:gosec // documents
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // documents
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v: run make api", err)
			continue
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s is not what package %s exports; if that is meant, run make api (-want +got):\n%s", name, dir, diff)
		}
	}
	files, err := os.ReadDir(listing)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !listed[f.Name()] {
			t.Errorf("%s lists a package that is not there", f.Name())
		}
	}
}

// packages are the directories of the public packages.
func packages(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for _, tree := range public {
		err := filepath.WalkDir(filepath.Join(root, tree), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal") {
				if err == nil {
					err = filepath.SkipDir
				}
				return err
			}
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				dir, err := filepath.Rel(root, filepath.Dir(path))
				if err != nil {
					return err
				}
				if dir = filepath.ToSlash(dir); !slices.Contains(dirs, dir) {
					dirs = append(dirs, dir)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

// exported prints the exported declarations of a package, without comments and
// bodies, in order.
func exported(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var decls []string
	set := token.NewFileSet()
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
				continue
			}
			if f, ok := decl.(*ast.FuncDecl); ok {
				if f.Recv != nil && !ast.IsExported(receiver(f.Recv.List[0].Type)) {
					continue
				}
				f.Body = nil
			}
			var b bytes.Buffer
			if err := format.Node(&b, set, decl); err != nil {
				t.Fatal(err)
			}
			decls = append(decls, b.String())
		}
	}
	slices.Sort(decls)
	return "package " + dir + "\n\n" + strings.Join(decls, "\n\n") + "\n"
}

// receiver is the name of the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
