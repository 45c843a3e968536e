// Command errmap runs an agent whose errors are the same on every wire, and
// translates, explains and lists errors.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// The exit codes of every command.
const (
	exitOK      = 0
	exitFailure = 1 // the command ran and failed
	exitUsage   = 2 // the command line is wrong
	exitSuccess = 3 // explain: what was given is no error but a success
	exitUnknown = 4 // explain: what was given is in no form known here
)

// exitCodes is what every --help says of them.
const exitCodes = `  0  done
  1  failed: the reason is on standard error
  2  the command line is wrong
  3  explain alone: a success, in which no error is
  4  explain alone: no error in a form known here
`

// command is one subcommand. setup makes its flags, and what it does once they are
// read.
type command struct {
	name    string
	summary string
	setup   func() (*flagSet, action)
}

// action does what a command is for and returns the exit code; it ends when ctx does.
type action func(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int

// commands has one line a command, in the order in which help lists them. It is a
// function since completion has to know them too.
func commands() []command {
	return []command{
		{"serve", "run an A2A agent on every wire", setupServe},
		{"gateway", "put JSON-RPC and HTTP+JSON in front of a Connect or gRPC service", setupGateway},
		{"convert", "translate an error from one form into another", setupConvert},
		{"explain", "tell in plain words what an error is", setupExplain},
		{"catalog", "list the errors of a server, a descriptor set or proto files", setupCatalog},
		{"health", "ask a server whether it serves, for probes", setupHealth},
		{"completion", "write the completions of a shell", setupCompletion},
		{"version", "tell the version, and what this program was built from", setupVersion},
	}
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
	case "--version", "-version":
		name = "version"
	}
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		fs, do := c.setup()
		if code, done := fs.parse(args, stdout, stderr); done {
			return code
		}
		return do(ctx, stdin, stdout, stderr)
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
	for _, c := range commands() {
		width = max(width, len(c.name))
	}
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, c.name, c.summary)
	}
	b.WriteString("\nFlags:\n  --help     this text; after a command, that command's\n  --version  the version of this program\n")
	b.WriteString("\nExamples:\n  errmap explain FILE                       what the error in a file is\n" +
		"  curl -si URL | errmap explain             … or that of a call\n" +
		"  errmap catalog --upstream URL             which errors a server has\n" +
		"  errmap health http://localhost:8080       whether it serves\n" +
		"  source <(errmap completion bash)          commands and flags by the tab key\n")
	b.WriteString("\nExit codes:\n" + exitCodes)
	if _, err := io.WriteString(stdout, b.String()); err != nil {
		return exitFailure
	}
	return exitOK
}

func commandNames() string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}
