package weigh

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A window stands for its time, divided by what the program takes for its instructions and for memory.
func TestWindow(t *testing.T) {
	usual := Window{Time: 1e7, Steps: 6000}
	for _, test := range []struct {
		name string
		Window
		want float64 // times the usual weight
	}{
		{"three times as much time", Window{Time: 3e7, Steps: 6000}, 3},
		{"half as many instructions", Window{Time: 1e7, Steps: 3000}, 2},
		{"as much time for memory as for instructions", Window{Time: 1e7, Steps: 6000, Waits: 6000 * nativeCycles}, .5},
		{"100 cycles for memory each instruction", Window{Time: 1e7, Steps: 6000, Waits: 6e5}, nativeCycles / (100 + nativeCycles)},
		{"cut off", Window{Time: 1e7, Steps: 5}, 6000 / leastSteps},
		{"cut off, and memory", Window{Time: 1e7, Steps: 5, Waits: 5 * nativeCycles}, 3000 / leastSteps},
		{"no instructions", Window{Time: 1e7, Waits: 100}, 0},
	} {
		if got := test.Weight() / usual.Weight(); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g times the usual weight, want %g", test.name, got, test.want)
		}
	}
}

// Windows get the waits of all windows with the same paths, by instructions and by shares of ends.
func TestLevel(t *testing.T) {
	list := []Window{
		{Steps: 100, Waits: 0, Paths: []Ended{{Path: 1, Count: 7}}},
		{Steps: 300, Waits: 800, Paths: []Ended{{Path: 1, Count: 2}}},
		{Steps: 100, Waits: 10_000, Paths: []Ended{{Path: 2, Count: 9}}},
		{Steps: 100, Waits: 5},
		{Steps: 0, Waits: 3, Paths: []Ended{{Path: 3, Count: 1}}},
		{Steps: 100, Waits: 7, Paths: []Ended{{Path: 1, Count: 0}}},
	}
	Level(list)
	for i, want := range []float64{200, 600, 10_000, 5, 3, 7} {
		if got := list[i].Waits; math.Abs(got-want) > 1e-9*want {
			t.Errorf("window %d waits for %g cycles, want %g", i, got, want)
		}
	}
	// Half of the second window is of each path. So path 1 waits for 400 cycles in 200 instructions, and path 2 for 100 in 100.
	list = []Window{
		{Steps: 100, Waits: 300, Paths: []Ended{{Path: 1, Count: 5}}},
		{Steps: 200, Waits: 200, Paths: []Ended{{Path: 1, Count: 4}, {Path: 2, Count: 4}}},
	}
	Level(list)
	for i, want := range []float64{200, 300} {
		if got := list[i].Waits; math.Abs(got-want) > 1e-9*want {
			t.Errorf("by shares: window %d waits for %g cycles, want %g", i, got, want)
		}
	}
}

// The variance of a share in windows follows from what each window is off by, one after the other: that of chance, which is known
// with two degrees of freedom if one window has all of the item, and with n if errors have a normal distribution; and that of
// weights, which more windows of the same kind do not change.
func TestWindowVariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, test := range []struct {
		name    string
		windows int
		part    func(i int) float64 // of window i
		freedom float64             // 0: by the formula alone
	}{
		{"one window has the item", 400, func(i int) float64 { return max(0, 1-float64(i)) }, 2},
		{"normal", 40_000, func(int) float64 { return .5 + .05*rng.NormFloat64() }, 40_000},
		{"half of the windows have it", 1000, func(i int) float64 { return float64(i % 2) }, 0},
		{"any", 7, func(int) float64 { return rng.Float64() }, 0},
		{"the same in all", 9, func(int) float64 { return .25 }, 0},
	} {
		var ys, xs []float64
		var total Total
		for i := range test.windows {
			x := 1.
			if test.freedom == 0 {
				x += rng.Float64()
			}
			ys, xs = append(ys, x*test.part(i)), append(xs, x)
			total.Add(x)
		}
		var item, whole Jackknife
		sum := 0.
		for i, y := range ys {
			item.Leave(&total, y, xs[i])
			whole.Leave(&total, xs[i], xs[i])
			sum += y
		}
		p := sum / total.Size
		var squares, fourth, sizes float64
		for i, y := range ys {
			d := (y - p*xs[i]) / (total.Size - xs[i]) // by how much the share changes without the window
			squares += d * d
			fourth += d * d * d * d
			sizes += xs[i] * xs[i]
		}
		n := float64(test.windows)
		freedom := 2 / max(fourth/(squares*squares)-1/n, 1e-9)
		if got := item.freedom(&total, p, &whole); test.freedom > 0 && math.Abs(got/test.freedom-1) > .1 {
			t.Errorf("%s: %.1f degrees of freedom, want about %v", test.name, got, test.freedom)
		}
		const growth = 3
		want := (n - 1) / n * squares * ((1+4/freedom)/growth + .15*.15/2*total.Size*total.Size/sizes)
		if got := item.WindowVariance(&total, p, &whole, growth); math.Abs(got-want) > 1e-6*want+1e-12 {
			t.Errorf("%s: variance %g, want %g", test.name, got, want)
		}
	}
}
