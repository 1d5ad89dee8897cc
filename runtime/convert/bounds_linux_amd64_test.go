package convert

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/report"
)

const phasedPaths = 4

// runPhased returns the profile of paths of a program with two phases, and the true shares of its paths. In the second
// phase instructions take three times as long and windows a third of the time. The phases alternate at random in times
// that are short beside intervals, and the second one has two thirds of the time from a random moment on, and one third
// before. A phase ends two paths: a window sees one of them alone, or both of them as often. The program runs for some
// ns, with the budget that falls. If unweighted, all windows stand for the same time.
func runPhased(t *testing.T, rng *rand.Rand, length uint64, unweighted bool) (p *profile.Profile,
	truth [phasedPaths]float64, windows int) {
	const ends, tick, slower = 30, 1e7, 3
	change := uint64((.2 + .6*rng.Float64()) * float64(length))
	both := [2]float64{.2 + .6*rng.Float64(), .2 + .6*rng.Float64()} // of the windows of a phase
	rounds := [2]float64{1./3*float64(length) + 1./3*float64(change),
		(2./3*float64(length) - 1./3*float64(change)) / slower}
	for i := range truth {
		phase := i / 2
		truth[i] = rounds[phase] / (rounds[0] + rounds[1]) * both[phase] / 2
		if i%2 != 0 {
			truth[i] = rounds[phase]/(rounds[0]+rounds[1]) - truth[i-1]
		}
	}
	c := countsOf(pepfiletest.New())
	c.Start = rng.Uint64()
	pkg, samples := &wire.Package{Path: "p", Files: []string{"p.go"}}, make([]int32, c.Slots)
	made := &report.Profile{Sampled: true} // without errors of weights, which are none here
	var entries [phasedPaths]uint32
	for i := range entries {
		entries[i], _, _ = c.Claim(&pepfile.Key{Path: uint32(i), PC: 7})
		samples[entries[i]] = int32(i + 1)
		name := "p.f" + strconv.Itoa(i)
		made.Frames = append(made.Frames, report.Frame{Func: name, File: "p.go"})
		pkg.Funcs = append(pkg.Funcs, wire.Func{Name: name, Base: uint64(i),
			Blocks: []wire.Block{{Outs: []wire.Out{{Line: 1, Col: 1}}}},
			Graph:  pdag.Graph{Nodes: []pdag.Node{{Out: []pdag.Edge{{To: pdag.Exit}}}}, Starts: []pdag.Start{{}}, N: 1}})
	}
	began, cost := -rng.Uint64N(tick), uint64(0)
	ticks := pace.New(tick, pace.Budget{First: 20_000, Least: 1_000}, began)
	for now := began + tick; int64(now) < int64(length); now += tick {
		if now-began < ticks.Due-began {
			continue
		}
		windows++
		w := pepfile.Window{Time: ticks.Next(now, cost), Steps: 6000, Ends: ends}
		if unweighted {
			w.Time = 2e7
		}
		phase, n := uint32(0), uint32(0)
		cost = 200_000 + rng.Uint64N(200_000)
		if rng.Uint64N(3) == 0 == (now < change) {
			phase, cost = 1, cost/3
			w.Waits = 22 * (slower - 1) * (6000 - pepfile.Settled) / 100 // an instruction takes .22 cycles without waits
		}
		if rng.Float64() < both[phase] {
			n = ends / 2
		}
		var records []pepfile.WindowRecord
		for i, n := range []uint32{n, ends - n} {
			if e := entries[2*phase+uint32(i)]; n > 0 {
				records = append(records, pepfile.WindowRecord{Entry: e + 1, Count: n})
				c.AddTo(e, uint64(n), w.Time)
			}
		}
		c.LogWindow(&w, records, nil)
	}
	log, damaged := c.logged()
	made.Clusters, made.Equal = c.windows(log, samples)
	for i, e := range entries {
		x := c.Entry(e)
		made.Samples = append(made.Samples, report.Sample{Package: "p", Number: uint64(i), Stack: []uint32{uint32(i)},
			Count: int64(x.Count), Stands: float64(x.Stands)})
	}
	made.Packages = wire.Whole(pkg)
	p, err := profile.Parse(bytes.NewReader(made.Write()[0].Data))
	if err != nil || damaged > 0 || len(p.Sample) != phasedPaths {
		t.Fatalf("%v, %d windows damaged, %d samples", err, damaged, len(p.Sample))
	}
	return p, truth, windows
}

// Bounds have the true share of paths in 93 to 97 % of runs of 2, 10, 60 and 600 s, and shares are right in the mean:
// the log has space for all windows, or for a fifth of them. The chance that the mean of one share is 5 of its standard
// deviations away is below 1 in 1,000,000. The numbers are drawn with fixed seeds: with others, 600 runs would have
// parts that hold with a deviation of 0.6 points. If all windows counted alike, whatever they stand for, that would be
// noticed.
func TestBoundsHoldWhileTheBudgetFalls(t *testing.T) {
	const runs = 600
	try := func(length uint64, unweighted bool) (held, far float64, windows int) {
		rng := rand.New(rand.NewPCG(length, 7))
		var off, squares [phasedPaths]float64
		n := 0.
		for range runs {
			p, truth, all := runPhased(t, rng, length, unweighted)
			windows += all
			total := 0.
			for _, s := range p.Sample {
				total += float64(s.Value[0])
			}
			for _, s := range p.Sample {
				var i int
				if _, err := fmt.Sscanf(s.Location[0].Line[0].Function.Name, "p.f%d", &i); err != nil {
					t.Fatal(err)
				}
				count, variance, want := float64(s.Value[0]), float64(s.Value[3]), truth[i]*total
				if (count-want)*(count-want) <= 1.96*1.96*variance*want/count { // the bounds of listings
					n++
				}
				d := count/total - truth[i]
				off[i] += d
				squares[i] += d * d
			}
		}
		for i := range off {
			far = max(far, math.Abs(off[i])/math.Sqrt(squares[i]))
		}
		return n / runs / phasedPaths, far, windows / runs
	}
	for _, seconds := range []uint64{2, 10, 60, 600} {
		held, far, windows := try(seconds*1e9, false)
		t.Logf("%d s, %d windows: %.3f of the bounds hold, shares are off by %.1f standard deviations", seconds, windows,
			held, far)
		if held < .93 || held > .97 || far > 5 {
			t.Errorf("%d s: %.3f of the bounds hold, shares are off by %.1f standard deviations", seconds, held, far)
		}
	}
	if held, far, _ := try(600e9, true); far < 10 {
		t.Errorf("windows that count alike would not be noticed: %.3f of the bounds hold, shares are off by %.1f standard deviations", held, far)
	}
}
