package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// unreleased are the directories whose modules nobody but this repository uses. All
// others are released, with the version of the root one.
var unreleased = []string{"bench", "conformance", "docs", "polyglot", "tools/release"}

// repository is the work tree, to be released with a version.
type repository struct {
	root, version string
	// dirs are the directories of the released modules by their paths.
	dirs map[string]string
	// done has what was made of each.
	done map[string]*released
}

// released is a module as others will get it.
type released struct {
	version    module.Version
	mod, sum   []byte
	zip        []byte
	sumOfZip   string
	sumOfGoMod string
}

// openRepository finds the modules of the repository of the current directory.
func openRepository(version string) (*repository, error) {
	root, err := git(".", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r := &repository{root: strings.TrimSpace(root), version: version, dirs: make(map[string]string), done: make(map[string]*released)}
	files, err := git(r.root, "ls-files", "-z", "--", "go.mod", "*/go.mod")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
		if slices.ContainsFunc(unreleased, func(dir string) bool { return strings.HasPrefix(name, dir+"/") }) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		r.dirs[modfile.ModulePath(content)] = path.Dir(name)
	}
	return r, nil
}

// all makes every released module.
func (r *repository) all() ([]*released, error) {
	paths := make([]string, 0, len(r.dirs))
	for p := range r.dirs {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var all []*released
	for _, p := range paths {
		m, err := r.release(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// release makes one module, after those of this repository that it requires: its
// go.sum has their sums.
func (r *repository) release(modulePath string) (*released, error) {
	if m, ok := r.done[modulePath]; ok {
		return m, nil
	}
	dir := r.dirs[modulePath]
	name := filepath.Join(r.root, dir, "go.mod")
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(name, content, nil)
	if err != nil {
		return nil, err
	}
	m := &released{version: module.Version{Path: modulePath, Version: r.version}}
	if m.sum, err = os.ReadFile(filepath.Join(r.root, dir, "go.sum")); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var sums []string
	for _, required := range slices.Clone(file.Require) {
		if _, ours := r.dirs[required.Mod.Path]; !ours {
			continue
		}
		other, err := r.release(required.Mod.Path)
		if err != nil {
			return nil, err
		}
		if err := file.AddRequire(required.Mod.Path, r.version); err != nil {
			return nil, err
		}
		id := required.Mod.Path + " " + r.version
		sums = append(sums, id+" "+other.sumOfZip, id+"/go.mod "+other.sumOfGoMod)
	}
	for _, replaced := range slices.Clone(file.Replace) {
		if _, ours := r.dirs[replaced.Old.Path]; !ours {
			return nil, fmt.Errorf("%s replaces %s, which is not released here: whoever installs it gets another", name, replaced.Old.Path)
		}
		if err := file.DropReplace(replaced.Old.Path, replaced.Old.Version); err != nil {
			return nil, err
		}
	}
	file.Cleanup()
	if m.mod, err = file.Format(); err != nil {
		return nil, err
	}
	m.sum = withSums(m.sum, sums)
	if err := r.pack(m, dir); err != nil {
		return nil, err
	}
	r.done[modulePath] = m
	return m, nil
}

// withSums is go.sum with more lines, sorted as the go command does.
func withSums(sum []byte, more []string) []byte {
	if len(more) == 0 {
		return sum
	}
	lines := append(strings.Split(strings.TrimSuffix(string(sum), "\n"), "\n"), more...)
	slices.Sort(lines)
	return []byte(strings.TrimPrefix(strings.Join(slices.Compact(lines), "\n")+"\n", "\n"))
}

// pack makes the module's zip out of the files that git knows, as the go command
// makes it out of a commit: a module beside the root one has the root's licence.
func (r *repository) pack(m *released, dir string) error {
	staged, err := os.MkdirTemp("", "errmap-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staged)
	names, err := git(filepath.Join(r.root, dir), "ls-files", "-z")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		if err := copyFile(filepath.Join(staged, name), filepath.Join(r.root, dir, name)); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(staged, "LICENSE")); os.IsNotExist(err) {
		if err := copyFile(filepath.Join(staged, "LICENSE"), filepath.Join(r.root, "LICENSE")); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(staged, "go.mod"), m.mod, 0o600); err != nil {
		return err
	}
	if m.sum != nil {
		if err := os.WriteFile(filepath.Join(staged, "go.sum"), m.sum, 0o600); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := zip.CreateFromDir(&b, m.version, staged); err != nil {
		return err
	}
	m.zip = b.Bytes()
	if m.sumOfZip, err = sumOfZip(m.zip); err != nil {
		return err
	}
	m.sumOfGoMod, err = sumOfGoMod(m.mod)
	return err
}

// writeModfiles writes go.mod and go.sum of the released modules into the work
// tree. Those of the root module stay as they are.
func (r *repository) writeModfiles() error {
	all, err := r.all()
	if err != nil {
		return err
	}
	for _, m := range all {
		dir := r.dirs[m.version.Path]
		for name, content := range map[string][]byte{"go.mod": m.mod, "go.sum": m.sum} {
			if content == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(r.root, dir, name), content, 0o644); err != nil { //nolint:gosec // sources
				return err
			}
		}
		if dir != "." {
			fmt.Println("git tag", path.Join(dir, r.version))
		}
	}
	return nil
}

func sumOfZip(content []byte) (string, error) {
	file, err := os.CreateTemp("", "errmap-release-*.zip")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(content); err != nil {
		return "", err
	}
	if err := file.Close(); err != nil {
		return "", err
	}
	return dirhash.HashZip(file.Name(), dirhash.Hash1)
}

func copyFile(to, from string) error {
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}

func git(dir string, args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
