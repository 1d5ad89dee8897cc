package bench

// This file has the experiments that compare counts. A busy machine does not change these.

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
	curves "github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/plot"
)

// phasedProgram is the program whose behaviour changes halfway.
const phasedProgram = "flips"

// An observation has the profiles of one program.
type observation struct {
	program string
	graphs  graphs
	growing [][]profile.Path // exact, up to several moments of one run
	sampled [][]profile.Path // of the sampled runs
}

func (o *observation) whole() []profile.Path { return o.growing[len(o.growing)-1] }

// observe runs all programs, unless a figure before has done so.
func (l *lab) observe() ([]observation, error) {
	if l.observed != nil {
		return l.observed, nil
	}
	err := l.each(func(p *program) error {
		p.logf("%s: building", p.name)
		if err := errors.Join(p.pepbuild(sampleBuild), p.pepbuild(exactBuild, "-pepmode=exact")); err != nil {
			return err
		}
		o := observation{program: p.name}
		var err error
		if o.graphs, err = graphsOf(p.exe(exactBuild)); err != nil {
			return err
		}
		p.logf("%s: exact run, with profiles of its parts", p.name)
		if o.growing, err = p.growing(exactBuild, "PEPOPTS="); err != nil {
			return err
		}
		for run := range l.opts.Runs {
			p.logf("%s: sampled run %d of %d", p.name, run+1, l.opts.Runs)
			c, err := p.profile(sampleBuild, l.opts.Sampled.env())
			if err != nil {
				return err
			}
			paths, err := summed(c.file)
			if err != nil {
				return err
			}
			o.sampled = append(o.sampled, paths)
		}
		p.logf("%s: %d profiles of one exact run", p.name, len(o.growing))
		l.observed = append(l.observed, o)
		return nil
	})
	return l.observed, err
}

// fewDecisions is how many decisions of its branches a function makes before a one-time profile has
// seen enough of it. Jikes RVM compiles a method anew, without counters, when some
// samples have hit it; a tick of 20 ms is much longer than this.
const fewDecisions = 10_000

// Overlaps are relative overlaps of several profiles of a program with that of its whole run.
type overlaps struct {
	oneTime float64   // function by function
	first   []float64 // from the shares of the run
	pep     []float64 // of the sampled runs
	flipped float64   // of the whole run
}

// Shares are the parts of a run that profiles of its beginning have.
var shares = []float64{0.01, 0.02, 0.05, 0.1, 0.25, 0.5}

func (o *observation) overlaps() overlaps {
	actual := biasesOf(o.whole())
	relative := func(estimate biases) float64 { return accuracy.Relative(actual, estimate) }
	v := overlaps{oneTime: relative(biasesOf(oneTime(o.growing, fewDecisions))), flipped: relative(flipped(actual))}
	for _, share := range shares {
		paths, _ := nearest(o.growing, share)
		v.first = append(v.first, relative(biasesOf(paths)))
	}
	for _, paths := range o.sampled {
		v.pep = append(v.pep, relative(biasesOf(paths)))
	}
	return v
}

func (v overlaps) pepMedian() float64 { return summarize(v.pep).median }

