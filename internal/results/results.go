// Package results keeps a table of docs/interop.md true: the tests of one family
// of peers say what they found out about each, and the table has to say the same.
package results

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Packages without a table have no such flag, so make says it by the environment.
var update = flag.Bool("update", os.Getenv("UPDATE") != "", "write what was found out into docs/interop.md")

// head is that of every table.
const head = "| peer | version | wires | errors tried | result |\n|---|---|---|---|---|\n"

// Row is what was found out about one peer.
type Row struct {
	Peer    string // the name of the library, and what is special about this use of it
	Version string // as its registry has it, never a range
	Wires   string
	Errors  int // how many errors it was shown, on each wire
	Result  string
}

func (r Row) String() string {
	return fmt.Sprintf("| %s | %s | %s | %d | %s |\n", r.Peer, r.Version, r.Wires, r.Errors, r.Result)
}

// key is what a row replaces a former one by.
func key(line string) string {
	cells := strings.Split(line, "|")
	if len(cells) != 7 {
		return ""
	}
	return strings.TrimSpace(cells[1]) + " over " + strings.TrimSpace(cells[3])
}

// Table gathers the rows of one family. It is safe for concurrent use.
type Table struct {
	family string
	page   string

	mu   sync.Mutex
	rows []string
}

// New returns the table of a family, which stands in the page between the lines
// "<!-- peers: FAMILY -->" and "<!-- end -->".
func New(page, family string) *Table { return &Table{page: page, family: family} }

// Add says what was found out about a peer. Peer and wires together name a row.
func (t *Table) Add(r Row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, r.String())
}

// Run runs the tests, for TestMain. After tests that passed, every row has to
// stand in the page as it was found out; with the flag -update it is written
// there. Rows of peers that did not run stay as they are.
func (t *Table) Run(m *testing.M) (code int) {
	if !flag.Parsed() {
		flag.Parse()
	}
	if code = m.Run(); code != 0 {
		return code
	}
	if err := t.settle(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (t *Table) settle() error {
	page, err := os.ReadFile(t.page)
	if err != nil {
		return err
	}
	open, end := "<!-- peers: "+t.family+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(page), open)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s has no place for the table: write the lines %q and %q", t.page, strings.TrimSpace(open), end)
	}
	table := t.merge(old)
	switch {
	case old == table:
		return nil
	case *update:
		return os.WriteFile(t.page, []byte(before+open+table+end+after), 0o644) //nolint:gosec // a page of the documentation
	}
	return errors.New(t.page + " says otherwise than the peers do; run the tests with -update, and look at the difference:\n" + t.difference(old))
}

// merge returns the table with the rows found out in place of former ones.
func (t *Table) merge(old string) string {
	rows := slices.Collect(strings.Lines(strings.TrimPrefix(old, head)))
	for _, row := range t.rows {
		rows = append(slices.DeleteFunc(rows, func(o string) bool { return key(o) == key(row) }), row)
	}
	slices.SortFunc(rows, func(a, b string) int { return cmp.Compare(key(a), key(b)) })
	return head + strings.Join(rows, "")
}

func (t *Table) difference(old string) string {
	var b strings.Builder
	for _, row := range t.rows {
		if !strings.Contains(old, row) {
			b.WriteString(row)
		}
	}
	return b.String()
}
