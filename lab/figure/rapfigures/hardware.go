package rapfigures

// This file has the experiments with the hardware (sections 3.3 and 3.4): how much
// its event buffer combines, how many cycles it needs, and its cost.

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/hardware"
	"github.com/pepgo/pep/lab/plot"
)

// bufferSizes are the numbers of entries of the event buffers that are compared.
var bufferSizes = []int{64, 128, 256, 512, 1024, 2048, 4096}

// paperBuffer is the size of the buffer for which the paper states a factor.
const paperBuffer = 1024

// eventsToACount measures how many events the buffer combines to a count (RAP-16), by its size.
func eventsToACount(env *figure.Env, res *figure.Result) error {
	var specs []string
	for _, n := range bufferSizes {
		specs = append(specs, bufferOf(n))
	}
	t := figure.Table{Title: "events to a count, code", Columns: []string{"recording", "blocks"}}
	for _, n := range bufferSizes {
		t.Columns = append(t.Columns, fmt.Sprint(n, " entries"))
	}
	res.Describe("%s", rule)
	list, err := once(atAddresses(env)).ReplayRecordings(res, figure.Programs, ofCode, specs, func(b *figure.Batch) {
		row := []figure.Value{figure.Text(b.String()), figure.Count(sites(b.Results[0][0]), "blocks")}
		for _, n := range bufferSizes {
			row = append(row, figure.Factor(toACount(b.Of(bufferOf(n))[0])))
		}
		t.Rows = append(t.Rows, row)
	})
	if err != nil {
		return err
	}
	res.Describe("events: basic blocks, by their addresses; a quarter of the buffer is kept free for stalls; an entry counts to 255")
	res.Tables = append(res.Tables, t)
	lines := plot.Lines{Title: "Events that the buffer combines to a count, code, median of recordings", X: "entries of the buffer", Y: "events to a count", LogX: true}
	for p, own := range figure.ByProgram(list) {
		curve := plot.Curve{Name: p.Name}
		for _, n := range bufferSizes {
			curve.Points = append(curve.Points, metric.Point{Events: uint64(n), Error: figure.TallyAll(own, figure.OfEngine(bufferOf(n), toACount)).Median()})
		}
		lines.Curves = append(lines.Curves, curve)
	}
	res.AddLines("rap-buffer", lines)
	most := bufferOf(paperBuffer)
	gcc := figure.InRole("gcc")
	res.Compare("gcc", gcc.String()+": events to a count, 1024 entries", figure.TallyAll(figure.OfProgram(list, gcc), figure.OfEngine(most, toACount)),
		figure.Times, "about 10", figure.About(10, 10, figure.Times))
	res.Compare("any", "any program: events to a count, 1024 entries", figure.TallyAll(list, figure.OfEngine(most, toACount)), figure.Times, "about 10 for code", figure.About(10, 10, figure.Times))
	return nil
}

// once returns an environment with one seed, for engines that have nothing random.
func once(env *figure.Env) *figure.Env {
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
	panic("rapfigures: " + r.Spec.String() + " does not count: " + name)
}

// throughputs are the engines whose cycles are counted. The busy ones get an event in each
// cycle, so they never wait for the program. For the others the program runs at the
// frequency of the engine, and at ten times that frequency.
var throughputs = []struct{ what, spec string }{
	{"busy", "raphw(over=words,near=1,far=1)"},
	{"busy, eps 10 %", "raphw(eps=10%,over=words,near=1,far=1)"},
	{"buffer", "raphw(over=words,buffer=1024)"},
	{"buffer, slow", "raphw(over=words,buffer=1024,clock=10)"},
	{"buffer, slow, code", "raphw(over=sites,buffer=1024,clock=10)"},
}