// oneTime compares profiles of the beginning with those of the whole run.
func (l *lab) oneTime() (*FigureResult, error) {
	all, err := l.observe()
	if err != nil {
		return nil, err
	}
	r := new(FigureResult)
	r.say("How well edge profiles of the beginning of a run show the biases of the whole run: relative overlap with the exact profile of the same run. Function by function, a one-time profile has the counts of "+
		"each function from its first %d decisions on, or more, up to the next of some dozen moments at which the running program was looked at. That is what the counters of a baseline compiler see. "+
		"The other rows have the first part of the run, as far as there was a moment near it; functions that begin later are not in it, and the overlap takes their branches for even.", fewDecisions)
	t := newTable("program", "function by function")
	for _, s := range shares {
		t.rows[0] = append(t.rows[0], "first "+whole(s))
	}
	t.rows[0] = append(t.rows[0], l.opts.Sampled.String())
	var names []string
	var ones, peps, usual []float64
	first := make([][]float64, len(shares))
	for i := range all {
		v := all[i].overlaps()
		row := []string{all[i].program, percent(v.oneTime)}
		for k, x := range v.first {
			first[k] = append(first[k], x)
			row = append(row, percent(x))
		}
		t.row(append(row, percent(v.pepMedian()))...)
		names, ones, peps = append(names, all[i].program), append(ones, v.oneTime), append(peps, v.pepMedian())
		if all[i].program != phasedProgram {
			usual = append(usual, v.oneTime)
		}
	}
	r.row("one-time profile, function by function, mean", ranged(ones, percent), "97%", compared(ones, 0.97, true))
	if len(usual) > 0 && len(usual) < len(ones) {
		r.row("the same without "+phasedProgram, ranged(usual, percent), "97%", compared(usual, 0.97, true))
	}
	worst := slices.Index(ones, slices.Min(ones))
	r.row("the worst", percent(ones[worst])+" ("+names[worst]+")", "86%", compared(ones[worst:worst+1], 0.86, true))
	for k, s := range shares {
		r.row(fmt.Sprintf("first %s of the run", whole(s)), ranged(first[k], percent), "", "")
	}
	r.row(l.opts.Sampled.String()+", whole run, mean of medians", ranged(peps, percent), "96%", compared(peps, 0.96, true))
	above := 0
	for i := range ones {
		if ones[i] > peps[i] {
			above++
		}
	}
	r.say("The one-time profile is nearer to the whole run than a profile of %s in %d of %d programs.", l.opts.Sampled, above, len(ones))
	r.tables = append(r.tables, t)
	r.plot("pep-32", plot.Bars{Title: "Relative overlap with the whole run", Y: "%", Groups: names,
		Series: []plot.Series{series("one-time", ones), series("first 10%", first[3]), series(l.opts.Sampled.String(), peps)}, Limit: 97})
	return r, nil
}

// phased compares one-time and continuous profiles of the program that changes.
func (l *lab) phased() (*FigureResult, error) {
	all, err := l.observe()
	if err != nil {
		return nil, err
	}
	r := new(FigureResult)
	var others []float64
	var o *observation
	for i := range all {
		if all[i].program == phasedProgram {
			o = &all[i]
			continue
		}
		v := all[i].overlaps()
		others = append(others, v.pepMedian()-v.oneTime)
	}
	if o == nil {
		return nil, fmt.Errorf("needs the program %s", phasedProgram)
	}
	v := o.overlaps()
	var gaps []float64
	for _, x := range v.pep {
		gaps = append(gaps, x-v.oneTime)
	}
	half, at := nearest(o.growing, 0.5)
	r.say("The paper expects that continuous profiles win where behaviour changes, and shows no such program. %s is one that was written for this experiment: halfway, the packets that it classifies change. Its halves are told apart at %s of the decisions of branches, the moment nearest to the middle.", phasedProgram, percent(at))
	r.row("decisions in branches whose usual outcome changes", percent(changed(biasesOf(half), biasesOf(since(o.whole(), half)))), "", "")
	r.row("one-time profile, function by function", percent(v.oneTime), "", "")
	r.row("first 10% of the run", percent(v.first[3]), "", "")
	r.row(l.opts.Sampled.String()+", whole run", ranged(v.pep, percent), "", "")
	r.row("continuous above one-time, 10 points or more", points(gaps), "expected", effect(gaps, 0.1))
	if len(others) > 0 {
		r.row("the same in the other programs, above 0", points(others), "-1 point (96% and 97%)", effect(others, 0))
	}
	oneTime, before, recent := o.predictions()
	r.say("The plot shows how well profiles that one has at a moment predict the next part of the run, about a twelfth of what was before: that of the first tenth, that of all parts so far, and that of the "+
		"last part alone. All are exact, and the dashed line is the middle of the run. Parts that begin between 10 and 48%% of the run, the last of which may have the change in it, are predicted with an overlap of "+
		"%s, %s and %s at least, those that begin behind 60%% with %s, %s and %s in the mean.",
		percent(lowest(oneTime, 0.1, 0.48)), percent(lowest(before, 0.1, 0.48)), percent(lowest(recent, 0.1, 0.48)),
		percent(meanFrom(oneTime, 0.6)), percent(meanFrom(before, 0.6)), percent(meanFrom(recent, 0.6)))
	curve := func(ps []prediction) (c curves.Curve) {
		for _, p := range ps {
			c = append(c, curves.Point{Events: uint64(math.Round(1000 * p.at)), Error: 100 * p.overlap})
		}
		return c
	}
	r.plot("pep-36", plot.Lines{Title: "Relative overlap with the part that follows", X: "thousandths of the run", Y: "%", MaxY: 100, Marks: []uint64{500},
		Curves: []plot.Curve{{Name: "first tenth", Points: curve(oneTime)}, {Name: "all so far", Points: curve(before)}, {Name: "last part", Points: curve(recent)}}})
	return r, nil
}

