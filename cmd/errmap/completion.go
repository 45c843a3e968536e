package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

const completionAbout = `
Completion writes what a shell needs to complete the commands, the flags and the values
of flags of errmap by the tab key, to standard output. It is made of the commands
themselves and needs no errmap while it runs.`

const completionExamples = `
source <(errmap completion bash)
errmap completion bash > /etc/bash_completion.d/errmap
errmap completion zsh > "${fpath[1]}/_errmap"
errmap completion fish > ~/.config/fish/completions/errmap.fish
`

var shells = map[string]func(io.Writer, []completed) error{"bash": writeBash, "fish": writeFish, "zsh": writeZsh}

func setupCompletion() (*flagSet, action) {
	fs := newFlagSet("completion", "completion bash|zsh|fish", completionAbout, completionExamples)
	fs.arguments = []string{"bash", "zsh", "fish"}
	return fs, func(_ context.Context, _ io.Reader, stdout, stderr io.Writer) int {
		if fs.NArg() != 1 || shells[fs.Arg(0)] == nil {
			return fs.misused(stderr, "want the name of a shell: bash, zsh or fish")
		}
		if err := shells[fs.Arg(0)](stdout, completedCommands()); err != nil {
			return failed(stderr, err)
		}
		return exitOK
	}
}

// completed is what a shell completes of one command.
type completed struct {
	name, summary string
	flags         []completedFlag
	arguments     []string // what stands there, nil for files
	files         bool     // whether files stand there
}

type completedFlag struct {
	name, usage string
	values      bool     // whether a value follows
	choices     []string // the values, nil for any
	files       bool     // whether the value is a file or a directory
}

func completedCommands() []completed {
	var all []completed
	for _, c := range commands() {
		fs, _ := c.setup()
		one := completed{name: c.name, summary: c.summary, arguments: fs.arguments, files: strings.Contains(fs.synopsis, "FILE")}
		fs.VisitAll(func(f *flag.Flag) {
			value, usage := flag.UnquoteUsage(f)
			one.flags = append(one.flags, completedFlag{
				name: f.Name, usage: firstPart(usage), values: value != "", choices: fs.choices[f.Name], files: value == "file" || value == "directory",
			})
		})
		one.flags = append(one.flags, completedFlag{name: "help", usage: "what the command does, with examples"})
		all = append(all, one)
	}
	return all
}

func firstPart(usage string) string {
	if end := strings.IndexAny(usage, ";:("); end > 0 {
		usage = usage[:end]
	}
	return strings.TrimSpace(usage)
}

func names(all []completed) []string {
	var out []string
	for _, c := range all {
		out = append(out, c.name)
	}
	return append(out, "help")
}

