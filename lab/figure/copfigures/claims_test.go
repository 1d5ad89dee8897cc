package copfigures

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

var update = flag.Bool("update", false, "write testdata/measured.txt")

// someMeasured returns what a page needs, of twelve programs with working sets of 100, 200 and so on.
func someMeasured() *figure.Measured {
	m := &figure.Measured{}
	for i, p := range programs {
		m.Add(p.Name+"/sites", float64(100*(len(programs)-i)))
		m.Add(p.Name+"/base", 5)
		for _, rate := range append(samplerRates(), burrows) {
			name := fmt.Sprintf("%s/rate/%d/", p.Name, rate)
			m.Add(name+"error", 1, 1, 1, 1, 1)
			m.Add(name+"overhead", 1, 1, 1, 1, 1)
		}
	}
	return m
}

// each12 sets a number of each program; i is the number of the program, from the largest working set on.
func each12(m *figure.Measured, name string, of func(i int) []float64) {
	for i, p := range programs {
		m.Set(p.Name+"/"+name, of(i)...)
	}
}

type plant = func(m *figure.Measured, column string)

// equalOverhead plants errors of the co-processor; the samplers have 1.
func equalOverhead(errors func(i int) []float64) plant {
	return func(m *figure.Measured, c string) {
		each12(m, "whole/"+c+"/error", errors)
		each12(m, "whole/"+c+"/simple", figuretest.Always(1))
	}
}

// set plants the numbers of one name, in which %s is the column.
func set(name string, x ...float64) plant {
	return func(m *figure.Measured, c string) {
		m.Set(strings.ReplaceAll(name, "%s", c), x...)
	}
}

// toTheBase plants a number of a variant; the base machine has 1.
func toTheBase(what string, variants map[string]func(i int) []float64) plant {
	return func(m *figure.Measured, c string) {
		each12(m, "base/"+c+"/"+what, figuretest.Always(1))
		for v, of := range variants {
			each12(m, v+"/"+c+"/"+what, of)
		}
	}
}

// bySites plants numbers that follow a power of the sites.
func bySites(name string, power float64, n int) plant {
	return func(m *figure.Measured, c string) {
		each12(m, strings.ReplaceAll(name, "%s", c), func(i int) (list []float64) {
			for range n {
				list = append(list, math.Pow(m.First(programs[i].Name, "sites"), power))
			}
			return list
		})
	}
}

func onlyOf(name string, of func(i int) []float64) func(i int) []float64 {
	return func(i int) []float64 {
		if programs[i].Name == name {
			return of(i)
		}
		return []float64{9}
	}
}

func converged(mine, theirs float64) plant {
	return func(m *figure.Measured, c string) {
		m.Set("converge/"+c+"/reach", mine)
		m.Set("converge/"+c+"/simple-reach", theirs)
	}
}

func atOneRate(better, cheaper int) plant {
	return func(m *figure.Measured, c string) {
		each12(m, "whole/"+c+"/error", figuretest.Some(better, 0.5, 2))
		each12(m, "whole/"+c+"/overhead", figuretest.Some(cheaper, 0.5, 2))
	}
}

func reach(x ...float64) plant {
	return func(m *figure.Measured, _ string) {
		for i, period := range samplerPeriods {
			m.Set(fmt.Sprintf("rates/recorded/reach/%d", period), x[i])
		}
	}
}

func arrays(power float64) plant {
	return func(m *figure.Measured, c string) {
		for _, n := range []float64{128, 256, 512} {
			m.Set(fmt.Sprintf("%s/collect/%s/base/%v", figure.InRole("gcc").Name, c, n), math.Pow(n, power))
		}
	}
}

func flags(error, lower float64) plant {
	return func(m *figure.Measured, c string) {
		m.Set("bitboard/whole/"+c+"/error", error)
		m.Set("bitboard/whole/"+c+"/shares", lower)
	}
}

type variants = map[string]func(i int) []float64

