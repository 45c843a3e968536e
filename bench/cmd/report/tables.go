package main

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// What is wanted of hostile input: nanoseconds a byte (0.1 s a MiB), bytes allocated
// for each byte, and how many times n four times n may cost. Linear is four; the
// rest is for what the collector and a cache do.
const (
	hostileTime   = 0.1e9 / (1 << 20)
	hostileBytes  = 20
	hostileGrowth = 6
)

// tables is the whole text, and missing the benchmarks that a goal names in vain.
func (r *results) tables(rounds int) (text string, missing []string) {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians of %d interleaved rounds, %s on %d cores.\n\n", rounds, runtime.Version(), runtime.NumCPU())
	b.WriteString("| work | against | what both do | ns | ratio | wanted at most | allocations | wanted at most | |\n|---|---|---|---|---|---|---|---|---|\n")
	met, wanted := 0, 0
	for _, g := range goals {
		ours := cmp.Or(g.ours, "errmap")
		s := r.median(g.bench, ours)
		ratio := r.ratio(g.bench, ours, g.against)
		if g.against == "" {
			ratio = s.ns / s.bytes
		}
		if !(ratio > 0) {
			missing = append(missing, g.bench)
			continue
		}
		verdict, limit, allocs := "", "", ""
		if g.wanted > 0 {
			wanted++
			limit, verdict = fmt.Sprintf("%.2f", g.wanted), "met"
			if ratio > g.wanted || g.allocs > 0 && s.allocs > g.allocs {
				verdict = "**missed**"
			} else {
				met++
			}
		}
		if g.allocs > 0 {
			allocs = fmt.Sprintf("%.0f", g.allocs)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.0f | %.3f | %s | %.0f | %s | %s |\n", g.title, g.against, g.both, s.ns, ratio, limit, s.allocs, allocs, verdict)
	}
	fmt.Fprintf(&b, "\n%d of %d met.\n", met, wanted)
	r.peers(&b)
	r.hostile(&b)
	for _, bench := range []string{"Growth_details", "Growth_bytes", "Growth_batch", "Growth_catalogue"} {
		fmt.Fprintf(&b, "\n| %s | ns | allocations |\n|---|---|---|\n", strings.ReplaceAll(bench, "_", ", "))
		for _, row := range r.rows[bench] {
			s := r.median(bench, row)
			fmt.Fprintf(&b, "| %s | %.0f | %.0f |\n", row, s.ns, s.allocs)
		}
	}
	return b.String(), missing
}

// peers has a table for each work that more than one peer does.
func (r *results) peers(b *strings.Builder) {
	for _, g := range goals {
		if len(r.rows[g.bench]) < 3 || g.against == "" {
			continue
		}
		fmt.Fprintf(b, "\n| %s | ns | allocations | errmap's share of its time |\n|---|---|---|---|\n", g.title)
		for _, row := range r.rows[g.bench] {
			s := r.median(g.bench, row)
			fmt.Fprintf(b, "| %s | %.0f | %.0f | %.3f |\n", row, s.ns, s.allocs, r.ratio(g.bench, "errmap", row))
		}
	}
}

// worst is the costliest of some works at n, 2n and 4n.
type worst struct {
	time, bytes, growth       float64
	ofTime, ofBytes, ofGrowth string
}

// hostile has a row for each shape and each kind of work, with what is worst among
// the wires.
func (r *results) hostile(b *strings.Builder) {
	type key struct{ shape, kind string }
	all := map[key]*worst{}
	var order []key
	for _, bench := range slices.Sorted(maps.Keys(r.rows)) {
		rest, ok := strings.CutPrefix(bench, "Hostile/")
		if !ok {
			continue
		}
		shape, work, _ := strings.Cut(rest, ", ")
		kind, wire, _ := strings.Cut(work, " ")
		if strings.HasSuffix(wire, " again") {
			kind, wire = "read again", strings.TrimSuffix(wire, " again")
		}
		k := key{shape, kind}
		if all[k] == nil {
			all[k] = new(worst)
			order = append(order, k)
		}
		w := all[k]
		rows := slices.Clone(r.rows[bench])
		slices.SortFunc(rows, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
		for _, row := range rows {
			s := r.median(bench, row)
			if t := s.ns / s.bytes; t > w.time {
				w.time, w.ofTime = t, wire
			}
			if n := s.alloced / s.bytes; n > w.bytes {
				w.bytes, w.ofBytes = n, wire
			}
		}
		first, last := r.median(bench, rows[0]), r.median(bench, rows[len(rows)-1])
		// What costs less than a tenth of a millisecond says nothing of growth.
		if growth := last.ns / first.ns * 4 / (number(rows[len(rows)-1]) / number(rows[0])); last.ns > 1e5 && growth > w.growth {
			w.growth, w.ofGrowth = growth, wire
		}
	}
	b.WriteString("\n| hostile input, n to 4n parts | work | s a MiB | on | bytes allocated a byte | on | 4n over n | on | |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, k := range order {
		w := all[k]
		verdict := "met"
		if w.time > hostileTime || w.bytes > hostileBytes || w.growth > hostileGrowth {
			verdict = "**missed**"
		}
		fmt.Fprintf(b, "| %s | %s | %.4f | %s | %.1f | %s | %.1f | %s | %s |\n", k.shape, k.kind, w.time*(1<<20)/1e9, w.ofTime, w.bytes, w.ofBytes, w.growth, w.ofGrowth, verdict)
	}
	fmt.Fprintf(b, "\nWanted at most: 0.1 s a MiB, %d bytes a byte, and %d where linear is 4.\n", hostileBytes, hostileGrowth)
}

func number(row string) float64 {
	n, _ := strconv.ParseFloat(row, 64)
	return n
}
