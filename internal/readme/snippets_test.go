package readme_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/errmap/errmap/errmap"
	shopv1 "github.com/errmap/errmap/internal/testproto/gen/shop/v1"
)

const root = "../.."

// texts are the documents whose code is held to what runs.
var texts = []string{"README.md", "docs/guide.md", "docs/interop.md"}

// block is one fenced block of a document.
type block struct {
	document, language string
	line               int
	lines              []string
}

func blocks(t *testing.T, document string) []block {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	var open *block
	scanner := bufio.NewScanner(bytes.NewReader(content))
	for n := 1; scanner.Scan(); n++ {
		text := scanner.Text()
		language, fence := strings.CutPrefix(text, "```")
		switch {
		case fence && open == nil:
			open = &block{document: document, language: language, line: n}
		case fence:
			all, open = append(all, *open), nil
		case open != nil:
			open.lines = append(open.lines, text)
		}
	}
	if err := scanner.Err(); err != nil || open != nil {
		t.Fatalf("%s: %v, or a block without an end", document, err)
	}
	return all
}

// Go and Protobuf in the documents stand, line after line, in files that are
// compiled.
func TestSnippets(t *testing.T) {
	t.Parallel()
	sources := map[string]string{
		"go":    flat(t, "*_test.go"),
		"proto": flat(t, root+"/internal/testproto/shop/v1/cart.proto"),
	}
	count := map[string]int{}
	for _, document := range texts {
		for _, b := range blocks(t, document) {
			source, checked := sources[b.language]
			if !checked {
				continue
			}
			count[b.language]++
			for _, part := range parts(b) {
				if part = trimmed(strings.Split(part, "\n")); part != "" && !strings.Contains(source, "\n"+part+"\n") {
					t.Errorf("%s:%d: these lines stand in no file that is compiled:\n%s", document, b.line, part)
				}
			}
		}
	}
	if count["go"] < 5 || count["proto"] < 1 {
		t.Errorf("only %v blocks found", count)
	}
}

// parts returns what of a block stands together in a source: what empty lines
// part, each import alone, since a text shows those that matter to it, and the
// end of a method of which it does not show everything.
func parts(b block) []string {
	text := importLine.ReplaceAllString(strings.Join(b.lines, "\n"), "$0\n\n")
	if b.language == "proto" {
		text = shortened.ReplaceAllString(text, "$1\n\n}")
	}
	return strings.Split(text, "\n\n")
}

var (
	importLine = regexp.MustCompile(`(?m)^(import .*|\t"[^"]+")$`)
	shortened  = regexp.MustCompile(`(?m)^( +option \(errmap\.v1\.errors\).*)\n *\}$`)
)

// The forms of the error in README.md are what the encoders write.
func TestREADME_wires(t *testing.T) {
	t.Parallel()
	e := errmap.New(&shopv1.StockEmptyError{Sku: "A1"})
	_, http := errmap.EncodeHTTP(e)
	_, problem := errmap.EncodeProblem(e)
	want := []string{
		string(errmap.EncodeConnect(e)), strings.TrimSpace(errmap.EncodeGRPC(e).String()),
		string(http), string(problem), string(errmap.EncodeJSONRPC(e, errmap.ProfileGeneric)),
	}
	var got []string
	for _, b := range blocks(t, "README.md") {
		if b.language == "json" || b.language == "text" {
			got = append(got, strings.Join(b.lines, "\n"))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The commands of the documents that end by themselves do so well.
func TestCommands(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "errmap")
	if out, err := exec.Command("go", "build", "-o", program, root+"/cmd/errmap").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ran := 0
	for _, document := range texts {
		for _, b := range blocks(t, document) {
			if b.language != "sh" {
				continue
			}
			for _, line := range b.lines {
				command := strings.ReplaceAll(line, "go run ./cmd/errmap", program)
				if command == line || strings.Contains(line, "errmap serve") || strings.Contains(line, "errmap gateway") || strings.Contains(line, "localhost") {
					continue
				}
				ran++
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir = root
				if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
					t.Errorf("%s:%d: %s: %v\n%s", document, b.line, line, err, out)
				}
			}
		}
	}
	if ran < 3 {
		t.Errorf("only %d commands found", ran)
	}
}

var fenced = regexp.MustCompile("(?ms)^```.*?^```")

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// Links between the documents lead somewhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	documents = append(documents, root+"/README.md", root+"/CHANGELOG.md", root+"/SECURITY.md", root+"/errmap/errmaptest/testdata/vectors/README.md")
	for _, document := range documents {
		content, err := os.ReadFile(document)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(content), ""), -1) {
			if target := match[1]; !strings.Contains(target, "://") {
				if _, err := os.Stat(filepath.Join(filepath.Dir(document), target)); err != nil {
					t.Errorf("%s: link to %s, which is not there", strings.TrimPrefix(document, root+"/"), target)
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
