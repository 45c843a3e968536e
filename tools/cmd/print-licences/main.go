// Command print-licences lists the modules that are built into the packages and
// commands of the library's module, each with its licence, as Markdown.
//
//	go -C tools run ./cmd/print-licences .. > docs/licences.md
//
// It fails where a module has no licence, or one that it does not know.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const head = `# Licences

What is built into the packages and commands of this module, beside Go's own library (BSD-3-Clause). The list is made by
` + "`make licences`" + `; a test holds it to what is built. The modules under bench/ and conformance/, and what
tools/ has beside buf-plugin-errmap, are for developers and go into nothing that is released. What is released carries the texts of these licences as
THIRD_PARTY_NOTICES, and those of buf-plugin-errmap too.

| module | licence |
|---|---|
`

// licence is a licence and words that only its text has.
type licence struct {
	name  string
	words []string
}

// known are the licences that a dependency may have, the more special first.
var known = []licence{
	{"Apache-2.0", []string{"Apache License", "Version 2.0, January 2004"}},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "Neither the name"}},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "may be used to endorse or promote products"}},
	{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}},
	{"MIT-0", []string{"MIT No Attribution"}},
	{"MIT", []string{"Permission is hereby granted, free of charge", "The above copyright notice and this permission notice"}},
	{"ISC", []string{"Permission to use, copy, modify, and/or distribute this software for any purpose"}},
}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := print(os.Stdout, dir); err != nil {
		fmt.Fprintln(os.Stderr, "print-licences:", err)
		os.Exit(1)
	}
}

// print writes the list for the module in dir.
func print(w io.Writer, dir string) error {
	c := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./...")
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	var failed []error
	for _, line := range slices.Compact(lines) {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			continue
		}
		names, err := licences(fields[2])
		if err != nil {
			failed = append(failed, fmt.Errorf("%s %s: %w", fields[0], fields[1], err))
			continue
		}
		if _, err := fmt.Fprintf(w, "| %s | %s |\n", fields[0], strings.Join(names, ", ")); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// licences names the licences of the module in dir.
func licences(dir string) ([]string, error) {
	var files []string
	for _, pattern := range []string{"LICEN[SC]E*", "licen[sc]e*", "COPYING*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, errors.New("no licence in " + dir)
	}
	var names []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text := strings.Join(strings.Fields(string(content)), " ")
		found := false
		for _, l := range known {
			if !slices.ContainsFunc(l.words, func(words string) bool { return !strings.Contains(text, words) }) {
				names, found = append(names, l.name), true
				break
			}
		}
		if !found {
			return nil, errors.New("an unknown licence in " + file)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
