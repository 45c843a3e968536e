package readme_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/errmap/errmap/errmap"
	"github.com/errmap/errmap/internal/schema/schematest"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

const (
	root    = "../.."
	started = "docs/start.md"
	worked  = "docs/example/README.md"
)

// block is one fenced block of a document.
type block struct {
	document, language string
	untested           string // why, where a comment before it says so
	line               int
	lines              []string
}

// documents are the Markdown files of the repository, but for what tests compare with.
func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "want" || name == "third_party"):
			return filepath.SkipDir
		case filepath.Ext(name) == ".md":
			path, err = filepath.Rel(root, path)
			all = append(all, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil || len(all) < 15 {
		t.Fatalf("%d documents: %v", len(all), err)
	}
	return all
}

var untested = regexp.MustCompile(`^ *<!-- not tested: (\S.{15,}) -->$`)

func blocks(t *testing.T, document string) []block {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	var open *block
	var reason string
	indent := 0
	scanner := bufio.NewScanner(bytes.NewReader(content))
	for n := 1; scanner.Scan(); n++ {
		text := scanner.Text()
		inner := strings.TrimLeft(text, " ")
		language, fence := strings.CutPrefix(inner, "```")
		switch {
		case fence && open == nil:
			open = &block{document: document, language: language, untested: reason, line: n}
			indent = len(text) - len(inner)
		case fence:
			all, open = append(all, *open), nil
		case open != nil:
			open.lines = append(open.lines, text[min(indent, len(text)-len(inner)):])
		}
		if reason = ""; open == nil && untested.MatchString(inner) {
			reason = untested.FindStringSubmatch(inner)[1]
		}
	}
	if err := scanner.Err(); err != nil || open != nil {
		t.Fatalf("%s: %v, or a block without an end", document, err)
	}
	return all
}

// sources are, for each language, the files that something compiles or runs: those of
// Go and of start.md by this package, the others by the targets of the Makefile that
// test these languages.
var sources = map[string][]string{
	"go":     {"internal/readme/*_test.go", "docs/example/server/*.go", "docs/example/client/*.go", "errmap/errmapotel/*_test.go", "docs/adopt/*_test.go"},
	"ts":     {"polyglot/typescript/test/*.ts", "docs/example/typescript/src/*.ts"},
	"python": {"polyglot/python/tests/*.py", "docs/example/python/*.py"},
	"yaml":   {"buf.yaml", "docs/example/*.yaml", "polyglot/python/*.yaml", "polyglot/typescript/*.yaml"},
	"java":   {"polyglot/interop/grpc/java/src/main/java/peer/*.java"},
	"rust":   {"polyglot/interop/grpc/rust/src/*.rs"},
}

// Every block of every document is held to something: code stands, line after line, in
// a file that is compiled or run; JSON is JSON; a command is one that a test runs, or a
// target of make. What cannot be held says why, in a comment before it.
func TestBlocks(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	texts := map[string]string{}
	for language, patterns := range sources {
		for _, pattern := range patterns {
			texts[language] += flat(t, filepath.Join(root, pattern))
		}
	}
	for _, b := range blocks(t, started) { // which TestFinding_N09 runs
		texts[b.language] += "\n" + trimmed(b.lines) + "\n"
	}
	for _, document := range documents(t) {
		if strings.HasPrefix(document, "polyglot/") {
			continue
		}
		for _, b := range blocks(t, document) {
			at := fmt.Sprintf("%s:%d", document, b.line)
			switch source, code := texts[b.language]; {
			case b.untested != "":
				t.Logf("%s: not tested: %s", at, b.untested)
			case document == started, document == worked, b.language == "text":
			case b.language == "json":
				if !isJSON(b.lines) {
					t.Errorf("%s: neither JSON nor a JSON value a line", at)
				}
			case b.language == "sh":
				for _, line := range commands(b) {
					if !tested(t, document, line) {
						t.Errorf("%s: no test runs %q: have one run it, or say why not in a comment before the block, <!-- not tested: … -->", at, line)
					}
				}
			case b.language == "yaml":
				template(t, at, b.lines, texts["yaml"])
			case b.language == "proto":
				compiles(t, at, strings.Join(b.lines, "\n"))
			case !code:
				t.Errorf("%s: nothing holds blocks of %q to what runs; text that is no code is \"text\"", at, b.language)
			default:
				for _, part := range parts(b) {
					if part = trimmed(strings.Split(part, "\n")); part != "" && !strings.Contains(source, "\n"+part+"\n") {
						t.Errorf("%s: these lines stand in no file that is compiled:\n%s", at, part)
					}
				}
			}
			count[b.language]++
		}
	}
	if count["go"] < 15 || count["proto"] < 3 || count["sh"] < 10 {
		t.Errorf("only %v blocks found", count)
	}
}