func writeBash(w io.Writer, all []completed) error {
	var b strings.Builder
	b.WriteString("# Completions of errmap for bash.\n_errmap() {\n\tlocal cur prev command flags files i\n\tCOMPREPLY=()\n\tcur=${COMP_WORDS[COMP_CWORD]}\n\tprev=${COMP_WORDS[COMP_CWORD-1]}\n")
	fmt.Fprintf(&b, "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W %s -- \"$cur\"))\n\t\treturn\n\tfi\n", quote(strings.Join(append(names(all), "--help", "--version"), " ")))
	b.WriteString("\tcommand=${COMP_WORDS[1]}\n\tcase \"$command $prev\" in\n")
	fmt.Fprintf(&b, "\t\"help \"*) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", quote(strings.Join(names(all), " ")))
	for _, c := range all {
		for _, f := range c.flags {
			pattern := fmt.Sprintf("\"%s %s\"", c.name, dashed(f.name))
			switch {
			case f.choices != nil:
				fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", pattern, quote(strings.Join(f.choices, " ")))
			case f.files:
				fmt.Fprintf(&b, "\t%s) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", pattern)
			case f.values:
				fmt.Fprintf(&b, "\t%s) return ;;\n", pattern)
			}
		}
	}
	b.WriteString("\tesac\n\tcase $command in\n")
	for _, c := range all {
		var flags []string
		for _, f := range c.flags {
			flags = append(flags, dashed(f.name))
		}
		words := flags
		if c.arguments != nil {
			words = append(slices.Clone(c.arguments), flags...)
		}
		fmt.Fprintf(&b, "\t%s) flags=%s files=%t ;;\n", c.name, quote(strings.Join(words, " ")), c.files)
	}
	b.WriteString("\t*) return ;;\n\tesac\n\tCOMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n\tif [ \"$files\" = true ] && [ \"${cur#-}\" = \"$cur\" ]; then\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\tfi\n}\ncomplete -o filenames -o bashdefault -F _errmap errmap\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func writeZsh(w io.Writer, all []completed) error {
	var b strings.Builder
	b.WriteString("#compdef errmap\n# Completions of errmap for zsh.\n_errmap() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\t\t%s\n", quote(c.name+":"+c.summary))
	}
	b.WriteString("\t\t'help:what a command does'\n\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\twords=(\"${(@)words[2,-1]}\")\n\t(( CURRENT-- ))\n\tcase $command in\n\thelp) _describe command commands ;;\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\t%s)\n\t\t_arguments", c.name)
		for _, f := range c.flags {
			spec := fmt.Sprintf("*%s[%s]", dashed(f.name), bracketless(f.usage))
			switch {
			case f.choices != nil:
				spec += ":value:(" + strings.Join(f.choices, " ") + ")"
			case f.files:
				spec += ":file:_files"
			case f.values:
				spec += ":value: "
			}
			fmt.Fprintf(&b, " \\\n\t\t\t%s", quote(spec))
		}
		switch {
		case c.arguments != nil:
			fmt.Fprintf(&b, " \\\n\t\t\t%s", quote("1:shell:("+strings.Join(c.arguments, " ")+")"))
		case c.files:
			b.WriteString(" \\\n\t\t\t'*:file:_files'")
		}
		b.WriteString("\n\t\t;;\n")
	}
	b.WriteString("\tesac\n}\nif [ \"$funcstack[1]\" = _errmap ]; then\n\t_errmap \"$@\"\nelse\n\tcompdef _errmap errmap\nfi\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func bracketless(s string) string {
	return strings.NewReplacer("[", "(", "]", ")", ":", ",").Replace(s)
}

func writeFish(w io.Writer, all []completed) error {
	var b strings.Builder
	b.WriteString("# Completions of errmap for fish.\ncomplete -c errmap -f\n")
	for _, c := range all {
		fmt.Fprintf(&b, "complete -c errmap -n __fish_use_subcommand -a %s -d %s\n", c.name, quote(c.summary))
	}
	fmt.Fprintf(&b, "complete -c errmap -n __fish_use_subcommand -a help -d 'what a command does'\ncomplete -c errmap -n '__fish_seen_subcommand_from help' -a %s\n", quote(strings.Join(names(all), " ")))
	for _, c := range all {
		seen := fmt.Sprintf("complete -c errmap -n '__fish_seen_subcommand_from %s'", c.name)
		if c.files {
			fmt.Fprintf(&b, "%s -F\n", seen)
		}
		if c.arguments != nil {
			fmt.Fprintf(&b, "%s -a %s\n", seen, quote(strings.Join(c.arguments, " ")))
		}
		for _, f := range c.flags {
			kind := "-l"
			if len(f.name) == 1 {
				kind = "-o"
			}
			fmt.Fprintf(&b, "%s %s %s -d %s", seen, kind, f.name, quote(f.usage))
			switch {
			case f.choices != nil:
				fmt.Fprintf(&b, " -x -a %s", quote(strings.Join(f.choices, " ")))
			case f.files:
				b.WriteString(" -r -F")
			case f.values:
				b.WriteString(" -x")
			}
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// quote quotes a text for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
