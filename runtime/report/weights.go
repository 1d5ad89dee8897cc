package report

// This file estimates from the bursts of a sampled profile how often paths and edges were
// taken in proportion to each other, and how far off these estimates may be.

import (
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/weigh"
)

// A Burst is the polls that followed a tick, or a window, the paths that the program took behind a tick.
type Burst struct {
	weigh.Burst
	Samples []int32 // for each poll, the index in Profile.Samples; -1 if it is no sample

	// A window has no polls. Its Samples are different ones, and Counts says how often each was counted. Weight is how many
	// windows of the program it stands for.
	Counts []uint32
	Weight float64
}

// count returns how often poll i counts.
func (b *Burst) count(i int) int64 {
	if b.Counts == nil {
		return 1
	}
	return int64(b.Counts[i])
}

// sampled returns how many polls of a burst are samples.
func (b *Burst) sampled() (n int) {
	for _, s := range b.Samples {
		if s >= 0 {
			n++
		}
	}
	return n
}

// Unit is the sum of the counts of a sampled profile, divided by its samples.
const Unit = 1000

// A tally is the estimate of a path or an edge.
type tally struct {
	here    float64 // in the burst that is being added
	sum     float64 // in all bursts
	part    weigh.Jackknife
	level   [weigh.Levels]float64 // in the kin and the loop that are being added
	parts   weigh.Parts
	total   int64 // sum of the counts of its samples
	written int64 // of total
}

// end adds what is in a burst of a size, given the total of all bursts.
func (t *tally) end(all *weigh.Total, size float64) {
	t.sum += t.here
	t.part.Leave(all, t.here, size)
	for l := range t.level {
		t.level[l] += t.here
	}
	t.here = 0
}

// endLevel adds what is in a kin or a loop of a size.
func (t *tally) endLevel(l int, size float64) {
	if t.level[l] > 0 {
		t.parts[l].Add(t.level[l], size)
		t.level[l] = 0
	}
}

// add adds count to what is written, and appends to values the parts of amounts that belong
// to it. Parts are in proportion to counts and add up to the amounts.
func (t *tally) add(count int64, values []int64, amounts ...float64) []int64 {
	before := t.written
	t.written = plus(t.written, count)
	all := float64(max(t.total, 1))
	for _, a := range amounts {
		values = append(values, whole(a*float64(t.written)/all)-whole(a*float64(before)/all))
	}
	return values
}

// whole rounds x ≥ 0 up.
func whole(x float64) int64 {
	if x >= 1<<62 {
		return 1 << 62
	}
	n := int64(x)
	if float64(n) < x {
		n++
	}
	return n
}

// A branchTally is the estimate of a branch.
type branchTally struct {
	here   float64
	total  weigh.Total
	leaves weigh.Jackknife
	level  [weigh.Levels]float64
	totals weigh.Totals
}

// estimates are what is estimated of a whole profile.
type estimates struct {
	all    weigh.Total
	leaves weigh.Jackknife
	level  [weigh.Levels]float64 // sizes of the kin and the loop that are being added
	totals weigh.Totals
	growth float64 // samples divided by those in bursts
}

// A weighing is what package weigh says of the bursts of a profile.
type weighing struct {
	weights []float64 // of bursts
	bursts  []weigh.Burst
	kins    [][]int
}

func weighingOf(p *Profile) (g weighing) {
	if p.Windows {
		for i := range p.Bursts {
			g.weights = append(g.weights, p.Bursts[i].Weight)
		}
		return g
	}
	g.bursts = make([]weigh.Burst, len(p.Bursts))
	for i := range p.Bursts {
		g.bursts[i] = p.Bursts[i].Burst
	}
	g.weights = weigh.Weights(g.bursts, p.Polled)
	g.kins = weigh.Kins(g.bursts, p.Polled)
	return g
}

