package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/explain"
	"github.com/errmap/errmap/internal/translate"
)

const explainAbout = `
Explain reads the text of one error from a file, or from standard input, and tells in
plain words what it is, whose it is, whether to make the call again, what it says in
detail, and what it looks like on the other wires.

It recognizes the form by itself, by its structure:
  bodies      Connect, google.rpc.Status, AIP-193, RFC 9457, JSON-RPC, results of MCP;
              those of Kubernetes, Stripe, GitHub, Microsoft, Spring, OpenAI, OAuth and
              others, with what can be known of them, named as theirs
  responses   what curl -i, -v and --trace-ascii print, with trailers; header lines;
              what the tools of browsers copy, and archives that they save (HAR)
  streams     server-sent events, the ends of Connect streams, gRPC-Web
  programs    what grpcurl prints, exceptions of gRPC and Connect in Go, JavaScript,
              Python, Java, C#, Rust and others, lines and records of logs
  proxies     pages and texts of nginx, Envoy, Cloudflare and others

The first error in the text counts. What a JSON-RPC object means depends on the
profile of the connection, so it is told under all of them. Your own errors are known
by the schema that -I, --descriptors or --upstream name; proto files may be named too.

Credentials, cookies and ids of sessions that stand in the text are not shown. It goes
nowhere: only --upstream makes a connection, and tells nothing of the text there.`

const explainExamples = `
errmap explain response.txt
curl -sv https://api.example.com/v1/orders/7 2>&1 | errmap explain
grpcurl -plaintext localhost:50051 orders.v1.Orders/Get 2>&1 | errmap explain --upstream http://localhost:50051
errmap explain -I proto error.json
errmap explain --format json < error.json
echo '{"code":-32001,"message":"Task not found"}' | errmap explain
`

func setupExplain() (*flagSet, action) {
	fs := newFlagSet("explain", "explain [flags] [FILE] [FILE.proto ...]", explainAbout, explainExamples)
	from := fs.String("from", "", "the `form` of the input, if it is not to be recognized: "+formNames())
	status := fs.Int("http-status", 0, "the HTTP `status` that the input came with")
	format := fs.format()
	known := fs.source()
	fs.choose("from", strings.Split(formNames(), ", ")...)
	return fs, func(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
		files, protos := splitArguments(fs.Args())
		if len(files) > 1 {
			return fs.misused(stderr, "unexpected argument %q: want one file with one error", files[1])
		}
		if err := known.check(len(protos)); err != nil {
			return fs.misused(stderr, "%s", message(err))
		}
		// The other names are there for the checks alone.
		if _, err := (conversion{from: string(translate.Connect), to: string(translate.Connect), profile: "generic", httpStatus: *status}).request(); err != nil {
			return fs.misused(stderr, "%s", message(err))
		}
		var form translate.Form
		if *from != "" {
			var err error
			if form, err = translate.ParseForm(*from); err != nil {
				return fs.misused(stderr, "%s", err)
			}
		}
		text, err := readInput(files, stdin, stderr)
		if err != nil {
			return failed(stderr, err)
		}
		f, err := find(text, form, *status)
		if err != nil {
			return notFound(stderr, err)
		}
		catalog, err := known.catalog(ctx, protos)
		if err != nil {
			return failed(stderr, err)
		}
		return report(f, catalog, *format, stdout, stderr)
	}
}

// splitArguments parts proto files from the file with the error.
func splitArguments(args []string) (files, protos []string) {
	for _, arg := range args {
		if strings.HasSuffix(arg, ".proto") {
			protos = append(protos, arg)
		} else {
			files = append(files, arg)
		}
	}
	return files, protos
}

// readInput reads the file that is named, "-" and none being standard input. On a
// terminal it says first what it waits for.
func readInput(files []string, stdin io.Reader, stderr io.Writer) ([]byte, error) {
	if len(files) == 1 && files[0] != "-" {
		file, err := os.Open(files[0])
		if err != nil {
			return nil, err
		}
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(file, explain.MaxText+1))
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", files[0], err)
		}
		return text, nil
	}
	if isTerminal(stdin) {
		fmt.Fprintln(stderr, "errmap: paste the error and end it with Ctrl-D in a line of its own (Ctrl-Z and Enter on Windows); errmap explain --help has more")
	}
	return readBody(stdin)
}

// find recognizes an error, or takes the form and the status that flags say.
func find(text []byte, form translate.Form, status int) (explain.Found, error) {
	if form != "" {
		if len(text) > explain.MaxText {
			return explain.Found{}, explain.ErrTooLarge
		}
		return explain.Found{Form: form, Text: text, Status: status, Why: "the flag --from"}, nil
	}
	f, err := explain.Recognize(text)
	switch {
	case err == nil && status != 0:
		return f.WithStatus(status), nil
	case err == nil || status == 0 || !errors.Is(err, explain.ErrUnknown):
		return f, err
	}
	// Whatever the body is, the status says something.
	return explain.Found{Form: translate.HTTP, Text: text, Status: status, Why: "the flag --http-status alone"}, nil
}

func notFound(stderr io.Writer, err error) int {
	failed(stderr, err)
	switch {
	case errors.Is(err, explain.ErrSuccess):
		return exitSuccess
	case errors.Is(err, explain.ErrUnknown):
		return exitUnknown
	}
	return exitFailure
}

func report(f explain.Found, catalog *errmap.Catalog, format string, stdout, stderr io.Writer) int {
	r, err := f.Report(catalog, time.Now())
	switch {
	case errors.Is(err, errmap.ErrOK):
		failed(stderr, err)
		return exitSuccess
	case err != nil:
		return failed(stderr, err)
	case format == formatJSON:
		err = r.WriteJSON(stdout)
	case inColour(stdout):
		err = r.WriteText(stdout, explain.WithColour())
	default:
		err = r.WriteText(stdout)
	}
	if err != nil {
		return failed(stderr, err)
	}
	return exitOK
}

// isTerminal tells whether a person sits at a stream.
func isTerminal(stream any) bool {
	file, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}

// inColour tells whether what is written is seen by a person who wants colours
// (no-color.org).
func inColour(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
