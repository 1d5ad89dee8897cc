package figure

// This file has the experiments with the hardware of range adaptive profiling: how much
// its event buffer combines, how many cycles it needs, and its cost.
//
// Source: Mysore, Agrawal, Sherwood, Shrivastava and Suri, "Profiling over
// Adaptive Ranges", CGO 2006, sections 3.3 and 3.4.

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/hardware"
	"github.com/pepgo/pep/lab/plot"
)

// bufferSizes are the numbers of entries of the event buffers that are compared.
var bufferSizes = []int{64, 128, 256, 512, 1024, 2048, 4096}

// paperBuffer is the size of the buffer for which the paper states a factor.
const paperBuffer = 1024

// rapBuffer is the second half of RAP-16: the number of events per count.
func rapBuffer(env *Env, res *Result) error {
	var specs []string
	for _, n := range bufferSizes {
		specs = append(specs, bufferOf(n))
	}
	t := Table{Title: "events to a count, code", Columns: []string{"recording", "blocks"}}
	for _, n := range bufferSizes {
		t.Columns = append(t.Columns, fmt.Sprint(n, " entries"))
	}
	res.setup("%s", treeRule)
	list, err := env.once().recorded(res, Programs, ofCode, 1, specs, func(b *batch) {
		row := []Value{text(b.String()), count(sites(b.results[0][0]), "blocks")}
		for _, n := range bufferSizes {
			row = append(row, factor(toACount(b.of(bufferOf(n))[0])))
		}
		t.Rows = append(t.Rows, row)
	})
	if err != nil {
		return err
	}
	res.setup("events: basic blocks, by their addresses; a quarter of the buffer is kept free for stalls; an entry counts to 255")
	res.Tables = append(res.Tables, t)
	lines := plot.Lines{Title: "Events that the buffer combines to a count, code, median of recordings", X: "entries of the buffer", Y: "events to a count", LogX: true}
	for _, p := range Programs {
		if own := ofProgram(list, p); own != nil {
			curve := plot.Curve{Name: p.Name}
			for _, n := range bufferSizes {
				curve.Points = append(curve.Points, metric.Point{Events: uint64(n), Error: tallyAll(own, ofEngine(bufferOf(n), toACount)).median()})
			}
			lines.Curves = append(lines.Curves, curve)
		}
	}
	res.lines("rap-buffer", lines)
	most := bufferOf(paperBuffer)
	gcc := inRole("gcc")
	res.compare(gcc.String()+": events to a count, 1024 entries", tallyAll(ofProgram(list, gcc), ofEngine(most, toACount)), times, "about 10", about(10, 10, times))
	res.compare("any program: events to a count, 1024 entries", tallyAll(list, ofEngine(most, toACount)), times, "about 10 for code", about(10, 10, times))
	return nil
}

// once is for engines that have nothing random: one seed is enough.
func (env *Env) once() *Env {
	one := *env
	one.Seeds = 1
	return &one
}

// bufferOf is the engine with a buffer of n entries.
func bufferOf(n int) string { return fmt.Sprintf("raphw(over=words,buffer=%d)", n) }

// toACount is the number of events that the buffer combines to a count.
func toACount(r *replay.Result) float64 { return meter(r, "events to a count") }

// sites returns the number of places that the events of a result have.
func sites(r *replay.Result) int {
	seen := map[uint64]bool{}
	for _, x := range (metric.Selection{}).Of(r.Ideal) {
		seen[x.W] = true
	}
	return len(seen)
}

// meter returns a meter of an engine. The engine must have a meter of that name.
func meter(r *replay.Result, name string) float64 {
	for _, m := range r.Meters {
		if m.Name == name {
			return m.Value()
		}
	}
	panic("figure: " + r.Spec.String() + " does not count: " + name)
}

// throughputs are the engines of rap-throughput. The busy ones get an event in each
// cycle, so they never wait for the program. For the others the program runs at the
// frequency of the engine, and at ten times that frequency.
var throughputs = []struct{ what, spec string }{
	{"busy", "raphw(over=words,near=1,far=1)"},
	{"busy, eps 10 %", "raphw(eps=10%,over=words,near=1,far=1)"},
	{"buffer", "raphw(over=words,buffer=1024)"},
	{"buffer, slow", "raphw(over=words,buffer=1024,clock=10)"},
	{"buffer, slow, code", "raphw(over=sites,buffer=1024,clock=10)"},
}