// A prediction is how well a profile shows the part of the run that follows.
type prediction struct{ at, overlap float64 }

// predictions compares each part of the run with three profiles of what was before: of the first
// tenth, of everything, and of the last part.
func (o *observation) predictions() (first, before, recent []prediction) {
	tenth, share := nearest(o.growing, 0.1)
	total := float64(flow(o.whole()))
	for i := 1; i+1 < len(o.growing); i++ {
		at := float64(flow(o.growing[i])) / total
		next := biasesOf(since(o.growing[i+1], o.growing[i]))
		if at < share || len(next) == 0 {
			continue
		}
		predict := func(paths []profile.Path) prediction {
			return prediction{at, accuracy.Relative(next, biasesOf(paths))}
		}
		first = append(first, predict(tenth))
		before = append(before, predict(o.growing[i]))
		recent = append(recent, predict(since(o.growing[i], o.growing[i-1])))
	}
	return first, before, recent
}

func lowest(ps []prediction, from, to float64) float64 {
	least := math.NaN()
	for _, p := range ps {
		if p.at >= from && p.at <= to && !(p.overlap > least) {
			least = p.overlap
		}
	}
	return least
}

func meanFrom(ps []prediction, from float64) float64 {
	var xs []float64
	for _, p := range ps {
		if p.at >= from {
			xs = append(xs, p.overlap)
		}
	}
	return mean(xs)
}

// changed returns the share of all decisions that are made in branches whose most frequent outcome
// is another one in the second profile. Branches that one of them has not seen do not change.
func changed(first, second biases) float64 {
	var all, changes int64
	usual := func(o accuracy.Outcomes) (name string, total int64) {
		for x, n := range o {
			total += n
			if name == "" || n > o[name] || n == o[name] && x < name {
				name = x
			}
		}
		return name, total
	}
	for _, b := range []biases{first, second} {
		for id, o := range b {
			_, n := usual(o)
			all += n
			x, in := usual(first[id])
			y, out := usual(second[id])
			if in > 0 && out > 0 && x != y {
				changes += n
			}
		}
	}
	return float64(changes) / float64(all)
}

// perDecision returns additions for each decision of a branch.
func (o *observation) perDecision(guide []profile.Path, f freedom) (float64, error) {
	adds, decided, err := o.graphs.additions(o.whole(), guide, f)
	return float64(adds) / float64(decided), err
}

// placed says where a program of the tables has its additions.
type placed struct {
	name  string
	guide func(o *observation) []profile.Path
	free  freedom
}

func theWhole(o *observation) []profile.Path { return o.whole() }

// place returns the additions for each decision, by placement and program.
func (l *lab) place(ways []placed) (names []string, xs [][]float64, err error) {
	all, err := l.observe()
	if err != nil {
		return nil, nil, err
	}
	xs = make([][]float64, len(ways))
	for i := range all {
		names = append(names, all[i].program)
		for k, w := range ways {
			x, err := all[i].perDecision(w.guide(&all[i]), w.free)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", all[i].program, err)
			}
			xs[k] = append(xs[k], x)
		}
	}
	return names, xs, nil
}

