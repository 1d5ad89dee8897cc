package stats

import (
	"math"
	"slices"
	"testing"
)

func TestSummarize(t *testing.T) {
	for _, tt := range []struct {
		name string
		xs   []float64
		want Summary
	}{
		{"one value is all of its quantiles", []float64{3}, Summary{3, 3, 3, 3, 3}},
		{"between two values quantiles are interpolated", []float64{4, 2}, Summary{2, 2.5, 3, 3.5, 4}},
		{"an odd number of values has one in the middle", []float64{5, 1, 4, 2, 3}, Summary{1, 2, 3, 4, 5}},
		// R: quantile(c(1, 2, 4, 8, 16, 32)) is 1.0 2.5 6.0 14.0 32.0.
		{"quartiles are those of R", []float64{32, 16, 8, 4, 2, 1}, Summary{1, 2.5, 6, 14, 32}},
	} {
		in := slices.Clone(tt.xs)
		if got := Summarize(tt.xs); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
		if !slices.Equal(in, tt.xs) {
			t.Errorf("%s: the values were reordered", tt.name)
		}
	}
}

func TestMeans(t *testing.T) {
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	near("mean", Mean([]float64{1, 2, 6}), 3)
	near("geometric mean", GeoMean([]float64{1, 2, 4}), 2)
	near("geometric mean of ratios that cancel out", GeoMean([]float64{0.8, 1.25}), 1)
	if got := ArgMax([]float64{1, 3, 2, 3}); got != 1 {
		t.Errorf("argMax: got %d, want 1, the first of the greatest", got)
	}
}

// Of ten values, 97.9 % of all samples have the median between the second and the ninth, and
// 89 % between the third and the eighth: the binomial distribution of 10 throws of a coin.
func TestInterval(t *testing.T) {
	xs := []float64{1.09, 1.01, 1.02, 1.08, 1.03, 1.07, 1.04, 1.10, 1.05, 1.06}
	if got := Interval(xs); got != "1.055 (1.020–1.090)" {
		t.Errorf("ten values: %s", got)
	}
	if got := Interval(xs[:5]); got != "1.030 (-)" {
		t.Errorf("five values, which tell nothing about 95 %%: %s", got)
	}
	if xs[0] != 1.09 {
		t.Error("interval sorts its argument")
	}
}
