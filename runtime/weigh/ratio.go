package weigh

// This file estimates shares and totals from clusters, with their variances.

// A Total has the sums of all clusters. A cluster is a burst, or a window of taps. Its size
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
