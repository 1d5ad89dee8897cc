package speed

// This file measures the speed of the co-processor.

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/lab/stats"
)

// A CopSpeed is how fast a co-processor is simulated.
type CopSpeed struct {
	Engine string
	Rounds []copRound
	Replay time.Duration // wall-clock time of a replay of Tuples tuples, with the exact profile beside it
	Tuples uint64
}

// A copRound is what the simulation does in a second of CPU time.
type copRound struct {
	instructions, samples, tuples float64
	filtered, dropped             float64 // tuples that filters have rejected, and that found the sample buffer full
}

// Cop measures engines on tuples of a trace: first the engine alone, several rounds, then a
// replay of many tuples, for which the trace is read again and again.
func Cop(name string, specs []string, rounds int, replayed uint64) ([]CopSpeed, error) {
	in, err := recorded(name)
	if err != nil {
		return nil, err
	}
	var all []CopSpeed
	for _, spec := range specs {
		s := CopSpeed{Engine: spec}
		for range rounds {
			r, err := copRate(spec, in)
			if err != nil {
				return nil, err
			}
			s.Rounds = append(s.Rounds, r)
		}
		if s.Replay, s.Tuples, err = replayTime(name, spec, replayed); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// copRate pushes tuples to a new engine.
func copRate(text string, in []tuple.Tuple) (r copRound, err error) {
	spec, err := engines.Parse(text, nil)
	if err != nil {
		return r, err
	}
	e := spec.New(0)
	metered, ok := e.(hwsim.Metered)
	if !ok {
		return r, fmt.Errorf("%s counts nothing: want the engine cop", text)
	}
	out := hwsim.NewOut(engineOut, func([]hwsim.Message) {})
	before, err := driver.CPUTime()
	if err != nil {
		return r, err
	}
	for batch := range slices.Chunk(in, engineBatch) {
		e.Push(batch, out)
		out.Drain()
	}
	after, err := driver.CPUTime()
	seconds := (after - before).Seconds()
	r.tuples = float64(len(in)) / seconds
	for _, m := range metered.Meters() {
		switch n := float64(m.Count) / seconds; m.Name {
		case "instructions to a sample":
			r.instructions, r.samples = n, float64(m.Of)/seconds
		case "lost: filtered":
			r.filtered = n
		case "lost: buffer full":
			r.dropped = n
		}
	}
	return r, err
}

// replayTime returns how long a replay takes, and of how many tuples it was.
func replayTime(name, spec string, tuples uint64) (time.Duration, uint64, error) {
	source := func(do func(trace.Block) error) error {
		for {
			r, err := trace.Open(name, nil)
			if err != nil {
				return err
			}
			err = replay.Of(r)(do)
			r.Close()
			if err != nil {
				return err // the replay has enough
			}
		}
	}
	start := time.Now()
	results, err := replay.Run(source, replay.Config{Engines: []string{spec}, Limit: tuples})
	if err != nil {
		return 0, 0, err
	}
	return time.Since(start), results[0].Events, nil
}

// A MachineSpeed is a line of the benchmark of the machine alone, without a processor and a
// host beside it.
type MachineSpeed struct{ Program, Instructions, Samples string }

var machineLine = regexp.MustCompile(`(?m)^BenchmarkInstructions/(\S+?)-?\d*\s.*?([0-9.]+) Minstr/s\s+([0-9.]+) Msamples/s`)

// CopMachine runs the benchmark of the machine in the source tree root.
func CopMachine(root string) (all []MachineSpeed, err error) {
	c := exec.Command("go", "test", "./hwsim/cop/machine", "-run", "^$", "-bench", "Instructions")
	c.Dir = root
	text, err := c.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", c, err, text)
	}
	for _, m := range machineLine.FindAllStringSubmatch(string(text), -1) {
		all = append(all, MachineSpeed{m[1], m[2], m[3]})
	}
	if all == nil {
		return nil, fmt.Errorf("%s has printed no rates:\n%s", c, text)
	}
	return all, nil
}

// The rates that the simulation is meant to reach on one processor.
const (
	wantInstructions = 50e6
	wantSamples      = 3e6
)

// CopTables returns the results as Markdown tables. Rates are those of the median round.
func CopTables(all []CopSpeed, machines []MachineSpeed) string {
	alone := markdown.NewTable("program", "million microinstructions/s", "million samples/s", "goal")
	for _, m := range machines {
		n, err := strconv.ParseFloat(m.Instructions, 64)
		alone.Row(m.Program, m.Instructions, m.Samples, met(err == nil && n*1e6 >= wantInstructions))
	}
	t := markdown.NewTable("engine", "microinstructions/s", "samples/s", "tuples/s", "rejected by filters", "buffer full", "replay",
		"goal")
	for _, s := range all {
		of := func(number func(copRound) float64) stats.Summary {
			var list []float64
			for _, r := range s.Rounds {
				list = append(list, number(r))
			}
			return stats.Summarize(list)
		}
		rate := func(x stats.Summary) string {
			return fmt.Sprintf("%.1f M (%.1f–%.1f)", x.Median/1e6, x.P25/1e6, x.P75/1e6)
		}
		share := func(number func(copRound) float64) string {
			return fmt.Sprintf("%.1f %%", 100*of(func(r copRound) float64 { return number(r) / r.tuples }).Median)
		}
		samples, goal := of(func(r copRound) float64 { return r.samples }), "none"
		if strings.Contains(s.Engine, "program=values") {
			goal = met(samples.Median >= wantSamples)
		}
		t.Row("`"+s.Engine+"`", rate(of(func(r copRound) float64 { return r.instructions })), rate(samples),
			rate(of(func(r copRound) float64 { return r.tuples })),
			share(func(r copRound) float64 { return r.filtered }), share(func(r copRound) float64 { return r.dropped }),
			fmt.Sprintf("%.0f M in %.0f s", float64(s.Tuples)/1e6, s.Replay.Seconds()), goal)
	}
	return markdown.Section("The machine", fmt.Sprintf(
		"In a second of CPU time, by `go test ./hwsim/cop/machine -run '^$' -bench Instructions`. We want at least %.0f million microinstructions.",
		wantInstructions/1e6), alone) +
		markdown.Section("Engines", fmt.Sprintf("The machine with its processor and its host, in a second of CPU time: median and quartiles of the rounds. We want at least %.0f M "+
			"samples for value profiling. A sample is a tuple whose routine of microcode has run to its end. The other tuples take time, too, but are no samples: filters reject the loads of other partitions and "+
			"masked loads, which are known well enough, and the rest finds the sample buffer full. Replays are in wall-clock time, as `pepsim run` does them: they "+
			"read the trace, and count the exact profile and errors, too.", wantSamples/1e6), t)
}

// met says whether a goal is met.
func met(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}
