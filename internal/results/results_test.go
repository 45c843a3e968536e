package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const page = "before\n<!-- peers: rpc -->\n" + head + "| b | 1 | grpc | 3 | all |\n| c | 1 | grpc | 3 | all |\n<!-- end -->\nafter\n"

// twice is what a merge may leave of a table.
const twice = "before\n<!-- peers: rpc -->\n" + head + "| b | 1 | grpc | 3 | all |\n| b | 1 | grpc | 3 | none |\n| c | 1 | grpc | 3 | all |\n<!-- end -->\nafter\n"

// TestTable_settle holds that a page that says otherwise is an error, and that the
// rows of peers that did not run stay.
func TestTable_settle(t *testing.T) {
	former := *update
	*update = false
	defer func() { *update = former }()
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		row  Row
		want string
	}{
		{"the same", Row{"b", "1", "grpc", 3, "all"}, ""},
		{"another result", Row{"b", "1", "grpc", 3, "none"}, "| b | 1 | grpc | 3 | none |"},
		{"another wire", Row{"b", "1", "connect", 3, "all"}, "| b | 1 | connect | 3 | all |"},
	} {
		table := New(path, "rpc")
		table.Add(test.row)
		err := table.settle()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if err := os.WriteFile(path, []byte(twice), 0o600); err != nil {
		t.Fatal(err)
	}
	table := New(path, "rpc")
	table.Add(Row{"a", "2", "grpc", 3, "all"})
	table.Add(Row{"b", "2", "grpc", 3, "all"})
	*update = true
	if err := table.settle(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n<!-- peers: rpc -->\n" + head + "| a | 2 | grpc | 3 | all |\n| b | 2 | grpc | 3 | all |\n| c | 1 | grpc | 3 | all |\n<!-- end -->\nafter\n"
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	if err := New(path, "mcp").settle(); err == nil {
		t.Error("a page without the place is taken")
	}
}
