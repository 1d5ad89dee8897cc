package figure

// This file replays the recordings of programs, each with many seeds. make figures records a
// program more than once, because one run of a program is not like the next: addresses,
// the garbage collector and the order of maps differ.

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/plot"
)

// recordings are the numbers of the recordings of a program that may be there: the first, the
// part of the program that follows, and the part of the first once more. Each is from a run
// of its own. The Makefile records them.
var recordings = []string{"1", "2", "3"}

// again is the sentence about them.
const again = "recordings: each from a run of its own; 2 is the part of the program that follows 1, and 3 is the same part as 1"

// An origin is the recording that a result comes from.
type origin struct {
	Program
	recording string
}

// String is the name of the recording: "lua (li), 2".
func (o origin) String() string { return o.Program.String() + ", " + o.recording }

func (o origin) from() origin { return o }

// taps is the name of the recording of some taps: "loads" or "loads-2".
func (o origin) taps(taps string) string {
	if o.recording == recordings[0] {
		return taps
	}
	return taps + "-" + o.recording
}

// recorded results know their origin.
type recorded interface{ from() origin }

// A batch is the result of replaying one recording.
type batch struct {
	origin
	engines []string
	results [][]*replay.Result // by engine, then by seed
}

// of returns the results of an engine, one for each seed.
func (b *batch) of(engine string) []*replay.Result { return b.results[slices.Index(b.engines, engine)] }

// tally returns one number for each seed. The function f computes it from the results of
// engines with this seed.
func (b *batch) tally(f func(of func(engine string) *replay.Result) float64) (t tally) {
	for k := range b.results[0] {
		t = append(t, f(func(engine string) *replay.Result { return b.of(engine)[k] }))
	}
	return t
}

// tallyAll returns the tallies of several batches in one.
func tallyAll(list []*batch, f func(of func(engine string) *replay.Result) float64) (t tally) {
	for _, b := range list {
		t = append(t, b.tally(f)...)
	}
	return t
}

// tallyAcross returns one number for each seed and recording. The function f computes it from
// one number of each of the programs, the k-th of values(b) for each result b of the
// recording. Only a recording that all programs have counts.
func tallyAcross[R recorded](list []R, values func(b R) tally, f func(one tally) float64) (t tally) {
	programs := 0
	for _, b := range list {
		if b.from().recording == recordings[0] {
			programs++
		}
	}
	for _, recording := range recordings {
		var all []tally
		for _, b := range list {
			if b.from().recording == recording {
				all = append(all, values(b))
			}
		}
		if len(all) == 0 || len(all) < programs {
			continue
		}
		for k := range all[0] {
			var one tally
			for _, v := range all {
				one = append(one, v[k])
			}
			t = append(t, f(one))
		}
	}
	return t
}

// ofProgram returns the results of a program.
func ofProgram[R recorded](list []R, p Program) (own []R) {
	for _, b := range list {
		if b.from().Program == p {
			own = append(own, b)
		}
	}
	return own
}

// with replays a source with the engines and all seeds. Hash functions and random samplers
// depend on the seed. P256 does not: its runs on one recording are all the same.
func (env *Env) with(source replay.Source, events uint64, specs []string) ([][]*replay.Result, error) {
	c := replay.Config{Overhead: env.Overhead, Limit: events}
	for _, e := range specs {
		spec, err := engines.Parse(e, nil)
		if err != nil {
			return nil, err
		}
		for k := range uint64(env.Seeds) {
			c.Engines = append(c.Engines, spec.WithSeed(env.Seed+k).String())
		}
	}
	results, err := replay.Run(source, c)
	return slices.Collect(slices.Chunk(results, env.Seeds)), err
}

// A job is one recording that is to be replayed.
type job struct {
	batch
	source replay.Source
	events uint64
	done   chan error
}