// What agrees with each claim, and then what refutes it. Limits are those of package figure's tolerances: 0.8 and 1.25
// for little, 8 of 10 runs.
func TestClaimsCanBeRefuted(t *testing.T) {
	figuretest.Planted(t, &Beside, someMeasured(), map[string][]plant{
		"overhead-by-sites": {bySites("stay/%s/cycles", 1.4, 1), bySites("stay/%s/cycles", 1.6, 1), bySites("stay/%s/cycles",
			0.5, 1), bySites("stay/%s/cycles", -1, 1)},
		"quick": {converged(1, 2), converged(2, 1), converged(1, 1), converged(math.Inf(1), 1)},
		"equal-overhead": {equalOverhead(figuretest.Some(10, 0.9, 2)), equalOverhead(figuretest.Some(9, 0.9, 2)),
			equalOverhead(figuretest.Always(1))},
		"along": {set("converge/%s/along", 0.9, 0.9, 0.9, 0.9, 1.1), set("converge/%s/along", 0.9, 0.9, 0.9, 1.1),
			set("converge/%s/along", 1)},
		"fades": {
			func(m *figure.Measured, c string) { each12(m, "stay/"+c+"/tenths", figuretest.Always(1.3, 1)) },
			func(m *figure.Measured, c string) { each12(m, "stay/"+c+"/tenths", figuretest.Always(1.2, 1)) },
			func(m *figure.Measured, c string) { each12(m, "stay/"+c+"/tenths", figuretest.Always(1, 2)) },
		},
		"most-benchmarks": {atOneRate(7, 7), atOneRate(6, 12), atOneRate(12, 6)},
		"largest": {equalOverhead(figuretest.Some(2, 0.79, 2)), equalOverhead(figuretest.Some(2, 0.9, 2)),
			equalOverhead(figuretest.Some(1, 0.1, 0.9))},
		"gain-most": {equalOverhead(figuretest.Some(2, 0.5, 0.6)), equalOverhead(figuretest.Some(2, 0.6, 0.5)),
			equalOverhead(func(i int) []float64 { return []float64{[]float64{0.5, 0.65, 0.6, 0.9}[min(i, 3)]} })},
		"phased-values": {equalOverhead(onlyOf("filters", figuretest.Always(1.1))),
			equalOverhead(onlyOf("filters", figuretest.Always(0.9)))},
		"flags": {flags(50, 30), flags(50, 45), flags(50, 60)},
		"simple-by-sites": {bySites("rate/1024/error", 1, 5), bySites("rate/1024/error", 0.2, 5),
			bySites("rate/1024/error", -1,
				5), bySites("rate/1024/error", 2, 5)},
		"rate-time": {reach(1, 2, 3), reach(1, 1.1, 3), reach(3, 2, 1), reach(1, 2, 2.2)},
		"rate-curve": {set("rates/recorded/apart", 0.9, 1.2), set("rates/recorded/apart", 1.4), set("rates/recorded/apart",
			0.7), set("rates/recorded/apart", 1, 1, 1.3)},
		"diagonal":    {set("scatter/%s/near", 76), set("scatter/%s/near", 74)},
		"high-shares": {set("scatter/%s/high", 0.7), set("scatter/%s/high", 0.9)},
		"outliers":    {set("scatter/%s/outliers", 1.3), set("scatter/%s/outliers", 1.2), set("scatter/%s/outliers", 0.5)},
		"never-sampled": {set("scatter/%s/executions", 1.3), set("scatter/%s/executions", 1.2), set("scatter/%s/executions",
			math.NaN())},
		"array-rate": {arrays(0.9), arrays(0.6), arrays(1.4)},
		"array-accuracy": {
			toTheBase("error", variants{"half": figuretest.Always(1.2), "double": figuretest.Always(0.9)}),
			toTheBase("error", variants{"half": figuretest.Always(1.6),
				"double": figuretest.Always(0.9)}),
			toTheBase("error", variants{"half": figuretest.Always(1.1), "double": figuretest.Always(0.5)}),
		},
		"array-overhead": {toTheBase("overhead", variants{"half": figuretest.Always(0.9)}), toTheBase("overhead",
			variants{"half": figuretest.Always(0.7)}), toTheBase("overhead", variants{"half": figuretest.Always(1.1)})},
		"more-better": {
			toTheBase("error", variants{"half": figuretest.Always(1.1), "double": figuretest.Some(8, 0.9, 1.1)}),
			toTheBase("error",
				variants{"half": figuretest.Always(1.1), "double": figuretest.Some(7, 0.9, 1.1)}),
			toTheBase("error", variants{"half": figuretest.Always(1), "double": figuretest.Always(1)}),
		},
		"clock-accuracy": {
			toTheBase("error", variants{"clock-2": figuretest.Always(1), "clock-4": figuretest.Some(8, 1.2, 1.3)}),
			toTheBase("error",
				variants{"clock-2": figuretest.Always(1), "clock-4": figuretest.Some(7, 1.2, 1.3)}),
			toTheBase("error", variants{"clock-2": figuretest.Always(0.7), "clock-4": figuretest.Always(0.7)}),
		},
		"clock-overhead": {
			toTheBase("overhead", variants{"clock-2": figuretest.Always(1), "clock-4": figuretest.Always(0.9)}),
			toTheBase("overhead",
				variants{"clock-2": figuretest.Always(1.5), "clock-4": figuretest.Always(1)}),
		},
		"clock-rate": {
			toTheBase("samples", variants{"clock-4": figuretest.Some(2, 0.5, 0.9)}),
			toTheBase("samples", variants{"clock-4": figuretest.Some(2, 0.9, 0.5)}),
			toTheBase("samples", variants{"clock-4": figuretest.Some(1, 0.5, 0.9)}),
		},
		"software-rate": {
			func(m *figure.Measured, _ string) {
				each12(m, fmt.Sprintf("rate/%d/overhead", burrows), figuretest.Some(10, 1, 2))
			},
			func(m *figure.Measured, _ string) {
				each12(m, fmt.Sprintf("rate/%d/overhead", burrows), figuretest.Some(9, 1, 2))
			},
		},
		"buffer": {
			toTheBase("error", variants{"buffer": figuretest.Always(1)}),
			toTheBase("error", variants{"buffer": figuretest.Always(0.7)}),
			toTheBase("error", variants{"buffer": figuretest.Some(9, 1, 0.5)}),
		},
		"transistors": {set("transistors/total", 600e3), set("transistors/total", 700e3), set("transistors/total", 300e3)},
		"in-arrays": {
			func(m *figure.Measured, _ string) { m.Set("transistors/total", 100); m.Set("transistors/arrays", 51) },
			func(m *figure.Measured, _ string) { m.Set("transistors/total", 100); m.Set("transistors/arrays", 50) },
		},
		"applications": {set("applications", 1, 1, 1, 1), set("applications", 1, 1, 0, 1)},
	}, [2]string{columns[0].name, columns[1].name})
}