// template holds a configuration of buf to those that are run: each of its lines stands
// in one of them, wherever the plugins are.
func template(t *testing.T, at string, lines []string, source string) {
	t.Helper()
	source = strings.ReplaceAll(placed.ReplaceAllString(source, "$1"), "[python,", "[python3,")
	for _, line := range lines {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
		if line = placed.ReplaceAllString(line, "$1"); line != "" && !strings.HasPrefix(line, "#") && !strings.Contains(source, "\n"+line+"\n") {
			t.Errorf("%s: no template that is run has the line %q", at, line)
		}
	}
}

// placed is where a program lies in a template that is run.
var placed = regexp.MustCompile(`(?:\[go, tool, ((?:protoc-gen|buf-plugin)-[\w-]+)\])|(?:python/)?(?:\.?venv/|typescript/|node_modules/|\.bin/|bin/)+`)

var rpcLine = regexp.MustCompile(`(?m)^rpc (\w+)\((\w+)\) returns \((\w+)\)`)

// compiles compiles a schema. One that is a part of a file gets what the part leaves
// out: a package, the imports, and messages that its methods name.
func compiles(t *testing.T, at, text string) {
	t.Helper()
	if m := rpcLine.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("service Part {\n%s\n}\nmessage %s {}\nmessage %s {}\n", text, m[2], m[3])
	}
	if !strings.Contains(text, "syntax =") {
		head := "syntax = \"proto3\";\npackage part.v1;\n"
		for _, path := range []string{"errmap/v1/error.proto", "google/rpc/error_details.proto"} {
			if !strings.Contains(text, path) {
				head += fmt.Sprintf("import %q;\n", path)
			}
		}
		text = head + text
	}
	t.Run(at, func(t *testing.T) { schematest.Compile(t, text) })
}

func isJSON(lines []string) bool {
	if json.Valid([]byte(strings.Join(lines, "\n"))) {
		return true
	}
	return !slices.ContainsFunc(lines, func(line string) bool { return !json.Valid([]byte(line)) })
}

