package weigh

// This file estimates shares and totals from clusters, with their variances.

// A Total has the sums of all clusters. A cluster is a burst or a window. Its size
// is what was counted in it, times its weight.
type Total struct {
	Clusters float64 // n
	Size     float64 // Σx, over the sizes x of clusters
	Squares  float64 // Σx²
}

// Add adds a cluster of a size.
func (t *Total) Add(x float64) {
	t.Clusters++
	t.Size += x
	t.Squares += x * x
}

// Equal returns how many clusters of equal size would be as good, (Σx)²/Σx² (Kish, Survey Sampling, 1965, section
// 11.7).
func (t *Total) Equal() float64 {
	if t.Squares <= 0 {
		return 0
	}
	return t.Size * t.Size / t.Squares
}

// without returns by how much the sum of all clusters is larger than that of all but one, which is
// of size x. If that one is nearly all, little can be said of the rest.
func (t *Total) without(x float64) float64 {
	return t.Size / max(t.Size-x, t.Size/100)
}

// A Jackknife has sums for the variance of a share p that is found by leaving out one cluster after the other.
//
// Without a cluster of size x, of which the item has y, the share would change by (y - p·x)/(Σx - x), with the sum over
// all clusters. So each cluster has the difference d = (y - p·x)·f, with f from [Total.without], and the sums are Σ|d|,
// Σd² and Σd⁴. Clusters without the item need not be added: they have d = -p·x·f. What is kept of those with it is by
// how much they differ from that. For p = 0 that is the sums of the sizes of what is added.
type Jackknife struct{ first, second, fourth float64 }

// Leave adds a cluster of size x, in which the item with the share p has a part y. It needs the total of all clusters.
func (j *Jackknife) Leave(t *Total, p, y, x float64) {
	f := t.without(x)
	d, none := y*f-p*x*f, p*x*f
	j.first += max(d, -d) - none
	d, none = d*d, none*none
	j.second += d - none
	j.fourth += d*d - none*none
}

// sums returns Σ|d|, Σd² and Σd⁴ over all clusters, of which all has the sizes.
func (j *Jackknife) sums(p float64, all *Jackknife) (first, second, fourth float64) {
	q := p * p
	return max(j.first+p*all.first, 0), max(j.second+q*all.second, 0), max(j.fourth+q*q*all.fourth, 0)
}

// Variance returns the variance of a share p, given the sums of the sizes of all clusters:
//
//	(n-1)/n · Σd²/(Σx)²
//
// (Wolter, Introduction to Variance Estimation, 2007, section 4.4). If all clusters are of
// the same size it is that of [Part.Share]. If one is as large as all others together, the
// share follows that one, and Part.Share finds it hardly off. For example, of one
// cluster with weight 100 and 100 with weight 1, the large one has the share 0.5 and the small
// ones 0.2, in all 0.35. Part.Share gives a deviation of 0.076. Left out, the large one changes the
// share by 0.15, and that is about the jackknife's deviation.
func (j *Jackknife) Variance(t *Total, p float64, all *Jackknife) float64 {
	if t.Size <= 0 || t.Clusters < 1 {
		return 0
	}
	_, squares, _ := j.sums(p, all)
	return (t.Clusters - 1) / t.Clusters * squares / (t.Size * t.Size)
}

// freedom returns how many degrees of freedom the variance has, 2 at least. The mean of n squares d² is off by a
// variance of (n·Σd⁴/(Σd²)² - 1)/n of its square, which for a χ² variable with f degrees is 2/f (Satterthwaite 1946):
//
//	f = 2/(Σd⁴/(Σd²)² - 1/n)
//
// For d with a normal distribution that is n. An item that one cluster of many has has nearly one d, and f = 2.
func (j *Jackknife) freedom(t *Total, p float64, all *Jackknife) float64 {
	_, squares, fourth := j.sums(p, all)
	least := 1 / max(t.Clusters, 1)
	if squares <= 0 || least >= 1 {
		return 2
	}
	return 2 / max(min(fourth/(squares*squares), 1)-least, 1e-9)
}

