package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/explain"
	"github.com/errmap/errmap/internal/translate"
)

const convertAbout = `
Convert reads one error in one form from standard input and writes it in
another form to standard output. The forms are connect, status, http (AIP-193),
problem (RFC 9457) and jsonrpc, which are JSON, and grpc, which is header lines
such as "grpc-status: 5".

It exits with 1 where the input is not of its form at all, unless --http-status
tells what it was.

With --lines it reads one JSON object a line and writes one a line, in order:
  in   {"from","to","profile"?,"from_profile"?,"to_profile"?,"http_status"?,"input"}
  out  {"output","http_status"?,"notes"?} or {"error"}
The input is a string that holds the text of the error, or its JSON as it is.
The output is a string for grpc and JSON for the other forms, the http_status
what an HTTP answer with it would have. Flags say what a line does not.`

const convertExamples = `
echo '{"code":-32001,"message":"Task not found"}' | errmap convert --from jsonrpc --to connect --profile a2a
printf 'grpc-status: 5\ngrpc-message: gone\n' | errmap convert --from grpc --to problem
`

// conversion is what the flags, or one line, say of a translation.
type conversion struct {
	from, to                        string
	profile, fromProfile, toProfile string
	httpStatus                      int
}

func setupConvert() (*flagSet, action) {
	fs := newFlagSet("convert", "convert --from F --to F [flags]", convertAbout, convertExamples)
	var c conversion
	fs.StringVar(&c.from, "from", "", "the `form` of the input: "+formNames())
	fs.StringVar(&c.to, "to", "", "the `form` of the output: "+formNames())
	fs.StringVar(&c.profile, "profile", "generic", "the `profile` of JSON-RPC at both ends: "+profileNames())
	fs.StringVar(&c.fromProfile, "from-profile", "", "the `profile` of the input, if not that of --profile")
	fs.StringVar(&c.toProfile, "to-profile", "", "the `profile` of the output, if not that of --profile")
	for _, name := range []string{"from", "to"} {
		fs.choose(name, strings.Split(formNames(), ", ")...)
	}
	for _, name := range []string{"profile", "from-profile", "to-profile"} {
		fs.choose(name, strings.Split(profileNames(), ", ")...)
	}
	fs.IntVar(&c.httpStatus, "http-status", 0, "the HTTP `status` that the input came with")
	notes := fs.Bool("notes", false, "print what was dropped or repaired to standard error")
	lines := fs.Bool("lines", false, "translate one JSON object a line")
	return fs, func(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
		if fs.NArg() > 0 {
			return fs.misused(stderr, "unexpected argument %q: the error comes from standard input", fs.Arg(0))
		}
		if *lines {
			if err := c.checkNames(); err != nil {
				return fs.misused(stderr, "%s", message(err))
			}
			return c.runLines(ctx, bufio.NewReaderSize(stdin, 64<<10), stdout, stderr)
		}
		for _, end := range []struct{ flag, form string }{{"--from", c.from}, {"--to", c.to}} {
			if end.form == "" {
				return fs.misused(stderr, "%s is missing: want one of %s", end.flag, formNames())
			}
		}
		r, err := c.request()
		if err != nil {
			return fs.misused(stderr, "%s", message(err))
		}
		return convertOne(r, *notes, stdin, stdout, stderr)
	}
}

func convertOne(r translate.Request, notes bool, stdin io.Reader, stdout, stderr io.Writer) int {
	var err error
	if r.Input, err = readBody(stdin); err != nil {
		return failed(stderr, err)
	}
	result, err := translate.Run(r)
	if err != nil {
		return failed(stderr, withHint(r, err))
	}
	if notes {
		for _, note := range result.Notes {
			fmt.Fprintf(stderr, "errmap: note: %s\n", note)
		}
	}
	if _, err := stdout.Write(append(result.Output, '\n')); err != nil {
		return failed(stderr, err)
	}
	return exitOK
}

// withHint says what to do with a whole HTTP response, where a body is wanted.
func withHint(r translate.Request, err error) error {
	status, ok := explain.ResponseStatus(r.Input)
	if _, foreign := errors.AsType[*errmap.FormError](err); !ok || !foreign {
		return err
	}
	return fmt.Errorf("%w: this is a whole HTTP response, want its body alone and --http-status %d (errmap explain reads it as it is)", err, status)
}

// readBody reads a whole body, and no more of one beyond the limit of the
// decoders than it takes for them to refuse it.
func readBody(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, errmap.DefaultMaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("reading standard input: %w", err)
	}
	return body, nil
}

// failed reports why a command could not do what it was to do.
func failed(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "errmap: %s\n", message(err))
	return exitFailure
}

// request reads the names. Its error says which is unknown, and lists the known
// ones.
func (c conversion) request() (translate.Request, error) {
	var r translate.Request
	var err error
	if r.From, err = parseForm("from", c.from); err != nil {
		return r, err
	}
	if r.To, err = parseForm("to", c.to); err != nil {
		return r, err
	}
	if r.FromProfile, err = errmap.ParseProfile(cmp.Or(c.fromProfile, c.profile)); err != nil {
		return r, err
	}
	if r.ToProfile, err = errmap.ParseProfile(cmp.Or(c.toProfile, c.profile)); err != nil {
		return r, err
	}
	if c.httpStatus != 0 && (c.httpStatus < 100 || c.httpStatus > 999) {
		return r, fmt.Errorf("%d is no HTTP status: want 100 to 999", c.httpStatus)
	}
	r.HTTPStatus = c.httpStatus
	return r, nil
}

// checkNames checks what flags say where lines may say the rest.
func (c conversion) checkNames() error {
	c.from, c.to = cmp.Or(c.from, string(translate.Connect)), cmp.Or(c.to, string(translate.Connect))
	_, err := c.request()
	return err
}

func parseForm(end, name string) (translate.Form, error) {
	if name == "" {
		return "", fmt.Errorf("%s is missing: want one of %s", end, formNames())
	}
	return translate.ParseForm(name)
}

func profileNames() string {
	var names []string
	for _, p := range errmap.Profiles() {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}

func formNames() string {
	var names []string
	for _, f := range translate.Forms() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}
