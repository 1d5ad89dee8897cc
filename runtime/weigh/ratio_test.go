package weigh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/runtime/weigh"
)

// The variance of shares is that of clusters: over many runs of known clusters the true
// share is within 1.96 standard deviations as often as it should be, and rarely if samples
// counted as independent. 300 runs of 0.95 have a standard deviation of 1.3 %; the limits are 5 of them away.
func TestVarianceOfClusters(t *testing.T) {
	const runs, clusters = 300, 200
	rng := rand.New(rand.NewPCG(7, 8))
	clustered, independent, biased := 0, 0, 0
	for range runs {
		var all weigh.Total
		var part weigh.Part
		var samples, mine float64
		for range clusters {
			size := 20 + float64(rng.IntN(60))
			y := 0.
			if rng.Float64() < .3 { // then it is most of the burst
				y = math.Floor(size * (.6 + .4*rng.Float64()))
			}
			all.Add(size)
			part.Add(y, size)
			samples, mine = samples+size, mine+y
		}
		const truth = .3 * .8
		p, v := part.Share(&all)
		in := func(half float64) int {
			if math.Abs(p-truth) <= half+.005 { // .005: y is rounded down
				return 1
			}
			return 0
		}
		clustered += in(1.96 * math.Sqrt(v))
		independent += in(1.96 * math.Sqrt(p*(1-p)/samples))
		if math.Abs(p*1.5-truth) <= 1.96*math.Sqrt(v) {
			biased++
		}
	}
	if clustered < runs*88/100 || clustered == runs {
		t.Errorf("%d of %d within bounds, want 95 %%", clustered, runs)
	}
	if independent > runs*3/4 || biased > runs/4 {
		t.Errorf("within bounds as independent samples %d of %d, with a bias of half %d", independent, runs, biased)
	}
}

// The worked examples of the documentation.
func TestShareOfFourClusters(t *testing.T) {
	var all weigh.Total
	var part weigh.Part
	for _, y := range []float64{10, 0, 10, 0} {
		all.Add(10)
		if y > 0 {
			part.Add(y, 10)
		}
	}
	if p, v := part.Share(&all); p != .5 || math.Abs(v-4./3*100/1600) > 1e-12 {
		t.Errorf("share %v, variance %v", p, v)
	}
	if v := part.Variance(&all); math.Abs(v-4./3*100) > 1e-9 {
		t.Errorf("variance of the sum %v", v)
	}
	if v := part.Variance(&weigh.Total{}); v != 0 {
		t.Errorf("variance of a sum of no clusters %v, want 0", v)
	}
}

// The worked example of Jackknife.Variance, and clusters of equal size, of which it says what
// Part.Share does.
func TestVarianceByLeavingOut(t *testing.T) {
	deviation := func(clusters [][2]float64) (jackknife, ratio float64) {
		var all weigh.Total
		var part weigh.Part
		for _, c := range clusters {
			all.Add(c[1])
			part.Add(c[0], c[1])
		}
		p, v := part.Share(&all)
		var item, whole weigh.Jackknife
		for _, c := range clusters {
			if c[0] > 0 {
				item.Leave(&all, p, c[0], c[1])
			}
			whole.Leave(&all, 0, c[1], c[1])
		}
		return math.Sqrt(item.Variance(&all, p, &whole)), math.Sqrt(v)
	}
	large := [][2]float64{{50, 100}}
	for range 100 {
		large = append(large, [2]float64{.2, 1})
	}
	if j, r := deviation(large); math.Abs(j-.15) > .001 || math.Abs(r-.076) > .001 {
		t.Errorf("deviations %.4f and %.4f, want 0.15 and 0.076", j, r)
	}
	if j, r := deviation([][2]float64{{10, 10}, {0, 10}, {3, 10}}); math.Abs(j-r) > 1e-12 {
		t.Errorf("clusters of equal size: deviations %.4f and %.4f", j, r)
	}
}
