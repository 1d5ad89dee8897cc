//go:build linux && amd64

package sampling

// This file runs all experiments.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/figure"
)

// Measure runs all experiments with some programs, and adds what they have measured. Each bias is measured for some CPU
// time. The experiment with programs, which is the last, begins with none after the limit, but in its first round.
func (e *Experiment) Measure(m *figure.Measured, programs []string, bias, limit time.Duration) error {
	began := time.Now()
	found, err := e.Hidden()
	if err != nil {
		return err
	}
	for _, f := range found {
		name := "hidden/" + f.Program
		m.Add(name+"/rank", float64(f.Rank))
		m.Add(name+"/share", 100*f.Row.Invariance)
		m.Add(name+"/samples", float64(f.Row.Samples))
		m.Add(name+"/gain", slices.Min(f.Times[0])/slices.Min(f.Times[1]))
	}
	biases, err := e.Bias(bias)
	if err != nil {
		return err
	}
	for _, b := range biases {
		m.Add(fmt.Sprintf("bias/%d", b.Skip), b.Ratio())
	}
	rounds, err := e.Latencies(e.Rounds, latencySeconds)
	if err != nil {
		return err
	}
	for _, loads := range rounds {
		addLatencies(m, loads)
	}
	taken, err := e.Taken(e.Rounds, limit-time.Since(began))
	if err != nil {
		return err
	}
	for _, x := range taken {
		name := "taken/" + x.Name
		m.Add(name+"/part", x.Part...)
		m.Add(name+"/gap", x.Gap...)
		if x.way == nil {
			continue
		}
		m.Add(name+"/hz", x.Hz...)
		m.Add(name+"/kernel", x.Kernel...)
		if x.Measured() {
			fmt.Fprintf(e.Log, "our process: %s\n", x.Name)
			own, err := e.Steady(x)
			if err != nil {
				return err
			}
			m.Add(name+"/own", own.Steady)
			m.Add(name+"/own-live", own.Live)
			m.Add(name+"/own-once", own.Once)
		}
	}
	evicted, err := e.Evicted(e.Rounds, limit-time.Since(began))
	if err != nil {
		return err
	}
	for _, v := range evicted {
		m.Add("evicted/"+v.Name, v.Percent...)
	}
	costs, err := e.Cost(programs, maxRounds, limit-time.Since(began))
	if err != nil {
		return err
	}
	for _, c := range costs {
		name := "cost/" + c.Key
		m.Add(name+"/interrupts", c.least(c.inInterruptsOf(Outside(taken)))...)
		m.Add(name+"/kernel", c.least(inKernel)...)
		m.Add(name+"/cpu", c.slowdowns()...)
		m.Add(name+"/steps", c.least(steps)...)
		m.Add(name+"/missed", c.least(missed)...)
	}
	return nil
}

// addLatencies adds the loads of a round.
func addLatencies(m *figure.Measured, loads []*Latency) {
	for _, l := range loads {
		name := "latency/" + l.Load
		for _, bin := range schema.Latencies {
			m.Add(name+"/"+strings.ReplaceAll(bin, " ", "-"), l.Bins[bin])
		}
		m.Add(name+"/timed", float64(l.Timed))
		m.Add(name+"/wait", l.Wait)
	}
}

// latencySeconds is for how much CPU time each loop runs whose loads are timed, in each round.
const latencySeconds = 2

// maxRounds is how many rounds programs are run at most; there are as many as the limit of time leaves.
const maxRounds = 100
