package figure

// This file replays the recordings of programs with engines, each with many seeds. make figures records a
// program more than once, because one run of a program is not like the next: addresses,
// the garbage collector and the order of maps differ.

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/replay"
)

// Recordings are the numbers of the recordings that a program may have: the first one, the part of the program
// that follows, and the same part as the first once more. Each is from a run of its own. The Makefile records them.
var Recordings = []string{"1", "2", "3"}

// ofTheirOwn explains the numbers in the setup.
const ofTheirOwn = "recordings: each from a run of its own; 2 is the part of the program that follows 1, and 3 is the same part as 1"

// An Origin is the recording that a result comes from. Types of results embed it.
type Origin struct {
	Program
	Recording string
}

// String is the name of the recording: "lua (li), 2".
func (o Origin) String() string { return o.Program.String() + ", " + o.Recording }

func (o Origin) from() Origin { return o }

// Taps is the name of the recording of some taps: "loads" or "loads-2".
func (o Origin) Taps(taps string) string {
	if o.Recording == Recordings[0] {
		return taps
	}
	return taps + "-" + o.Recording
}

// recorded is a result that embeds its origin.
type recorded interface{ from() Origin }

// A Batch has the results of replaying one recording.
type Batch struct {
	Origin
	Engines []string
	Results [][]*replay.Result // by engine, then by seed
}

// Of returns the results of an engine, one for each seed.
func (b *Batch) Of(engine string) []*replay.Result { return b.Results[slices.Index(b.Engines, engine)] }

// A Measure computes a number from the results of engines with the same seed.
type Measure func(of func(engine string) *replay.Result) float64

// OfEngine is the measure that needs a single engine.
func OfEngine(engine string, f func(*replay.Result) float64) Measure {
	return func(of func(string) *replay.Result) float64 { return f(of(engine)) }
}

// Tally returns what a measure is with each seed.
func (b *Batch) Tally(f Measure) (t Tally) {
	for k := range b.Results[0] {
		t = append(t, f(func(engine string) *replay.Result { return b.Of(engine)[k] }))
	}
	return t
}

// TallyAll returns the tallies of several batches in one.
func TallyAll(list []*Batch, f Measure) (t Tally) {
	for _, b := range list {
		t = append(t, b.Tally(f)...)
	}
	return t
}

// TallyAcross returns one number for each seed and recording. The function f computes it from one number of each
// program: the k-th of values(b) for each result b of the recording. A recording counts only if all programs have it.
func TallyAcross[R recorded](list []R, values func(b R) Tally, f func(one Tally) float64) (t Tally) {
	programs := 0
	for _, b := range list {
		if b.from().Recording == Recordings[0] {
			programs++
		}
	}
	for _, recording := range Recordings {
		var all []Tally
		for _, b := range list {
			if b.from().Recording == recording {
				all = append(all, values(b))
			}
		}
		if len(all) == 0 || len(all) < programs {
			continue
		}
		for k := range all[0] {
			var one Tally
			for _, v := range all {
				one = append(one, v[k])
			}
			t = append(t, f(one))
		}
	}
	return t
}

// OfProgram returns the results of a program.
func OfProgram[R recorded](list []R, p Program) (own []R) {
	for _, b := range list {
		if b.from().Program == p {
			own = append(own, b)
		}
	}
	return own
}

// ByProgram returns the programs that have results, each with its results.
func ByProgram[R recorded](list []R) iter.Seq2[Program, []R] {
	return func(yield func(Program, []R) bool) {
		for _, p := range Programs {
			if own := OfProgram(list, p); own != nil && !yield(p, own) {
				return
			}
		}
	}
}

// Replay replays a source with the engines and all seeds. Hash functions and random samplers
// depend on the seed. P256 does not: its runs on one recording are all the same.
func (env *Env) Replay(source replay.Source, events uint64, specs []string) ([][]*replay.Result, error) {
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
	Batch
	source replay.Source
	done   chan error
}

