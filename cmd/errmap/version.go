package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const versionAbout = `
Version tells the version of this program, the revision that it was built from and
whether that had been changed, the version of Go, and with --modules the modules that
are in it, each with the checksum that go.sum has for it.

Its first line is "errmap", the version and the version of Go.`

const versionExamples = `
errmap version
errmap version --modules
errmap version --format json
`

// build is what a build recorded of itself.
type build struct {
	Version  string   `json:"version"`
	Revision string   `json:"revision,omitempty"`
	Time     string   `json:"time,omitempty"`
	Modified bool     `json:"modified,omitempty"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Modules  []module `json:"modules,omitempty"`
}

type module struct {
	Path     string `json:"path"`
	Version  string `json:"version"`
	Sum      string `json:"sum,omitempty"`
	Replaced string `json:"replaced_by,omitempty"`
}

func setupVersion() (*flagSet, action) {
	fs := newFlagSet("version", "version [flags]", versionAbout, versionExamples)
	format := fs.format()
	modules := fs.Bool("modules", false, "list the modules that are built in, with their checksums")
	return fs, func(_ context.Context, _ io.Reader, stdout, stderr io.Writer) int {
		if fs.NArg() > 0 {
			return fs.misused(stderr, "unexpected argument %q", fs.Arg(0))
		}
		b := readBuild(debug.ReadBuildInfo())
		var err error
		if *format == formatJSON {
			var text []byte
			text, err = json.Marshal(b, jsontext.WithIndent("  "))
			if err == nil {
				_, err = stdout.Write(append(text, '\n'))
			}
		} else {
			_, err = io.WriteString(stdout, b.text(*modules))
		}
		if err != nil {
			return failed(stderr, err)
		}
		return exitOK
	}
}

func readBuild(info *debug.BuildInfo, ok bool) build {
	b := build{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if !ok {
		return b
	}
	b.Version, b.Go = cmp.Or(info.Main.Version, "(devel)"), info.GoVersion
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	for _, d := range info.Deps {
		m := module{Path: d.Path, Version: d.Version, Sum: d.Sum}
		if d.Replace != nil {
			m.Replaced, m.Sum = strings.TrimSpace(d.Replace.Path+" "+d.Replace.Version), d.Replace.Sum
		}
		b.Modules = append(b.Modules, m)
	}
	return b
}

func (b build) text(modules bool) string {
	var out strings.Builder
	fmt.Fprintf(&out, "errmap %s %s\n", b.Version, b.Go)
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&out, "  %-9s %s\n", label, text)
		}
	}
	revision := b.Revision
	if revision != "" && b.Modified {
		revision += ", changed since"
	}
	line("revision", revision)
	line("time", b.Time)
	line("platform", b.Platform)
	if !modules {
		return out.String()
	}
	for _, m := range b.Modules {
		text := m.Path + " " + m.Version
		if m.Replaced != "" {
			text += " => " + m.Replaced
		}
		line("module", text+" "+cmp.Or(m.Sum, "without a checksum"))
	}
	return out.String()
}

// version is what the build recorded: the module's version, or the commit that it
// was built from.
func version() string {
	b := readBuild(debug.ReadBuildInfo())
	if b.Version == "(devel)" && b.Revision != "" {
		b.Version += " " + b.Revision
	}
	return b.Version + " " + b.Go
}
