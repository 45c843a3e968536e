package readme_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const fieldReports = "docs/field-reports.md"

var (
	fieldTest   = regexp.MustCompile(`(?m)^func (TestField_([0-9]+)\w*)\(`)
	fieldName   = regexp.MustCompile("`(TestField_[0-9]+\\w*)`")
	fieldRow    = regexp.MustCompile(`^\| ([0-9]+) \| ([^|]+) \| ([^|]+) \|([^|]*)\|$`)
	fieldColumn = "| number | kind | tested in | choice |"
)

// The table of the field reports and the tests of the tree name each other:
// each number has a row and a test, and each test of a row is where the row says.
func TestFieldReports(t *testing.T) {
	t.Parallel()
	tests := fieldTests(t)
	content, err := os.ReadFile(filepath.Join(root, fieldReports))
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	if !strings.Contains(text, fieldColumn) {
		t.Fatalf("%s: no table with the columns %s", fieldReports, fieldColumn)
	}
	var numbers []int
	for i, line := range strings.Split(text, "\n") {
		row := fieldRow.FindStringSubmatch(line)
		if row == nil {
			if strings.HasPrefix(line, "| ") && line != fieldColumn {
				t.Errorf("%s:%d: no row of the table: %s", fieldReports, i+1, line)
			}
			continue
		}
		number, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, number)
		if strings.TrimSpace(row[2]) == "" {
			t.Errorf("%s:%d: number %d has no kind", fieldReports, i+1, number)
		}
		named := 0
		for cell := range strings.SplitSeq(row[3], "; ") {
			dir, names, ok := strings.Cut(strings.TrimSpace(cell), ": ")
			if !ok {
				t.Errorf("%s:%d: %q names no package", fieldReports, i+1, cell)
			}
			for _, name := range fieldName.FindAllStringSubmatch(names, -1) {
				named++
				if !slices.Contains(tests[number][name[1]], dir) {
					t.Errorf("%s:%d: %s is no test of number %d in %s", fieldReports, i+1, name[1], number, dir)
				}
			}
		}
		if named == 0 {
			t.Errorf("%s:%d: number %d has no test", fieldReports, i+1, number)
		}
	}
	if !slices.IsSorted(numbers) || len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
		t.Errorf("%s: the numbers are not in order, each once: %v", fieldReports, numbers)
	}
	for number, names := range tests {
		if !slices.Contains(numbers, number) {
			t.Errorf("%s: no row for number %d, which %v test", fieldReports, number, names)
		}
	}
	if len(numbers) < 97 {
		t.Errorf("%s: %d numbers, want all 97", fieldReports, len(numbers))
	}
}

// fieldTests are the tests of field reports: by number, the directories of
// each by its name.
func fieldTests(t *testing.T) map[int]map[string][]string {
	t.Helper()
	tests := make(map[int]map[string][]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, m := range fieldTest.FindAllStringSubmatch(string(content), -1) {
			number, err := strconv.Atoi(m[2])
			if err != nil {
				return err
			}
			if tests[number] == nil {
				tests[number] = make(map[string][]string)
			}
			tests[number][m[1]] = append(tests[number][m[1]], filepath.ToSlash(dir))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}
