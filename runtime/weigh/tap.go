package weigh

// This file estimates the shares that values have in the events of a tap, with bounds.

// A Tap has the sums of a tap over all windows. A window in which n of the samples are the tap's,
// and in which a sample stands for w events, is a cluster of size x = w·n.
type Tap struct {
	Total
	Samples float64 // Σwx: if samples were independent, the variance of Σx would be this

	// Alike is the correlation of two samples of a window, over all taps of the program: see
	// [Alike].
	Alike float64

	found, expected float64 // of all its values, see AddValue
}

// AddValue adds the variance of a value's share to those of the tap's other values, found as it
// is between windows, and expected if samples were independent. Their quotient says how much
// more alike the samples of a window are than samples of different windows.
func (t *Tap) AddValue(p *Part) {
	share, v := p.Share(&t.Total)
	t.found += v
	t.expected += t.chance(share)
}

// cluster is how many samples of the tap a window has, as one of its samples finds it: of windows
// with 1 and 9 samples nine in ten samples are in the second, and 0.1·1 + 0.9·9 = 8.2.
func (t *Tap) cluster() float64 {
	if t.Samples <= 0 {
		return 1
	}
	return max(t.Squares/t.Samples, 1)
}

// factor returns how many times as large as by chance the variances of the tap's values are. In
// windows of c samples, two of which have the correlation r, it is 1 + (c-1)·r
// (Kish, Survey Sampling, 1965, section 5.4).
//
// The tap's own windows show it: they say found/expected. But a tap of a short phase is in
// few windows, and these may look all alike although others do not. For example, one sort in ten has many
// short names. A tap of its comparisons is in six windows, and none of them is in
// that sort: each has long names only, and that looks like a value that is always the same. The other
// taps of the program show how much windows differ. So the factor is
// the mean of both, in which the tap counts as many windows as it has, and the program [shared] windows.
func (t *Tap) factor() float64 {
	of := 1 + (t.cluster()-1)*t.Alike
	if t.expected <= 0 {
		return of
	}
	n := t.Equal()
	return (n*max(t.found/t.expected, 1) + shared*of) / (n + shared)
}

// An Alike estimates how much alike two samples of a tap are that are in the same window: their
// correlation, 0 if they are independent, 1 if all samples of a window are of the same value. It
// is the mean over the taps of a program. Each counts as many windows as it has, times what there is
// to tell apart, Σp(1-p) over its values.
type Alike struct{ sum, weight float64 }

// Add adds a tap to which all values have been added.
func (a *Alike) Add(t *Tap) {
	c := t.cluster()
	if t.expected <= 0 || c <= 1 {
		return
	}
	weight := t.Equal() * t.expected * t.Size * t.Size / t.Samples
	a.sum += weight * min(max(t.found/t.expected-1, 0)/(c-1), 1)
	a.weight += weight
}

// Correlation returns the estimate, 0 if no tap has told anything.
func (a *Alike) Correlation() float64 {
	if a.weight <= 0 {
		return 0
	}
	return a.sum / a.weight
}

// chance is the variance of a share if samples were independent.
func (t *Tap) chance(share float64) float64 {
	return share * (1 - share) * t.Samples / (t.Size * t.Size)
}

const (
	// shared is how many windows the variance counts for that all values of a tap have in common, and
	// beside a tap's own windows what all taps of the program have in common.
	shared = 4

	// speeds is the standard deviation of the logarithm of how much slower a program is in
	// windows than outside of them, if it does different things in them. It was chosen on gopher-lua, with
	// windows of time in which taps reported: its phases were 0.59 to 1.04 times as fast in these as outside.
	speeds = 0.15
)

// Share returns the bounds of the share that a value has in the events of the tap, with 95 %
// confidence, and its estimate.
//
// The variance of the share has two parts. The first is chance. It comes from the differences
// between windows, but a value that is in two windows says little about it: a value that was
// seen once, in a window in which each sample stands for few events, would have next to no
// variance, and its bounds would end far below its true share. So the variance is the
// mean of two: that of the value, which counts as many windows as have the value, and the
// one that it would have if its samples were as much alike in each window as those of all
// values of the tap (factor), which counts [shared] windows. It is known with as many degrees of freedom as
// there are windows.
//
// The second part is for windows in which the program is slower than outside of them, some more
// than others. Let the program do two things, and one of them in each window, so that a value has the share
// p+a in half of the windows and p-a in the others. If the numbers of events in the former are wrong by
// a factor e^d, and in the latter by e^f, the share changes by a·(d-f)/2, with the variance
// a²·speeds²/2. And a² is the variance of the value's share between windows. It is not that of the
// samples, which differ by chance, too: a window with k samples adds p(1-p)/k, less
// a²/k. So a² comes from
//
//	Σ(y-px)² = a²·Σx² + (p(1-p) - a²)·Σwx
//
// A value that is as frequent in all windows has no second part.
//
// For example, a tap has 100 windows of 10 samples, and a value is all that there is in 50 of
// them and in no other. The share is 0.5, and chance has a standard deviation of 0.05, that of 100
// tosses of a coin. The second part has 0.15·0.5/√2 = 0.053, however many windows there are.
func (t *Tap) Share(p *Part) (share float64, b Bounds) {
	if t.Size <= 0 {
		return 0, Bounds{0, 1}
	}
	share, own := p.Share(&t.Total)
	n := t.Equal()
	chance := t.chance(share)
	if chance <= 0 {
		return share, ShareBounds(share, n, n)
	}
	alike := chance * t.factor()
	windows := 0. // that have the value
	if p.Squares > 0 {
		windows = p.Sum * p.Sum / p.Squares
	}
	v := (windows*own + shared*alike) / (windows + shared)
	between := share * (1 - share)
	if one := (t.Squares - t.Samples) / (t.Size * t.Size); one > 0 {
		between = min(max((v-chance)/one, 0), between)
	}
	v += speeds * speeds / 2 * between
	return share, ShareBounds(share, share*(1-share)/v, n)
}

// A Bounds is an interval that has the true value with a probability of 95 %.
type Bounds struct{ Low, High float64 }

// Student returns how many standard deviations from the mean 95 % of the values are, if the
// standard deviation itself is estimated, with n degrees of freedom: the beginning of the
// series of the quantile of Student's distribution (Abramowitz and Stegun, 26.7.5).
func Student(n float64) float64 {
	const z = confidence
	return z * (1 + (z*z+1)/(4*max(n, 1)))
}

// ShareBounds returns the bounds of a share that samples estimate to be p, if they say as
// much as n independent ones, and that is known with so many degrees of freedom. It is the
// interval of Wilson ("Probable inference, the law of succession, and statistical inference",
// 1927): it has all shares from which p is within about 2 standard deviations. Unlike p ± 2
// standard deviations it ends within 0 and 1, it is right for few samples, and it is no point
// if p is 0 or 1.
//
// For 3 of 10 independent samples the bounds are 0.073 and 0.699, with 3 degrees of freedom. For
// 0 of 100 they are 0 and 0.037.
func ShareBounds(p, n, freedom float64) Bounds {
	if !(n > 0) {
		return Bounds{0, 1}
	}
	z := confidence
	if p > 0 && p < 1 {
		z = Student(freedom)
	}
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * root(p*(1-p)/n+z*z/(4*n*n))
	b := Bounds{max(middle-half, 0), min(middle+half, 1)}
	switch p {
	case 0:
		b.Low = 0
	case 1:
		b.High = 1
	}
	return b
}
