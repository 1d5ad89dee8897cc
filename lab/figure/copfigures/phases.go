package copfigures

// This file lets a phase detector decide when masks are cleared. The paper clears them
// periodically, and says that an explicit phase detector would do better (section 5.1).

import (
	"fmt"
	"math"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/values"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/phase"
	"github.com/pepgo/pep/lab/plot"
)

const phaseInterval = 100_000 // loads

// Cycles of the detector's software, by the model of the other handlers: an interrupt at the
// end of each interval, an access for each of the 16 words of the signature, and for each
// signature that is compared with it 4 cycles a word. At a change of phase software also
// reads the slots, and takes over a record for each load that has new samples.
const (
	detectInterrupt = 200 + 16*2
	detectCompare   = 16 * 4
	readSlots       = 256 * 2
	takeRecord      = 2 + 20
)

// A phasedProfile has the samples of each phase.
type phasedProfile struct {
	phases []map[uint64]*phasedLoad // by phase and load
	before map[uint64]*phasedLoad   // sums of all phases until now
}

type phasedLoad struct {
	samples float64
	values  map[uint64]float64 // samples, as estimated
}

// add gives the samples since the last call to a phase. It returns how many loads have such
// samples.
func (p *phasedProfile) add(number int, loads []values.Load) (changed uint64) {
	for len(p.phases) <= number {
		p.phases = append(p.phases, map[uint64]*phasedLoad{})
	}
	now := map[uint64]*phasedLoad{}
	for i := range loads {
		l := &loads[i]
		sum := &phasedLoad{float64(l.Samples), map[uint64]float64{}}
		now[l.PC] = sum
		old := p.before[l.PC]
		if old == nil {
			old = &phasedLoad{}
		}
		if sum.samples <= old.samples {
			now[l.PC] = old
			continue
		}
		changed++
		part := p.phases[number][l.PC]
		if part == nil {
			part = &phasedLoad{values: map[uint64]float64{}}
			p.phases[number][l.PC] = part
		}
		part.samples += sum.samples - old.samples
		for _, v := range l.Values {
			w := uint64(uint32(v.Value))
			sum.values[w] = float64(v.Count) / (1 << values.CountBits)
			part.values[w] += max(0, sum.values[w]-old.values[w])
		}
	}
	p.before = now
	return changed
}

// shares weighs the shares of each phase with its length. A phase counts for the loads that
// were sampled in it.
func (p *phasedProfile) shares(lengths []uint64) shares {
	sum, weight := shares{}, map[uint64]float64{}
	for number, loads := range p.phases {
		length := 1.0
		if number < len(lengths) {
			length = float64(lengths[number])
		}
		for pc, l := range loads {
			// Later samples also change what the profiler estimates of earlier ones. So
			// a phase can have gained more samples of values than samples.
			all := 0.0
			for _, n := range l.values {
				all += n
			}
			weight[pc] += length
			for w, n := range l.values {
				sum[tuple.Tuple{PC: pc, W: w}] += length * n / max(all, l.samples)
			}
		}
	}
	for t := range sum {
		sum[t] /= weight[t.PC]
	}
	return sum
}

// A detectedRun is one whose masks a phase detector clears.
type detectedRun struct {
	*run
	phases, changes int
	cleared         int
	unweighted      float64 // error of the estimates without phases
}

