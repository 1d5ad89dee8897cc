package sampling

// This file has the statistics.

import (
	"math"
	"slices"
)

// quantile returns the p-quantile of xs: the nearest rank.
func quantile(xs []float64, p float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	return s[int(p*float64(len(s)-1)+0.5)]
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// Fit returns the line with the least squares of distances, y = a + slope·x, and which part of
// the variance of y it explains.
func Fit(x, y []float64) (slope, r2 float64) {
	mx, my := mean(x), mean(y)
	var xx, xy, yy float64
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
		yy += (y[i] - my) * (y[i] - my)
	}
	if xx == 0 || yy == 0 {
		return 0, math.NaN()
	}
	return xy / xx, xy * xy / (xx * yy)
}
