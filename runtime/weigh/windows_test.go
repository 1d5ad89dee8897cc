package weigh

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What a window has seen is in proportion to the time that it stands for, divided by what the program takes for its
// instructions and for memory.
func TestWindow(t *testing.T) {
	usual := Window{Steps: 6000}
	for _, test := range []struct {
		name string
		Window
		want float64 // times the usual weight
	}{
		{"half as many instructions", Window{Steps: 3000}, 2},
		{"as much time for memory as for instructions", Window{Steps: 6000, rate: nativeCycles}, .5},
		{"100 cycles for memory each instruction", Window{Steps: 6000, rate: 100}, nativeCycles / (100 + nativeCycles)},
		{"cut off", Window{Steps: 5}, 6000 / leastSteps},
		{"cut off, and memory", Window{Steps: 5, rate: nativeCycles}, 3000 / leastSteps},
		{"no instructions", Window{rate: 100}, 0},
	} {
		if got := test.Weight() / usual.Weight(); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g times the usual weight, want %g", test.name, got, test.want)
		}
	}
}

// Windows get the rates of all windows with the same paths, by instructions and by shares of ends. A path that was
// hardly watched has nearly the mean rate, as have windows that were not watched and have no paths.
func TestLevel(t *testing.T) {
	only := func(path uint32) []Ended { return []Ended{{Path: path, Part: 1}} }
	for _, test := range []struct {
		name    string
		windows []Window
		want    []float64 // cycles for an instruction
	}{
		{"of the documentation", []Window{
			{Watch: 3000, Paths: only(1)},
			{Watch: 3000, Waits: 6000, Paths: only(1)},
			{Watch: 3000, Waits: 300_000, Paths: only(2)},
		}, []float64{16200. / 6300, 16200. / 6300, 310_200. / 3300}},
		{"all alike", []Window{
			{Watch: 3000, Waits: 600, Paths: only(1)},
			{Watch: 1000, Waits: 200},
			{Steps: 100, Paths: only(1)},
			{Steps: 100, Paths: only(3)},
			{Steps: 100},
		}, []float64{.2, .2, .2, .2, .2}},
		// Half of the second window is of each path. So path 1 waits for 4,000 cycles in 2,000 instructions, and path 2 for
		// 1,000 in 1,000.
		{"by shares", []Window{
			{Watch: 1000, Waits: 3000, Paths: only(1)},
			{Watch: 2000, Waits: 2000, Paths: []Ended{{Path: 1, Part: .5}, {Path: 2, Part: .5}}},
		}, []float64{4500. / 2300, (4500./2300 + 1500./1300) / 2}},
		{"without paths", []Window{
			{Watch: 3000, Paths: only(1)},
			{Watch: 1000, Waits: 4000},
		}, []float64{300. / 3300, 4300. / 1300}},
		{"a path without watched instructions", []Window{
			{Watch: 3000, Waits: 900, Paths: only(1)},
			{Paths: only(2)},
		}, []float64{.3, .3}},
		{"nothing", []Window{{Steps: 5}}, []float64{0}},
	} {
		Level(test.windows)
		for i, want := range test.want {
			if got := test.windows[i].rate; math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s: window %d waits for %g cycles an instruction, want %g", test.name, i, got, want)
			}
		}
	}
}

// A window waits for memory as windows with its paths do, together: path 1 in a half of the cycles for which it waits,
// which are as many as those of its instructions, and path 2 never. Nobody has watched path 3.
func TestWaiting(t *testing.T) {
	const many = 1e6
	only := func(path uint32) []Ended { return []Ended{{Path: path, Part: 1}} }
	windows := []Window{
		{Time: 1e7, Watch: many, Waits: nativeCycles * many, Memory: nativeCycles * many / 4, Paths: only(1)},
		{Time: 1e7, Watch: many, Waits: nativeCycles * many, Memory: nativeCycles * many / 4 * 3, Paths: only(1)},
		{Time: 1e7, Watch: many, Waits: nativeCycles * many * 3, Paths: only(2)},
		{Time: 4e7, Steps: 100, Paths: only(1)},
		{Time: 4e7, Steps: 100, Paths: only(2)},
		{Time: 3e7, Steps: 100, Paths: only(3)},
	}
	Level(windows)
	for i, want := range []float64{2.5e6, 2.5e6, 0, 1e7, 0, 3e7 / 8} {
		if got := windows[i].Waiting(); math.Abs(got-want) > 1e2 {
			t.Errorf("window %d waits for %g ns, want %g", i, got, want)
		}
	}
}

// The variance of a share in windows follows from what each window is off by, one after the other: that of chance,
// which is known with two degrees of freedom if one window has all of the item, and with n if errors have a normal
// distribution; and that of weights, which more windows of the same kind do not change.
func TestVarianceInWindows(t *testing.T) {
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
		p := 0.
		for _, y := range ys {
			p += y / total.Size
		}
		var item, whole Jackknife
		var more, squares, fourth float64
		for i, y := range ys {
			if y > 0 {
				item.Leave(&total, p, y, xs[i])
			}
			whole.Leave(&total, 0, xs[i], xs[i])
			d := (y - p*xs[i]) / (total.Size - xs[i]) // by how much the share changes without the window
			more += max(d, 0)
			squares += d * d
			fourth += d * d * d * d
		}
		n := float64(test.windows)
		freedom := 2 / max(fourth/(squares*squares)-1/n, 1e-9)
		if got := item.freedom(&total, p, &whole); test.freedom > 0 && math.Abs(got/test.freedom-1) > .1 {
			t.Errorf("%s: %.1f degrees of freedom, want about %v", test.name, got, test.freedom)
		}
		const growth = 3
		want := (n-1)/n*squares*(1+4/freedom)/growth + 2*.15*.15*more*more // windows with more than p are off alike
		if got := item.FewVariance(&total, p, &whole)/growth + item.WeightVariance(&total, p,
			&whole); math.Abs(got-want) > 1e-2*want+1e-12 {
			t.Errorf("%s: variance %g, want %g", test.name, got, want)
		}
	}
}