// rapThroughput is RAP-19, over a quarter of the events, because each engine takes longer than a sampler.
func rapThroughput(env *Env, res *Result) error {
	var specs []string
	for _, x := range throughputs {
		specs = append(specs, x.spec)
	}
	busy := throughputs[0].spec
	t := Table{Title: "cycles of the engine, and stalls", Columns: []string{
		"recording", "engine", "cycles/count", "cycles/event", "splits stall", "merges stall", "program stalls", "splits", "denied", "merges", "entries",
	}}
	res.setup("%s", treeRule)
	list, err := env.once().recorded(res, Programs, "loads", 4, specs, func(b *batch) {
		for _, x := range throughputs {
			r := b.of(x.spec)[0]
			t.Rows = append(t.Rows, []Value{
				text(b.String()), text(x.what), per(meter(r, "engine to a count"), "cycles/count"), per(perEvent(r), "cycles/event"),
				percent(100 * meter(r, "engine stalled by splits")), percent(100 * meter(r, "engine stalled by merges")),
				percent(100 * meter(r, "processor stalled")), count(int(meter(r, "splits")), "splits"), count(int(meter(r, "splits denied")), "splits"),
				count(int(meter(r, "merges")), "merges"), count(int(meter(r, "entries at most")), "entries"),
			})
		}
	})
	if err != nil {
		return err
	}
	res.setup("busy: an event in each cycle; buffer: 1024 entries, 2 or 8 cycles from event to event; slow: a cycle of the engine is 10 of the program")
	res.setup("cycles: 4 from event to event, 5 from a split to the next result and 1 for each new or moved entry, 1 for each entry in a merge")
	res.setup("\"small and bounded\" has no number in the paper: here it is at most 10 %%")
	bars := plot.Bars{Title: "Cycles of a busy engine for an event, 1 %, median of recordings", Y: "cycles/event", Limit: hardware.CyclesPerEvent, Series: []plot.Series{{Name: "raphw(over=words)"}}}
	for _, p := range Programs {
		if own := ofProgram(list, p); own != nil {
			bars.Groups = append(bars.Groups, p.Name)
			bars.Series[0].Values = append(bars.Series[0].Values, tallyAll(own, ofEngine(busy, perEvent)).median())
		}
	}
	res.Tables = append(res.Tables, t)
	res.bars("rap-throughput", bars)

	cycles := func(x float64) Value { return per(x, "cycles/event") }
	res.compare("cycles for an event, any program", tallyAll(list, ofEngine(busy, perEvent)), cycles, "4 on average", about(4, 4, cycles))
	res.compare("of these, stalls for splits and merges", tallyAll(list, ofEngine(busy, func(r *replay.Result) float64 {
		return 100 * (meter(r, "engine stalled by splits") + meter(r, "engine stalled by merges"))
	})), percent, "small and bounded", atMost(percent(10)))
	res.compare("merges, to the number of times that events have doubled since 2^10", tallyAll(list, ofEngine(busy, func(r *replay.Result) float64 {
		return meter(r, "merges") / float64(bits.Len64(r.Events/1024))
	})), times, "as many", between(times(1), times(1)))
	h := hardware.Of(4096)
	for _, x := range []struct {
		what, paper string
		rate        float64
		stages      bool
	}{
		{"events a second, TCAM in one stage (7 ns)", "36 M/s: 143 MHz, 4 cycles", 36, false},
		{"events a second, TCAM in several stages (1.26 ns)", "198 M/s: 794 MHz, 4 cycles", 198, true},
	} {
		res.compare(x.what, tallyAll(list, ofEngine(busy, func(r *replay.Result) float64 { return h.Rate(perEvent(r), x.stages) })), rate, x.paper, about(x.rate, x.rate, rate))
	}
	return nil
}

// perEvent is the number of cycles of the engine for an event.
func perEvent(r *replay.Result) float64 { return meter(r, "engine to an event") }

// costSizes are the entries of the engines of rap-cost: the paper's two, and powers of two.
var costSizes = []int{400, 512, 1024, 2048, 4096, 8192}

