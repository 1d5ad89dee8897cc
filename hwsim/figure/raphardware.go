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

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/plot"
	"github.com/pepgo/pep/hwsim/replay"
)

// bufferSizes are the numbers of entries of the event buffers that are compared.
var bufferSizes = []int{64, 128, 256, 512, 1024, 2048, 4096}

// paperBuffer is the size of the buffer for which the paper states a factor.
const paperBuffer = 1024

// rapBuffer is the second half of RAP-16: the number of events per count.
func rapBuffer(env *Env, res *Result) error {
	var specs []string
	for _, n := range bufferSizes {
		specs = append(specs, fmt.Sprintf("raphw(over=words,buffer=%d)", n))
	}
	t := Table{Title: "events to a count, code", Columns: []string{"program", "blocks"}}
	for _, n := range bufferSizes {
		t.Columns = append(t.Columns, fmt.Sprint(n, " entries"))
	}
	lines := plot.Lines{Title: "Events that the buffer combines to a count, code", X: "entries of the buffer", Y: "events to a count", LogX: true}
	least, most, gcc := math.Inf(1), 0.0, math.NaN()
	err := env.each(res, ofCode, "", specs, func(p Program, results []*replay.Result) {
		row := []Value{text(p.String()), count(sites(results[0]), "blocks")}
		curve := plot.Curve{Name: p.Name}
		for i, r := range results {
			x := meter(r, "events to a count")
			row = append(row, factor(x))
			curve.Points = append(curve.Points, metric.Point{Events: uint64(bufferSizes[i]), Error: x})
			if bufferSizes[i] == paperBuffer {
				least, most = min(least, x), max(most, x)
				if p.Role == "gcc" {
					gcc = x
				}
			}
		}
		t.Rows = append(t.Rows, row)
		lines.Curves = append(lines.Curves, curve)
	})
	if err != nil {
		return err
	}
	res.setup("events: basic blocks, by their addresses; a quarter of the buffer is kept free for stalls; an entry counts to 255")
	res.Tables = append(res.Tables, t)
	res.lines("rap-buffer", lines)
	res.row("gcc: events to a count, 1024 entries", one(factor(gcc)), "about 10", gcc >= 5 && gcc <= 20)
	res.row("all programs: events to a count, 1024 entries", span(factor(least), factor(most)), "about 10 for code", least >= 5 && most <= 20)
	return nil
}

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

// rapThroughput is RAP-19.
func rapThroughput(env *Env, res *Result) error {
	var specs []string
	for _, x := range throughputs {
		specs = append(specs, x.spec)
	}
	t := Table{Title: "cycles of the engine, and stalls", Columns: []string{
		"program", "engine", "cycles/count", "cycles/event", "splits stall", "merges stall", "program stalls", "splits", "denied", "merges", "entries",
	}}
	bars := plot.Bars{Title: "Cycles of a busy engine for an event, 1 %", Y: "cycles/event", Limit: cost.CyclesPerEvent}
	var cycles, stalls []float64
	late, programs := 0, 0
	quarter := *env // a quarter of the events, because each engine takes longer than a sampler
	quarter.Events /= 4
	err := quarter.each(res, "loads", "", specs, func(p Program, results []*replay.Result) {
		for i, r := range results {
			t.Rows = append(t.Rows, []Value{
				text(p.Name), text(throughputs[i].what), per(meter(r, "engine to a count"), "cycles/count"), per(meter(r, "engine to an event"), "cycles/event"),
				percent(100 * meter(r, "engine stalled by splits")), percent(100 * meter(r, "engine stalled by merges")),
				percent(100 * meter(r, "processor stalled")), count(int(meter(r, "splits")), "splits"), count(int(meter(r, "splits denied")), "splits"),
				count(int(meter(r, "merges")), "merges"), count(int(meter(r, "entries at most")), "entries"),
			})
		}
		busy := results[0]
		programs++
		cycles = append(cycles, meter(busy, "engine to an event"))
		stalls = append(stalls, 100*(meter(busy, "engine stalled by splits")+meter(busy, "engine stalled by merges")))
		bars.Groups = append(bars.Groups, p.Name)
		if want := bits.Len64(busy.Events / 1024); int(meter(busy, "merges")) != want {
			late++
		}
	})
	if err != nil {
		return err
	}
	bars.Series = []plot.Series{{Name: "raphw(over=words)", Values: cycles}}
	res.setup("busy: an event in each cycle; buffer: 1024 entries, 2 or 8 cycles from event to event; slow: a cycle of the engine is 10 of the program")
	res.setup("cycles: 4 from event to event, 5 from a split to the next result and 1 for each new or moved entry, 1 for each entry in a merge")
	res.Tables = append(res.Tables, t)
	res.bars("rap-throughput", bars)

	low, high := extremes(cycles)
	res.row("cycles for an event", span(per(low, "cycles/event"), per(high, "cycles/event")), "4 on average", near(high, 4, 0.1))
	low, high = extremes(stalls)
	res.row("of these, stalls for splits and merges", span(percent(low), percent(high)), "small and bounded", high <= 10)
	res.row("programs with a merge whenever events have doubled", part(programs-late, programs, "programs"), "all, from 2^10 events on", late == 0)
	average := 0.0
	for _, x := range cycles {
		average += x / float64(len(cycles))
	}
	h := cost.HWCost(4096)
	res.row("events a second, TCAM in one stage (7 ns)", one(rate(h.Rate(average, false))), "36 M/s: 143 MHz, 4 cycles", near(h.Rate(average, false), 36, 0.1))
	res.row("events a second, TCAM in several stages (1.26 ns)", one(rate(h.Rate(average, true))), "198 M/s: 794 MHz, 4 cycles", near(h.Rate(average, true), 198, 0.1))
	return nil
}