// FewVariance returns the variance of a share p like Variance, for clusters that are few, so that it is known with few
// degrees of freedom ([fewer]).
func (j *Jackknife) FewVariance(t *Total, p float64, all *Jackknife) float64 {
	return j.Variance(t, p, all) * fewer(j.freedom(t, p, all))
}

// windowSpeeds is the standard deviation of the logarithm of how much longer a window takes than the interpreter
// estimates, among windows that do the same things. With 0.12, 91.6 % of the bounds of paths and 94.6 % of those of
// outcomes held in 20 runs of 10 s of testprogs/bench/sortbench, in which windows are many, and with 0.15, as for taps,
// 91.9 and 96.9 %.
const windowSpeeds = 0.15

// WeightVariance returns what weights of windows add to the variance of a share p. Nothing but the interpreter's
// estimate tells how long a window takes, which is off for windows that do the same things in the same way, however
// many there are.
//
// Which windows do the same is not known. The share is furthest off if all windows in which the item has more than p do
// one thing, and the others another one. If these have wrong weights by factors e^u and e^v, the share changes by
// D·(u-v), where D is the sum of the differences d of the former, divided by that of all sizes. Differences add up to
// 0, so D is half of Σ|d|/Σx, and the variance is 2·D²·windowSpeeds².
//
// For example, a path that is all that there is in one window of ten, and in no other, has the share 0.1 and D = 0.09.
// That is a deviation of 0.015 beside that of chance, 0.03 in 100 windows and 0.0095 in 1,000.
func (j *Jackknife) WeightVariance(t *Total, p float64, all *Jackknife) float64 {
	if t.Size <= 0 {
		return 0
	}
	first, _, _ := j.sums(p, all)
	first /= t.Size
	return windowSpeeds * windowSpeeds / 2 * first * first
}

// A Part has the sums of one item: of a path, an edge, or a word. In each cluster it has a
// part y of the cluster's size x. Clusters without it need not be added.
type Part struct {
	Sum     float64 // Σy
	Squares float64 // Σy²
	Cross   float64 // Σxy
}

// Add adds the part y that the item has of a cluster of size x.
func (p *Part) Add(y, x float64) {
	p.Sum += y
	p.Squares += y * y
	p.Cross += x * y
}

// Share returns the share of the item in the total, and the variance of that share.
//
// The share is a ratio of two sums, p = Σy/Σx. A cluster contributes the error y - p·x to
// it. Its variance is that of a sum of independent errors, divided by the square of the
// total (Cochran, Sampling Techniques, 1977, section 2.11, without the correction for
// finite populations):
//
//	n/(n-1) · Σ(y - p·x)² / (Σx)²
//
// For example, four clusters of 10 samples in which an item has 10, 0, 10 and 0 give the
// share 0.5 and the variance 4/3 · 100/1600 = 0.083. Were the 40 samples independent, it
// would be 0.006.
func (p *Part) Share(t *Total) (share, variance float64) {
	if t.Size <= 0 {
		return 0, 0
	}
	share = p.Sum / t.Size
	return share, t.correction() * max(p.Squares-2*share*p.Cross+share*share*t.Squares, 0) / (t.Size * t.Size)
}

// Variance returns the variance of the item's sum Σy, where n clusters are n independent
// samples of all clusters there could be: n/(n-1) · (Σy² - (Σy)²/n).
func (p *Part) Variance(t *Total) float64 {
	if t.Clusters < 1 {
		return 0
	}
	return t.correction() * max(p.Squares-p.Sum*p.Sum/t.Clusters, 0)
}

// correction is n/(n-1). A single cluster says nothing about variance; it counts as two.
func (t *Total) correction() float64 {
	n := max(t.Clusters, 2)
	return n / (n - 1)
}
