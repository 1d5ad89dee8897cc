package stepper

import (
	"math"
	"slices"
	"testing"
	"time"
)

// The times between ticks are spread evenly over what the jitter allows. By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart
// 10,000 fair draws are further than 0.025 from an even spread with a chance of 2·exp(-2·10,000·0.025²), 7 in a million.
func TestPeriodsAreSpreadEvenly(t *testing.T) {
	const n = 10_000
	for _, jitter := range []float64{0, 0.125, 0.9} {
		o := &Options{Interval: time.Second, Jitter: jitter}
		list := make([]float64, n)
		for i := range list {
			list[i] = o.period().Seconds()
		}
		slices.Sort(list)
		if list[0] < 1-jitter-1e-6 || list[n-1] > 1+jitter+1e-6 {
			t.Errorf("jitter %g: periods are %g to %g s", jitter, list[0], list[n-1])
		}
		for i, p := range list {
			if even := (p - (1 - jitter)) / (2 * jitter); jitter > 0 && math.Abs(even-float64(i)/n) > 0.025 {
				t.Fatalf("jitter %g: %.3f of the periods are below %g s, want %.3f", jitter, float64(i)/n, p, even)
			}
		}
	}
}
