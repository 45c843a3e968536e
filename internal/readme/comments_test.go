package readme_test

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notGo are the blocks of comments that are neither Go nor a table, by the start of
// their first line: lists, and the usage of commands.
var notGo = []string{
	"google.rpc.Status   Error.Status", // which functions a wire has
	"code, message                    the same on every wire",
	"errmap.code        its google.rpc.Code",
	"connectconformance --mode ", "load [-rounds", "memory [-calls", "report [-rounds", "make bench ",
	"print-googleapis ", "release proxy VERSION DIR", "go -C tools run ./cmd/print-licences ",
}

// The code in doc comments stands in files that are compiled, as that of the
// documents does.
func TestDocComments(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, pattern := range sources["go"] {
		source.WriteString(flat(t, filepath.Join(root, pattern)))
	}
	templates := ""
	for _, pattern := range sources["yaml"] {
		templates += flat(t, filepath.Join(root, pattern))
	}
	for _, b := range blocks(t, started) {
		if b.language == "yaml" {
			templates += trimmed(b.lines) + "\n"
		}
	}
	found := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "gen"):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			group, ok := n.(*ast.CommentGroup)
			if !ok {
				return true
			}
			for _, content := range new(comment.Parser).Parse(group.Text()).Content {
				if c, ok := content.(*comment.Code); ok {
					found++
					commented(t, files.Position(group.Pos()).String(), c.Text, source.String(), templates)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 30 {
		t.Errorf("only %d blocks found", found)
	}
}

func commented(t *testing.T, at, text, source, templates string) {
	t.Helper()
	switch first, _, _ := strings.Cut(text, "\n"); {
	case strings.HasPrefix(first, "|"):
	case strings.HasPrefix(first, "{"):
		if !isJSON([]string{text}) {
			t.Errorf("%s: no JSON:\n%s", at, text)
		}
	case strings.HasPrefix(first, "message "):
		compiles(t, at, text)
	case slices.ContainsFunc(notGo, func(start string) bool { return strings.HasPrefix(first, start) }):
	case strings.HasPrefix(first, "plugins:") || strings.HasPrefix(first, "version:"):
		template(t, at, strings.Split(text, "\n"), templates)
	default:
		for _, part := range parts(block{lines: strings.Split(text, "\n")}) {
			if part = trimmed(strings.Split(part, "\n")); part != "" && !strings.Contains(source, "\n"+part+"\n") {
				t.Errorf("%s: these lines stand in no file that is compiled:\n%s", at, part)
			}
		}
	}
}
