package copfigures

// This file has a second pass over loads that look invariant (COP-34). The value profiler
// keeps the lower 32 bits of values. So it takes a load of flags for invariant if only the
// upper 32 bits differ: in the paper, the loads of crafty. The authors were working on a
// second pass that captures the upper bits of such loads (section 5.2).

import (
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/hwsim/cop/values"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

const (
	looksInvariant = 0.98 // share of a load's most frequent value, from which on the second pass profiles the load
	isInvariant    = 0.90 // share of the most frequent value of 64 bits of a load that is called invariant rightly
)

// upperTurn is how many loads the machine profiles lower halves, and then upper halves.
const upperTurn = 500_000

// swapCycles is what it takes to save the state of one pass through the window and to restore
// that of the other: slots with their keys, the filter, and registers, an access of 2 cycles
// each.
const swapCycles = 2 * 2 * (256 + 256 + 8192/64 + 16)

// twoPasses profiles lower and upper halves of values in turns: the upper halves of those loads
// that look invariant by their lower halves. The two passes have a machine each in the model,
// which stands for one machine that software gives the state of the pass.
func (x *stream) twoPasses() (*run, error) {
	lower, err := newRun(valueEngine(), 0)
	if err != nil {
		return nil, err
	}
	upper, err := newRun(valueEngine("clear=0"), 1)
	if err != nil {
		return nil, err
	}
	events, next, spent := uint64(0), uint64(upperTurn), uint64(0)
	turns := [2]*run{lower, upper}
	now := 0
	err = x.each(func(t []tuple.Tuple) {
		for len(t) > 0 {
			n := min(uint64(len(t)), next-events)
			turns[now].engine.Push(t[:n], turns[now].out)
			t, events = t[n:], events+n
			if events == next {
				next += upperTurn
				now = 1 - now
				spent += swapCycles
				if now == 1 {
					selectUpper(upper.engine, lower.engine.(cop.Profiler).Loads())
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	lower.addPoint(x, events)
	upper.addPoint(x, events)
	a, b := lower.end(), upper.end()
	r := &run{spec: "two passes", estimate: bothHalves{lower.estimate.(shares), upperShares(upper.profiled)}}
	r.points = []point{{events: events, cycles: a.cycles + b.cycles + spent, overhead: a.overhead + b.overhead + spent,
		rms: x.rms(r.estimate)}}
	return r, nil
}

// selectUpper makes a machine profile the upper halves of the loads that look invariant, except
// those that it has masked already, and no other load. Aliases in the filter of PCs pass, too.
func selectUpper(e hwsim.Engine, loads []values.Load) {
	m := e.(hwsim.Controlled)
	routine, _ := m.Load(machine.TargetWindow + 2) // the program has the routine for upper halves there
	m.Store(machine.EntryWindow+int(tuple.Load), routine)
	hash, _ := m.Load(machine.SampleWindow + machine.FilterHash)
	masked := map[uint64]bool{}
	for _, l := range e.(cop.Profiler).Loads() {
		masked[l.PC] = l.Masked
	}
	var words [1 << 13 / 64]uint64 // the size of the filter in machine.Config
	for i := range words {
		words[i] = ^uint64(0)
	}
	for i := range loads {
		if _, share := top(&loads[i]); share >= looksInvariant && !masked[loads[i].PC] {
			n := machine.DefaultHashes[hash](loads[i].PC)
			words[n>>6&uint32(len(words)-1)] &^= 1 << (n & 63)
		}
	}
	for i, w := range words {
		m.Store(machine.FilterWindow+i, w)
	}
}

// top returns the most frequent value of a load, and its share.
func top(l *values.Load) (value uint64, share float64) {
	for i := range l.Values {
		if s := l.Invariance(i); s > share {
			value, share = l.Values[i].Value, s
		}
	}
	return value, share
}

// upperShares returns the shares of the upper halves of values, with the halves in the lower
// bits.
func upperShares(loads []values.Load) map[uint64]shares {
	m := map[uint64]shares{}
	for i := range loads {
		m[loads[i].PC] = sharesOf(loads[i : i+1])
	}
	return m
}

// bothHalves are the shares of values of 64 bits: the share of the lower half, and for loads of
// the second pass the share of the upper half of it. One lower half is nearly all that such
// a load has, so nothing else has to be known of the upper half than how frequent it is.
type bothHalves struct {
	low   shares
	upper map[uint64]shares // by load
}

// Invariance implements metric.Estimate.
func (b bothHalves) Invariance(t tuple.Tuple) float64 {
	share := b.low.Invariance(t)
	if s, ok := b.upper[t.PC]; ok && share >= looksInvariant {
		return share * s.Invariance(tuple.Tuple{PC: t.PC, W: t.W >> 32})
	}
	return share
}

// misjudged returns how many loads an estimate calls invariant, and how many of these are not.
func (x *stream) misjudged(e metric.Estimate) (called, wrong int) {
	truth, estimated := map[uint64]float64{}, map[uint64]float64{}
	for _, t := range x.selected {
		truth[t.PC] = max(truth[t.PC], x.complete.Invariance(t))
		estimated[t.PC] = max(estimated[t.PC], e.Invariance(t))
	}
	for pc, share := range estimated {
		if share >= looksInvariant {
			called++
			if truth[pc] < isInvariant {
				wrong++
			}
		}
	}
	return called, wrong
}

// upperHalves compares one pass with two passes (COP-34).
func upperHalves(env *figure.Env, res *figure.Result) error {
	describe(res, nil)
	res.Describe("second pass: in turns of %s loads with the first; it profiles the upper halves of loads of which one lower half has at least %.0f %%", figure.Abbreviate(upperTurn), 100*looksInvariant)
	res.Describe("called invariant: loads with an estimated share of at least %.0f %%; wrongly if no value of 64 bits has %.0f %%", 100*looksInvariant, 100*isInvariant)
	t := figure.Table{Title: "one pass and two",
		Columns: []string{"program", "error, one pass", "two", "overhead, one pass", "two", "called invariant, one pass",
			"wrongly", "two", "wrongly"}}
	bars := plot.Bars{Title: "Error without and with a second pass for upper halves", Y: "error %",
		Series: []plot.Series{{Name: "one pass"}, {Name: "two passes"}}}
	err := eachProgram(env, res, func(x *stream) error {
		runs, err := x.run(valueEngine())
		if err != nil {
			return err
		}
		both, err := x.twoPasses()
		if err != nil {
			return err
		}
		before, after := runs[0].end(), both.end()
		called1, wrong1 := x.misjudged(runs[0].estimate)
		called2, wrong2 := x.misjudged(both.estimate)
		t.Rows = append(t.Rows, []figure.Value{
			figure.Text(nameOf(x.Program)), figure.Percent(before.rms), figure.Percent(after.rms),
			figure.Percent(before.percent()), figure.Percent(after.percent()),
			figure.Count(called1, "loads"), figure.Count(wrong1, "loads"), figure.Count(called2, "loads"),
			figure.Count(wrong2, "loads"),
		})
		bars.Groups = append(bars.Groups, x.Name)
		bars.Series[0].Values = append(bars.Series[0].Values, before.rms)
		bars.Series[1].Values = append(bars.Series[1].Values, after.rms)
		if x.Name == bitboard.Name {
			name := nameOf(x.Program)
			state(res, "error", name+": error with one pass and with two",
				two(figure.Percent(before.rms), figure.Percent(after.rms), ""), "being worked on", after.rms < before.rms)
			state(res, "wrong", name+": loads wrongly called invariant, one pass and two",
				two(figure.Count(wrong1, "loads"), figure.Count(wrong2, "loads"), ""), "being worked on", wrong2 < wrong1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, t)
	res.AddBars("cop-upper", bars)
	better := 0
	for i := range bars.Groups {
		better += oneIf(bars.Series[1].Values[i] <= bars.Series[0].Values[i]+0.5)
	}
	state(res, "not-worse", "programs whose error does not grow by more than 0.5 points",
		part(better, len(bars.Groups), "programs"), "-", true)
	return nil
}
