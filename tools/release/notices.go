package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// writeNotices writes the licences, and notices, of all that is built into
// packages of the module in dir: their licences want to be where the programs are.
func writeNotices(w io.Writer, dir string, packages []string) error {
	const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
	c := exec.Command("go", append([]string{"list", "-deps", "-f", format}, packages...)...)
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	modules = slices.Compact(modules)
	modules = append([]string{"The Go standard library\t" + strings.TrimSpace(string(goroot))}, modules...)
	for _, m := range modules {
		name, at, ok := strings.Cut(m, "\t")
		if !ok || strings.HasPrefix(name, "github.com/errmap/errmap") {
			continue
		}
		files, err := os.ReadDir(at)
		if err != nil {
			return err
		}
		found := false
		for _, file := range files {
			base, _, _ := strings.Cut(strings.ToUpper(file.Name()), ".")
			if file.IsDir() || !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}, base) {
				continue
			}
			content, err := os.ReadFile(filepath.Join(at, file.Name()))
			if err != nil {
				return err
			}
			found = found || base != "NOTICE"
			fmt.Fprintf(w, "%s: %s\n\n%s\n\n%s\n\n", name, file.Name(), bytes.TrimSpace(content), strings.Repeat("-", 80))
		}
		if !found {
			return fmt.Errorf("%s has no licence in %s", name, at)
		}
	}
	return nil
}