func extremes(list []float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, x := range list {
		least, most = min(least, x), max(most, x)
	}
	return least, most
}

// costSizes are the entries of the engines of rap-cost: the paper's two, and powers of two.
var costSizes = []int{400, 512, 1024, 2048, 4096, 8192}

// rapCost is RAP-20.
func rapCost(_ *Env, res *Result) error {
	res.setup("model: area and energy in proportion to the bits of the cells, delays to the logarithm of the entries; 0.18 µm, all signals switching")
	res.setup("calibration: area, both delays and energy of 4096 entries of 36 and 32 bits; all else is predicted")
	t := Table{Title: "area, delays, energy, and events a second with 4 cycles an event", Columns: []string{
		"entries", "key", "counter", "area", "TCAM", "counters", "energy", "TCAM in one stage", "in several", "",
	}}
	add := func(entries, key int) {
		h := cost.HWCostOf(entries, key, 32)
		kind := "predicted"
		if entries == 4096 && key == 36 {
			kind = "calibration"
		}
		t.Rows = append(t.Rows, []Value{
			count(entries, "entries"), count(key, "bits"), count(32, "bits"), measure(h.Area, 2, "mm²"), measure(h.Match, 2, "ns"), measure(h.Count, 2, "ns"),
			measure(h.Energy, 3, "nJ"), rate(h.Rate(cost.CyclesPerEvent, false)), rate(h.Rate(cost.CyclesPerEvent, true)), text(kind),
		})
	}
	lines := plot.Lines{Title: "Area by the model, keys of 36 bits", X: "entries", Y: "mm²", LogX: true}
	curve := plot.Curve{Name: "36 and 32 bits"}
	for _, n := range costSizes {
		add(n, 36)
		curve.Points = append(curve.Points, metric.Point{Events: uint64(n), Error: cost.HWCost(n).Area})
	}
	add(4096, 64)
	lines.Curves = []plot.Curve{curve}
	res.Tables = append(res.Tables, t)
	res.lines("rap-cost", lines)

	h, small := cost.HWCost(4096), cost.HWCost(400)
	res.row("area of 4096 entries (calibration)", one(measure(h.Area, 2, "mm²")), "24.73 mm²", near(h.Area, 24.73, 1e-6))
	res.row("a lookup in the TCAM (calibration)", one(measure(h.Match, 2, "ns")), "7 ns", near(h.Match, 7, 1e-6))
	res.row("an access to the counters (calibration)", one(measure(h.Count, 2, "ns")), "1.26 ns", near(h.Count, 1.26, 1e-6))
	res.row("energy of an event (calibration)", one(measure(h.Energy, 3, "nJ")), "1.272 nJ", near(h.Energy, 1.272, 1e-6))
	res.row("400 entries: less area (predicted)", one(factor(h.Area/small.Area)), "more than 10x", h.Area/small.Area > 10)
	res.row("400 entries: less energy for an event (predicted)", one(factor(h.Energy/small.Energy)), "more than 10x less power", h.Energy/small.Energy > 10)
	res.row("events a second, TCAM in one stage (follows)", one(rate(h.Rate(cost.CyclesPerEvent, false))), "36 M/s: 143 MHz, 4 cycles", near(h.Rate(cost.CyclesPerEvent, false), 36, 0.02))
	res.row("events a second, TCAM in several stages (follows)", one(rate(h.Rate(cost.CyclesPerEvent, true))), "198 M/s: 794 MHz, 4 cycles", near(h.Rate(cost.CyclesPerEvent, true), 198, 0.02))
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