// cyclesOfEvents counts cycles of the hardware for an event (RAP-19). It takes a quarter of the loads, because each engine
// takes longer than a sampler.
func cyclesOfEvents(env *figure.Env, res *figure.Result) error {
	var specs []string
	for _, x := range throughputs {
		specs = append(specs, x.spec)
	}
	busy := throughputs[0].spec
	t := figure.Table{Title: "cycles of the engine, and stalls", Columns: []string{
		"recording", "engine", "cycles/count", "cycles/event", "splits stall", "merges stall", "program stalls", "splits", "denied", "merges", "entries",
	}}
	res.Describe("%s", rule)
	quarter := once(env)
	quarter.Loads /= 4
	list, err := quarter.ReplayRecordings(res, figure.Programs, ofValues, specs, func(b *figure.Batch) {
		for _, x := range throughputs {
			r := b.Of(x.spec)[0]
			t.Rows = append(t.Rows, []figure.Value{
				figure.Text(b.String()), figure.Text(x.what), per(meter(r, "engine to a count"), "cycles/count"), per(perEvent(r), "cycles/event"),
				figure.Percent(100 * meter(r, "engine stalled by splits")), figure.Percent(100 * meter(r, "engine stalled by merges")),
				figure.Percent(100 * meter(r, "processor stalled")), figure.Count(int(meter(r, "splits")), "splits"), figure.Count(int(meter(r, "splits denied")), "splits"),
				figure.Count(int(meter(r, "merges")), "merges"), figure.Count(int(meter(r, "entries at most")), "entries"),
			})
		}
	})
	if err != nil {
		return err
	}
	res.Describe("busy: an event in each cycle; buffer: 1024 entries, 2 or 8 cycles from event to event; slow: a cycle of the engine is 10 of the program")
	res.Describe("cycles: 4 from event to event, 5 from a split to the next result and 1 for each new or moved entry, 1 for each entry in a merge")
	res.Describe("\"small and bounded\" has no number in the paper: here it is at most 10 %%")
	bars := plot.Bars{Title: "Cycles of a busy engine for an event, 1 %, median of recordings", Y: "cycles/event", Limit: hardware.CyclesPerEvent, Series: []plot.Series{{Name: "raphw(over=words)"}}}
	for p, own := range figure.ByProgram(list) {
		bars.Groups = append(bars.Groups, p.Name)
		bars.Series[0].Values = append(bars.Series[0].Values, figure.TallyAll(own, figure.OfEngine(busy, perEvent)).Median())
	}
	res.Tables = append(res.Tables, t)
	res.AddBars("rap-throughput", bars)

	cycles := func(x float64) figure.Value { return per(x, "cycles/event") }
	res.Compare("cycles", "cycles for an event, any program", figure.TallyAll(list, figure.OfEngine(busy, perEvent)), cycles, "4 on average", figure.About(4, 4, cycles))
	res.Compare("stalls", "of these, stalls for splits and merges", figure.TallyAll(list, figure.OfEngine(busy, func(r *replay.Result) float64 {
		return 100 * (meter(r, "engine stalled by splits") + meter(r, "engine stalled by merges"))
	})), figure.Percent, "small and bounded", figure.AtMost(figure.Percent(10)))
	res.Compare("merges", "merges, to the number of times that events have doubled since 2^10", figure.TallyAll(list, figure.OfEngine(busy, func(r *replay.Result) float64 {
		return meter(r, "merges") / float64(bits.Len64(r.Events/1024))
	})), figure.Times, "as many", figure.Between(figure.Times(1), figure.Times(1)))
	h := hardware.Of(4096)
	for _, x := range []struct {
		key, what, paper string
		rate             float64
		stages           bool
	}{
		{"rate-one-stage", "events a second, TCAM in one stage (7 ns)", "36 M/s: 143 MHz, 4 cycles", 36, false},
		{"rate-stages", "events a second, TCAM in several stages (1.26 ns)", "198 M/s: 794 MHz, 4 cycles", 198, true},
	} {
		res.Compare(x.key, x.what, figure.TallyAll(list, figure.OfEngine(busy, func(r *replay.Result) float64 { return h.Rate(perEvent(r), x.stages) })), rate, x.paper, figure.About(x.rate, x.rate, rate))
	}
	return nil
}

// perEvent is the number of cycles of the engine for an event.
func perEvent(r *replay.Result) float64 { return meter(r, "engine to an event") }

// costSizes are the entries of the engines whose cost is computed: the paper's two, and powers of two.
var costSizes = []int{400, 512, 1024, 2048, 4096, 8192}