// OfBranches are the taps of recordings of which Env.Branches says how many events are run.
const OfBranches = "calls"

// limit returns how many events of a recording are run.
func (env *Env) limit(taps string) uint64 {
	if taps == OfBranches {
		return env.Branches
	}
	return env.Loads
}

// EachRecording calls do with all recordings that programs have, and says in the setup which
// programs have none. It is an error if no program has a recording.
func (env *Env) EachRecording(res *Result, programs []Program, taps string,
	do func(o Origin, source replay.Source) error) error {
	var missing []string
	var last error
	for _, p := range programs {
		for _, number := range Recordings {
			o := Origin{p, number}
			source, err := env.Source(p.Name, o.Taps(taps))
			switch {
			case errors.Is(err, ErrNoTrace) && number == Recordings[0]:
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
		res.Describe("no recordings of %s of: %s", taps, strings.Join(missing, ", "))
	}
	return nil
}

// Ran says in the setup which recordings there were, and after how many events each ended.
func (res *Result) Ran(taps string, list []Origin, events []uint64) {
	var texts []string
	more := false
	for i, o := range list {
		texts = append(texts, fmt.Sprintf("%s: %s", o, Abbreviate(events[i])))
		more = more || o.Recording != Recordings[0]
	}
	res.Describe("%s, a program and the number of its recording each, with events: %s", taps, strings.Join(texts, "; "))
	if more {
		res.Describe("%s", ofTheirOwn)
	}
}

// ReplayRecordings replays all recordings of programs, and calls do with one after the other. The
// profiles in the results are there until do returns. Recordings are replayed at the same
// time, as many as there are processors; the order of calls does not depend on that.
// ReplayRecordings returns all batches, and says in the setup what was replayed. It is an error if no program
// has a recording.
func (env *Env) ReplayRecordings(res *Result, programs []Program, taps string, specs []string,
	do func(b *Batch)) ([]*Batch, error) {
	var list []*job
	err := env.EachRecording(res, programs, taps, func(o Origin, source replay.Source) error {
		list = append(list, &job{Batch{o, specs, nil}, source, make(chan error, 1)})
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
				j.Results, err = env.Replay(j.source, env.limit(taps), specs)
				j.done <- err
			}()
		}
	}
	ahead := min(runtime.GOMAXPROCS(0), len(list))
	for i := range ahead {
		start(i)
	}
	var all []*Batch
	var ran []Origin
	var events []uint64
	for i, j := range list {
		if err := <-j.done; err != nil {
			for k := i + 1; k < min(i+ahead, len(list)); k++ {
				<-list[k].done
			}
			return nil, err
		}
		do(&j.Batch)
		for _, seeds := range j.Results {
			for _, r := range seeds {
				r.Profile, r.Ideal = nil, nil
			}
		}
		all = append(all, &j.Batch)
		ran, events = append(ran, j.Origin), append(events, j.Results[0][0].Events)
		start(i + ahead)
	}
	res.Ran(taps, ran, events)
	seeds := fmt.Sprintf("%d seeds, from seed %d on", env.Seeds, env.Seed)
	if env.Seeds == 1 {
		seeds = fmt.Sprintf("seed %d", env.Seed)
	}
	res.Describe("engines: %s; %s", strings.Join(specs, " "), seeds)
	res.Describe("%s", Initialised)
	res.Describe("overheads: %v cycles a message, %v cycles an event (modelled, not measured)", env.Overhead.PerMessage,
		env.Overhead.PerEvent)
	return all, nil
}

// Initialised says in the setup which events count.
const Initialised = "events: those after the initialisation of the programs, which make figures leaves out"

// SpreadHeads are the heads of columns that have the median, the least and the greatest.
func SpreadHeads(heads ...string) (all []string) {
	for _, h := range heads {
		all = append(all, h, "least", "most")
	}
	return all
}
