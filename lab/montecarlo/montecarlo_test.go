package montecarlo

import (
	"math"
	"testing"

	"github.com/pepgo/pep/hwsim/metric"
)

// The test has the streams of figure 4 with all 2500 permutations, but only six of the
// twenty lengths, so that it takes seconds. These lengths are around the crossings that
// the paper's text gives. A mean of 2500 errors is off by 1.5 % (one standard
// deviation), and a length by twice that. The crossings are those of the trend through
// all six points, which is somewhat more precise.
//
// The bounds are the requirement's, and the seed is fixed: with the seeds 1 to 4
// R crosses between 11600 and 12290, and H[P] between 4310 and 4570. So the
// true crossing of H[P] is near 4450, 3 % below the number that the paper reads off
// its figure, and another seed can miss the bound.
func TestSTRAT21_Figure4(t *testing.T) {
	c := Figure4
	c.Lengths = []int{4000, 5000, 7000, 9000, 11000, 13000}
	curves, err := c.Run()
	if err != nil {
		t.Fatal(err)
	}
	points := map[string]metric.Curve{}
	for _, x := range curves {
		points[x.Spec+" "+x.Estimator.String()] = x.Points
		t.Logf("%-10s %-5v crosses 4 %% at %6.0f", x.Spec, x.Estimator, x.Points.Crossing(4))
	}
	for name, want := range map[string]float64{"R10 sum": 12000, "H[P10]4 sum": 4600} {
		if got := points[name].Crossing(4); !near(got, want) {
			t.Errorf("%s crosses 4 %% at %.0f tuples, want %.0f within 5 %%", name, got, want)
		}
	}
	classes := [][2]string{
		{"R10 sum", "H[R10]4 sum"},
		{"P10 sum", "CR10 ratio"},
		{"H[P10]4 sum", "H[CR10]4 ratio"},
	}
	for i, class := range classes {
		a, b := mean(points[class[0]]), mean(points[class[1]])
		if !near(a, b) {
			t.Errorf("mean errors of %s and %s: %.3f %% and %.3f %%, want the same within 5 %%", class[0], class[1], a, b)
		}
		if i > 0 {
			if worse := mean(points[classes[i-1][0]]); a > 0.9*worse {
				t.Errorf("mean error of %s is %.3f %%, want well below the %.3f %% of %s", class[0], a, worse, classes[i-1][0])
			}
		}
	}
	// The package comment says that the paper's own estimator for CR is worse than R.
	if sum, r := mean(points["CR10 sum"]), mean(points["R10 sum"]); sum < 1.1*r {
		t.Errorf("mean error of CR10 by sums is %.3f %%, want well above the %.3f %% of R10", sum, r)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 0.05*b }

func mean(c metric.Curve) (m float64) {
	for _, p := range c {
		m += p.Error / float64(len(c))
	}
	return m
}

func TestLengthsAreIndependentAndReproducible(t *testing.T) {
	c := Config{Lengths: []int{200, 300}, Permutations: 20, Share: 0.3, Others: 10, Rate: 10, Strata: 3, Seed: 5}
	both, err := c.Run()
	if err != nil {
		t.Fatal(err)
	}
	c.Lengths = c.Lengths[1:]
	alone, _ := c.Run()
	for i := range both {
		if a, b := both[i].Points[1], alone[i].Points[0]; a != b {
			t.Errorf("%s: got %v after another length, %v alone", both[i].Spec, a, b)
		}
	}
}

func TestRatesOutOfRangeAreErrors(t *testing.T) {
	c := Figure4
	c.Rate = 0
	if _, err := c.Run(); err == nil {
		t.Error("a rate of 0: got no error")
	}
}

func TestDeviationIsRelativeToTheEstimate(t *testing.T) {
	for _, x := range []struct {
		copies   int
		estimate float64
		want     float64
	}{
		{30, 30, 0},
		{30, 40, 25},
		{30, 20, 50},
		{30, 0, 100},
	} {
		if got := deviation(x.copies, x.estimate); got != x.want {
			t.Errorf("deviation(%d, %v) = %v, want %v", x.copies, x.estimate, got, x.want)
		}
	}
}
