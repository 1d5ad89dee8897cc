package period

import (
	"math"
	"slices"
	"testing"
	"time"
)

// The times are spread evenly over what the jitter allows. By the inequality of Dvoretzky, Kiefer, Wolfowitz and
// Massart 10,000 fair draws are further than 0.025 from an even spread with a chance of 2·exp(-2·10,000·0.025²), 7 in a
// million.
func TestDrawsAreSpreadEvenly(t *testing.T) {
	const n = 10_000
	for _, jitter := range []float64{0, 0.125, 0.9} {
		list := make([]float64, n)
		for i := range list {
			list[i] = Draw(time.Second, jitter).Seconds()
		}
		slices.Sort(list)
		if list[0] < 1-jitter-1e-6 || list[n-1] > 1+jitter+1e-6 {
			t.Errorf("jitter %g: times are %g to %g s", jitter, list[0], list[n-1])
		}
		for i, p := range list {
			if even := (p - (1 - jitter)) / (2 * jitter); jitter > 0 && math.Abs(even-float64(i)/n) > 0.025 {
				t.Fatalf("jitter %g: %.3f of the times are below %g s, want %.3f", jitter, float64(i)/n, p, even)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for _, x := range []struct {
		interval, wantInterval time.Duration
		jitter, wantJitter     float64
	}{
		{0, 1_003_009, 0, 0.125},
		{time.Second, time.Second, -1, 0},
		{time.Second, time.Second, 0.999, 0.999},
	} {
		interval, jitter := x.interval, x.jitter
		if err := Check(&interval, &jitter); err != nil || interval != x.wantInterval || jitter != x.wantJitter {
			t.Errorf("%v ± %g: %v ± %g, %v", x.interval, x.jitter, interval, jitter, err)
		}
	}
	interval, jitter := time.Second, 1.0
	if err := Check(&interval, &jitter); err == nil {
		t.Error("a jitter of 1 is not refused")
	}
}