// weigh estimates the counts of samples, in units of 1/Unit samples, and what the tallies of
// paths and edges need for bounds. The path of sample i is paths[i], nil if the site tables
// do not have it.
//
// If the bursts are only some of those that were, the samples of a stack have the mean
// weight of those that are in bursts; if none is, of those of the path.
func (w *writer) weigh(p *Profile, g weighing, paths []*path) (counts []int64) {
	weights := g.weights
	logged := make([]int64, len(p.Samples))
	weight := make([]float64, len(p.Samples))
	var samples, weighed float64
	for i := range p.Bursts {
		b := &p.Bursts[i]
		if !p.Windows {
			weights[i] /= float64(max(b.sampled(), 1)) // from here on it is that of a sample
		}
		for j, s := range b.Samples {
			if s >= 0 && paths[s] != nil {
				n := b.count(j)
				logged[s] += n
				samples += float64(n)
				weighed += weights[i] * float64(n)
			}
		}
	}
	for i := range weights {
		weights[i] *= Unit * samples / max(weighed, 1e-300)
		w.sizeBurst(&p.Bursts[i], weights[i], paths, weight)
	}
	if p.Windows {
		for i := range p.Bursts {
			w.addBurst(&p.Bursts[i], weights[i], paths)
		}
	} else {
		w.addBursts(p, g, paths)
	}
	counts = make([]int64, len(p.Samples))
	all := 0.
	for i := range p.Samples {
		n := p.Samples[i].Count
		d := paths[i]
		if d == nil {
			continue
		}
		all += float64(n)
		mean := float64(Unit)
		switch {
		case logged[i] > 0:
			mean = weight[i] / float64(logged[i])
		case d.logged > 0:
			mean = d.tally.sum / float64(d.logged)
		}
		counts[i] = max(whole(float64(n)*mean-.5), 1)
		d.tally.total = plus(d.tally.total, counts[i])
		for _, e := range d.branches {
			e.tally.total = plus(e.tally.total, counts[i])
		}
	}
	w.growth = all / max(samples, 1)
	return counts
}

// addBursts adds the bursts to the tallies.
func (w *writer) addBursts(p *Profile, g weighing, paths []*path) {
	for _, loop := range weigh.Loops(g.bursts, g.kins, functions(p, paths)) {
		for _, kin := range loop {
			for _, i := range kin {
				w.addBurst(&p.Bursts[i], g.weights[i], paths)
			}
			w.endLevel(weigh.OfKin, p, paths, kin)
		}
		w.endLevel(weigh.OfLoop, p, paths, loop...)
	}
}

// functions returns for each path that was polled the number of its function, -1 if the site tables do not have it.
func functions(p *Profile, paths []*path) []int32 {
	list := make([]int32, p.Polled)
	for k := range list {
		list[k] = -1
	}
	number := make(map[*wire.Func]int32)
	for i := range p.Bursts {
		b := &p.Bursts[i]
		for j, s := range b.Samples {
			if s < 0 || paths[s] == nil || list[b.Polls[j].Path] >= 0 {
				continue
			}
			fn := paths[s].fn
			n, ok := number[fn]
			if !ok {
				n = int32(len(number))
				number[fn] = n
			}
			list[b.Polls[j].Path] = n
		}
	}
	return list
}

// sizeBurst adds the sizes of a burst to the totals, and the weights of its samples to weight.
func (w *writer) sizeBurst(b *Burst, each float64, paths []*path, weight []float64) {
	size := 0.
	for j, s := range b.Samples {
		if s < 0 || paths[s] == nil {
			continue
		}
		n := b.count(j)
		here := each * float64(n)
		size += here
		weight[s] += here
		paths[s].logged += n
		for _, e := range paths[s].branches {
			e.branch.here += here
		}
	}
	if size == 0 {
		return
	}
	w.all.Add(size)
	for _, s := range b.Samples { // here is 0 when it has been added
		if s < 0 || paths[s] == nil {
			continue
		}
		for _, e := range paths[s].branches {
			if e.branch.here > 0 {
				e.branch.total.Add(e.branch.here)
				e.branch.here = 0
			}
		}
	}
}

