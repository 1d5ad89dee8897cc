package rapfigures

// This file has the experiments with the hardware (sections 3.3 and 3.4): how much
// its event buffer combines, how many cycles it needs, and its cost.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/hardware"
	"github.com/pepgo/pep/lab/plot"
)

// bufferSizes are the numbers of entries of the event buffers that are compared.
var bufferSizes = []int{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}

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
	lines := plot.Lines{Title: "Events that the buffer combines to a count, code, median of recordings",
		X: "entries of the buffer", Y: "events to a count", LogX: true}
	for p, own := range figure.ByProgram(list) {
		curve := plot.Curve{Name: p.Name}
		for _, n := range bufferSizes {
			curve.Points = append(curve.Points, metric.Point{Events: uint64(n),
				Error: figure.TallyAll(own, figure.OfEngine(bufferOf(n), toACount)).Median()})
		}
		lines.Curves = append(lines.Curves, curve)
	}
	res.AddLines("rap-buffer", lines)
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

// costSizes are the entries of the engines whose cost is computed: the paper's two, and powers of two.
var costSizes = []int{400, 512, 1024, 2048, 4096, 8192}

// hardwareCost computes area, delay and energy of the hardware (RAP-20).
func hardwareCost(_ *figure.Env, res *figure.Result) error {
	res.Describe("model: area and energy in proportion to the bits of the cells, delays to the logarithm of the entries; 0.18 µm, all signals switching")
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
			figure.Count(entries, "entries"), figure.Count(key, "bits"), figure.Count(32, "bits"), measure(h.Area, 2, "mm²"),
			measure(h.Match, 2, "ns"), measure(h.Count, 2, "ns"),
			measure(h.Energy, 3, "nJ"), rate(h.Rate(hardware.CyclesPerEvent, false)),
			rate(h.Rate(hardware.CyclesPerEvent, true)), figure.Text(kind),
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
	return figure.Value{Text: strings.Join([]string{strconv.FormatFloat(x, 'f', decimals, 64), unit}, " "), Number: x,
		Unit: unit}
}
