package speedup

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/internal/listing"
)

// The ranks of 95 % intervals are those of printed tables of the sign test.
func TestRank(t *testing.T) {
	for n, want := range map[int]int{5: 0, 6: 1, 8: 1, 9: 2, 12: 3, 15: 4, 17: 5, 20: 6, 25: 8, 30: 10, 50: 18, 100: 40} {
		if got := rank(n, 0.95); got != want {
			t.Errorf("of %d values at 95 %%: got rank %d, want %d", n, got, want)
		}
	}
	each := 1 - (1-Confidence)/3
	if rank(LeastRounds, each) < 1 || rank(LeastRounds-1, each) > 0 {
		t.Errorf("%d rounds are not the least with which three intervals have ends", LeastRounds)
	}
}

// Of simulated measurements, the three intervals have all three true ratios together as often as they should, and not
// much more often. The errors have a skewed distribution and drift, as those of a busy machine do.
func TestConfidence(t *testing.T) {
	const trials = 4000
	truth := []float64{1, 0.97, 1, 1.02}
	for _, c := range []struct {
		rounds    int
		low, high float64 // 3 standard deviations around what the sign test allows for one and for three builds
	}{{7, 0.945, 0.985}, {11, 0.955, 0.99}, {40, 0.945, 0.985}} {
		rng := rand.New(rand.NewPCG(1, uint64(c.rounds)))
		right := 0
		for range trials {
			times := make([][]time.Duration, len(truth))
			for round := range c.rounds {
				drift := 1 + 0.01*float64(round)
				for i, r := range truth {
					noise := 0.02 * rng.ExpFloat64()
					times[i] = append(times[i], time.Duration(1e9*r*drift*(1+noise)))
				}
			}
			ok := true
			for i, b := range New("", 1, []*Build{{}, {}, {}, {}}, times).Rows {
				ok = ok && b.Low <= truth[i]+1e-8 && truth[i]-1e-8 <= b.High
			}
			if ok {
				right++
			}
		}
		if share := float64(right) / trials; share < c.low || share > c.high {
			t.Errorf("%d rounds: all intervals are right in %.2f %% of measurements, want %.2f to %.2f %%", c.rounds, 100*share,
				100*c.low, 100*c.high)
		}
	}
}

// ms makes times of milliseconds.
func ms(list ...float64) (times []time.Duration) {
	for _, x := range list {
		times = append(times, time.Duration(math.Round(x*1e6)))
	}
	return times
}

func example() *Table {
	builds := []*Build{{Name: "plain", Command: "go build -pgo=off"}, {Name: "pgo", Command: "go build"},
		{Name: "branches", Command: "pepbuild build", Differs: true}}
	return New("./app", 2, builds, [][]time.Duration{
		ms(100, 200, 100, 100, 100, 100, 100, 100),
		ms(90, 180, 80, 95, 85, 88, 92, 93),
		ms(101, 202, 99, 98, 105, 103, 97, 104),
	})
}

// The ratios of pgo are 0.80, 0.85, 0.88, 0.90, 0.90, 0.92, 0.93 and 0.95; of eight, an interval for two builds has
// all.
func TestNew(t *testing.T) {
	table := example()
	for i, want := range []Build{
		{CPU: 0.1, Ratio: 1, Low: 1, High: 1, Layouts: []float64{1, 1}},
		{CPU: 0.091, Ratio: 0.9, Low: 0.8, High: 0.95, Layouts: []float64{0.875, 0.915}},
		{CPU: 0.102, Ratio: 1.01, Low: 0.97, High: 1.05, Layouts: []float64{1.0, 1.02}},
	} {
		got := table.Rows[i]
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
		if !near(got.CPU, want.CPU) || !near(got.Ratio, want.Ratio) || !near(got.Low, want.Low) ||
			!near(got.High, want.High) || !near(got.Layouts[0], want.Layouts[0]) || !near(got.Layouts[1], want.Layouts[1]) {
			t.Errorf("got %+v, want %+v", *got, want)
		}
	}
}

func TestConclusion(t *testing.T) {
	slow := &Build{Command: "slow", Ratio: 1.1, Low: 1.05, High: 1.2, Layouts: []float64{1.1}}
	unclear := &Build{Command: "unclear", Ratio: 0.9, Low: 0.8, High: 1, Layouts: []float64{0.9}}
	good := &Build{Command: "good", Ratio: 0.97, Low: 0.95, High: 0.98, Layouts: []float64{0.97, 0.96}}
	mixed := &Build{Command: "mixed", Ratio: 0.96, Low: 0.93, High: 0.99, Layouts: []float64{0.9, 1}}
	for _, c := range []struct {
		builds []*Build
		want   string
	}{
		{[]*Build{slow, unclear}, "nothing was gained that these runs can tell"},
		{[]*Build{slow, good, unclear}, "good is faster by 2.0 to 5.0 % in these layouts"},
		{[]*Build{good, mixed}, "mixed is faster by 1.0 to 7.0 % in most runs, but not in each of these layouts"},
	} {
		if got := conclude(c.builds); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestPrint(t *testing.T) {
	table := example()
	table.ExitCode, table.Changes = 3, true
	var b strings.Builder
	if err := listing.Text(&b, table); err != nil {
		t.Fatal(err)
	}
	const want = `./app: CPU time in 8 rounds, in 2 layouts by turns

ratio   from     to    by layout  CPU time  build
                                    0.100s  go build -pgo=off
0.900  0.800  0.950  0.875 0.915    0.091s  go build
1.010  0.970  1.050  1.000 1.020    0.102s  pepbuild build

go build is faster by 5.0 to 20.0 % in these layouts.
The output of the plain program is not the same in all runs, so outputs cannot be compared.
The output of pepbuild build is not that of the plain program, which was the same in all runs.
All runs ended with exit code 3.
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}
