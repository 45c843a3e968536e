// Command report runs the benchmarks of this module in interleaved rounds, prints
// the medians with the ratios to the peers, and writes them into a file between
// two markers.
//
//	report [-rounds 10] [-benchtime 200ms] [-write ../docs/performance.md]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

const (
	begin = "<!-- begin: made by make bench -->"
	end   = "<!-- end -->"
)

// goal is what one table is to show: errmap against one peer.
type goal struct {
	bench, title, against string
	ratio, allocs         float64 // at most; 0 for no goal
}

var goals = []goal{
	{"ErrorToJSONRPC", "error to JSON-RPC bytes", "a2a-go", 0.08, 2},
	{"JSONRPCToError", "JSON-RPC bytes to error, its reason read", "a2a-go", 0.15, 8},
	{"ErrorToConnect", "error to Connect JSON bytes", "connect v2 ErrorWriter", 0.10, 3},
	{"ConnectToError", "Connect JSON bytes to error", "protojson Status", 0.15, 8},
	{"ErrorToGRPC", "error to gRPC headers", "grpc-go New, WithDetails, Marshal", 0.50, 4},
	{"GRPCToError", "gRPC headers to error", "grpc-go Unmarshal, Details", 0, 0},
	{"MessageToJSONRPC", "annotated message to JSON-RPC bytes", "a2a-go", 0.15, 6},
	{"JSONRPCToMessage", "JSON-RPC bytes to typed message", "a2a-go", 0.25, 15},
	{"GoodCall", "good call through the handler", "connect v2, its own JSON", 0.65, 20},
	{"FailingCall", "failing call through the handler", "connect v2, its own JSON", 0.25, 28},
}

// sample is what a benchmark measured in one round.
type sample struct{ ns, allocs float64 }

// results holds the samples by benchmark and row, the rows in order of appearance.
type results struct {
	samples map[string][]sample
	rows    map[string][]string
}

func main() {
	rounds := flag.Int("rounds", 10, "how often each benchmark runs, in turn with the others")
	benchtime := flag.String("benchtime", "200ms", "how long each runs each time")
	write := flag.String("write", "", "the file to write the tables into")
	flag.Parse()
	r := results{map[string][]sample{}, map[string][]string{}}
	for round := range *rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *rounds)
		if err := r.run(*benchtime); err != nil {
			fmt.Fprintln(os.Stderr, "report:", err)
			os.Exit(1)
		}
	}
	text := r.tables(*rounds)
	fmt.Print(text)
	if *write != "" {
		if err := replace(*write, text); err != nil {
			fmt.Fprintln(os.Stderr, "report:", err)
			os.Exit(1)
		}
	}
}

var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op(?:.*?\s([\d.]+) allocs/op)?`)

func (r *results) run(benchtime string) error {
	out, err := exec.Command("go", "test", "-run", "^$", "-bench", ".", "-benchmem", "-benchtime", benchtime, ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	for text := range strings.Lines(string(out)) {
		m := line.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		ns, _ := strconv.ParseFloat(m[2], 64)
		allocs, _ := strconv.ParseFloat(m[3], 64)
		bench, row, _ := strings.Cut(m[1], "/")
		row = strings.ReplaceAll(row, "_", " ")
		if !slices.Contains(r.rows[bench], row) {
			r.rows[bench] = append(r.rows[bench], row)
		}
		key := bench + "/" + row
		r.samples[key] = append(r.samples[key], sample{ns, allocs})
	}
	return nil
}

// median returns the median time of a row, and its allocations.
func (r *results) median(bench, row string) (ns, allocs float64) {
	s := slices.Clone(r.samples[bench+"/"+row])
	if len(s) == 0 {
		return 0, 0
	}
	slices.SortFunc(s, func(a, b sample) int { return int(a.ns - b.ns) })
	return s[len(s)/2].ns, s[len(s)/2].allocs
}

// ratio returns the median of the ratios of two rows, round by round: what the
// machine did in a round it did to both.
func (r *results) ratio(bench, a, b string) float64 {
	x, y := r.samples[bench+"/"+a], r.samples[bench+"/"+b]
	var all []float64
	for i := range min(len(x), len(y)) {
		all = append(all, x[i].ns/y[i].ns)
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func (r *results) tables(rounds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians of %d interleaved rounds, %s on %d cores.\n\n", rounds, runtime.Version(), runtime.NumCPU())
	b.WriteString("| work | against | ratio | wanted at most | allocations | wanted at most | |\n|---|---|---|---|---|---|---|\n")
	for _, g := range goals {
		if g.ratio == 0 {
			continue
		}
		ratio := r.ratio(g.bench, "errmap", g.against)
		_, allocs := r.median(g.bench, "errmap")
		verdict := "reached"
		if ratio > g.ratio || allocs > g.allocs {
			verdict = "**not reached**"
		}
		fmt.Fprintf(&b, "| %s | %s | %.3f | %.2f | %.0f | %.0f | %s |\n", g.title, g.against, ratio, g.ratio, allocs, g.allocs, verdict)
	}
	for _, g := range goals {
		fmt.Fprintf(&b, "\n| %s | ns | allocations | errmap's share of its time |\n|---|---|---|---|\n", g.title)
		for _, row := range r.rows[g.bench] {
			ns, allocs := r.median(g.bench, row)
			fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.3f |\n", row, ns, allocs, r.ratio(g.bench, "errmap", row))
		}
	}
	for _, bench := range []string{"Growth_details", "Growth_bytes", "Growth_batch", "Growth_catalogue", "Gateway"} {
		fmt.Fprintf(&b, "\n| %s | ns | allocations |\n|---|---|---|\n", strings.ReplaceAll(bench, "_", ", "))
		for _, row := range r.rows[bench] {
			ns, allocs := r.median(bench, row)
			fmt.Fprintf(&b, "| %s | %.0f | %.0f |\n", row, ns, allocs)
		}
	}
	return b.String()
}

func replace(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(old, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return fmt.Errorf("%s has no %s and %s", path, begin, end)
	}
	return os.WriteFile(path, slices.Concat(head, []byte(begin+"\n\n"+text+"\n"+end), tail), 0o644)
}
