package figure

// This file compares the value profiler with simple samplers at equal overhead over windows of long
// recordings. One window says little: factors of neighbouring ones differ by two and more.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/plot"
)

// The taps in the names of long recordings of loads. Those of ofLong2 are the loads that follow those
// of ofLong, from another run of the program.
const (
	ofLong  = "long"
	ofLong2 = "long-2"
)

// A longRecording is a recording of many loads of a program.
type longRecording struct {
	program Program
	taps    string
	choice  string // what the choice of the estimator and the defaults (decision 19) knew of it
}

// What the choice of the default knew of a recording.
const (
	chosenOn = "the defaults were chosen on it"
	known    = "the defaults were not chosen on it, but results of it were known"
	unseen   = "not known when the defaults were chosen"
)

var longRecordings = []longRecording{
	{named("typecheck"), ofLong, chosenOn}, {named("printer"), ofLong, chosenOn},
	{named("typecheck"), ofLong2, unseen}, {named("printer"), ofLong2, unseen},
	{Program{Name: "javascript"}, ofLong, unseen}, {Program{Name: "templates"}, ofLong, unseen},
	{named("httpecho"), ofLong, known}, {named("markdown"), ofLong, known}, {named("flate"), ofLong, known},
}

func (r longRecording) String() string {
	if r.taps == ofLong2 {
		return copName(r.program) + ", later loads"
	}
	return copName(r.program)
}

// longTimes is how many times as many loads of a long recording are run as of the others.
const longTimes = 16

// longSpans divide a recording of at most so many loads: the shortest lengths are the first parts of
// windows of 8M, 16M is the first half of a window of 32M, and the last length is the whole recording.
func longSpans(most uint64) (list []longSpan) {
	for _, lengths := range [][]uint64{{500_000, 2_000_000, 4_000_000, 8_000_000}, {16_000_000, 32_000_000}} {
		lengths = slices.DeleteFunc(lengths, func(n uint64) bool { return n >= most })
		if n := len(lengths); n > 0 {
			list = append(list, longSpan{lengths: lengths, windows: int(most / lengths[n-1])})
		}
	}
	lengths := []uint64{most}
	if most > 64_000_000 {
		lengths = []uint64{64_000_000, most}
	}
	return append(list, longSpan{lengths: lengths, windows: 1, whole: true})
}

// A longLength has a number of each window of one length: medians of sites, pairs, errors and
// overheads, and factors.
type longLength struct {
	loads                                uint64
	sites, pairs, mine, overhead, simple tally
	gains                                tally // factors
}

// A longSet has the windows of a recording, by length.
type longSet struct {
	longRecording
	lengths []*longLength
	without int   // windows without pairs
	carried Table // of the longest window
}

func (s *longSet) add(p *longPart) error {
	if p.mine == nil {
		s.without++
		return nil
	}
	i := slices.IndexFunc(s.lengths, func(l *longLength) bool { return l.loads == p.loads.events })
	if i < 0 {
		i = len(s.lengths)
		s.lengths = append(s.lengths, &longLength{loads: p.loads.events})
	}
	l, mine := s.lengths[i], p.mine[0]
	l.sites, l.pairs = append(l.sites, float64(p.loads.places)), append(l.pairs, float64(len(p.loads.selected)))
	l.mine, l.overhead, l.simple = append(l.mine, mine.rms), append(l.overhead, mine.percent()), append(l.simple, p.equal(mine.percent()))
	l.gains = append(l.gains, p.gain(0))
	s.carried = p.carried(s.String())
	return nil
}

// gainsIn returns in how many windows the co-processor has a smaller error.
func (l *longLength) gainsIn() (n int) {
	for _, x := range l.gains {
		n += one01(x < 1)
	}
	return n
}

// isGain is the verdict about all windows of a length.
func (l *longLength) isGain() bool { return l.gains.median() < 1 }

func (l *longLength) String() string {
	return fmt.Sprintf("%s %.2f (%.2f to %.2f, %d of %d windows)", short(l.loads), l.gains.median(), l.gains.least(), l.gains.most(), l.gainsIn(), len(l.gains))
}

// windows profiles a recording. Windows of different lengths run at the same time.
func (env *Env) windows(rec longRecording, source replay.Source, most uint64) (*longSet, error) {
	spans := longSpans(most)
	sets, errs := make([]*longSet, len(spans)), make([]error, len(spans))
	var wait sync.WaitGroup
	for i, span := range spans {
		wait.Go(func() {
			sets[i] = &longSet{longRecording: rec}
			errs[i] = env.long(rec.program, source, span, [][]string{nil}, sets[i].add)
		})
	}
	wait.Wait()
	all := &longSet{longRecording: rec}
	for _, s := range sets {
		all.lengths, all.without, all.carried = append(all.lengths, s.lengths...), all.without+s.without, s.carried
	}
	err := errors.Join(errs...)
	if err == nil && len(all.lengths) == 0 {
		err = fmt.Errorf("%s: %w: want more events", rec, errNoPairs)
	}
	return all, err
}

// longTitle is in the titles of the tables of cop-long, after the program.
const longTitle = "windows of a recording: "

func (s *longSet) table() Table {
	t := Table{Title: s.String() + ", " + longTitle + s.choice, Columns: []string{
		"loads", "windows", "sites", "pairs", "default", "overhead", "simple at that", "factor", "least", "greatest", "gains in",
	}}
	for _, l := range s.lengths {
		row := []Value{text(short(l.loads)), count(len(l.gains), "windows"), numberOf("sites")(l.sites.median()), numberOf("pairs")(l.pairs.median())}
		row = append(row, percent(l.mine.median()), percent(l.overhead.median()), percent(l.simple.median()))
		row = append(row, l.gains.spread(factor)...)
		t.Rows = append(t.Rows, append(row, count(l.gainsIn(), "windows")))
	}
	return t
}