// The plain samplers take the samples of the microcode and interrupt as it does, so they have its error and overhead.
func TestPlainSamplerIsTheMicrocode(t *testing.T) {
	x := loadsOf(t, 300_000, func(i int, rng *rand.Rand) (uint64, uint64) {
		return rng.Uint64N(50),
			rng.Uint64N(1 + rng.Uint64N(6))
	})
	for _, period := range []int{16, 64, 301} {
		r := runOf(t, x, sampler(period))
		end := r.end()
		s := newPlain(uint64(period), uint64(period-1)) // the microcode takes the last one of each period
		if err := x.plain(float64(end.cycles-end.overhead)/float64(end.events), true, []*plainSampler{s}); err != nil {
			t.Fatal(err)
		}
		if len(s.points) != len(r.points) {
			t.Fatalf("%d points, want %d", len(s.points), len(r.points))
		}
		for i, p := range s.points {
			want := r.points[i]
			if math.Abs(p.rms-want.rms) > 1e-9 || p.overhead != want.overhead || p.events != want.events {
				t.Errorf("period %d, after %d loads: error %v, overhead %d, want %v, %d", period, p.events, p.rms, p.overhead,
					want.rms, want.overhead)
			}
		}
	}
}

// A band has 19 periods around that with the overhead, and 5 phases of each, all different.
func TestBand(t *testing.T) {
	band := bandAt(5, 1) // 3272 cycles for 128 samples are 1 % of 511.25 loads
	seen := map[string]bool{}
	for _, s := range band {
		seen[fmt.Sprint(s.period, " ", s.next)] = true
		if s.period < 502 || s.period > 520 || s.next >= s.period {
			t.Errorf("period %d from load %d on", s.period, s.next)
		}
	}
	if len(seen) != 95 || band[len(band)/2].period != 511 {
		t.Errorf("%d samplers around %d, want 95 around 511", len(seen), band[len(band)/2].period)
	}
}

// A cheap recount: the experiments of the page on made-up loads of three programs. If this fails, what the experiments
// measure has changed: make the page again (make paper-cop), and this file with -update.
func TestRecount(t *testing.T) {
	whole := programs
	programs = []figure.Program{figure.InRole("gcc"), filters, bitboard}
	defer func() { programs = whole }()
	env := &figure.Env{Loads: 150_000, Seed: 1, Source: func(program, taps string) (replay.Source, error) {
		return figuretest.Synthetic(map[string]string{"typecheck": "lua", "filters": "regex", "bitboard": "flate"}[program],
			taps)
	}}
	m := &figure.Measured{}
	if err := measure(env, m); err != nil {
		t.Fatal(err)
	}
	figuretest.Recount(t, m, "testdata/measured.txt", *update)
}
