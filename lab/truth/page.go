package truth

// This file writes the page of results.

import (
	"fmt"
	"math"
	"strings"
)

// Near is how many points a share of time may be off.
const Near = 2.

// shown is how many points a share must be off to have a row.
const shown = 0.25

// A page is made of results.
type page struct {
	times   strings.Builder // rows of loops' shares of the time
	rounds  strings.Builder // rows of loops' shares of the rounds
	hidden  strings.Builder // rows of time in no path
	shares  []difference
	unseen  []difference
	factors []factor
}

// A difference is how far a share is off, in points.
type difference struct {
	what string
	off  float64
}

// A factor is by how much the counts of two loops are off, in proportion to each other.
type factor struct {
	title, over, under string
	off, times         float64 // times as many rounds has one of them as the other
}

// Page is the page below its title.
func Page(results []*Result, l *Lab) string {
	p := new(page)
	for _, r := range results {
		p.add(r)
	}
	return p.summary(l) + fmt.Sprintf("## CPU time\n\nLoops whose shares are off by at least %g points.\n\n", shown) +
		"| program | loop | truth | windows, off | perf, off |\n|---|---|--:|--:|--:|\n" + p.times.String() +
		"\n## Rounds\n\n| program | loop | ns a round | of the rounds | by windows | off by the factor |\n|---|---|--:|--:|--:|--:|\n" +
		p.rounds.String() + "\n## Time in no path\n\nWhere windows or perf have at least 1 %.\n\n" +
		"| program | | windows | perf | apart |\n|---|---|--:|--:|--:|\n" + p.hidden.String() + "\n"
}

func (p *page) summary(l *Lab) string {
	var b strings.Builder
	fmt.Fprintf(&b, `Programs execute loops by turns, and read the clock of CPU time between turns: that is the truth.
One run of %d s is by windows, with a tick each %v, and another one by perf record, with %d samples
and the stacks of the kernel, which tell system calls from page faults. Shares are of the CPU time of
the process, in points. Each run has a truth of its own. The start of the programs is in no row.

`, l.Seconds, Tick, l.Samples)
	worst, far := worstOf(p.shares)
	fmt.Fprintf(&b, "* Time by windows: of %d shares, %d are at most %.0f points from the truth; the farthest is\n  %s, %+.1f points.\n",
		len(p.shares), len(p.shares)-far, Near, worst.what, worst.off)
	worst, far = worstOf(p.unseen)
	fmt.Fprintf(&b, "* Time that windows do not show, beside perf: of %d shares, %d are at most %.0f points apart; the\n  farthest is %s, %+.1f points.\n",
		len(p.unseen), len(p.unseen)-far, Near, worst.what, worst.off)
	for _, f := range p.factors {
		fmt.Fprintf(&b, "* %s, counts: the farthest from each other are %s and %s,\n  by a factor of %.1f. In the time of a round of one the other has %.0f rounds.\n", f.title, f.over, f.under, f.off, f.times)
	}
	b.WriteByte('\n')
	return b.String()
}

// worstOf returns the largest difference, and how many are too large.
func worstOf(list []difference) (worst difference, far int) {
	for _, d := range list {
		if math.Abs(d.off) > Near {
			far++
		}
		if math.Abs(d.off) >= math.Abs(worst.off) {
			worst = d
		}
	}
	return worst, far
}

// percent is a share of a whole in percent.
func percent(x, whole float64) float64 { return 100 * x / max(whole, 1) }

// of is the share of a part in all time of a run, in percent.
func (m *Measured) of(has func(string) bool) float64 {
	sum, all := 0., 0.
	for name, t := range m.Time {
		if all += t; has(name) {
			sum += t
		}
	}
	return percent(sum, all)
}

// truth is the share that the program says.
func (m *Measured) truth(loop string) float64 {
	return percent(m.Truth[loop].NS, m.Truth["process"].NS)
}

func (p *page) add(r *Result) {
	for _, part := range r.Parts {
		has := part.has
		w, wt, q, qt := r.Windows.of(has), r.Windows.truth(part.Loop), r.Perf.of(has), r.Perf.truth(part.Loop)
		p.shares = append(p.shares, difference{part.Loop + " of \"" + r.Title + "\"", w - wt})
		if math.Abs(w-wt) >= shown {
			fmt.Fprintf(&p.times, "| %s | %s | %.1f | %+.1f | %+.1f |\n", r.Title, part.Loop, wt, w-wt, q-qt)
		}
	}
	if r.Counts {
		p.addCounts(r)
	}
	for _, kind := range []string{systemCalls, outside, assembly} {
		is := func(name string) bool { return name == kind }
		w, q := r.Windows.of(is), r.Perf.of(is)
		p.unseen = append(p.unseen, difference{kind + " of \"" + r.Title + "\"", w - q})
		if max(w, q) >= 1 {
			fmt.Fprintf(&p.hidden, "| %s | %s | %.1f | %.1f | %+.1f |\n", r.Title, kind, w, q, w-q)
		}
	}
}

// addCounts adds a table of rounds, as the program counts them and as windows estimate them. Estimates are in
// proportion to each other; they are off by their quotient with the true number, relative to the geometric mean of
// these.
func (p *page) addCounts(r *Result) {
	log := make([]float64, len(r.Parts))
	mean, all, seen := 0., 0., 0.
	for i, part := range r.Parts {
		n, w := r.Windows.Truth[part.Loop].Rounds, r.Windows.Counts[part.Code[0]]
		log[i] = math.Log(w / n)
		mean += log[i] / float64(len(r.Parts))
		all, seen = all+n, seen+w
	}
	high, low := 0, 0
	ns := func(i int) float64 {
		s := r.Windows.Truth[r.Parts[i].Loop]
		return s.NS / s.Rounds
	}
	for i, part := range r.Parts {
		s := r.Windows.Truth[part.Loop]
		fmt.Fprintf(&p.rounds, "| %s | %s | %.2f | %.3f %% | %.3f %% | %.2f |\n", r.Title, part.Loop, ns(i),
			percent(s.Rounds, all),
			percent(r.Windows.Counts[part.Code[0]], seen), math.Exp(log[i]-mean))
		if log[i] > log[high] {
			high = i
		}
		if log[i] < log[low] {
			low = i
		}
	}
	times := ns(high) / ns(low)
	p.factors = append(p.factors, factor{r.Title, r.Parts[high].Loop, r.Parts[low].Loop, math.Exp(log[high] - log[low]),
		max(times, 1/times)})
}
