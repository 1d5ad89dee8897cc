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
	add("997 Hz, -threads", tracer.SampleRequest{Interval: rate, Length: 4, Skip: tracer.DefaultSkip, Threads: true})
	add(sparse, tracer.SampleRequest{Interval: time.Second / 252, Length: 64, Skip: tracer.DefaultSkip})
	add(ticksUser, tracer.SampleRequest{With: "ticks", Length: 16, Skip: tracer.DefaultSkip})
	add(countPaper, tracer.SampleRequest{Interval: Interval, CountOnly: true})
	add(valuesPaper, tracer.SampleRequest{Interval: Interval, Length: 4, Every: 2})
	for _, length := range longRuns {
		add(fmt.Sprintf("paper's rate, length %d, every interrupt", length), tracer.SampleRequest{Interval: Interval, Length: length})
	}
	return all
}

// Names of settings that the text compares.
const (
	noSampler   = "no sampler"
	countUser   = "997 Hz, interrupts alone"
	valuesUser  = "997 Hz, peptrace values"
	sparse      = "252 Hz, length 64: as many values as in the paper"
	ticksUser   = "the kernel's ticks, length 16: peptrace values -with ticks"
	countPaper  = "paper's rate, interrupts alone"
	valuesPaper = "paper's rate, length 4, every 2nd"
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

// TakenTable returns what an interrupt takes, and whether that is as little as it should be. Own has
// what Steady returned of settings.
func TakenTable(all []*Taken, own map[string]Own) string {
	var b strings.Builder
	b.WriteString("| setting | interrupts a second | gap, ns (quartiles) | of it in our program | gaps, of the program's time | the same less those without a sampler | our process |\n|---|--:|--:|--:|--:|--:|--:|\n")
	by := map[string]*Taken{}
	plain := all[0]
	for _, x := range all {
		by[x.Name] = x
		if x.way == nil {
			fmt.Fprintf(&b, "| %s | - | %s | - | %.2f%% | - | - |\n", x.Name, spread(x.Gap), median(x.Part))
			continue
		}
		process := "-"
		if o, ok := own[x.Name]; ok {
			process = fmt.Sprintf("%.0f ms, then %.2f%%; with -live %.2f%%", o.Once, o.Steady, o.Live)
		}
		fmt.Fprintf(&b, "| %s | %.0f | %s | %.0f | %.2f%% | %+.2f%% | %s |\n", x.Name, median(x.Hz), spread(x.Gap), median(x.Kernel), median(x.Part), median(x.Part)-median(plain.Part), process)
	}
	part := func(x *Taken) float64 { return median(x.Hz) * median(x.Gap) / 1e7 }
	mine := func(x, alone *Taken) float64 { return median(x.Hz) * (median(x.Gap) - median(alone.Gap)) / 1e7 }
	user, alone := by[valuesUser], by[countUser]
	fmt.Fprintf(&b, "\n%d rounds. \"Interrupts alone\" counts them and does nothing else, so it is what any sampler with a clock takes on this machine.\n\n", len(plain.Gap))
	fmt.Fprintf(&b, "* At 997 Hz, rate times gap is %.2f%% of the program's time; interrupts alone are %.2f%% of it, and what values add is %.2f%%. At most 1%%: what values add %s, all of it %s.\n",
		part(user), part(alone), mine(user, alone), yes(mine(user, alone) <= 1), yes(part(user) <= 1))
	paper, alone := by[valuesPaper], by[countPaper]
	fmt.Fprintf(&b, "* At the paper's rate it is %.2f%% beside 10.7%% in the paper: %.2f%% for the interrupts alone, beside 3.9%%, and %.2f%% for the values, beside 6.8%%. Below half of the paper's: values %s, all of it %s.\n",
		part(paper), part(alone), mine(paper, alone), yes(mine(paper, alone) < 6.8/2), yes(part(paper) < 10.7/2))
	if ticks := by[ticksUser]; ticks != nil {
		inside := median(ticks.Hz) * median(ticks.Kernel) / 1e7
		added := median(ticks.Part) - median(plain.Part)
		fmt.Fprintf(&b, "* At the kernel's ticks, %.0f a second with 16 values each, our programs in the kernel take %.2f%% of the program's time, by the kernel's clock; gaps are %+.2f%% of it longer. At most 1%%: %s.\n",
			median(ticks.Hz), inside, added, yes(max(inside, added) <= 1))
	}
	few := by[sparse]
	fmt.Fprintf(&b, "* The same number of values a second as in the paper, %.0f, takes %.2f%% when an interrupt has 64 of them. Below 1%%: %s.\n", median(few.Hz)*64, part(few), yes(part(few) <= 1))
	var xs, gaps, kernel []float64
	for _, x := range all {
		if x.way != nil && x.every == Interval && !x.way.CountOnly && x.way.Every == 0 {
			xs = append(xs, float64(x.way.Length))
			gaps, kernel = append(gaps, median(x.Gap)), append(kernel, median(x.Kernel))
		}
	}
	slope, r2 := fit(xs, gaps)
	inner, innerR2 := fit(xs, kernel)
	fmt.Fprintf(&b, "* An interpreted instruction makes the gap %.1f ns longer, R² = %.3f over lengths from %.0f to %.0f (by the kernel's clock %.1f ns, R² = %.3f): linear, R² above 0.95: %s. "+
		"At every 2nd interrupt of the paper's rate an instruction is %.4f%% of the program's time; in the paper it is 1.06%%.\n", slope, r2, xs[0], xs[len(xs)-1], inner, innerR2, yes(r2 > 0.95), slope/2/float64(Interval)*100)
	return b.String()
}

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

// spread is the median with the quartiles of the rounds.
func spread(xs []float64) string {
	return fmt.Sprintf("%.0f (%.0f–%.0f)", median(xs), quantile(xs, .25), quantile(xs, .75))
}
