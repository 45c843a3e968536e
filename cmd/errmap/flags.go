package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// flagSet is the flags of a command and what --help tells of it.
type flagSet struct {
	*flag.FlagSet
	synopsis string // what follows "errmap", such as "serve [flags]"
	about    string // what the command does, in paragraphs
	examples string // command lines to try, one a line
	// choices are the values of flags that have a few, and arguments those of the
	// command's argument, for those who complete them.
	choices   map[string][]string
	arguments []string
	rest      []string
	checks    []func() error
}

// What --format may be.
const (
	formatText = "text"
	formatJSON = "json"
)

// choose says which values a flag has, for those who complete it.
func (fs *flagSet) choose(name string, values ...string) { fs.choices[name] = values }

// format adds the flag --format of commands that tell people or tools.
func (fs *flagSet) format() *string {
	value := fs.String("format", formatText, "`text` for people or json for tools")
	fs.choose("format", formatText, formatJSON)
	fs.checks = append(fs.checks, func() error {
		if *value != formatText && *value != formatJSON {
			return fmt.Errorf("unknown format %q: want text or json", *value)
		}
		return nil
	})
	return value
}

func newFlagSet(name, synopsis, about, examples string) *flagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return &flagSet{FlagSet: fs, synopsis: synopsis, about: about, examples: examples, choices: map[string][]string{}}
}

// parse reads args. Where done is true the command ends with that exit code:
// help was asked for, or the command line is wrong.
func (fs *flagSet) parse(args []string, stdout, stderr io.Writer) (code int, done bool) {
	err := fs.parseAll(args)
	switch {
	case err == nil:
		for _, check := range fs.checks {
			if err := check(); err != nil {
				return fs.misused(stderr, "%s", err), true
			}
		}
		return exitOK, false
	case errors.Is(err, flag.ErrHelp):
		if _, err := io.WriteString(stdout, fs.help()); err != nil {
			return exitFailure, true
		}
		return exitOK, true
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return fs.misused(stderr, "unknown flag --%s: the flags are %s", strings.TrimPrefix(name, "-"), fs.names()), true
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fs.misused(stderr, "flag needs an argument: --%s: want %s", name, fs.wants(name)), true
	}
	if match := badValue.FindStringSubmatch(text); match != nil {
		value, name := match[1], match[2]
		return fs.misused(stderr, "--%s %s: want %s", name, value, fs.wants(name)), true
	}
	return fs.misused(stderr, "%s: the flags are %s", text, fs.names()), true
}

// parseAll reads flags wherever they stand: before, between and behind the arguments.
// Behind "--" stands no flag.
func (fs *flagSet) parseAll(args []string) error {
	for {
		if err := fs.Parse(args); err != nil {
			return err
		}
		left := fs.FlagSet.Args()
		ended := len(left) < len(args) && args[len(args)-len(left)-1] == "--"
		if len(left) == 0 || ended {
			fs.rest = append(fs.rest, left...)
			return nil
		}
		fs.rest, args = append(fs.rest, left[0]), left[1:]
	}
}

// Args, Arg and NArg are about what is no flag.
func (fs *flagSet) Args() []string { return fs.rest }

func (fs *flagSet) Arg(i int) string {
	if i < 0 || i >= len(fs.rest) {
		return ""
	}
	return fs.rest[i]
}

func (fs *flagSet) NArg() int { return len(fs.rest) }

// badValue is how package flag reports a value that is not of the flag's type.
var badValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-([^ :]+): `)

// wants tells what the value of a flag looks like.
func (fs *flagSet) wants(name string) string {
	f := fs.Lookup(name)
	if f == nil {
		return "a value"
	}
	if typed, ok := f.Value.(flag.Getter); ok {
		switch typed.Get().(type) {
		case time.Duration:
			return "a duration such as 5s or 2m"
		case int:
			return "a number"
		case bool:
			return "true or false"
		}
	}
	value, _ := flag.UnquoteUsage(f)
	return "its " + value
}

// misused reports a wrong command line and returns its exit code.
func (fs *flagSet) misused(stderr io.Writer, format string, args ...any) int {
	fmt.Fprintf(stderr, "errmap: %s: %s (see errmap %s --help)\n", fs.Name(), fmt.Sprintf(format, args...), fs.Name())
	return exitUsage
}

func (fs *flagSet) names() string {
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, dashed(f.Name)) })
	return strings.Join(append(names, "--help"), ", ")
}

// dashed is a flag as it is typed: -I, --upstream.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func (fs *flagSet) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  errmap %s\n\n%s\n\nFlags:\n", fs.synopsis, strings.TrimSpace(fs.about))
	fs.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		if value != "" {
			value = " " + value
		}
		fmt.Fprintf(&b, "  %s%s\n        %s", dashed(f.Name), value, usage)
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			fmt.Fprintf(&b, " (default %s)", f.DefValue)
		}
		b.WriteByte('\n')
	})
	b.WriteString("  --help\n        this text\n")
	if fs.examples != "" {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(strings.TrimSpace(fs.examples)) {
			b.WriteString("  " + line)
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nExit codes:\n" + exitCodes)
	return b.String()
}