// detected clears the masks when a new phase begins. When a phase comes back whose loads are
// known, there is nothing to do.
func (x *stream) detected() (*detectedRun, error) {
	// The detector weighs phases, so visits need no weights. A load is profiled twice in a phase: the next
	// phase begins an interval before the detector sees it.
	machine, err := newRun(valueEngine("clear=0", "weigh=0", "times=2"), 0)
	if err != nil {
		return nil, err
	}
	r := &detectedRun{run: machine}
	d := phase.New(phase.Config{Interval: phaseInterval})
	profile := &phasedProfile{before: map[uint64]*phasedLoad{}}
	current, spent := 0, uint64(0)
	err = x.each(func(in []tuple.Tuple) {
		from := 0
		for i, t := range in {
			intervals, known := d.Intervals(), len(d.Lengths())
			change := d.Event(t.PC)
			if d.Intervals() != intervals {
				spent += detectInterrupt + detectCompare*2
			}
			if !change {
				continue
			}
			spent += detectCompare * uint64(known)
			r.engine.Push(in[from:i+1], r.out)
			from = i + 1
			r.changes++
			if d.Phase() == current && known > 0 {
				continue
			}
			changed := profile.add(current, r.engine.(cop.Profiler).Loads())
			spent += readSlots + changed*(takeRecord+pairCycles)
			current = d.Phase()
			if len(d.Lengths()) > known && known > 0 {
				r.engine.(hwsim.Controlled).Store(host.FirstRegister+values.ClearMasks, 0)
				r.cleared++
			}
		}
		r.engine.Push(in[from:], r.out)
	})
	if err != nil {
		return nil, err
	}
	r.addPoint(x, x.events)
	profile.add(current, r.profiled)
	p := &r.points[0]
	r.unweighted = p.rms
	r.estimate = profile.shares(d.Lengths())
	p.cycles, p.overhead, p.rms = p.cycles+spent, p.overhead+spent, x.rms(r.estimate)
	r.phases = len(d.Lengths())
	return r, nil
}

// periodic returns the run that clears masks periodically and costs about the given overhead
// in percent, and its period.
func (x *stream) periodic(want float64) (*run, uint64, error) {
	least := math.Inf(1)
	var best *run
	var at uint64
	for n := range 7 { // periods from a half to a 128th of a run with 5.7 cycles a load, which is typecheck's
		period := uint64(float64(x.events) * 5.7 / math.Pow(2, float64(n)+1))
		runs, err := x.run(valueEngine(fmt.Sprintf("clear=%d", period),
			fmt.Sprintf("timer=%d", max(1000, min(1_000_000, period/4)))))
		if err != nil {
			return nil, 0, err
		}
		if d := math.Abs(math.Log(runs[0].end().percent() / want)); d < least {
			least, best, at = d, runs[0], period
		}
	}
	return best, at, nil
}

// masksByPhase compares masks that a phase detector clears with others.
func masksByPhase(env *figure.Env, res *figure.Result) error {
	describe(res, nil)
	res.Describe("detector: signatures of the loads in intervals of %d (package phase); its interrupts, accesses and comparisons count as overhead", phaseInterval)
	res.Describe("it clears masks when a new phase begins, and weighs the shares of each phase with the length of the phase")
	res.Describe("periodic: of seven periods, the one whose overhead is nearest to the detector's")
	t := figure.Table{Title: "when masks are cleared", Columns: []string{
		"program", "phases", "changes", "cleared", "never", "overhead", "periodically", "overhead", "cycles", "by phases",
		"overhead", "by phases, not weighed",
	}}
	bars := plot.Bars{Title: "Error by the way in which masks are cleared", Y: "error %",
		Series: []plot.Series{{Name: "never"}, {Name: "periodically, equal overhead"}, {Name: "by phases"}}}
	better := 0
	err := eachProgram(env, res, func(x *stream) error {
		never, err := x.run(valueEngine("clear=0"))
		if err != nil {
			return err
		}
		by, err := x.detected()
		if err != nil {
			return err
		}
		periodic, period, err := x.periodic(by.end().percent())
		if err != nil {
			return err
		}
		a, b, c := never[0].end(), periodic.end(), by.end()
		t.Rows = append(t.Rows, []figure.Value{
			figure.Text(nameOf(x.Program)), figure.Count(by.phases, "phases"), figure.Count(by.changes, "changes"),
			figure.Count(by.cleared, "times"), figure.Percent(a.rms), figure.Percent(a.percent()),
			figure.Percent(b.rms), figure.Percent(b.percent()), mega(float64(period)), figure.Percent(c.rms),
			figure.Percent(c.percent()), figure.Percent(by.unweighted),
		})
		bars.Groups = append(bars.Groups, x.Name)
		for i, p := range []point{a, b, c} {
			bars.Series[i].Values = append(bars.Series[i].Values, p.rms)
		}
		better += oneIf(c.rms < b.rms)
		return nil
	})
	if err != nil {
		return err
	}
	res.Tables = append(res.Tables, t)
	res.AddBars("cop-phases", bars)
	state(res, "better", "programs with a smaller error by phases than periodically",
		part(better, len(bars.Groups), "programs"), "a phase detector improves it", 2*better > len(bars.Groups))
	because(res, "the table has the errors of each program")
	return nil
}
