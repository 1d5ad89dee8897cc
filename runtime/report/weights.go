package report

// This file estimates from the bursts or windows of a sampled profile how often paths and edges were
// taken in proportion to each other, and how far off these estimates may be.

import "github.com/pepgo/pep/runtime/weigh"

// A Cluster is what was counted behind one tick: by the polls of a burst, or in a window.
type Cluster struct {
	Samples []int32  // indices in Profile.Samples
	Counts  []uint32 // how often each was counted
	Stands  float64  // for how much, in the unit of Sample.Stands
	Weight  float64  // of one count, for each such unit: in proportion to how many executions of the program it stands for
}

// Unit is the sum of the counts of a sampled profile, divided by its samples.
const Unit = 1000

// A tally is the estimate of a path or an edge.
type tally struct {
	here    float64 // in the cluster that is being added
	sum     float64 // in all clusters
	part    weigh.Jackknife
	total   int64 // sum of the counts of its samples
	written int64 // of total
}

// end adds what is in a cluster of a size, given the total of all clusters.
func (t *tally) end(all *weigh.Total, size float64) {
	t.part.Leave(all, t.share(all), t.here, size)
	t.here = 0
}

// share is that of the path or edge in a total.
func (t *tally) share(all *weigh.Total) float64 { return t.sum / max(all.Size, 1e-300) }

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
}

// estimates are what is estimated of a whole profile.
type estimates struct {
	all    weigh.Total
	leaves weigh.Jackknife
	scale  float64 // what samples stand for, divided by what those in clusters do
	growth float64 // how many times as much all clusters say as those that are known
}

// weigh estimates the counts of samples, in units of 1/Unit samples, and what the tallies of
// paths and edges need for bounds. The path of sample i is paths[i], nil if the site tables
// do not have it.
//
// If the clusters are only some of those that were, the samples of a stack have the mean
// weight of those that are in clusters; if none is, of those of the path.
func (w *writer) weigh(p *Profile, paths []*path) (counts []int64) {
	logged := make([]float64, len(p.Samples)) // what they stand for
	weight := make([]float64, len(p.Samples))
	var here, weighed, ends, all float64
	var clusters weigh.Total
	for i := range p.Clusters {
		c := &p.Clusters[i]
		clusters.Add(c.Stands)
		for j, s := range c.Samples {
			if paths[s] != nil {
				n := c.Stands * float64(c.Counts[j])
				logged[s] += n
				here += n
				weighed += c.Weight * n
			}
		}
	}
	for i := range p.Samples {
		if paths[i] != nil {
			ends += float64(p.Samples[i].Count)
			all += p.Samples[i].Stands
		}
	}
	mean := Unit * ends / max(all, 1) // of what stands for one
	unit := mean * here / max(weighed, 1e-300)
	w.scale = all / max(here, 1)
	w.growth = max(p.Equal/max(clusters.Equal(), 1e-300), 1)
	for i := range p.Clusters {
		w.size(&p.Clusters[i], unit, paths, weight)
	}
	for i := range p.Clusters {
		w.add(&p.Clusters[i], unit, paths)
	}
	counts = make([]int64, len(p.Samples))
	for i := range p.Samples {
		d := paths[i]
		if d == nil {
			continue
		}
		x := mean
		switch {
		case logged[i] > 0:
			x = weight[i] / logged[i]
		case d.logged > 0:
			x = d.tally.sum / d.logged
		}
		counts[i] = max(whole(p.Samples[i].Stands*x-.5), 1)
		d.tally.total = plus(d.tally.total, counts[i])
		for _, e := range d.branches {
			e.tally.total = plus(e.tally.total, counts[i])
		}
	}
	return counts
}

// size adds the sizes of a cluster to the totals, and the weights of its samples to weight. What stands for one counts
// as its weight times unit.
func (w *writer) size(c *Cluster, unit float64, paths []*path, weight []float64) {
	size := 0.
	for j, s := range c.Samples {
		if paths[s] == nil {
			continue
		}
		n := c.Stands * float64(c.Counts[j])
		here := c.Weight * unit * n
		size += here
		weight[s] += here
		paths[s].logged += n
		paths[s].tally.sum += here
		for _, e := range paths[s].branches {
			e.tally.sum += here
			e.branch.here += here
		}
	}
	if size == 0 {
		return
	}
	w.all.Add(size)
	for _, s := range c.Samples { // here is 0 when it has been added
		if paths[s] == nil {
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

// add adds a cluster to the tallies. All clusters are in the totals already.
func (w *writer) add(c *Cluster, unit float64, paths []*path) {
	size := 0.
	for j, s := range c.Samples {
		if paths[s] == nil {
			continue
		}
		d := paths[s]
		here := c.Weight * unit * c.Stands * float64(c.Counts[j])
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
	w.leaves.Leave(&w.all, 0, size, size)
	for _, s := range c.Samples { // here is 0 when it has been added
		if paths[s] == nil {
			continue
		}
		d := paths[s]
		if d.tally.here > 0 {
			d.tally.end(&w.all, size)
		}
		for _, e := range d.branches {
			if e.tally.here > 0 {
				total := &e.branch.total
				e.share.Leave(total, e.tally.share(total), e.tally.here, e.branch.here)
				e.tally.end(&w.all, size)
			}
		}
	}
	for _, s := range c.Samples {
		if paths[s] == nil {
			continue
		}
		for _, e := range paths[s].branches {
			if h := e.branch.here; h > 0 {
				e.branch.leaves.Leave(&e.branch.total, 0, h, h)
				e.branch.here = 0
			}
		}
	}
}

// variance returns the variance of the count of a path or an edge, in counts².
func (w *writer) variance(t *tally) float64 {
	all := w.all.Size * w.scale
	return w.shareVariance(&t.part, &w.all, t.share(&w.all), &w.leaves) * all * all
}

// shareVariance returns the variance of a share p, from the sums for its item and for all that it is a share of.
func (w *writer) shareVariance(item *weigh.Jackknife, t *weigh.Total, p float64, all *weigh.Jackknife) float64 {
	v := item.FewVariance(t, p, all) / w.growth // more clusters than the log has make it less
	if w.windows {
		v += item.WeightVariance(t, p, all) // but not this one
	}
	return v
}

// independent returns how many independent samples would say as much about the share of an
// edge in its branch as the clustered samples do. If the share is the same in all clusters, these have no
// variance, and each counts as one sample. Rounded sums then leave a variance of up to rounding.
func (w *writer) independent(e *edge) float64 {
	total := &e.branch.total
	p := e.tally.share(total)
	v := w.shareVariance(&e.share, total, p, &e.branch.leaves)
	const rounding = 1e-12
	if q := p * (1 - p); v > rounding && q > 1e-9 {
		return q / v
	}
	return total.Equal() * w.growth
}

// weighed returns how many clusters of equal weight would be as good as those of the profile.
func (w *writer) weighed() uint64 { return uint64(w.all.Equal()*w.growth + .5) }
