package stratfigures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

func TestForm(t *testing.T) {
	for _, f := range Paper(20).Figures {
		t.Run(f.ID, func(t *testing.T) {
			res := figuretest.Form(t, f, &figure.Env{Source: figuretest.Synthetic, Loads: 400_000, Branches: 100_000, Seeds: 2})
			if !strings.Contains(strings.Join(res.Setup, "\n"), "seed 1") {
				t.Error("no seed")
			}
		})
	}
}

func TestNoTraces(t *testing.T) { figuretest.NoTraces(t, Paper(0), "strat-4") }

// streams are made-up recordings of two programs, lua and sortbench. Every fifth site of calls is a call.
func streams(n int) map[string][]tuple.Tuple {
	all := map[string][]tuple.Tuple{}
	for i, program := range []string{"lua", "sortbench"} {
		loads := tracetest.New(uint64(i+1), 12).Events(make([]tuple.Tuple, n))
		all[program+".loads"] = loads
		for _, x := range loads {
			tag := tuple.Edge
			if x.Site()%5 == 0 {
				tag = tuple.Call
			}
			all[program+".calls"] = append(all[program+".calls"], tuple.New(tag, x.Site(), x.W%3))
		}
	}
	return all
}

func ofStreams(all map[string][]tuple.Tuple, n int) *figure.Env {
	return &figure.Env{Loads: uint64(n), Branches: uint64(n / 4), Seeds: 3, Seed: 5, Source: func(program, taps string) (replay.Source, error) {
		tuples := all[program+"."+taps]
		if tuples == nil {
			return nil, figure.ErrNoTrace
		}
		return figuretest.Tuples(tuples), nil
	}}
}

// An outcome is what an engine has sent: how many messages, and what they stand for.
type outcome struct {
	messages float64
	counted  map[tuple.Tuple]float64
}

