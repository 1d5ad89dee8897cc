package stratfigures

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

var update = flag.Bool("update", false, "write testdata/measured.txt")

// direct runs an engine over tuples at once, without package replay. It returns how many messages it sends, and what
// they stand for.
func direct(t *testing.T, tuples []tuple.Tuple, engine string, seed uint64) (messages float64,
	counted map[tuple.Tuple]float64) {
	t.Helper()
	spec, err := engines.Parse(fmt.Sprintf("%s@seed=%d", engine, seed), nil)
	if err != nil {
		t.Fatal(err)
	}
	counted = map[tuple.Tuple]float64{}
	out := hwsim.NewOut(64, func(msgs []hwsim.Message) {
		for _, m := range msgs {
			messages++
			counted[m.Tuple] += float64(m.Count)
		}
	})
	e := spec.New(0)
	e.Push(slices.Clone(tuples), out)
	e.Flush(out)
	out.Drain()
	return messages, counted
}

// bySpec is the error in percent of what was counted (section 5.3.1): the mean difference of shares of places, weighted
// with events, over the tuples with 10 % of a place of 1000 events or more, if they have 40 % of it together.
func bySpec(tuples []tuple.Tuple, counted map[tuple.Tuple]float64) float64 {
	exact, place, got, covered := map[tuple.Tuple]float64{}, map[uint64]float64{}, map[uint64]float64{},
		map[uint64]float64{}
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

// Each number of a program is that of the engines run by themselves, with the paper's definition of the error: of loads
// in two parts, and of edges and calls together and apart.
func TestMeasuredIsWhatEnginesDo(t *testing.T) {
	const n = 240_000
	loads := tracetest.New(3, 12).Events(make([]tuple.Tuple, n))
	var mixed []tuple.Tuple
	for _, x := range loads {
		tag := tuple.Edge
		if x.Site()%5 == 0 {
			tag = tuple.Call
		}
		mixed = append(mixed, tuple.New(tag, x.Site(), x.W%3))
	}
	env := &figure.Env{Loads: n, Branches: n, Seed: 5, Seeds: seeds, Source: func(_, taps string) (replay.Source, error) {
		return figuretest.Tuples(map[string][]tuple.Tuple{ofLoads: loads, figure.OfBranches: mixed}[taps]), nil
	}}
	m := &figure.Measured{}
	lua := figure.InRole("li")
	if err := measureLoads(env, m, lua); err != nil {
		t.Fatal(err)
	}
	if err := measureCalls(env, m, lua); err != nil {
		t.Fatal(err)
	}
	near := func(name string, i int, want float64) {
		t.Helper()
		if got := m.Of(name); i >= len(got) || !figuretest.Near(got[i], want, 1e-5) {
			t.Errorf("%s: run %d is not %v in %v", name, i, want, got)
		}
	}
	for part := range parts {
		tuples := loads[part*n/parts : (part+1)*n/parts]
		for k := range seeds {
			run := part*seeds + k
			for _, spec := range []string{random, periodic, stratified, stratified + added, half, tagged + added, stratified +
				"+A16", filter(true)} {
				messages, counted := direct(t, tuples, spec, 5+uint64(k))
				near("lua/"+spec+"/error", run, bySpec(tuples, counted))
				near("lua/"+spec+"/messages", run, messages)
			}
		}
	}
	kinds := map[string][]tuple.Tuple{}
	for _, x := range mixed {
		kind := "edges"
		if x.Tag() == tuple.Call {
			kind = "calls"
		}
		kinds[kind] = append(kinds[kind], x)
	}
	for k := range seeds {
		_, counted := direct(t, mixed, stratified, 5+uint64(k))
		near("lua/branches/"+stratified+"/error", k, bySpec(mixed, counted))
		for kind, own := range kinds {
			near("lua/branches/"+stratified+"/"+kind, k, bySpec(own, counted))
			_, alone := direct(t, own, stratified, 5+uint64(k))
			near("lua/branches/"+stratified+"/"+kind+"-alone", k, bySpec(own, alone))
		}
	}
	counts, strata := map[tuple.Tuple]float64{}, map[int]float64{}
	spec, err := engines.Parse(stratified, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := spec.New(0).(hwsim.Stratified)
	for _, x := range loads[:n/parts] {
		at, _ := e.Stratum(x)
		counts[x]++
		strata[at]++
	}
	var top []float64
	for _, c := range counts {
		top = append(top, -c)
	}
	slices.Sort(top)
	sum := 0.0
	for _, c := range top[:16] {
		sum -= c
	}
	near("lua/top", 0, 100*sum/(n/parts))
	ideal := metric.New()
	ideal.AddTuples(loads[:n/parts])
	var share, events float64
	for _, x := range metric.Value.Of(ideal) {
		at, _ := e.Stratum(x)
		share, events = share+counts[x]*counts[x]/strata[at], events+counts[x]
	}
	near("lua/purity/table", 0, 100*share/events)
}

// curve makes a result whose errors are of enough places.
func curve(places int, events []uint64, errors ...float64) *replay.Result {
	r := &replay.Result{}
	for i, e := range errors {
		r.Errors = append(r.Errors, metric.Point{Events: events[i], Error: e})
		r.Places = append(r.Places, places)
	}
	return r
}

// How many times as many events one needs as another, by hand.
func TestSlower(t *testing.T) {
	at := []uint64{100, 200, 400, 800, 1600, 3200}
	fast := curve(figure.LeastPlaces, at, 8, 4, 2, 1, 0.5, 0.25)
	for _, x := range []struct {
		name       string
		slow, fast *replay.Result
		want       float64
	}{
		{"itself", fast, fast, 1},
		{"twice as long", curve(figure.LeastPlaces, at, 16, 8, 4, 2, 1, 0.5), fast, 2},
		{"half as long", curve(figure.LeastPlaces, at, 4, 2, 1, 0.5, 0.25, 0.125), fast, 0.5},
		{"four times, by the last peak", curve(figure.LeastPlaces, at, 8, 4, 2, 1, 8, 0.1), fast, 8},
		{"never", curve(figure.LeastPlaces, at, 40, 40, 40, 40, 40, 40), fast, math.Inf(1)},
	} {
		if got := slower(x.slow, x.fast); got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
	few := curve(figure.LeastPlaces-1, at, 8, 4, 2, 1, 0.5, 0.25)
	if got := slower(few, few); !math.IsNaN(got) {
		t.Errorf("of too few places: %v, want NaN", got)
	}
	// Both are below all levels that count from the first point on.
	if low := curve(figure.LeastPlaces, at, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2); !math.IsNaN(slower(low, low)) {
		t.Errorf("below from the beginning: %v, want NaN", slower(low, low))
	}
	rising := curve(figure.LeastPlaces, at, 8, 8, 4, 9, 2, 1)
	rising.Places[0] = 1
	if c := counted(rising); len(c) != 5 || !figuretest.Near(geometric(c), math.Pow(8*4*9*2*1, 0.2), 1e-9) {
		t.Errorf("the curve of enough places is %v, mean %v", c, geometric(c))
	}
	if got := settled(counted(fast)); got != 3200 {
		t.Errorf("below twice the last error from %v on, want 3200", got)
	}
	if got := power(counted(fast)); !figuretest.Near(-got, 1, 1e-9) {
		t.Errorf("power %v, want -1", got)
	}
}

// What is compared with what: the filter takes twice as long as the sampler without it, and that half as long as R256.
func TestCompared(t *testing.T) {
	at := []uint64{100, 200, 400, 800, 1600, 3200}
	of := results{}
	for _, spec := range allSpecs() {
		r := curve(figure.LeastPlaces, at, 8, 4, 2, 1, 0.5, 0.25)
		if spec == random || spec == filter(false) || spec == filter(true) {
			r = curve(figure.LeastPlaces, at, 16, 8, 4, 2, 1, 0.5)
		}
		r.Sent, r.Messages, r.Error.Mean = r.Errors, 100, 0.01
		for range seeds {
			of[spec] = append(of[spec], r)
		}
	}
	m := &figure.Measured{}
	of.add(m, "x")
	for name, want := range map[string]float64{
		"rules/filter-slower": 0.5, "ours/filter-slower": 0.5, stratified + "/slower": 2, random + "/slower": 1,
		half + added +
			"/slower": 2,
		stratified + "/settled": 3200, random + "/first": 400, stratified + "/stays": 200, stratified + "/counted": 100,
	} {
		if x := m.Of("x", name); len(x) != seeds || x[0] != want {
			t.Errorf("%s: %v, want %d times %v", name, x, seeds, want)
		}
	}
}

// The error without a filter, at as many messages, follows a power law: with 4 % at 100 messages and 1 % at 400 it is 2
// % at
// 200. And the rate at which an error is 2 % lies between the rates in the same way.
func TestBetweenRates(t *testing.T) {
	made := func(messages uint64, percent float64) *replay.Result {
		return &replay.Result{Messages: messages, Error: metric.Error{Mean: percent / 100}}
	}
	// From the rate 64 to 2048 messages halve and errors double.
	of := func(rate int) *replay.Result {
		return made(uint64(6400*64/rate), 0.5*float64(rate)/64)
	}
	for _, x := range []struct {
		messages    uint64
		error, want float64
	}{
		{6400, 1, 2}, {3200, 1, 1}, {1600, 4, 2}, {2263, 1.414, 1}, {200, 32, 2}, {10, 32, 2}, {7000, 1, math.NaN()},
	} {
		if got := atEqualMessages(made(x.messages, x.error), of); !figuretest.Near(got, x.want, 1e-3) && !(math.IsNaN(got) &&
			math.IsNaN(x.want)) {
			t.Errorf("%v %% with %d messages: %v, want %v", x.error, x.messages, got, x.want)
		}
	}
	for _, x := range [][2]float64{{2, 1}, {4, 2}, {2.828, 1.414}, {1, 0.5}, {100, 8}, {0.1, 0}} {
		if got := reduced(made(1, x[0]), of); !figuretest.Near(got, x[1], 1e-3) {
			t.Errorf("with an error of %v %% the rate can be lower by %v, want %v", x[0], got, x[1])
		}
	}
}

// Messages at 10, 20, 100 and 101 cycles, 30 for each: the second waits 20 cycles, and the last 29.
func TestServiceThread(t *testing.T) {
	q := &queue{}
	for _, x := range []float64{10, 20, 21, 100, 101} {
		q.now = x
		q.take(make([]hwsim.Message, 1))
	}
	// 10 to 40, 40 to 70, 70 to 100, 100 to 130, 130 to 160.
	if q.waited != 3 || q.longest != 2 || fmt.Sprint(q.gaps) != "[10 10 1 79 1]" {
		t.Errorf("%d waited, at most %d, gaps %v", q.waited, q.longest, q.gaps)
	}
}

// Copies of code have places of their own, in turns.
func TestCopies(t *testing.T) {
	var one []tuple.Tuple
	for range 60_000 {
		one = append(one, tuple.New(tuple.Load, 7, 1))
	}
	places := map[uint64]int{}
	if err := figure.Copies(figuretest.Tuples(one), 2)(func(b trace.Block) error {
		for _, x := range b.Tuples {
			places[x.PC]++
		}
		return nil
	}); err != nil || len(places) != 2 || places[one[0].PC] != 40_000 {
		t.Errorf("%v: events by place %v, want 40000 at the first and 20000 at another", err, places)
	}
}

// coins returns n loads of places that are executed equally often at random, each with one of two values.
func coins(places uint64, n int) (list []tuple.Tuple) {
	r := rand.New(rand.NewPCG(1, places))
	for range n {
		list = append(list, tuple.New(tuple.Load, r.Uint64N(places), r.Uint64N(3)/2))
	}
	return list
}

// A cheap recount: the experiments of the page on made-up events of two programs. If this fails, what the experiments
// measure has changed: make the page again (make paper-strat), and this file with -update.
func TestRecount(t *testing.T) {
	whole := figure.Programs
	figure.Programs = []figure.Program{figure.InRole("gcc"), figure.Named("flate")}
	defer func() { figure.Programs = whole }()
	source := func(program, taps string) (replay.Source, error) {
		if taps != ofLoads {
			return figuretest.Synthetic(program, taps)
		}
		return figuretest.Tuples(coins(map[string]uint64{"typecheck": 60, "flate": 66}[program], 600_000)), nil
	}
	m := &figure.Measured{}
	if err := measureAll(&figure.Env{Loads: 600_000, Branches: 100_000, Seed: 1, Source: source}, m); err != nil {
		t.Fatal(err)
	}
	figuretest.Recount(t, m, "testdata/measured.txt", *update)
}