// table and plot of additions.
func (r *FigureResult) placements(id string, names []string, ways []placed, xs [][]float64) {
	t := newTable("program")
	bars := plot.Bars{Title: "Additions for 100 decisions of branches", Y: "additions", Groups: names}
	for k, w := range ways {
		t.rows[0] = append(t.rows[0], w.name)
		bars.Series = append(bars.Series, series(w.name, xs[k]))
	}
	for i, name := range names {
		row := []string{name}
		for k := range ways {
			row = append(row, twoDigits(xs[k][i]))
		}
		t.row(row...)
	}
	r.tables = append(r.tables, t)
	r.plot(id, bars)
}

const countedAdditions = "Counted is what the exact profile of a run says of edges with a value on which no path ends, divided by the decisions of branches. " +
	"Additions that the compiler or the placement of code saves are among them, because not every path needs its register."

// ablation compares numberings whose additions are on cold and on hot edges.
func (l *lab) ablation() (*FigureResult, error) {
	ways := []placed{
		{"hottest edge free", theWhole, hottest},
		{"as built", theWhole, asBuilt},
		{"coldest edge free", theWhole, coldest},
	}
	names, xs, err := l.place(ways)
	if err != nil {
		return nil, err
	}
	r := new(FigureResult)
	r.say("How often programs come over an addition, if the numbering of paths knew the run itself and left the hottest out-edge of each node free (smart numbering), or the coldest; and as built, where "+
		"the numbering guesses. %s The order hottest, coldest follows from the definition; how far apart they are does not. What it costs is in pep-30-cost.", countedAdditions)
	r.row("additions for each decision, hottest edge free", ranged(xs[0], twoDigits), "+1.1% time", "")
	r.row("coldest edge free", ranged(xs[2], twoDigits), "+2.5% time", "")
	r.row("as built, by static guesses", ranged(xs[1], twoDigits), "", "")
	var factors, saved []float64
	for i := range names {
		factors = append(factors, xs[2][i]/xs[0][i])
		saved = append(saved, (xs[2][i]-xs[1][i])/(xs[2][i]-xs[0][i]))
	}
	r.row("coldest to hottest, a factor above 1", ranged(factors, twoDigits), "2.3 (time)", effect(factors, 1))
	r.row("of that, static guesses save", ranged(saved, percent), "", "")
	r.placements("pep-30", names, ways, xs)
	return r, nil
}

// flipped compares guides: profiles of the beginning, sampled, of the whole run, flipped.
func (l *lab) flipped() (*FigureResult, error) {
	ways := []placed{
		{"one-time", func(o *observation) []profile.Path { return oneTime(o.growing, fewDecisions) }, hottest},
		{l.opts.Sampled.String(), func(o *observation) []profile.Path { return o.sampled[0] }, hottest},
		{"whole run", theWhole, hottest},
		{"flipped", theWhole, coldest},
	}
	names, xs, err := l.place(ways)
	if err != nil {
		return nil, err
	}
	r := new(FigureResult)
	var flips []float64
	for i := range l.observed {
		flips = append(flips, l.observed[i].overlaps().flipped)
	}
	r.say("The paper optimises with profiles: a continuous one makes programs 0.9 %% faster than a one-time one, and a flipped one makes them clearly slower. Go's compiler takes none of edges, and the one that pepbuild builds does (results/pgo.md has times). "+
		"The numbering of paths uses them, too: it leaves hot edges free, and here are the additions that it would execute with each profile as its guide. %s "+
		"pep-33-cost has times, with profiles of calls for the compiler.", countedAdditions)
	r.row("relative overlap of the flipped profile with the run", ranged(flips, percent), "", "")
	for k, w := range ways {
		r.row("additions for each decision, "+w.name, ranged(xs[k], twoDigits), "", "")
	}
	gain := func(k int) (list []float64) { // by how much more additions than with the whole run
		for i := range names {
			list = append(list, xs[k][i]/xs[2][i]-1)
		}
		return list
	}
	r.row("one-time: more additions than with the whole run", ranged(gain(0), percent), "0.9% time", effect(gain(0), 0))
	r.row(l.opts.Sampled.String()+": likewise", ranged(gain(1), percent), "", "")
	r.row("flipped: likewise", ranged(gain(3), percent), "significant", effect(gain(3), 0))
	r.placements("pep-33", names, ways, xs)
	return r, nil
}