// addBurst adds a burst to the tallies. All bursts are in the totals already.
func (w *writer) addBurst(b *Burst, each float64, paths []*path) {
	size := 0.
	for j, s := range b.Samples {
		if s < 0 || paths[s] == nil {
			continue
		}
		d := paths[s]
		here := each * float64(b.count(j))
		size += here
		d.tally.here += here
		for _, e := range d.branches {
			e.tally.here += here
			e.branch.here += here
		}
	}
	if size == 0 {
		return
	}
	w.leaves.Leave(&w.all, size, size)
	for l := range w.level {
		w.level[l] += size
	}
	for _, s := range b.Samples { // here is 0 when it has been added
		if s < 0 || paths[s] == nil {
			continue
		}
		d := paths[s]
		if d.tally.here > 0 {
			d.tally.end(&w.all, size)
		}
		for _, e := range d.branches {
			if e.tally.here > 0 {
				e.share.Leave(&e.branch.total, e.tally.here, e.branch.here)
				e.tally.end(&w.all, size)
			}
		}
	}
	for _, s := range b.Samples {
		if s < 0 || paths[s] == nil {
			continue
		}
		for _, e := range paths[s].branches {
			if h := e.branch.here; h > 0 {
				e.branch.leaves.Leave(&e.branch.total, h, h)
				for l := range e.branch.level {
					e.branch.level[l] += h
				}
				e.branch.here = 0
			}
		}
	}
}

// endLevel adds the sums of a kin or of a loop, whose bursts have been added, to the tallies of what is in it.
func (w *writer) endLevel(l int, p *Profile, paths []*path, kins ...[]int) {
	size := w.level[l]
	if size == 0 {
		return
	}
	each := func(f func(*path)) {
		for _, kin := range kins {
			for _, i := range kin {
				for _, s := range p.Bursts[i].Samples {
					if s >= 0 && paths[s] != nil {
						f(paths[s])
					}
				}
			}
		}
	}
	each(func(d *path) { // a level is 0 when it has been added
		d.tally.endLevel(l, size)
		for _, e := range d.branches {
			if e.tally.level[l] > 0 {
				e.shares[l].Add(e.tally.level[l], e.branch.level[l])
				e.tally.endLevel(l, size)
			}
		}
	})
	each(func(d *path) {
		for _, e := range d.branches {
			if e.branch.level[l] > 0 {
				e.branch.totals[l].Add(e.branch.level[l])
				e.branch.level[l] = 0
			}
		}
	})
	w.totals[l].Add(size)
	w.level[l] = 0
}

// variance returns the variance of the count of a path or an edge, in counts². It is the
// variance by chance, which more bursts than the log has make less, and that of weights, which
// they do not.
func (w *writer) variance(t *tally) float64 {
	all := w.all.Size * w.growth
	return w.shareVariance(&t.part, &w.all, t.sum/max(w.all.Size, 1e-300), &w.leaves, &t.parts, &w.totals) * all * all
}

// shareVariance returns the variance of a share p, from the sums for its item and for all that it is a share of.
func (w *writer) shareVariance(item *weigh.Jackknife, t *weigh.Total, p float64, all *weigh.Jackknife, parts *weigh.Parts, totals *weigh.Totals) float64 {
	if w.windows {
		return item.WindowVariance(t, p, all, w.growth)
	}
	return item.Variance(t, p, all)/w.growth + parts.WeightVariance(totals)
}

// independent returns how many independent samples would say as much about the share of an
// edge in its branch as the clustered samples do. If the share is the same in all clusters, these have no
// variance, and each counts as one sample. Rounded sums then leave a variance of up to rounding.
func (w *writer) independent(e *edge) float64 {
	total := &e.branch.total
	p := e.tally.sum / max(total.Size, 1e-300)
	v := w.shareVariance(&e.share, total, p, &e.branch.leaves, &e.shares, &e.branch.totals)
	const rounding = 1e-12
	if q := p * (1 - p); v > rounding && q > 1e-9 {
		return q / v
	}
	return total.Equal() * w.growth
}

// weighed returns how many bursts of equal weight would be as good as those of the profile.
func (w *writer) weighed() uint64 { return uint64(w.all.Equal()*w.growth + .5) }