// eachRecording calls do with all recordings that programs have, and notes in the setup which
// programs have none. It is an error if no program has a recording.
func (env *Env) eachRecording(res *Result, programs []Program, taps string, do func(o origin, source replay.Source) error) error {
	var missing []string
	var last error
	for _, p := range programs {
		for _, number := range recordings {
			o := origin{p, number}
			source, err := env.Source(p.Name, o.taps(taps))
			switch {
			case errors.Is(err, ErrNoTrace) && number == recordings[0]:
				missing, last = append(missing, p.Name), err
			case errors.Is(err, ErrNoTrace):
			case err != nil:
				return err
			default:
				if err := do(o, source); err != nil {
					return fmt.Errorf("%s: %w", o, err)
				}
			}
		}
	}
	if len(missing) == len(programs) {
		return last
	}
	if missing != nil {
		res.setup("no recordings of %s of: %s", taps, strings.Join(missing, ", "))
	}
	return nil
}

// ran notes in the setup which recordings there were, and after how many events each ended.
func (res *Result) ran(taps string, list []origin, events []uint64) {
	var texts []string
	more := false
	for i, o := range list {
		texts = append(texts, fmt.Sprintf("%s: %s", o, short(events[i])))
		more = more || o.recording != recordings[0]
	}
	res.setup("%s, a program and the number of its recording each, with events: %s", taps, strings.Join(texts, "; "))
	if more {
		res.setup("%s", again)
	}
}

// recorded replays all recordings of programs, and calls do with one after the other. The
// profiles in the results are there until do returns. Recordings are replayed at the same
// time, as many as there are processors; the order of calls does not depend on that.
// recorded returns all batches, and notes in the setup what was replayed. It is an error if no program
// has a recording.
func (env *Env) recorded(res *Result, programs []Program, taps string, part uint64, specs []string, do func(b *batch)) ([]*batch, error) {
	var list []*job
	err := env.eachRecording(res, programs, taps, func(o origin, source replay.Source) error {
		list = append(list, &job{batch{o, specs, nil}, source, env.Events, make(chan error, 1)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	start := func(i int) {
		if i < len(list) {
			j := list[i]
			go func() {
				var err error
				j.results, err = env.with(j.source, j.events/part, specs)
				j.done <- err
			}()
		}
	}
	ahead := min(runtime.GOMAXPROCS(0), len(list))
	for i := range ahead {
		start(i)
	}
	var all []*batch
	var ran []origin
	var events []uint64
	for i, j := range list {
		if err := <-j.done; err != nil {
			for k := i + 1; k < min(i+ahead, len(list)); k++ {
				<-list[k].done
			}
			return nil, err
		}
		do(&j.batch)
		for _, seeds := range j.results {
			for _, r := range seeds {
				r.Profile, r.Ideal = nil, nil
			}
		}
		all = append(all, &j.batch)
		ran, events = append(ran, j.origin), append(events, j.results[0][0].Events)
		start(i + ahead)
	}
	res.ran(taps, ran, events)
	seeds := fmt.Sprintf("%d seeds, from seed %d on", env.Seeds, env.Seed)
	if env.Seeds == 1 {
		seeds = fmt.Sprintf("seed %d", env.Seed)
	}
	res.setup("engines: %s; %s", strings.Join(specs, " "), seeds)
	env.model(res)
	return all, nil
}

// medians returns the curve of an engine that has at each point the median of its errors, or of
// what the function returns, in all runs.
func medians(list []*batch, engine string, of func(r *replay.Result) metric.Curve) metric.Curve {
	return alongCurves(list, engine, of, tally.median)
}

func alongCurves(list []*batch, engine string, of func(r *replay.Result) metric.Curve, what func(tally) float64) (c metric.Curve) {
	at := map[uint64]tally{}
	for _, b := range list {
		for _, r := range b.of(engine) {
			for _, p := range of(r) {
				at[p.Events] = append(at[p.Events], p.Error)
			}
		}
	}
	var events []uint64
	for n := range at {
		events = append(events, n)
	}
	slices.Sort(events)
	for _, n := range events {
		c = append(c, metric.Point{Events: n, Error: what(at[n])})
	}
	return c
}

// curvesOf returns a curve of medians for each engine.
func curvesOf(list []*batch, engines []string, of func(r *replay.Result) metric.Curve) (c []plot.Curve) {
	for _, e := range engines {
		c = append(c, plot.Curve{Name: e, Points: medians(list, e, of)})
	}
	return c
}

// with3 is the heads of columns that have the median, the least and the greatest.
func with3(heads ...string) (all []string) {
	for _, h := range heads {
		all = append(all, h, "least", "most")
	}
	return all
}
