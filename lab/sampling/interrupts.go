//go:build linux && amd64

package sampling

// This file measures what one interrupt of the sampler takes from a program: all of it, as the
// program sees it, and the part of our program in the kernel, as the kernel measures it.

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/tracer"
)

// A Taken is what a setting takes from the program gaps, which computes and reads the clock. A
// number of each round.
type Taken struct {
	Name   string
	way    *way          // nil is no sampler
	every  time.Duration // mean time between two interrupts
	Part   []float64     // of the program's time on its processor: time in gaps, in percent
	Gap    []float64     // median of the gaps, in ns
	Kernel []float64     // time of our program in the kernel for an interrupt of this program, in ns
	Hz     []float64     // interrupts of this program per second of its time on its processor
}

// preempted is the length of a gap from which on it is the turn of another program, and not of
// an interrupt.
const preempted = 100 * time.Microsecond

// longRuns are the lengths of runs of which the cost is measured at each interrupt: the slope is
// what an instruction takes.
var longRuns = []int{4, 8, 16, 32, 64}

func takens(tick time.Duration) (all []*Taken) {
	add := func(name string, q tracer.SampleRequest) {
		w, every := values(q), q.Interval
		if w.ticks() {
			every = tick
		}
		all = append(all, &Taken{Name: name, way: &w, every: every})
	}
	all = append(all, &Taken{Name: noSampler})
	const rate = time.Second / 997
	add(countUser, tracer.SampleRequest{Interval: rate, CountOnly: true})
	add(valuesUser, tracer.SampleRequest{Interval: rate, Length: 4, Skip: tracer.DefaultSkip})
	add(sparse, tracer.SampleRequest{Interval: time.Second / 252, Length: 64, Skip: tracer.DefaultSkip})
	add(ticksUser, tracer.SampleRequest{With: "ticks", Length: 16, Skip: tracer.DefaultSkip})
	add(countPaper, tracer.SampleRequest{Interval: Interval, CountOnly: true})
	add(valuesPaper, tracer.SampleRequest{Interval: Interval, Length: 4, Every: 2})
	for _, length := range longRuns {
		add(fmt.Sprintf("length-%d", length), tracer.SampleRequest{Interval: Interval, Length: length})
	}
	return all
}

// Names of settings: no sampler; 997 interrupts a second; 252 with as many values as the paper has; the kernel's ticks;
// and the paper's rate.
const (
	noSampler   = "none"
	countUser   = "ours-alone"
	valuesUser  = "ours-values"
	sparse      = "ours-252-Hz"
	ticksUser   = "ours-ticks"
	countPaper  = "alone"
	valuesPaper = "values"
)

// tickInterval returns the time between two of the kernel's ticks.
func tickInterval() (time.Duration, error) {
	var res unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_MONOTONIC_COARSE, &res); err != nil { // the coarse clocks move at ticks
		return 0, fmt.Errorf("the interval of the kernel's ticks: %w", err)
	}
	return time.Duration(res.Nano()), nil
}

// Taken measures all settings in each round. It begins no round after the limit.
func (e *Experiment) Taken(rounds int, limit time.Duration) ([]*Taken, error) {
	on, err := enableTimes()
	if err != nil {
		return nil, err
	}
	defer on.Close()
	exe, err := e.hidden("gaps")
	if err != nil {
		return nil, err
	}
	tick, err := tickInterval()
	if err != nil {
		return nil, err
	}
	all := takens(tick)
	began := time.Now()
	for round := range rounds {
		if round > 0 && time.Since(began) > limit {
			break
		}
		fmt.Fprintf(e.Log, "interrupts: round %d of %d\n", round+1, rounds)
		other, err := elsewhere(false)
		if err != nil {
			return nil, err
		}
		timer, err := elsewhere(true)
		if err != nil {
			return nil, err
		}
		for _, x := range all {
			r, err := sampled(exe, []string{"300ms", "500ms"}, x.way, 0)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", x.Name, err)
			}
			other := other
			if x.way != nil && x.way.ticks() {
				other = timer
			}
			if err := x.add(r, other); err != nil {
				return nil, fmt.Errorf("%s: %w", x.Name, err)
			}
		}
	}
	return all, nil
}

// add adds a round.
func (x *Taken) add(r *run, other float64) error {
	var took, gap time.Duration
	var short []float64
	sum, away := 0.0, 0.0
	for i, line := range strings.Fields(r.stdout) {
		if _, err := fmt.Sscan(line, &gap); err != nil || gap < 0 {
			return fmt.Errorf("line %d of the program gaps is %q: want nanoseconds", i+1, line)
		}
		switch {
		case i == 0:
			took = gap
		case gap < preempted:
			short = append(short, float64(gap))
			sum += float64(gap)
		default:
			away += float64(gap)
		}
	}
	if took == 0 || len(short) == 0 {
		return fmt.Errorf("%d gaps in %v", len(short), took)
	}
	on := float64(took) - away
	x.Part = append(x.Part, 100*sum/on)
	x.Gap = append(x.Gap, quantile(short, .5))
	if x.way == nil {
		return nil
	}
	st := r.stats
	if st.Interrupts == 0 {
		return fmt.Errorf("no interrupt in %v", took)
	}
	x.Kernel = append(x.Kernel, (float64(st.Time)-float64(st.Called-st.Interrupts)*other)/float64(st.Interrupts))
	x.Hz = append(x.Hz, float64(st.Interrupts)/r.cpu.Seconds())
	return nil
}

// Measured reports whether the costs of this process are to be measured with a setting, too.
func (x *Taken) Measured() bool { return x.Name == valuesUser || x.Name == valuesPaper }

// Steady returns the CPU time of this process for each second that it samples the program interp
// with a setting of the list, after the first second, in percent of a processor: without and with a live
// view; and the CPU time in ms to attach and to sample for the first time.
func (e *Experiment) Steady(x *Taken) (own Own, err error) {
	exe, err := e.hidden("interp")
	if err != nil {
		return own, err
	}
	r, err := sampled(exe, []string{"forever"}, x.way, 4*time.Second)
	if err != nil {
		return own, err
	}
	live := *x.way
	live.live = true
	l, err := sampled(exe, []string{"forever"}, &live, 4*time.Second)
	if err != nil {
		return own, err
	}
	return Own{100 * r.steady, 100 * l.steady, float64(r.attach.Microseconds()) / 1000}, nil
}

// Own is the CPU time of the sampling process: in percent of a processor, without and with a live view, and in
// ms at the beginning.
type Own struct{ Steady, Live, Once float64 }

// Outside returns what an interrupt takes outside of our program in the kernel, in ns: its entry and
// exit, and the clock that is set again.
func Outside(all []*Taken) float64 {
	for _, x := range all {
		if x.Name == countPaper {
			return median(x.Gap) - median(x.Kernel)
		}
	}
	panic("takens has this setting")
}

func median(xs []float64) float64 { return quantile(xs, .5) }