// rowsOfOne is what the setup of a figure that is computed says about its rows.
var rowsOfOne = fmt.Sprintf("nothing here varies from run to run; a number may be off by a factor of %v, and bounds hold as they stand", slack)

// rapCost is RAP-20.
func rapCost(_ *Env, res *Result) error {
	res.setup("model: area and energy in proportion to the bits of the cells, delays to the logarithm of the entries; 0.18 µm, all signals switching")
	res.setup("%s", rowsOfOne)
	res.setup("calibration: area, both delays and energy of 4096 entries of 36 and 32 bits; all else is predicted")
	t := Table{Title: "area, delays, energy, and events a second with 4 cycles an event", Columns: []string{
		"entries", "key", "counter", "area", "TCAM", "counters", "energy", "TCAM in one stage", "in several", "",
	}}
	add := func(entries, key int) {
		h := hardware.OfWidths(entries, key, 32)
		kind := "predicted"
		if entries == 4096 && key == 36 {
			kind = "calibration"
		}
		t.Rows = append(t.Rows, []Value{
			count(entries, "entries"), count(key, "bits"), count(32, "bits"), measure(h.Area, 2, "mm²"), measure(h.Match, 2, "ns"), measure(h.Count, 2, "ns"),
			measure(h.Energy, 3, "nJ"), rate(h.Rate(hardware.CyclesPerEvent, false)), rate(h.Rate(hardware.CyclesPerEvent, true)), text(kind),
		})
	}
	lines := plot.Lines{Title: "Area by the model, keys of 36 bits", X: "entries", Y: "mm²", LogX: true}
	curve := plot.Curve{Name: "36 and 32 bits"}
	for _, n := range costSizes {
		add(n, 36)
		curve.Points = append(curve.Points, metric.Point{Events: uint64(n), Error: hardware.Of(n).Area})
	}
	add(4096, 64)
	lines.Curves = []plot.Curve{curve}
	res.Tables = append(res.Tables, t)
	res.lines("rap-cost", lines)

	h, small := hardware.Of(4096), hardware.Of(400)
	for _, x := range []struct {
		what  string
		ours  float64
		u     unit
		paper float64
	}{
		{"area of 4096 entries (calibration)", h.Area, func(x float64) Value { return measure(x, 2, "mm²") }, 24.73},
		{"a lookup in the TCAM (calibration)", h.Match, func(x float64) Value { return measure(x, 2, "ns") }, 7},
		{"an access to the counters (calibration)", h.Count, func(x float64) Value { return measure(x, 2, "ns") }, 1.26},
		{"energy of an event (calibration)", h.Energy, func(x float64) Value { return measure(x, 3, "nJ") }, 1.272},
	} {
		res.compare(x.what, tally{x.ours}, x.u, x.u(x.paper).Text, about(x.paper, x.paper, x.u))
	}
	res.compare("400 entries: less area (predicted)", tally{h.Area / small.Area}, times, "more than 10x", above(times(10)))
	res.compare("400 entries: less energy for an event (predicted)", tally{h.Energy / small.Energy}, times, "more than 10x less power", above(times(10)))
	res.compare("events a second, TCAM in one stage (follows)", tally{h.Rate(hardware.CyclesPerEvent, false)}, rate, "36 M/s: 143 MHz, 4 cycles", about(36, 36, rate))
	res.compare("events a second, TCAM in several stages (follows)", tally{h.Rate(hardware.CyclesPerEvent, true)}, rate, "198 M/s: 794 MHz, 4 cycles", about(198, 198, rate))
	return nil
}

// per returns the number of cycles for something. It may be undefined, if that never
// happened.
func per(x float64, unit string) Value {
	if x == 0 {
		return Value{"-", math.NaN(), unit}
	}
	return Value{fmt.Sprintf("%.2f", x), x, unit}
}

// rate returns a rate in million events a second.
func rate(x float64) Value { return Value{fmt.Sprintf("%.1f M/s", x), x, "million events/s"} }

// measure returns a physical quantity with its unit.
func measure(x float64, decimals int, unit string) Value {
	return Value{strings.Join([]string{strconv.FormatFloat(x, 'f', decimals, 64), unit}, " "), x, unit}
}