// direct runs an engine over tuples at once, without package replay.
func direct(t *testing.T, tuples []tuple.Tuple, engine string, seed uint64) (o outcome) {
	t.Helper()
	spec, err := engines.Parse(fmt.Sprintf("%s@seed=%d", engine, seed), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.counted = map[tuple.Tuple]float64{}
	out := hwsim.NewOut(64, func(msgs []hwsim.Message) {
		for _, m := range msgs {
			o.messages++
			o.counted[m.Tuple] += float64(m.Count)
		}
	})
	e := spec.New(0)
	e.Push(slices.Clone(tuples), out)
	e.Flush(out)
	out.Drain()
	return o
}

// bySpec is the error in percent of what was counted (section 5.1): the mean difference of shares of places, weighted with events, over the
// tuples with 10 % of a place of 1000 events or more, if they have 40 % of it together.
func bySpec(tuples []tuple.Tuple, counted map[tuple.Tuple]float64) float64 {
	exact, place, got, covered := map[tuple.Tuple]float64{}, map[uint64]float64{}, map[uint64]float64{}, map[uint64]float64{}
	for _, x := range tuples {
		exact[x]++
		place[x.PC]++
	}
	for x, n := range counted {
		got[x.PC] += n
	}
	for x, n := range exact {
		if n >= 0.1*place[x.PC] {
			covered[x.PC] += n
		}
	}
	var sum, weight float64
	for x, n := range exact {
		if place[x.PC] < 1000 || n < 0.1*place[x.PC] || covered[x.PC] < 0.4*place[x.PC] {
			continue
		}
		measured := 0.0
		if got[x.PC] > 0 {
			measured = counted[x] / got[x.PC]
		}
		sum += n * math.Abs(n/place[x.PC]-measured)
		weight += n
	}
	return 100 * sum / weight
}

// middle is the median of three numbers of each program.
func middle(numbers ...float64) float64 {
	slices.Sort(numbers)
	n := len(numbers)
	return (numbers[(n-1)/2] + numbers[n/2]) / 2
}

// Tables and rows have the medians of errors and messages that engines have without package replay, with the paper's definition
// of the error.
func TestStratifiedFiguresAreThoseOfTheEngines(t *testing.T) {
	const n = 120_000
	all := streams(n)
	env := ofStreams(all, n)
	programs := []string{"lua", "sortbench"}
	// numbers returns one number for each seed, of a program's stream.
	numbers := func(program, taps string, n int, of func(tuples []tuple.Tuple, seed uint64) float64) (list []float64) {
		for seed := env.Seed; seed < env.Seed+uint64(env.Seeds); seed++ {
			list = append(list, of(all[program+"."+taps][:n], seed))
		}
		return list
	}
	errorOf := func(engine string) func([]tuple.Tuple, uint64) float64 {
		return func(tuples []tuple.Tuple, seed uint64) float64 {
			return bySpec(tuples, direct(t, tuples, engine, seed).counted)
		}
	}
	check := func(what string, got, want float64) {
		t.Helper()
		if !figuretest.Near(got, want, 1e-9) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	both := func(of func([]tuple.Tuple, uint64) float64) float64 {
		return middle(slices.Concat(numbers("lua", "loads", n, of), numbers("sortbench", "loads", n, of))...)
	}
	toOther := func(a, b string) func([]tuple.Tuple, uint64) float64 {
		return func(tuples []tuple.Tuple, seed uint64) float64 {
			return errorOf(a)(tuples, seed) / errorOf(b)(tuples, seed)
		}
	}

	res := figuretest.Run(t, Paper(0), "strat-8", env)
	for i, p := range programs {
		for _, e := range compressors {
			check("strat-8: "+p+": "+e, figuretest.Cell(t, res, 0, i, e), middle(numbers(p, "loads", n, errorOf(e))...))
		}
		check("strat-8: "+p+": rate", figuretest.Cell(t, res, 1, i, "rate"), middle(numbers(p, "loads", n, func(tuples []tuple.Tuple, seed uint64) float64 {
			rate := 0.0
			for _, r := range []float64{256, 512, 768, 1024, 2048} {
				if errorOf(fmt.Sprintf("H[P%v]2048", r))(tuples, seed) <= errorOf("R256")(tuples, seed) {
					rate = r / 256
				}
			}
			return rate
		})...))
	}
	check("strat-8: P256 to R256", figuretest.Value(t, res, "p-to-r-error"), both(toOther("P256", "R256")))

	res = figuretest.Run(t, Paper(0), "strat-9", env)
	for i, p := range programs {
		check("strat-9: "+p, figuretest.Cell(t, res, 0, i, "n=1024"), middle(numbers(p, "loads", n, errorOf("H[P256]1024"))...))
	}
	check("strat-9: largest to smallest", figuretest.Value(t, res, "end"), both(toOther("H[P256]4096", "H[P256]512")))

	res = figuretest.Run(t, Paper(0), "strat-10", env)
	saves := func(engine string) func(tuples []tuple.Tuple, seed uint64) float64 {
		return func(tuples []tuple.Tuple, seed uint64) float64 {
			return direct(t, tuples, engine, seed).messages / direct(t, tuples, engine+"+A16", seed).messages
		}
	}
	for _, e := range []string{"R256", "H[P256]2048", "tag2-256-2048"} {
		lua, sort := numbers("lua", "loads", n/4, saves(e)), numbers("sortbench", "loads", n/4, saves(e))
		check("strat-10: "+e, figuretest.Value(t, res, "saved-"+e), middle(slices.Concat(lua, sort)...))
		least := []float64{min(lua[0], sort[0]), min(lua[1], sort[1]), min(lua[2], sort[2])}
		check("strat-10: the least of "+e, figuretest.Value(t, res, "least-"+e), middle(least...))
	}
	for i, p := range programs {
		check("strat-10: calls of "+p, figuretest.Cell(t, res, 1, i, "H[P256]2048"), middle(numbers(p, "calls", n/4, saves("H[P256]2048"))...))
		counts := map[tuple.Tuple]int{}
		for _, x := range all[p+".loads"][:n/4] {
			counts[x]++
		}
		var top []int
		for _, c := range counts {
			top = append(top, -c)
		}
		slices.Sort(top)
		sum := 0
		for _, c := range top[:16] {
			sum -= c
		}
		check("strat-10: top 16 of "+p, figuretest.Cell(t, res, 0, i, "of the top 16"), 100*float64(sum)/(n/4))
	}

	res = figuretest.Run(t, Paper(0), "strat-11", env)
	for i, p := range programs {
		for column, tag := range map[string]tuple.Tag{"of edges": tuple.Edge, "of calls": tuple.Call} {
			is := func(x tuple.Tuple) bool { return x.Tag() != tag }
			check("strat-11: "+p+": "+column, figuretest.Cell(t, res, 0, i, column), middle(numbers(p, "calls", n/4, func(tuples []tuple.Tuple, seed uint64) float64 {
				return bySpec(slices.DeleteFunc(slices.Clone(tuples), is), direct(t, tuples, "H[P256]2048", seed).counted)
			})...))
		}
	}
	lua, sort := numbers("lua", "calls", n/4, errorOf("H[P256]2048")), numbers("sortbench", "calls", n/4, errorOf("H[P256]2048"))
	check("strat-11: greatest error", figuretest.Value(t, res, "error"), middle(max(lua[0], sort[0]), max(lua[1], sort[1]), max(lua[2], sort[2])))

	res = figuretest.Run(t, Paper(0), "strat-filter", env)
	for i, p := range programs {
		for _, e := range []string{unfiltered, forever, spent} {
			check("strat-filter: "+p+": "+e, figuretest.Cell(t, res, 0, i, e), middle(numbers(p, "loads", n, errorOf(e))...))
		}
	}
	check("strat-filter: forever", figuretest.Value(t, res, "forever-error"), both(toOther(forever, unfiltered)))
}

// The initial phase ends with the event that could fill the counters of the largest table: 4096 counters of 256.
func TestInitialPhase(t *testing.T) {
	r := &replay.Result{Errors: metric.Curve{{Events: 10_000, Error: math.NaN()}, {Events: 500_000, Error: 2}, {Events: 1 << 20, Error: 4}, {Events: 1<<20 + 1, Error: 100}}}
	if got := early(r); got != 3 {
		t.Errorf("mean error %v of the initial phase, want 3", got)
	}
}

// The rows of figure 7, worked out by hand: H[P256]2048 falls below 5 % at 200 events and stays from 400 on, R256 does both at 1000.
func TestWorkingSetRowsByHand(t *testing.T) {
	curve := func(errors ...float64) (c metric.Curve) {
		for i, e := range errors {
			c = append(c, metric.Point{Events: []uint64{100, 200, 300, 400, 1000}[i], Error: e})
		}
		return c
	}
	made := func(mean float64, messages uint64, errors ...float64) []*replay.Result {
		return []*replay.Result{{Events: 1000, Messages: messages, Error: metric.Error{Mean: mean}, Errors: curve(errors...)}}
	}
	b := &figure.Batch{Engines: compressors, Results: [][]*replay.Result{
		made(0.04, 500, 90, 60, 30, 6, 4),    // R256
		made(0.03, 600, 90, 60, 30, 6, 3),    // P256
		made(0.02, 400, 20, 4, 6, 4, 2),      // H[P256]2048
		made(0.05, 250, 50, 30, 10, 8, 5),    // H[P512]2048
		made(0.01, 1000, 10, 3, 2.5, 2.5, 1), // tag2-256-2048
	}}
	res := &figure.Result{}
	workingSetRows(res, "", "", []*figure.Batch{b})
	for key, want := range map[string]float64{
		"h-first": 200, "r-first": 1000, "r-to-h-first": 5, "h-stays": 400, "r-stays": 1000, "r-to-h-stays": 2.5,
		"h-error": 2, "p-to-r-error": 0.75, "tag2-to-best-curve": 3.8 / 7.2, "tag2-to-best-end": 0.5,
		"tag2-to-h-messages": 2.5, "half-to-r-messages": 0.5, "half-to-r-error": 1.25, "r-above-h-messages": 100,
	} {
		if got := figuretest.Value(t, res, key); !figuretest.Near(got, want, 1e-9) {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}

// The error without a filter, at as many messages, follows a power law: with 4 % at 100 messages and 2 % at 400 it is 2.83 % at 200.
func TestAsManyMessages(t *testing.T) {
	made := func(messages uint64, percent float64) *replay.Result {
		return &replay.Result{Messages: messages, Error: metric.Error{Mean: percent / 100}}
	}
	for _, x := range []struct {
		filter *replay.Result
		want   float64
	}{
		{made(200, 2.83), 2.83 / (4 / math.Sqrt2)},
		{made(100, 1), 0.25},
		{made(400, 1), 0.5},
		{made(800, 1), 1 / math.Sqrt2}, // between 2 % at 400 and 1 % at 1600
		{made(1600, 3), 3},
		{made(10, 40), 40. / 16},      // fewer than the slowest, which has 16 % with 25
		{made(30_000, 1), math.NaN()}, // more than the fastest
	} {
		by := map[string]*replay.Result{"F": x.filter, withoutFilter[0]: made(25_600, 0.25), withoutFilter[1]: made(1600, 1), withoutFilter[2]: made(400, 2),
			withoutFilter[3]: made(100, 4), withoutFilter[4]: made(25, 16)}
		got := toAsMany("F")(func(engine string) *replay.Result { return by[engine] })
		if !figuretest.Near(got, x.want, 1e-9) && !(math.IsNaN(got) && math.IsNaN(x.want)) {
			t.Errorf("%d messages, %v %%: %v, want %v", x.filter.Messages, 100*x.filter.Error.Mean, got, x.want)
		}
	}
}
