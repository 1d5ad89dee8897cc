package weigh

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestRoot(t *testing.T) {
	for x := 1e-30; x < 1e40; x *= 3.7 {
		if got, want := root(x), math.Sqrt(x); math.Abs(got-want) > 1e-9*want {
			t.Errorf("root of %g: %g, want %g", x, got, want)
		}
	}
	if root(0) != 0 || root(-1) != 0 || root(math.Inf(-1)) != 0 || root(math.NaN()) != 0 {
		t.Error("the root of what has none is not 0")
	}
}

// There is a root of every number, whatever its bits are, and so are the bounds of any sums.
func TestRootOfAnyBits(t *testing.T) {
	at := 0.
	late := time.AfterFunc(time.Minute, func() {
		panic(fmt.Sprintf("the root of a number, perhaps %g, takes a minute",
			at))
	})
	defer late.Stop()
	rng := rand.New(rand.NewPCG(1, 2))
	list := []float64{math.Inf(1), math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022}
	for range 10_000 {
		list = append(list, math.Float64frombits(rng.Uint64()))
	}
	for _, at = range list {
		want := math.Sqrt(at)
		if !(at > 0) {
			want = 0
		}
		if got := root(at); got != want && !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("root of %g: %g, want %g", at, got, want)
		}
	}
	any := func() float64 { return list[rng.IntN(len(list))] }
	for range 10_000 {
		tap := Tap{Total: Total{any(), any(), any()}, Samples: any(), Alike: any()}
		p := Part{any(), any(), any()}
		tap.AddValue(&p)
		var alike Alike
		alike.Add(&tap)
		alike.Correlation()
		tap.Share(&p)
		Bound(p.Variance(&tap.Total), p.Sum, p.Squares)
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
