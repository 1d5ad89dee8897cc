// Package speedup says how much faster some builds of a program are than its plain build, from the times of runs that
// took turns.
//
//	t := speedup.New("./cmd/app", 3, builds, times)
//	t.Conclusion // "pepbuild build -pepopt=auto is faster by 2.1 to 3.4 % in these layouts"
package speedup

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pepgo/pep/internal/listing"
)

// Confidence is the probability that the intervals of all builds have the true ratios.
const Confidence = 0.95

// LeastRounds is how many rounds the intervals of three builds beside the plain one need.
const LeastRounds = 7

// A Table compares builds of a program.
type Table struct {
	Package    string `json:"package"`
	Conclusion string `json:"conclusion"`
	// that the intervals of all builds have the true medians
	Confidence float64 `json:"confidence" unit:"ratio"`
	// in each of which every build ran once, in the same layout
	Rounds   int      `json:"rounds" unit:"rounds"`
	ExitCode int      `json:"exit_code" unit:"code"` // of all runs
	Changes  bool     `json:"output_changes"`        // from run to run of the plain program
	Rows     []*Build `json:"builds"`                // the plain one first
}

// A Build is a way to build the program. Ratios are of its CPU time to that of the plain build.
type Build struct {
	// `plain`; `pgo`, with a profile of calls; `branches`, with one of edges; `both`
	Name    string  `json:"build"`
	Command string  `json:"command"`           // without the user's flags
	CPU     float64 `json:"cpu_time" unit:"s"` // of a run: median of the rounds
	// to the plain build in the same round: median of the rounds
	Ratio   float64   `json:"ratio" unit:"ratio"`
	Low     float64   `json:"low" unit:"ratio"` // its interval begins here, and ends at `high`
	High    float64   `json:"high" unit:"ratio"`
	Layouts []float64 `json:"by_layout" unit:"ratio"`
	// a run printed something else than the plain program, all runs of which print the same
	Differs bool `json:"other_output"`
}

// New compares builds. It fills in their numbers. Times are by build and round; the rounds ran in some layouts by
// turns, the same for all builds.
func New(pkg string, layouts int, builds []*Build, times [][]time.Duration) *Table {
	t := &Table{Package: pkg, Confidence: Confidence, Rounds: len(times[0]), Rows: builds}
	k := rank(t.Rounds, 1-(1-Confidence)/float64(len(builds)-1)) // none of the intervals may be wrong
	for i, b := range builds {
		var cpu, ratios []float64
		by := make([][]float64, layouts)
		for round, own := range times[i] {
			r := own.Seconds() / times[0][round].Seconds()
			cpu, ratios, by[round%layouts] = append(cpu, own.Seconds()), append(ratios, r), append(by[round%layouts], r)
		}
		b.CPU, b.Ratio = median(cpu), median(ratios)
		b.Low, b.High = ratios[k-1], ratios[len(ratios)-k]
		for _, list := range by {
			b.Layouts = append(b.Layouts, median(list))
		}
	}
	t.Conclusion = conclude(builds[1:])
	return t
}

// median sorts a list and returns its median.
func median(list []float64) float64 {
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

// rank returns the greatest k for which the interval from the k-th least of n independent values to the k-th greatest
// has their median with a confidence, whatever their distribution is. It is 0 if even all values are too few.
//
// The median is below the k-th least value if fewer than k are below the median, as of n tosses of a coin fewer than k
// are heads.
func rank(n int, confidence float64) (k int) {
	outside, p := 0.0, math.Pow(0.5, float64(n)) // p is the probability of k heads
	for ; ; k++ {
		if outside += 2 * p; outside > 1-confidence {
			return k
		}
		p *= float64(n-k) / float64(k+1)
	}
}

// conclude says in a sentence what has been found.
func conclude(builds []*Build) string {
	var best *Build
	for _, b := range builds {
		if b.High < 1 && (best == nil || b.Ratio < best.Ratio) {
			best = b
		}
	}
	if best == nil {
		return "nothing was gained that these runs can tell"
	}
	in := "in these layouts"
	if worst := slices.Max(best.Layouts); worst >= 1 {
		in = "in most runs, but not in each of these layouts"
	}
	return fmt.Sprintf("%s is faster by %.1f to %.1f %% %s", best.Command, 100*(1-best.High), 100*(1-best.Low), in)
}

// Name implements listing.Listing.
func (t *Table) Name() string { return "pgo -check" }

// Print implements listing.Listing.
func (t *Table) Print(p *listing.Page) {
	p.Line("%s: CPU time in %d rounds, in %d layouts by turns", t.Package, t.Rounds, len(t.Rows[0].Layouts))
	p.Line("")
	table := listing.Table{Numbers: 5}
	table.Heading("ratio", "from", "to", "by layout", "CPU time", "build")
	for i, b := range t.Rows {
		cells := []string{"", "", "", ""}
		if i > 0 {
			by := ""
			for _, x := range b.Layouts {
				by += " " + listing.Number(x, 3)
			}
			cells = []string{listing.Number(b.Ratio, 3), listing.Number(b.Low, 3), listing.Number(b.High, 3), by[1:]}
		}
		table.Row(append(cells, listing.Number(b.CPU, 3)+"s", b.Command)...)
	}
	p.Table("", &table)
	p.Line("")
	p.Say(listing.Hot, "%s.", t.Conclusion)
	if t.Changes {
		p.Say(listing.Warning, "The output of the plain program is not the same in all runs, so outputs cannot be compared.")
	}
	for _, b := range t.Rows {
		if b.Differs {
			p.Say(listing.Warning, "The output of %s is not that of the plain program, which was the same in all runs.",
				b.Command)
		}
	}
	if t.ExitCode != 0 {
		p.Say(listing.Warning, "All runs ended with exit code %d.", t.ExitCode)
	}
}
