package errmap_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/code"

	"github.com/errmap/errmap/errmap"
	mcpv1 "github.com/errmap/errmap/gen/errmap/mcp/v1"
)

// allCodes are the sixteen codes and two that are none.
var allCodes = func() []code.Code {
	var out []code.Code
	for c := code.Code(1); c <= 16; c++ {
		out = append(out, c)
	}
	return append(out, 42, -5)
}()

// cases is how many cases a property is tried with: n, half of them under the race
// detector, or what ERRMAP_PROPERTY says.
func cases(t testing.TB, n int) int {
	t.Helper()
	if text := os.Getenv("ERRMAP_PROPERTY"); text != "" {
		long, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return long
	}
	if testing.Short() {
		return n / 10
	}
	return n / share
}

// seed is the seed of the generators: 1, or what ERRMAP_SEED says.
func seed(t testing.TB) uint64 {
	t.Helper()
	if text := os.Getenv("ERRMAP_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return 1
}

// hop writes e on a wire and reads it again; it fails where bytes are no JSON,
// where two writings differ, or where anything is said to be lost.
func hop(t *testing.T, e *errmap.Error, w wire) (*errmap.Error, packet) {
	t.Helper()
	var lost []string
	p := w.encode(e, errmap.WithNotes(func(s string) { lost = append(lost, s) }))
	if w.json && !validJSON(p.body) {
		t.Fatalf("%s: no JSON: %q of %s", w.name, p.body, describe(e))
	}
	if again := w.encode(e); !bytes.Equal(p.body, again.body) || p.String() != again.String() {
		t.Fatalf("%s: two encodings:\n%s\n%s", w.name, p, again)
	}
	if (w.name == "http" || w.name == "problem") && (p.status < 400 || p.status > 599) {
		t.Fatalf("%s: HTTP status %d of %s", w.name, p.status, describe(e))
	}
	if lost != nil {
		t.Errorf("%s: lost %q in\n\t%s", w.name, lost, p)
	}
	back, err := w.decode(p)
	if err != nil {
		t.Fatalf("%s: %v reading %s of %s", w.name, err, p, describe(e))
	}
	return back, p
}

func TestProperty_every_pair_of_forms(t *testing.T) {
	t.Parallel()
	failed := 0
	for i := range cases(t, 400) {
		g := newGenerator(seed(t), uint64(i))
		e, from, in := g.received()
		for _, to := range allWires {
			back, out := hop(t, e, to)
			if s := difference(e, back, exactly); s != "" {
				t.Errorf("case %d, %s to %s: %s\n\tin  %s\n\tas  %s\n\tout %s\n\tas  %s", i, from.name, to.name, s, in, describe(e), out, describe(back))
				failed++
				break
			}
			home, out := hop(t, back, from)
			if s := difference(e, home, exactly); s != "" {
				t.Errorf("case %d, %s to %s and home: %s\n\tin  %s\n\tas  %s\n\tout %s\n\tas  %s", i, from.name, to.name, s, in, describe(e), out, describe(home))
				failed++
				break
			}
		}
		if failed > 3 {
			t.FailNow()
		}
	}
}

func TestProperty_errors_made_here(t *testing.T) {
	t.Parallel()
	for i := range cases(t, 400) {
		g := newGenerator(seed(t), uint64(i))
		e := g.made()
		for _, w := range allWires {
			var lost []string
			p := w.encode(e, errmap.WithNotes(func(s string) { lost = append(lost, s) }))
			if w.json && !validJSON(p.body) {
				t.Fatalf("case %d, %s: no JSON: %q", i, w.name, p.body)
			}
			if again := w.encode(e); p.String() != again.String() {
				t.Fatalf("case %d, %s: two encodings:\n%s\n%s", i, w.name, p, again)
			}
			if carries(p) || lost != nil {
				t.Fatalf("case %d, %s: an error made here carries or loses %q: %s", i, w.name, lost, p)
			}
			back, err := w.decode(p)
			if err != nil {
				t.Fatalf("case %d, %s: %v in %s", i, w.name, err, p)
			}
			if s := difference(e, back, plainly); s != "" {
				t.Fatalf("case %d, %s: %s\n\tmade %s\n\tout  %s", i, w.name, s, describe(e), p)
			}
			if len(back.Received()) > 0 {
				t.Fatalf("case %d, %s: an error made here came back with more than it said\n\tmade %s\n\tout  %s\n\tas   %s", i, w.name, describe(e), p, describe(back))
			}
			strange, err := w.decode(p, errmap.WithCatalog(nil))
			if err != nil {
				t.Fatalf("case %d, %s without a catalogue: %v in %s", i, w.name, err, p)
			}
			if s := difference(e, strange, acrossCatalogs); s != "" && canonical(e) {
				t.Fatalf("case %d, %s without a catalogue: %s\n\tmade %s\n\tout  %s", i, w.name, s, describe(e), p)
			}
		}
	}
}

func canonical(e *errmap.Error) bool { return int32(e.Code()) == e.Number() }

// trail is what happened to an error on its way.
type trail []string

func (l *trail) add(name string, p packet, e *errmap.Error) {
	*l = append(*l, name+" "+p.String()+"\n\t"+describe(e))
}

func (l trail) String() string { return strings.Join(l, "\n\t") }

func TestProperty_chains(t *testing.T) {
	t.Parallel()
	failed := 0
	for i := range cases(t, 600) {
		g := newGenerator(seed(t)+1000, uint64(i))
		e, from, in := g.received()
		var way trail
		way.add(from.name, in, e)
		now, out := e, packet{}
		for range 1 + g.IntN(6) {
			w := pick(g, allWires...)
			now, out = hop(t, now, w)
			way.add(w.name, out, now)
			if s := difference(e, now, exactly); s != "" {
				t.Errorf("case %d: %s\n\t%s", i, s, way)
				failed++
				break
			}
		}
		if failed > 3 {
			t.FailNow()
		}
	}
}

func TestProperty_catalogues_that_differ(t *testing.T) {
	t.Parallel()
	other := newCatalog(t, mcpv1.File_errmap_mcp_v1_errors_proto)
	failed := 0
	for i := range cases(t, 600) {
		g := newGenerator(seed(t)+2000, uint64(i))
		e, from, in := g.received()
		var way trail
		way.add(from.name, in, e)
		now := e
		for range 1 + g.IntN(5) {
			w := pick(g, allWires...)
			writer, reader := pick(g, errmap.Linked(), nil, other), pick(g, errmap.Linked(), nil, other)
			if contradicts(e) { // only a writer with the catalogue can know that, and write the marker
				writer = errmap.Linked()
			}
			p := w.encode(now, errmap.WithCatalog(writer))
			if w.json && !validJSON(p.body) {
				t.Fatalf("case %d, %s: no JSON: %s", i, w.name, p)
			}
			back, err := w.decode(p, errmap.WithCatalog(reader))
			if err != nil {
				t.Fatalf("case %d, %s: %v in %s", i, w.name, err, p)
			}
			now = back
			way.add(fmt.Sprintf("%s (%s to %s)", w.name, catalogName(writer), catalogName(reader)), p, now)
			if s := difference(e, now, acrossCatalogs); s != "" {
				t.Errorf("case %d: %s\n\t%s", i, s, way)
				failed++
				break
			}
		}
		if failed > 3 {
			t.FailNow()
		}
	}
}

// contradicts tells whether the code of an error is not that of its identity.
func contradicts(e *errmap.Error) bool {
	d := errmap.Linked().Find(e.Domain(), e.Reason())
	return d != nil && d.Code() != e.Code()
}

func catalogName(c *errmap.Catalog) string {
	switch {
	case c == nil:
		return "none"
	case c == errmap.Linked():
		return "linked"
	}
	return "other"
}
