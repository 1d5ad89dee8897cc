package windows

// This file writes the page of results.

import (
	"fmt"
	"math"
	"strings"
)

// Near is how far below the best form of windows a shorter one may be that is chosen, and Enough the overlap of paths
// for which so many windows are chosen.
const Near, Enough = 0.01, 0.95

// A Page is what several programs say of the same windows.
type Page struct {
	Programs []string
	Results  []*Result
	Forms    []Form
	Numbers  []int // with the middle one forms are compared
	Seeds    uint64
}

// mean returns the mean over programs and seeds, and the lowest and the highest value.
func (p *Page) mean(f Form, number int, value func(Overlap) float64) (mean, low, high float64) {
	low = math.Inf(1)
	for _, r := range p.Results {
		for seed := range p.Seeds {
			x := value(r.Overlaps[Key{f, number, seed}])
			mean += x / float64(len(p.Results)) / float64(p.Seeds)
			low, high = min(low, x), max(high, x)
		}
	}
	return mean, low, high
}

func paths(o Overlap) float64 { return o.Paths }
func flow(o Overlap) float64  { return o.Flow }
func edges(o Overlap) float64 { return o.Edges }

// String is the page below its title.
func (p *Page) String() string {
	var b strings.Builder
	b.WriteString("Million instructions and paths of the runs:\n")
	for i, r := range p.Results {
		end := ",\n"
		if i == len(p.Results)-1 {
			end = ".\n"
		}
		fmt.Fprintf(&b, "%s %d and %.1f%s", p.Programs[i], r.Instructions/1e6, float64(r.Paths)/1e6, end)
	}
	fmt.Fprintf(&b, `Windows begin at uniformly random instructions of a run; positions are drawn %d times. Paths count
that begin in the first %d/%d of a window, and end in it. "Some longer": one window in %d goes on to
%d times its length for paths that began there, which then count %d times. Overlap is the absolute
one of PEP between windows and the whole run: of path counts, of branch flow, and of the outcomes
of branches on these paths (edges). The mean is over programs and positions; beside it are the
lowest and the highest value.

| windows | instructions | together | overlap of paths | | of flow | | of edges | |
|--:|---|--:|--:|--:|--:|--:|--:|--:|
`, p.Seeds, First, Parts, Every, Longer, Every)
	for _, n := range p.Numbers {
		for _, f := range p.Forms {
			m, lo, hi := p.mean(f, n, paths)
			fm, flo, fhi := p.mean(f, n, flow)
			em, elo, ehi := p.mean(f, n, edges)
			fmt.Fprintf(&b, "| %d | %s | %.1f million | %.3f | %.3f–%.3f | %.3f | %.3f–%.3f | %.3f | %.3f–%.3f |\n",
				n, f, f.Mean()*float64(n)/1e6, m, lo, hi, fm, flo, fhi, em, elo, ehi)
		}
	}
	f, n := p.choice()
	enough := fmt.Sprintf("%d of them have", n)
	if n == 0 {
		enough = "No number of them here has"
	}
	m, _, _ := p.mean(f, p.middle(), paths)
	fm, _, _ := p.mean(f, p.middle(), flow)
	fmt.Fprintf(&b, "\nThe choice is \"%s\": of the windows whose mean overlaps (%.3f and %.3f with\n"+
		"%d windows) are at most %.2f below the best, these need the fewest instructions. %s\n"+
		"a mean overlap of paths of %.2f or more.\n", f, m, fm, p.middle(), Near, enough, Enough)
	return b.String()
}

// String is how many instructions windows have.
func (f Form) String() string {
	if f.Long {
		return fmt.Sprintf("%d, some longer", f.Length)
	}
	return fmt.Sprint(f.Length)
}

func (p *Page) middle() int { return p.Numbers[len(p.Numbers)/2] }

// choice returns the cheapest form whose means are near the best ones, and the smallest number of windows with
// Enough, 0 if there is none.
func (p *Page) choice() (form Form, number int) {
	var bestPaths, bestFlow float64
	for _, f := range p.Forms {
		m, _, _ := p.mean(f, p.middle(), paths)
		fm, _, _ := p.mean(f, p.middle(), flow)
		bestPaths, bestFlow = max(bestPaths, m), max(bestFlow, fm)
	}
	for _, f := range p.Forms {
		m, _, _ := p.mean(f, p.middle(), paths)
		fm, _, _ := p.mean(f, p.middle(), flow)
		if m >= bestPaths-Near && fm >= bestFlow-Near && (form.Length == 0 || f.Mean() < form.Mean()) {
			form = f
		}
	}
	for _, n := range p.Numbers {
		if m, _, _ := p.mean(form, n, paths); m >= Enough {
			return form, n
		}
	}
	return form, 0
}
