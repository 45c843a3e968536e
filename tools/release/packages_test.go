package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/textproto"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const home = "https://github.com/errmap/errmap"

// Each package of npm has its licence and says where it comes from.
func TestFinding_N20_npm(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"npm/errmap-errmap-*.tgz", "npm/errmap-protoc-gen-errmap-es-*.tgz"} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			files := untar(t, one(t, pattern))
			var manifest struct {
				Name, Version, License, Homepage string
				Repository                       struct{ URL, Directory string }
				Bugs                             any
			}
			if err := json.Unmarshal(files["package/package.json"], &manifest); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(manifest.Name, "@errmap/") || manifest.License != "Apache-2.0" || manifest.Repository.URL != "git+"+home+".git" ||
				!strings.HasPrefix(manifest.Homepage, home) || manifest.Bugs == nil {
				t.Errorf("package.json lacks a licence or links: %+v", manifest)
			}
			if _, err := os.Stat(absolute(t, manifest.Repository.Directory, "package.json")); err != nil || manifest.Repository.Directory == "" {
				t.Errorf("the repository has no %q", manifest.Repository.Directory)
			}
			holds(t, files, "package/LICENSE", "package/README.md")
			linksLeave(t, string(files["package/README.md"]))
		})
	}
}

// Each wheel has its licence and says where it comes from.
func TestFinding_N20_wheels(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"python/errmap*.whl", "python/protoc_gen_errmap_python-*.whl"} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			files := unzip(t, one(t, pattern))
			var info string
			for name := range files {
				if strings.HasSuffix(name, ".dist-info/METADATA") {
					info = path.Dir(name)
				}
			}
			head, err := textproto.NewReader(bufio.NewReader(strings.NewReader(string(files[info+"/METADATA"])))).ReadMIMEHeader()
			if err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if head.Get("License-Expression") != "Apache-2.0" ||
				!slices.ContainsFunc(head["Project-Url"], func(u string) bool { return strings.HasSuffix(u, ", "+home) }) {
				t.Errorf("METADATA lacks a licence or links: %v", head)
			}
			holds(t, files, info+"/licenses/LICENSE")
			_, description, _ := strings.Cut(string(files[info+"/METADATA"]), "\n\n")
			linksLeave(t, description)
		})
	}
}

func holds(t *testing.T, files map[string][]byte, names ...string) {
	t.Helper()
	for _, name := range names {
		if len(files[name]) == 0 {
			t.Errorf("it has no %s", name)
		}
	}
}

// linksLeave holds that a README has no link into the repository, which a
// registry's page cannot follow.
func linksLeave(t *testing.T, readme string) {
	t.Helper()
	if strings.TrimSpace(readme) == "" {
		t.Error("it has no README")
	}
	for _, part := range strings.Split(readme, "](")[1:] {
		target, _, _ := strings.Cut(part, ")")
		if !strings.HasPrefix(target, "https://") && !strings.HasPrefix(target, "#") {
			t.Errorf("the README links to %s, which is nothing on a registry's page", target)
		}
	}
}

func untar(t *testing.T, name string) map[string][]byte {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for r := tar.NewReader(unpacked); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[head.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func unzip(t *testing.T, name string) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := make(map[string][]byte)
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(content); err != nil {
			t.Fatal(err)
		}
		content.Close()
	}
	return files
}

// The schema builds as the module of a registry, beside googleapis as the registry
// has it, and has what its page shows.
func TestSchema(t *testing.T) {
	t.Parallel()
	schema := absolute(t, ".build/release/schema")
	for _, name := range []string{"LICENSE", "README.md", "buf.yaml"} {
		if read(t, filepath.Join(schema, name)) == "" {
			t.Errorf("%s is empty", name)
		}
	}
	c := command{dir: t.TempDir()}
	if err := os.CopyFS(filepath.Join(c.dir, "schema"), os.DirFS(schema)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(c.dir, "googleapis"), os.DirFS(absolute(t, "third_party/googleapis"))); err != nil {
		t.Fatal(err)
	}
	// No registry is asked: a module of the workspace takes the place of the
	// dependency that has its name.
	own := read(t, filepath.Join(schema, "buf.yaml"))
	if !strings.Contains(own, "name: buf.build/errmap/errmap\n") || !strings.Contains(own, "- buf.build/googleapis/googleapis\n") {
		t.Errorf("buf.yaml does not name the module and its dependency:\n%s", own)
	}
	if err := os.Remove(filepath.Join(c.dir, "schema/buf.yaml")); err != nil {
		t.Fatal(err)
	}
	c.write(t, "buf.yaml", `version: v2
modules:
  - path: schema
    name: buf.build/errmap/errmap
  - path: googleapis
    name: buf.build/googleapis/googleapis
    lint:
      ignore: [googleapis]
lint:
  use: [STANDARD]
`)
	buf := absolute(t, ".build/buf")
	c.run(t, buf, "build", "-o", "image.binpb")
	c.run(t, buf, "lint")
	// A module that is pushed may depend on named ones alone.
	if files := c.run(t, buf, "ls-files", "schema"); !strings.Contains(files, "errmap/v1/error.proto") || strings.Contains(files, "google/") {
		t.Errorf("the module's files are\n%s", files)
	}
}
