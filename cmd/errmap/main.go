// Command errmap runs an agent whose errors are the same on every wire, and
// translates, explains and lists errors.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
)

// The exit codes of every command.
const (
	exitOK      = 0
	exitFailure = 1 // the command ran and failed
	exitUsage   = 2 // the command line is wrong
)

// command is one subcommand. run gets the arguments after its name and returns
// the exit code; it ends when ctx does.
type command struct {
	name    string
	summary string
	run     func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int
}

var commands = []command{
	// One line a command, in the order in which help lists them.
	{"serve", "run an A2A agent on every wire", runServe},
	{"gateway", "put JSON-RPC and HTTP+JSON in front of a Connect or gRPC service", runGateway},
	{"convert", "translate an error from one form into another", runConvert},
	{"explain", "tell in plain words what an error is", runExplain},
	{"catalog", "list the errors of a server, a descriptor set or proto files", runCatalog},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	name := "help"
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	switch name {
	case "help", "--help", "-h", "-help":
		return help(ctx, args, stdin, stdout, stderr)
	case "version", "--version", "-version":
		fmt.Fprintln(stdout, "errmap", version())
		return exitOK
	}
	for _, c := range commands {
		if c.name == name {
			return c.run(ctx, args, stdin, stdout, stderr)
		}
	}
	kind := "command"
	if strings.HasPrefix(name, "-") {
		kind = "flag"
	}
	fmt.Fprintf(stderr, "errmap: unknown %s %q: want one of the commands %s, or --help or --version\n", kind, name, commandNames())
	return exitUsage
}

// help prints the overview, or the help of the command that is named.
func help(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return run(ctx, []string{args[0], "--help"}, stdin, stdout, stderr)
	}
	var b strings.Builder
	b.WriteString("errmap: one error, defined once in Protobuf, the same on every wire.\n\nUsage:\n  errmap <command> [flags]\n\nCommands:\n")
	width := 0
	for _, c := range commands {
		width = max(width, len(c.name))
	}
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, c.name, c.summary)
	}
	b.WriteString("\nFlags:\n  --help     this text; after a command, that command's\n  --version  the version of this program\n")
	b.WriteString("\nExit codes: 0 done, 1 failed, 2 the command line is wrong.\n")
	if _, err := io.WriteString(stdout, b.String()); err != nil {
		return exitFailure
	}
	return exitOK
}

func commandNames() string {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// version is what the build recorded: the module's version, or the commit that
// it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "(devel)" {
			v += " " + s.Value
		}
	}
	return v + " " + info.GoVersion
}