// rowsOfOne is what the setup says about rows that are computed.
var rowsOfOne = fmt.Sprintf("nothing here varies from run to run; a number may be off by a factor of %v, and bounds hold as they stand", figure.Slack)

// hardwareCost computes area, delay and energy of the hardware (RAP-20).
func hardwareCost(_ *figure.Env, res *figure.Result) error {
	res.Describe("model: area and energy in proportion to the bits of the cells, delays to the logarithm of the entries; 0.18 µm, all signals switching")
	res.Describe("%s", rowsOfOne)
	res.Describe("calibration: area, both delays and energy of 4096 entries of 36 and 32 bits; all else is predicted")
	t := figure.Table{Title: "area, delays, energy, and events a second with 4 cycles an event", Columns: []string{
		"entries", "key", "counter", "area", "TCAM", "counters", "energy", "TCAM in one stage", "in several", "",
	}}
	add := func(entries, key int) {
		h := hardware.OfWidths(entries, key, 32)
		kind := "predicted"
		if entries == 4096 && key == 36 {
			kind = "calibration"
		}
		t.Rows = append(t.Rows, []figure.Value{
			figure.Count(entries, "entries"), figure.Count(key, "bits"), figure.Count(32, "bits"), measure(h.Area, 2, "mm²"), measure(h.Match, 2, "ns"), measure(h.Count, 2, "ns"),
			measure(h.Energy, 3, "nJ"), rate(h.Rate(hardware.CyclesPerEvent, false)), rate(h.Rate(hardware.CyclesPerEvent, true)), figure.Text(kind),
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
	res.AddLines("rap-cost", lines)

	h, small := hardware.Of(4096), hardware.Of(400)
	for _, x := range []struct {
		key   string
		what  string
		ours  float64
		u     figure.Unit
		paper float64
	}{
		{"area", "area of 4096 entries (calibration)", h.Area, func(x float64) figure.Value { return measure(x, 2, "mm²") }, 24.73},
		{"match", "a lookup in the TCAM (calibration)", h.Match, func(x float64) figure.Value { return measure(x, 2, "ns") }, 7},
		{"count", "an access to the counters (calibration)", h.Count, func(x float64) figure.Value { return measure(x, 2, "ns") }, 1.26},
		{"energy", "energy of an event (calibration)", h.Energy, func(x float64) figure.Value { return measure(x, 3, "nJ") }, 1.272},
	} {
		res.Compare(x.key, x.what, figure.Tally{x.ours}, x.u, x.u(x.paper).Text, figure.About(x.paper, x.paper, x.u))
	}
	res.Compare("less-area", "400 entries: less area (predicted)", figure.Tally{h.Area / small.Area}, figure.Times, "more than 10x", figure.Above(figure.Times(10)))
	res.Compare("less-energy", "400 entries: less energy for an event (predicted)", figure.Tally{h.Energy / small.Energy}, figure.Times, "more than 10x less power", figure.Above(figure.Times(10)))
	res.Compare("rate-one-stage", "events a second, TCAM in one stage (follows)", figure.Tally{h.Rate(hardware.CyclesPerEvent, false)}, rate, "36 M/s: 143 MHz, 4 cycles", figure.About(36, 36, rate))
	res.Compare("rate-stages", "events a second, TCAM in several stages (follows)", figure.Tally{h.Rate(hardware.CyclesPerEvent, true)}, rate, "198 M/s: 794 MHz, 4 cycles", figure.About(198, 198, rate))
	return nil
}

// per returns the number of cycles for something. It may be undefined, if that never
// happened.
func per(x float64, unit string) figure.Value {
	if x == 0 {
		return figure.Value{Text: "-", Number: math.NaN(), Unit: unit}
	}
	return figure.Value{Text: fmt.Sprintf("%.2f", x), Number: x, Unit: unit}
}

// rate returns a rate in million events a second.
func rate(x float64) figure.Value {
	return figure.Value{Text: fmt.Sprintf("%.1f M/s", x), Number: x, Unit: "million events/s"}
}

// measure returns a physical quantity with its unit.
func measure(x float64, decimals int, unit string) figure.Value {
	return figure.Value{Text: strings.Join([]string{strconv.FormatFloat(x, 'f', decimals, 64), unit}, " "), Number: x, Unit: unit}
}
