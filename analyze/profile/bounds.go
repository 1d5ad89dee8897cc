package profile

// This file computes bounds of what samples estimate.

import (
	"math"
	"regexp"
	"strconv"
)

// A Bounds is an interval that has the true value with a probability of 95 %, as far as
// samples are random.
type Bounds struct{ Low, High float64 }

// student returns how many standard deviations from the mean 95 % of the values are, if the
// standard deviation itself is estimated, with n degrees of freedom: the beginning of the
// series of the quantile of Student's distribution (Abramowitz and Stegun, 26.7.5). A
// variance that is as large as that of n independent events comes from about n clusters.
func student(n float64) float64 {
	const z = confidence
	return z * (1 + (z*z+1)/(4*max(n, 1)))
}

// shareBounds returns the bounds of a share that samples estimate to be p, if they say as
// much as n independent ones. It is the interval of Wilson ("Probable inference, the law of
// succession, and statistical inference", 1927): it has all shares from which p is within
// about 2 standard deviations. Unlike p ± 2 standard deviations it ends within 0 and 1, it
// is right for few samples, and it is no point if p is 0 or 1.
//
// For 3 of 10 independent samples the bounds are 0.073 and 0.699. For 0 of 100 they are 0
// and 0.037.
func shareBounds(p, n float64) Bounds {
	if n <= 0 {
		return Bounds{0, 1}
	}
	z := confidence
	if q := min(p, 1-p); q > 0 {
		z = student(n * q) // the clusters that have the rarer one
	}
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	b := Bounds{max(middle-half, 0), min(middle+half, 1)}
	switch p {
	case 0:
		b.Low = 0
	case 1:
		b.High = 1
	}
	return b
}

// CountBounds returns the bounds of a count of the file, a path's or an edge's, of which it
// has an estimate. They are those of a number k of independent events that is as uncertain,
// k = count²/variance, times count/k. Again these are all numbers from which k is within
// about 2 standard deviations, which here are their square roots.
//
// For count 400 and variance 10,000, as uncertain as 16 events, the bounds are 238 and 674.
func (f *File) CountBounds(count int64, e Estimate) Bounds {
	c := float64(count)
	if !f.Estimated() || count == 0 {
		return Bounds{c, c}
	}
	k := f.Bursts()
	if e.Variance > 0 {
		k = c * c / float64(e.Variance)
	}
	if k == 0 {
		return Bounds{0, math.MaxInt64}
	}
	z := student(k)
	middle, half := k+z*z/2, z*math.Sqrt(k+z*z/4)
	return Bounds{max(middle-half, 0) * c / k, (middle + half) * c / k}
}

// UnseenBound returns the share of all counts that a path or an edge may have at most, with
// 95 % confidence, of which the file has no sample.
func (f *File) UnseenBound() float64 {
	if !f.Estimated() {
		return 0
	}
	return shareBounds(0, f.Bursts()).High
}

// weighText is what the comment of a sampled profile says about the weights of bursts.
var weighText = regexp.MustCompile(`bursts weigh like (\d+) equal ones`)

// Bursts returns how many bursts of equal weight would be as good as those of the file.
func (f *File) Bursts() (n float64) {
	for _, c := range f.Comments {
		if m := weighText.FindStringSubmatch(c); m != nil {
			x, _ := strconv.ParseFloat(m[1], 64) // of digits: at worst infinite
			n += x
		}
	}
	return n
}