func (s *longSet) draw(res *Result) {
	d := plot.Lines{Title: "Error to that of the simple sampler at equal overhead: " + s.String(), X: "loads of a window", Y: "factor", LogX: true}
	for _, c := range []struct {
		name string
		of   func(l *longLength) float64
	}{
		{"median of the windows", func(l *longLength) float64 { return l.gains.median() }},
		{"least", func(l *longLength) float64 { return l.gains.least() }},
		{"greatest", func(l *longLength) float64 { return l.gains.most() }},
	} {
		curve := plot.Curve{Name: c.name}
		for _, l := range s.lengths {
			curve.Points = append(curve.Points, metric.Point{Events: l.loads, Error: c.of(l)})
		}
		d.Curves = append(d.Curves, curve)
	}
	res.lines("cop-long-"+s.program.Name+strings.TrimPrefix(s.taps, ofLong), d)
}

// workingSet is the number of loads of the program, sites, that a window of 8M executes, or the
// longest window if all are shorter: the median.
func (s *longSet) workingSet() float64 {
	for _, l := range s.lengths {
		if l.loads == 8_000_000 {
			return l.sites.median()
		}
	}
	return s.lengths[len(s.lengths)-1].sites.median()
}

// copLong is figure 7 over windows of long recordings.
func copLong(env *Env, res *Result) error {
	env.longSetup(res)
	res.setup("windows: parts of a recording that follow one another, each with new profilers and the complete profile of its own; windows of one length have no load in common")
	res.setup("lengths: 500K, 2M and 4M are the first loads of windows of 8M, 16M those of windows of 32M, and 64M those of the recording")
	res.setup("a working set gains at a length if the median factor of the windows of this length is below 1; numbers in tables are medians of the windows, with the least and the greatest factor")
	res.setup("size of a working set: sites of loads that 8M loads execute, the median of the windows")
	var sets []*longSet
	var last error
	for _, rec := range longRecordings {
		source, most, err := env.longSource(res, rec)
		if errors.Is(err, ErrNoTrace) {
			res.setup("no trace of loads of: %s", rec)
			last = err
			continue
		}
		if err != nil {
			return err
		}
		set, err := env.windows(rec, source, most)
		if err != nil {
			return err
		}
		if set.without > 0 {
			res.setup("windows without pairs, %s: %d", rec, set.without)
		}
		sets = append(sets, set)
		res.Tables = append(res.Tables, set.table(), set.carried)
		set.draw(res)
	}
	if sets == nil {
		return last
	}
	res.longVerdicts(sets)
	return nil
}

// longVerdicts adds the rows about the two largest working sets, their later loads, and each recording.
func (r *Result) longVerdicts(sets []*longSet) {
	first := slices.DeleteFunc(slices.Clone(sets), func(s *longSet) bool { return s.taps == ofLong2 })
	slices.SortStableFunc(first, func(a, b *longSet) int { return cmp.Compare(b.workingSet(), a.workingSet()) })
	first = first[:min(2, len(first))]
	var later []*longSet
	for _, f := range first {
		for _, s := range sets {
			if s.taps == ofLong2 && s.program == f.program {
				later = append(later, s)
			}
		}
	}
	for _, group := range []struct {
		what string
		sets []*longSet
	}{{longLargest, first}, {longLater, later}} {
		if len(group.sets) == 0 {
			continue
		}
		for i, l := range group.sets[0].lengths {
			o, notes, gain := ours{}, []string(nil), true
			for _, s := range group.sets {
				if i < len(s.lengths) && s.lengths[i].loads == l.loads {
					m := s.lengths[i]
					o.values, gain = append(o.values, factor(m.gains.median())), gain && m.isGain()
					o.text += fmt.Sprintf("%s %.2fx ", s.program.Name, m.gains.median())
					notes = append(notes, s.program.Name+": "+m.String())
				}
			}
			o.text = strings.TrimSpace(o.text)
			r.row(group.what+short(l.loads), o, "the two largest gain most", gain)
			r.because("medians and ranges: %s", strings.Join(notes, "; "))
		}
	}
	for _, s := range sets {
		var at []string
		for _, l := range s.lengths {
			if l.isGain() {
				at = append(at, short(l.loads))
			}
		}
		o := part(len(at), len(s.lengths), "lengths")
		if at != nil {
			o.text += ": " + strings.Join(at, " ")
		}
		r.row(fmt.Sprintf("%s, %.0f sites: gains at", s, s.workingSet()), o, "-", true)
	}
}

// The beginnings of rows about medians of windows. The length is behind them.
const (
	longLargest = "the two largest working sets, median factors, loads of a window: "
	longLater   = "their later loads, median factors, loads of a window: "
)

// longSource returns a long recording and how many of its loads are run; without one, the loads of the other
// experiments.
func (env *Env) longSource(res *Result, rec longRecording) (source replay.Source, most uint64, err error) {
	source, err = env.Source(rec.program.Name, rec.taps)
	if err == nil {
		return source, longTimes * env.Events, nil
	}
	if !errors.Is(err, ErrNoTrace) || rec.taps != ofLong {
		return nil, 0, err
	}
	res.setup("no long recording of: %s", rec)
	source, err = env.Source(rec.program.Name, ofValues)
	return source, env.Events, err
}
