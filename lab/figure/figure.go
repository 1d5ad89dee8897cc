// Package figure repeats the experiments of the papers with the test programs, and shows
// the papers' results beside.
//
//	env := &figure.Env{Source: figure.Files("build/traces")}
//	f, _ := figure.Find("strat-7")
//	res, err := f.Run(env)
//	err = res.Save("results/figures") // strat-7a.svg, …
//	l := &figure.Listing{Figures: slices.Values([]*figure.Result{res})}
//	listing.Text(os.Stdout, l) // H[P256]2048 first below 5 %  ours | 200K events
//	listing.JSON(os.Stdout, l) // the same numbers, and the points of the plots
//
// Test programs stand in for the benchmarks of the papers; Programs says which for which. If a
// paper only draws a number, and its text does not state it, there is nothing to compare
// with, and no number is made up.
//
// A row says whether our result differs from the paper's. Rows of stratified sampling and of range
// adaptive profiling are medians of many runs, and one rule says which of them differ: see criteria.go.
// Rows of the co-processor that differ have numbers of the same run beside them.
//
// Sources: Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling",
// ISCA 2001; Mysore, Agrawal, Sherwood, Shrivastava and Suri, "Profiling over Adaptive
// Ranges", CGO 2006; Zilles and Sohi, "A Programmable Co-Processor for Profiling", HPCA 2001.
package figure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

// A Figure is one experiment.
type Figure struct {
	ID    string // "strat-7"
	Title string
	run   func(env *Env, res *Result) error
	short func(r *Result) string // a sentence about the result, for a page; "" if there is nothing to say
}

// All has the experiments, in the order of the pages: those of stratified sampling, then those of range adaptive
// profiling, then those of the co-processor.
var All = []Figure{
	{"strat-4", "error of samplers on random permutations (STRAT-21)", figure4, shortRows},
	{"strat-7", "error and overhead of the largest working set (STRAT-22, STRAT-23)", figure7, shortRows},
	{"strat-8", "errors of the other programs", figure8, shortRows},
	{"strat-9", "sizes of the table (STRAT-24)", figure9, shortRows},
	{"strat-10", "a second level of 16 entries (STRAT-12)", figure10, shortRows},
	{"strat-11", "edges and calls in one compressor (STRAT-25)", figure11, shortRows},
	{"strat-filter", "filters of places that have converged (STRAT-29)", figureFilter, shortRows},

	{"rap-2", "nodes at worst and in fact, by b and q (RAP-12)", rap2, shortRows},
	{"rap-3", "merges in batches and after every split (RAP-10)", rap3, shortRows},
	{"rap-5", "hot ranges of the values that a compressor loads (RAP-13, RAP-31)", rap5, shortRows},
	{"rap-code", "hot regions of code (section 4.1)", rapCode, shortRows},
	{"rap-6", "nodes over time, code (RAP-25)", rap6, shortRows},
	{"rap-7-code", "nodes of all programs, code (RAP-22)", rap7(ofCode, memory{most: 500, gcc: 453, mean: 450}), shortRows},
	{"rap-7-values", "nodes of all programs, values (RAP-22)", rap7(ofValues, memory{most: 733, parser: 203, mean: 300}), shortRows},
	{"rap-8-code", "errors of hot regions of code (RAP-23)", rap8(ofCode, accuracy{13.5, "gcc", 2}), shortRows},
	{"rap-8-values", "errors of hot ranges of values (RAP-23)", rap8(ofValues, accuracy{20, "vortex, value 0", 3.4}), shortRows},
	{"rap-headline", "accuracy with 8 KB and 64 KB (RAP-24)", headline, shortRows},
	{"rap-9", "how wide hot ranges of values are, with caches (RAP-26)", rap9, shortRows},
	{"rap-10", "addresses of zero loads (RAP-27)", rap10, shortRows},
	{"rap-narrow", "code with narrow operands (RAP-27)", rapNarrow, shortRows},
	{"rap-edges", "edges in boxes of two dimensions (RAP-28)", rapEdges, shortRows},
	{"rap-buffer", "what the event buffer of the hardware combines (RAP-16)", rapBuffer, shortRows},
	{"rap-throughput", "cycles of the hardware for an event (RAP-19)", rapThroughput, shortRows},
	{"rap-cost", "area, delay and energy of the hardware (RAP-20)", rapCost, shortRows},

	{"cop-table1", "structures and transistors of the co-processor (COP-32)", copTable1, shortSize},
	{"cop-1", "simple sampler: error over time and overhead, three rates (COP-28)", cop1, shortRates},
	{"cop-8", "error over time and overhead (COP-30)", cop8, shortCurves},
	{"cop-6", "estimated and true shares of values (section 5.2)", cop6, shortScatter},
	{"cop-7", "error and overhead of all programs (COP-29)", cop7, shortPrograms},
	{"cop-long", "figure 7 over windows of long recordings (COP-29)", copLong, shortLong},
	{"cop-remedies", "parameters at equal overhead, the two largest working sets (COP-29, COP-35)", copRemedies, shortRemedies},
	{"cop-sweep", "constants of value profiling (COP-35)", copSweep, shortSweep},
	{"cop-9", "arrays of half, base and double size (COP-31)", cop9, shortArrays},
	{"cop-clock", "slower co-processors (COP-31)", copClock, shortClock},
	{"cop-phases", "a phase detector that clears masks", copPhases, shortPhases},
	{"cop-upper", "a second pass for the upper halves of values (COP-34)", copUpper, shortUpper},
	{"cop-rate", "the simple sampler at the rate of software", copRate, shortRate},
}

