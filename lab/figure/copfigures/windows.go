package copfigures

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
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/plot"
)

// The taps in the names of recordings of loads. Long recordings have more of them. Those of ofLong2 are the loads
// that follow those of ofLong, from another run of the program.
const (
	ofLoads = "loads"
	ofLong  = "long"
	ofLong2 = "long-2"
)

// A longRecording is a recording of many loads of a program.
type longRecording struct {
	program figure.Program
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
	{figure.Named("typecheck"), ofLong, chosenOn}, {figure.Named("printer"), ofLong, chosenOn},
	{figure.Named("typecheck"), ofLong2, unseen}, {figure.Named("printer"), ofLong2, unseen},
	{figure.Program{Name: "javascript"}, ofLong, unseen}, {figure.Program{Name: "templates"}, ofLong, unseen},
	{figure.Named("httpecho"), ofLong, known}, {figure.Named("markdown"), ofLong, known}, {figure.Named("flate"), ofLong, known},
}

func (r longRecording) String() string {
	if r.taps == ofLong2 {
		return nameOf(r.program) + ", later loads"
	}
	return nameOf(r.program)
}

// name is a name for keys and files: "printer", or "printer-2" for later loads.
func (r longRecording) name() string { return r.program.Name + strings.TrimPrefix(r.taps, ofLong) }

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
	sites, pairs, mine, overhead, simple figure.Tally
	gains                                figure.Tally // factors
}

// A longSet has the windows of a recording, by length.
type longSet struct {
	longRecording
	lengths []*longLength
	without int          // windows without pairs
	carried figure.Table // of the longest window
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
		n += oneIf(x < 1)
	}
	return n
}

// isGain is the verdict about all windows of a length.
func (l *longLength) isGain() bool { return l.gains.Median() < 1 }

func (l *longLength) String() string {
	return fmt.Sprintf("%s %.2f (%.2f to %.2f, %d of %d windows)", figure.Abbreviate(l.loads), l.gains.Median(), l.gains.Least(), l.gains.Most(), l.gainsIn(), len(l.gains))
}

