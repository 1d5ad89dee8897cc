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

// A Jackknife has sums for the variance of shares that is found by leaving out one cluster
// after the other. They are sums of squares as in Part and Total, but each cluster counts as
// if its sizes were larger by the factor [Total.without].
type Jackknife struct {
	squares, cross float64
	fourth         [4]float64 // Σy⁴, Σy³x, Σy²x², Σyx³
}

// Leave adds a cluster of size x, in which the item has a part y. It needs the total of all
// clusters.
func (j *Jackknife) Leave(t *Total, y, x float64) {
	f := t.without(x)
	x, y = x*f, y*f
	j.squares += y * y
	j.cross += x * y
	for i, z := range [...]float64{y * y * y, y * y * x, y * x * x, x * x * x} {
		j.fourth[i] += y * z
	}
}

// Variance returns the variance of a share p, given the sums for the item that has all of each
// cluster.
//
// Without a cluster the share would change by (y - p·x)/(Σx - x), with the sums over all
// clusters. The variance is
//
//	(n-1)/n · Σ((y - p·x)/(Σx - x))²
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
	return (t.Clusters - 1) / t.Clusters * j.deviations(p, all) / (t.Size * t.Size)
}

// deviations returns Σd² over clusters, with d = y - p·x.
func (j *Jackknife) deviations(p float64, all *Jackknife) float64 {
	return max(j.squares-2*p*j.cross+p*p*all.squares, 0)
}

// freedom returns how many degrees of freedom the variance has, 2 at least. The mean of n squares d² is off by a
// variance of (n·Σd⁴/(Σd²)² - 1)/n of its square, which for a χ² variable with f degrees is 2/f (Satterthwaite 1946):
//
//	f = 2/(Σd⁴/(Σd²)² - 1/n)
//
// For d with a normal distribution that is n. An item that one cluster of many has has nearly one d, and f = 2.
func (j *Jackknife) freedom(t *Total, p float64, all *Jackknife) float64 {
	s := j.deviations(p, all)
	least := 1 / max(t.Clusters, 1)
	if s <= 0 || least >= 1 {
		return 2
	}
	q := &j.fourth
	fourth := q[0] - p*(4*q[1]-p*(6*q[2]-p*(4*q[3]-p*all.fourth[0])))
	return 2 / max(min(fourth/(s*s), 1)-least, 1e-9)
}

// FewVariance returns the variance of a share p like Variance, for clusters that are few, so that it is known with few
// degrees of freedom ([fewer]).
func (j *Jackknife) FewVariance(t *Total, p float64, all *Jackknife) float64 {
	return j.Variance(t, p, all) * fewer(j.freedom(t, p, all))
}

// windowSpeeds is the standard deviation of the logarithm of how much longer a window takes than the interpreter
// estimates, among windows that do the same things. With 0.15, as for taps, 97.6 to 98.9 % of the bounds of paths and
// edges held in runs of 2 s. With 0.12, 97.4 to 98.4 % do, and 93.9 to 97.6 % of those of outcomes. With less, bounds
// of outcomes would be too narrow.
const windowSpeeds = 0.12

// WeightVariance returns what weights of windows add to the variance of a share p. Nothing but the interpreter's
// estimate tells how long a window takes, which is off for windows that do the same things in the same way, however
// many there are. That is as with windows of taps, see [Tap.Share]: it is half of the square of windowSpeeds times the
// variance of the share between windows, which is Variance times the number of windows of equal weight.
func (j *Jackknife) WeightVariance(t *Total, p float64, all *Jackknife) float64 {
	return j.Variance(t, p, all) * windowSpeeds * windowSpeeds / 2 * t.Equal()
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
