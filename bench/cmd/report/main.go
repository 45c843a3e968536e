// Command report runs the benchmarks of this module in interleaved rounds, prints
// the medians with the ratios to the peers, and writes them into a file between
// two markers. Times are of the processor, not of the clock.
//
//	report [-rounds 7] [-benchtime 20ms] [-write ../docs/performance.md]
//
// A round takes about half a minute, and those of hostile input, of which there are
// three, as long again: five minutes in all. -only takes a regular expression for
// the benchmarks that are to run.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	begin = "<!-- begin: made by make bench -->"
	end   = "<!-- end -->"
)

// sample is what a benchmark measured in one round, for each turn: nanoseconds of
// the processor, allocations, bytes allocated, and how many bytes were worked on.
type sample struct{ ns, allocs, alloced, bytes float64 }

// results holds the samples by benchmark and row, the rows in order of appearance.
type results struct {
	samples map[string][]sample
	rows    map[string][]string
}

func main() {
	rounds := flag.Int("rounds", 7, "how often each benchmark runs, in turn with the others")
	benchtime := flag.String("benchtime", "20ms", "how long each runs each time")
	write := flag.String("write", "", "the file to write the tables into")
	only := flag.String("only", ".", "which benchmarks run")
	flag.Parse()
	r := results{map[string][]sample{}, map[string][]string{}}
	begun := time.Now()
	for round := range *rounds {
		skip := ""
		if round >= hostileRounds {
			skip = "Hostile"
		}
		if err := r.run(*only, skip, *benchtime); err != nil {
			fail(err)
		}
		fmt.Fprintf(os.Stderr, "round %d of %d, after %s\n", round+1, *rounds, time.Since(begun).Round(time.Second))
	}
	text, missing := r.tables(*rounds)
	fmt.Print(text)
	if *only == "." && len(missing) > 0 {
		fail(fmt.Errorf("nothing was measured of %q", missing))
	}
	if *write != "" {
		if err := replace(*write, text); err != nil {
			fail(err)
		}
	}
}

// hostileRounds is how many rounds have the rows of hostile input: what those are
// to show is no matter of a tenth.
const hostileRounds = 3

func fail(err error) {
	fmt.Fprintln(os.Stderr, "report:", err)
	os.Exit(1)
}

var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)`)

func (r *results) run(only, skip, benchtime string) error {
	args := []string{"test", "-run", "^$", "-bench", only, "-benchmem", "-benchtime", benchtime}
	if skip != "" {
		args = append(args, "-skip", skip)
	}
	out, err := exec.Command("go", append(args, ".")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	for text := range strings.Lines(string(out)) {
		m := line.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		name := strings.ReplaceAll(m[1], "_", " ")
		if rest, ok := strings.CutPrefix(name, "Growth "); ok {
			name = "Growth_" + rest
		}
		bench, row := name, ""
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			bench, row = name[:i], name[i+1:]
		}
		if !slices.Contains(r.rows[bench], row) {
			r.rows[bench] = append(r.rows[bench], row)
		}
		r.samples[bench+"/"+row] = append(r.samples[bench+"/"+row], read(m[2]))
	}
	return nil
}

// read reads the values of a line, each before its unit.
func read(text string) sample {
	var s sample
	var clock, speed float64
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		value, _ := strconv.ParseFloat(words[i], 64)
		switch words[i+1] {
		case "ns/op":
			clock = value
		case "cpu-ns/op":
			s.ns = value
		case "MB/s":
			speed = value
		case "B/op":
			s.alloced = value
		case "allocs/op":
			s.allocs = value
		}
	}
	s.bytes = speed * clock / 1e3 // MB/s are bytes a microsecond
	return s
}

// median returns the sample of a row whose time is the median.
func (r *results) median(bench, row string) sample {
	s := slices.Clone(r.samples[bench+"/"+row])
	if len(s) == 0 {
		return sample{}
	}
	slices.SortFunc(s, func(a, b sample) int { return cmp.Compare(a.ns, b.ns) })
	return s[len(s)/2]
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