// Find returns the figure with an ID.
func Find(id string) (Figure, bool) {
	for _, f := range All {
		if f.ID == id {
			return f, true
		}
	}
	return Figure{}, false
}

// An Env is what experiments have to work with.
type Env struct {
	// Source returns the events of a program, with taps on "loads", on "calls",
	// edges among them, on "pairs", on "ops", or on "blocks", whose words are addresses.
	// "loads-2" is the second recording of loads, and so on.
	// Its error is, or wraps, ErrNoTrace if there is no such trace.
	Source func(program, taps string) (replay.Source, error)

	// Sites returns what sites of such events are; nil if that is not known.
	Sites func(program, taps string) (*trace.Sites, error)

	// Functions returns the functions at the addresses of blocks; nil if they have no names.
	Functions func(program, taps string) (Functions, error)

	Overhead     cost.Overhead // of messages; cost.Default if zero
	Events       uint64        // of a program's loads, blocks or words of samples, 16M if 0; of edges and calls for strat, and in strat-10, a quarter
	Permutations int           // of figure 4, 2500 if 0
	Seed         uint64        // of all that is random, 1 if 0
	Seeds        int           // of figures of stratified sampling, and of random points, from Seed on, 10 if 0

	cop map[string]*copLoads // by program and events: what experiments with the co-processor have in common
}

// Run runs the experiment.
func (f Figure) Run(env *Env) (*Result, error) {
	if env.cop == nil {
		env.cop = map[string]*copLoads{}
	}
	e := *env
	if e.Overhead == (cost.Overhead{}) {
		e.Overhead = cost.Default
	}
	if e.Events == 0 {
		e.Events = 16_000_000
	}
	if e.Permutations == 0 {
		e.Permutations = 2500
	}
	if e.Seed == 0 {
		e.Seed = 1
	}
	if e.Seeds == 0 {
		e.Seeds = 10
	}
	res := &Result{ID: f.ID, Title: f.Title}
	if err := f.run(&e, res); err != nil {
		return nil, fmt.Errorf("%s: %w", f.ID, err)
	}
	return res, nil
}

func (r *Result) setup(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !slices.Contains(r.Setup, line) {
		r.Setup = append(r.Setup, line)
	}
}

// row adds a row. agrees says whether ours agrees with the paper. For a number of events that
// is read from a drawing, ours agrees if it is within a factor of two.
func (r *Result) row(what string, o ours, paper string, agrees bool) {
	row := Row{What: what, Ours: o.text, Values: o.values, Paper: paper, Differs: !agrees}
	if row.Differs {
		row.Note = "the reason is not known"
	}
	r.Rows = append(r.Rows, row)
}

// because says with numbers of the run what belongs to the last row, if it differs.
func (r *Result) because(format string, args ...any) {
	if last := &r.Rows[len(r.Rows)-1]; last.Differs {
		last.Note = fmt.Sprintf(format, args...)
	}
}

// Save writes the plots as SVG files into a directory, and the points of those that are to
// be had as a table as CSV files, and notes their names.
func (r *Result) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range r.Plots {
		p := &r.Plots[i]
		name := filepath.Join(dir, p.Name+".svg")
		if err := save(name, p.drawing); err != nil {
			return err
		}
		p.File = name
		if p.data {
			p.Data = filepath.Join(dir, p.Name+".csv")
			if err := os.WriteFile(p.Data, p.csv(), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func save(name string, d drawing) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Write(f), f.Close())
}
