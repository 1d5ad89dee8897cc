// Package stats has the statistics of measurements.
//
//	stats.GeoMean([]float64{0.8, 1.25})            // 1
//	stats.Summarize([]float64{4, 2}).Median        // 3
//	stats.Interval([]float64{1.01, 1.02, 1.03, …}) // "1.021 (1.013–1.030)"
package stats

// This file holds the statistics.

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/pepgo/pep/lab/markdown"
)

// Intervals says what interval writes in parentheses.
const Intervals = "its 95% confidence interval, which needs six rounds (golang.org/x/perf/benchmath, no assumption about the distribution)"

// Interval formats the median of ratios and its confidence interval: "1.021 (1.013–1.030)".
func Interval(xs []float64) string {
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(xs), &benchmath.DefaultThresholds), 0.95)
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return markdown.Ratio(s.Center) + " (" + markdown.None + ")"
	}
	return markdown.Ratio(s.Center) + " (" + markdown.Ratio(s.Lo) + "–" + markdown.Ratio(s.Hi) + ")"
}

// A Summary has the order statistics of some measurements.
type Summary struct {
	Min, P25, Median, P75, Max float64
}

// Summarize needs at least one measurement.
func Summarize(xs []float64) Summary {
	s := slices.Sorted(slices.Values(xs))
	return Summary{s[0], quantile(s, 0.25), quantile(s, 0.5), quantile(s, 0.75), s[len(s)-1]}
}

// quantile returns the p-quantile of ascending values, by linear interpolation
// between the two nearest (type 7 of Hyndman and Fan, as in R and NumPy).
func quantile(ascending []float64, p float64) float64 {
	at := p * float64(len(ascending)-1)
	i := int(at)
	if i+1 >= len(ascending) {
		return ascending[i]
	}
	return ascending[i] + (at-float64(i))*(ascending[i+1]-ascending[i])
}

func Mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// GeoMean returns the geometric mean, which is the right mean for ratios: the mean of b/a is
// the inverse of the mean of a/b.
func GeoMean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(xs)))
}

// ArgMax returns the index of the largest of xs.
func ArgMax(xs []float64) int {
	at := 0
	for i, x := range xs {
		if x > xs[at] {
			at = i
		}
	}
	return at
}
