package weigh

import (
	"math"
	"testing"
)

func TestRoot(t *testing.T) {
	for x := 1e-30; x < 1e40; x *= 3.7 {
		if got, want := root(x), math.Sqrt(x); math.Abs(got-want) > 1e-9*want {
			t.Errorf("root of %g: %g, want %g", x, got, want)
		}
	}
	if root(0) != 0 || root(-1) != 0 {
		t.Error("the root of what has none is not 0")
	}
}

// The bound for n clusters is that of Student's distribution with n-1 degrees of freedom,
// up to 7 %; for n > 50 it is the normal one, up to 4 %.
func TestBoundOfFewClusters(t *testing.T) {
	for n, quantile := range map[float64]float64{5: 2.776, 10: 2.262, 20: 2.093, 60: 2.001, 1000: 1.962} {
		if got := Bound(1, n, n); math.Abs(got/quantile-1) > .07 {
			t.Errorf("%v clusters: %.3f, want %.3f", n, got, quantile)
		}
	}
}