// windowsOf profiles a recording. Windows of different lengths run at the same time.
func windowsOf(rec longRecording, source replay.Source, most uint64) (*longSet, error) {
	spans := longSpans(most)
	sets, errs := make([]*longSet, len(spans)), make([]error, len(spans))
	var wait sync.WaitGroup
	for i, span := range spans {
		wait.Go(func() {
			sets[i] = &longSet{longRecording: rec}
			errs[i] = profileWindows(rec.program, source, span, [][]string{nil}, sets[i].add)
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

func (s *longSet) table() figure.Table {
	t := figure.Table{Key: "windows-" + s.name(), Title: s.String() + ", windows of a recording: " + s.choice, Columns: []string{
		"loads", "windows", "sites", "pairs", "default", "overhead", "simple at that", "factor", "least", "greatest", "gains in",
	}}
	for _, l := range s.lengths {
		row := []figure.Value{figure.Text(figure.Abbreviate(l.loads)), figure.Count(len(l.gains), "windows"), figure.NumberOf("sites")(l.sites.Median()), figure.NumberOf("pairs")(l.pairs.Median())}
		row = append(row, figure.Percent(l.mine.Median()), figure.Percent(l.overhead.Median()), figure.Percent(l.simple.Median()))
		row = append(row, l.gains.Spread(figure.Factor)...)
		t.Rows = append(t.Rows, append(row, figure.Count(l.gainsIn(), "windows")))
	}
	return t
}

func (s *longSet) draw(res *figure.Result) {
	d := plot.Lines{Title: "Error to that of the simple sampler at equal overhead: " + s.String(), X: "loads of a window", Y: "factor", LogX: true}
	for _, c := range []struct {
		name string
		of   func(l *longLength) float64
	}{
		{"median of the windows", func(l *longLength) float64 { return l.gains.Median() }},
		{"least", func(l *longLength) float64 { return l.gains.Least() }},
		{"greatest", func(l *longLength) float64 { return l.gains.Most() }},
	} {
		curve := plot.Curve{Name: c.name}
		for _, l := range s.lengths {
			curve.Points = append(curve.Points, metric.Point{Events: l.loads, Error: c.of(l)})
		}
		d.Curves = append(d.Curves, curve)
	}
	res.AddLines("cop-long-"+s.name(), d)
}

// workingSet is the number of loads of the program, sites, that a window of 8M executes, or the
// longest window if all are shorter: the median.
func (s *longSet) workingSet() float64 {
	for _, l := range s.lengths {
		if l.loads == 8_000_000 {
			return l.sites.Median()
		}
	}
	return s.lengths[len(s.lengths)-1].sites.Median()
}

// errorByWindow is figure 7 of Zilles and Sohi over windows of long recordings (COP-29).
func errorByWindow(env *figure.Env, res *figure.Result) error {
	describeLong(res)
	res.Describe("windows: parts of a recording that follow one another, each with new profilers and the complete profile of its own; windows of one length have no load in common")
	res.Describe("lengths: 500K, 2M and 4M are the first loads of windows of 8M, 16M those of windows of 32M, and 64M those of the recording")
	res.Describe("a working set gains at a length if the median factor of the windows of this length is below 1; numbers in tables are medians of the windows, with the least and the greatest factor")
	res.Describe("size of a working set: sites of loads that 8M loads execute, the median of the windows")
	var sets []*longSet
	var last error
	for _, rec := range longRecordings {
		source, most, err := longSource(env, res, rec)
		if errors.Is(err, figure.ErrNoTrace) {
			res.Describe("no trace of loads of: %s", rec)
			last = err
			continue
		}
		if err != nil {
			return err
		}
		set, err := windowsOf(rec, source, most)
		if err != nil {
			return err
		}
		if set.without > 0 {
			res.Describe("windows without pairs, %s: %d", rec, set.without)
		}
		sets = append(sets, set)
		res.Tables = append(res.Tables, set.table(), set.carried)
		set.draw(res)
	}
	if sets == nil {
		return last
	}
	addWindowVerdicts(res, sets)
	return nil
}

// addWindowVerdicts adds the rows about the two largest working sets, their later loads, and each recording.
func addWindowVerdicts(r *figure.Result, sets []*longSet) {
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
		key, what string
		sets      []*longSet
	}{
		{"largest-", "the two largest working sets, median factors, loads of a window: ", first},
		{"later-", "their later loads, median factors, loads of a window: ", later},
	} {
		if len(group.sets) == 0 {
			continue
		}
		for i, l := range group.sets[0].lengths {
			o, notes, gain := ours{}, []string(nil), true
			for _, s := range group.sets {
				if i < len(s.lengths) && s.lengths[i].loads == l.loads {
					m := s.lengths[i]
					o.values, gain = append(o.values, figure.Factor(m.gains.Median())), gain && m.isGain()
					o.text += fmt.Sprintf("%s %.2fx ", s.program.Name, m.gains.Median())
					notes = append(notes, s.program.Name+": "+m.String())
				}
			}
			o.text = strings.TrimSpace(o.text)
			state(r, group.key+figure.Abbreviate(l.loads), group.what+figure.Abbreviate(l.loads), o, "the two largest gain most", gain)
			because(r, "medians and ranges: %s", strings.Join(notes, "; "))
		}
	}
	for _, s := range sets {
		var at []string
		for _, l := range s.lengths {
			if l.isGain() {
				at = append(at, figure.Abbreviate(l.loads))
			}
		}
		o := part(len(at), len(s.lengths), "lengths")
		if at != nil {
			o.text += ": " + strings.Join(at, " ")
		}
		state(r, "gains-"+s.name(), fmt.Sprintf("%s, %.0f sites: gains at", s, s.workingSet()), o, "-", true)
	}
}

// longSource returns a long recording and how many of its loads are run; without one, the loads of the other
// experiments.
func longSource(env *figure.Env, res *figure.Result, rec longRecording) (source replay.Source, most uint64, err error) {
	source, err = env.Source(rec.program.Name, rec.taps)
	if err == nil {
		return source, longTimes * env.Loads, nil
	}
	if !errors.Is(err, figure.ErrNoTrace) || rec.taps != ofLong {
		return nil, 0, err
	}
	res.Describe("no long recording of: %s", rec)
	source, err = env.Source(rec.program.Name, ofLoads)
	return source, env.Loads, err
}
