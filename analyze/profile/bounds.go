package profile

// This file computes bounds of what samples estimate.

import (
	"math"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/runtime/weigh"
)

// A Bounds is an interval that has the true value with a probability of 95 %, as far as
// samples are random.
type Bounds = weigh.Bounds

// shareBounds returns the bounds of a share that samples estimate to be p, if they say as
// much as n independent ones. Half or more of the variance is usually that of weights. Its size
// is not estimated from the few clusters that have the item, so there is no factor of Student's distribution.
func shareBounds(p, n float64) Bounds { return weigh.ShareBounds(p, n, math.Inf(1)) }

// CountBounds returns the bounds of a count of the file, a path's or an edge's, of which it
// has an estimate. They are those of a number k of independent events that is as uncertain,
// k = count²/variance, times count/k. Again these are all numbers from which k is within
// about 2 standard deviations, which here are their square roots.
//
// For count 400 and variance 10,000, as uncertain as 16 events, the bounds are 246 and 650.
func (f *File) CountBounds(count int64, e Estimate) Bounds {
	c := float64(count)
	if !f.Estimated() || count == 0 {
		return Bounds{Low: c, High: c}
	}
	k := f.Bursts()
	if e.Variance > 0 {
		k = c * c / float64(e.Variance)
	}
	if k == 0 {
		return Bounds{High: math.MaxInt64}
	}
	z := weigh.Student(math.Inf(1)) // as in shareBounds
	middle, half := k+z*z/2, z*math.Sqrt(k+z*z/4)
	return Bounds{Low: max(middle-half, 0) * c / k, High: (middle + half) * c / k}
}

// UnseenBound returns the share of all counts that a path or an edge may have at most, with
// 95 % confidence, of which the file has no sample.
func (f *File) UnseenBound() float64 {
	if !f.Estimated() {
		return 0
	}
	return shareBounds(0, f.Bursts()).High
}

// Bursts returns how many bursts of equal weight would be as good as those of the file.
func (f *File) Bursts() float64 { return float64(f.Fact(facts.EqualBursts)) }