// commands are the lines of a block of shell, without comments.
func commands(b block) []string {
	var all []string
	for _, line := range b.lines {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

var makeLine = regexp.MustCompile(`^make( [a-z-]+)?( [A-Z]+=\S+)*( *#.*)?$`)

// tested tells whether a test runs a command: TestCommands those of errmap, continuous
// integration the targets of make, and make test-example what the worked example has.
func tested(t *testing.T, document, line string) bool {
	t.Helper()
	if strings.Contains(line, "go run ./cmd/errmap") {
		return true
	}
	dir := root
	if strings.HasPrefix(document, "docs/example/") {
		dir = filepath.Join(root, "docs/example")
	}
	makefile, err := os.ReadFile(filepath.Join(dir, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if m := makeLine.FindStringSubmatch(line); m != nil {
		return m[1] == "" || strings.Contains(string(makefile), "\n"+strings.TrimSpace(m[1])+":")
	}
	return false
}

// parts returns what of a block stands together in a source: what empty lines
// part, and each import alone, since a text shows those that matter to it.
func parts(b block) []string {
	text := importLine.ReplaceAllString(strings.Join(b.lines, "\n"), "$0\n\n")
	return strings.Split(text, "\n\n")
}

var importLine = regexp.MustCompile(`(?m)^(import .*|\t"[^"]+")$`)

// The schema of README.md and of the guide is the one that start.md generates from, and
// that TestFinding_N09 generates.
func TestSchema(t *testing.T) {
	t.Parallel()
	first := func(document string) string {
		all := blocks(t, document)
		i := slices.IndexFunc(all, func(b block) bool { return b.language == "proto" })
		return strings.Join(all[i].lines, "\n")
	}
	_, want, _ := strings.Cut(first(started), "\n")
	for _, document := range []string{"README.md", "docs/guide.md"} {
		if diff := cmp.Diff(want, first(document)); diff != "" {
			t.Errorf("%s (-start.md +%s):\n%s", document, document, diff)
		}
	}
}

// The forms of the error in the guide are what the encoders write, and README.md has
// two of them.
func TestWires(t *testing.T) {
	t.Parallel()
	e := errmap.New(&shopv1.StockEmptyError{Sku: "A1"})
	_, http := errmap.EncodeHTTP(e)
	_, problem := errmap.EncodeProblem(e)
	rpc := errmap.EncodeJSONRPC(e, errmap.ProfileGeneric)
	for document, want := range map[string][]string{
		"docs/guide.md": {string(errmap.EncodeConnect(e)), strings.TrimSpace(errmap.EncodeGRPC(e).String()), string(http), string(problem), string(rpc)},
		"README.md":     {string(http), string(rpc)},
	} {
		var got []string
		for _, b := range blocks(t, document) {
			if text := strings.Join(b.lines, "\n"); strings.Contains(text, "No A1 left") && (b.language == "json" || b.language == "text") {
				got = append(got, text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", document, diff)
		}
	}
}

// README.md is short, and its commands stand before its code.
func TestFinding_N17(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(content, []byte("\n")); n >= 150 {
		t.Errorf("README.md has %d lines, want fewer than 150", n)
	}
	at := -1
	for _, text := range []string{"What it adds", "```sh\n", "Not released yet", "Go 1.26", "## One error", "## The server", "## The client", "on two wires", "## What is guaranteed", "## Where to read on"} {
		i := strings.Index(string(content), text)
		if i <= at {
			t.Errorf("README.md: %q is not where it belongs", text)
		}
		at = i
	}
}

// The commands of the documents that are errmap's end well, and a server begins.
func TestCommands(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "errmap")
	if out, err := exec.Command("go", "build", "-o", program, root+"/cmd/errmap").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	agent := serving(t, program)
	ran := 0
	for _, document := range documents(t) {
		for _, b := range blocks(t, document) {
			if b.language != "sh" || b.untested != "" {
				continue
			}
			for _, line := range commands(b) {
				line = strings.TrimPrefix(line, "git clone https://github.com/errmap/errmap && cd errmap && ")
				command := strings.ReplaceAll(line, "go run ./cmd/errmap", program)
				if command == line {
					continue
				}
				ran++
				if strings.Contains(command, program+" serve") || strings.Contains(command, program+" gateway") {
					begins(t, program, strings.Fields(strings.ReplaceAll(command, "localhost:50051", agent))[1:]...)
					continue
				}
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir = root
				if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
					t.Errorf("%s:%d: %s: %v\n%s", document, b.line, line, err, out)
				}
			}
		}
	}
	if ran < 5 {
		t.Errorf("only %d commands found", ran)
	}
}

// begins runs a server as a document says, but for its port, until it tells where it is.
func begins(t *testing.T, program string, args ...string) {
	t.Helper()
	if i := slices.Index(args, "#"); i >= 0 {
		args = args[:i]
	}
	start(t, program, append(args, "--listen", "127.0.0.1:0")...)()
}

// serving runs the agent for the length of a test, and returns its host and port.
func serving(t *testing.T, program string) string {
	t.Helper()
	var address string
	stop := startAt(t, &address, program, "serve", "--listen", "127.0.0.1:0")
	t.Cleanup(stop)
	return address
}

func start(t *testing.T, program string, args ...string) (stop func()) {
	t.Helper()
	var address string
	return startAt(t, &address, program, args...)
}

var listens = regexp.MustCompile(`(?:http://| on )((?:localhost|127\.0\.0\.1):[0-9]+)`)

func startAt(t *testing.T, address *string, program string, args ...string) (stop func()) {
	t.Helper()
	cmd := exec.Command(program, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() })
	reader := bufio.NewReader(out)
	for said := ""; ; {
		line, err := reader.ReadString('\n')
		said += line
		for _, m := range listens.FindAllStringSubmatch(line, -1) {
			if !strings.Contains(strings.Join(args, " "), m[1]) {
				*address = m[1]
			}
		}
		if *address != "" {
			break
		}
		if err != nil {
			_ = cmd.Wait()
			t.Fatalf("%s %v: %v, without an address:\n%s", program, args, err, said)
		}
	}
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, reader)
		watchdog.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s %v: %v", program, args, err)
		}
	}
}

var fenced = regexp.MustCompile("(?ms)^```.*?^```")

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// Links between the documents lead somewhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, document := range documents(t) {
		document = filepath.Join(root, document)
		content, err := os.ReadFile(document)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(content), ""), -1) {
			if target := match[1]; !strings.Contains(target, "://") {
				if _, err := os.Stat(filepath.Join(filepath.Dir(document), target)); err != nil {
					t.Errorf("%s: link to %s, which is not there", document, target)
				}
			}
		}
	}
}

// flat returns the lines of files, without indentation and empty lines.
func flat(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	var b strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n" + trimmed(strings.Split(string(content), "\n")))
	}
	return b.String() + "\n"
}

func trimmed(lines []string) string {
	var kept []string
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
