package stratfigures

// This file measures what the page of stratified sampling is made of.

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/figure"
)

// ofLoads are the taps of value profiles.
const ofLoads = "loads"

// A recording of loads is divided into parts, and each is replayed with several seeds: these are the runs.
const (
	parts = 2
	seeds = 3
)

// The compressors that the paper evaluates. At which event of its period a periodic sampler begins is chance, so it has
// runs with several phases.
const (
	random     = "R256"
	periodic   = "P256@phase"
	stratified = "H[P256]2048"
	half       = "H[P512]2048"
	tagged     = "tag2-256-2048"
)

// Compressors of experiments that look for reasons: a periodic sampler whose period no power of two has in common with,
// and strata with random samplers.
const (
	oddPeriod    = "P257@phase"
	randomStrata = "H[R256]2048"
)

// added is what the project has added to stratified samplers and tagged tables: another hash, and counters that begin
// with a random number.
const added = "@mul@phase"

// in returns a compressor with the paper's rules, or with those that the project has added.
func in(spec string, extended bool) string {
	if extended && !strings.HasPrefix(spec, "R") && !strings.HasPrefix(spec, "P") {
		return spec + added
	}
	return spec
}

// filter returns a stratified sampler behind a filter of places that have converged. The paper's filter, that of the
// co-processor, samples all places again after a period. Ours lets one of 8 events of a masked place pass, and counts
// it as 8.
func filter(extended bool) string {
	if extended {
		return "F16384-5-never/8+" + stratified + added
	}
	return "F16384+" + stratified
}

// The rates of stratified samplers, the numbers of their strata, the bits of tags, and hashes.
var (
	rates   = []int{64, 128, 256, 512, 1024, 2048}
	strata  = []int{512, 1024, 2048, 4096}
	tagBits = []int{1, 2, 3, 4, 8}
	hashes  = []string{"", "@mul", "@xor"}
)

func ofRate(rate int) string { return fmt.Sprintf("H[P%d]2048", rate) }
func ofSize(n int) string    { return fmt.Sprintf("H[P256]%d", n) }
func ofTag(bits int) string  { return fmt.Sprintf("tag%d-256-2048", bits) }

// converging are the compressors whose curves are compared.
var converging = []string{random, periodic, stratified, half, tagged}

// allSpecs are all compressors that the loads of programs are replayed with.
func allSpecs() (list []string) {
	list = []string{random, periodic, oddPeriod, random + "+A16", randomStrata, randomStrata + "+A16"}
	for _, h := range hashes {
		list = append(list, stratified+h)
	}
	for _, extended := range []bool{false, true} {
		for _, x := range rates {
			list = append(list, in(ofRate(x), extended))
		}
		for _, x := range strata {
			list = append(list, in(ofSize(x), extended))
		}
		for _, x := range tagBits {
			list = append(list, in(ofTag(x), extended))
		}
		for _, x := range []string{"tag2-256-512", "tag2-256-8192", stratified + "+A16", tagged + "+A16",
			stratified + "+A64"} {
			list = append(list, in(x, extended))
		}
		list = append(list, filter(extended))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// measureAll runs all experiments of the page.
func measureAll(env *figure.Env, m *figure.Measured) error {
	run := *env
	run.Overhead = cost.Default
	run.Seeds = seeds
	run.Branches = cmp.Or(env.Branches, 4_000_000)
	env = &run
	for _, p := range figure.Programs { // before the first minutes have passed
		for _, taps := range []string{ofLoads, figure.OfBranches} {
			if _, err := env.Source(p.Name, taps); err != nil {
				return err
			}
		}
	}
	var wait sync.WaitGroup
	places := make(chan bool, runtime.GOMAXPROCS(0))
	errs := make([]error, 2*len(figure.Programs)+2)
	each := func(i int, name string, do func() error) {
		wait.Go(func() {
			places <- true
			defer func() { <-places }()
			if err := do(); err != nil {
				errs[i] = fmt.Errorf("%s: %w", name, err)
			}
		})
	}
	for i, p := range figure.Programs {
		each(2*i, p.Name, func() error { return measureLoads(env, m, p) })
		each(2*i+1, p.Name, func() error { return measureCalls(env, m, p) })
	}
	each(len(errs)-2, "permutations", func() error { return permutations(env, m) })
	each(len(errs)-1, "copies", func() error { return workingSets(env, m) })
	wait.Wait()
	return errors.Join(errs...)
}

// results are those of compressors, one for each seed.
type results map[string][]*replay.Result

// replayed replays a source with compressors.
func replayed(env *figure.Env, source replay.Source, events uint64, specs []string) (results, error) {
	list, err := env.Replay(source, events, specs)
	if err != nil {
		return nil, err
	}
	of := results{}
	for i, x := range specs {
		of[x] = list[i]
	}
	return of, nil
}

// measureLoads replays the loads of a program.
func measureLoads(env *figure.Env, m *figure.Measured, p figure.Program) error {
	source, err := env.Source(p.Name, ofLoads)
	if err != nil {
		return err
	}
	first := true
	return env.EachPart(parts, source, func(env *figure.Env, source replay.Source) error {
		of, err := replayed(env, source, env.Loads, allSpecs())
		if err != nil {
			return err
		}
		end := of[random][0]
		m.Add(p.Name+"/places", float64(end.Error.Places))
		m.Add(p.Name+"/top", 100*topShare(end.Ideal, 16))
		for k := range seeds {
			for _, extended := range []bool{false, true} {
				spec := in(stratified, extended)
				m.Add(p.Name+"/"+spec+"/as-branches", last(until(of[spec][k].Errors, env.Branches)))
			}
		}
		of.add(m, p.Name)
		if !first {
			return nil
		}
		first = false
		if err := purities(m, p.Name, end.Ideal); err != nil {
			return err
		}
		return times(env, m, p.Name, source)
	})
}

// add adds what compressors did with the loads of a program.
func (of results) add(m *figure.Measured, name string) {
	for spec, list := range of {
		for _, r := range list {
			m.Add(name+"/"+spec+"/error", 100*r.Error.Mean)
			m.Add(name+"/"+spec+"/messages", float64(r.Messages))
		}
	}
	for k := range of[random] {
		one := func(spec string) *replay.Result { return of[spec][k] }
		for _, extended := range []bool{false, true} {
			ofRates := func(rate int) *replay.Result { return one(in(ofRate(rate), extended)) }
			at := name + "/" + columnOf(extended)
			for _, x := range converging {
				if !extended || in(x, true) != x {
					of.converge(m, name, in(x, extended), k)
				}
			}
			m.Add(at+"/equal/random", atEqualMessages(one(random), ofRates))
			m.Add(at+"/equal/tagged", atEqualMessages(one(in(tagged, extended)), ofRates))
			m.Add(at+"/equal/filter", atEqualMessages(one(filter(extended)), ofRates))
			m.Add(at+"/rate", reduced(one(random), ofRates))
			m.Add(at+"/filter-slower", slower(one(in(stratified, extended)), one(filter(extended))))
			for _, window := range windows {
				for _, n := range []int{strata[0], strata[len(strata)-1]} {
					spec := in(ofSize(n), extended)
					m.Add(fmt.Sprintf("%s/%s/until/%d", name, spec, window), mean(until(one(spec).Errors, window)))
				}
			}
		}
	}
}

// converge adds numbers of the curve of a compressor, and of that of the random sampler beside it.
func (of results) converge(m *figure.Measured, name, spec string, k int) {
	r, at := of[spec][k], name+"/"+spec
	c := counted(r)
	m.Add(at+"/counted", begin(c))
	m.Add(at+"/first", reached(c.FirstBelow(limit)))
	m.Add(at+"/stays", reached(c.StaysBelow(limit)))
	m.Add(at+"/settled", settled(c))
	m.Add(at+"/curve", geometric(c))
	m.Add(at+"/power", power(c))
	m.Add(at+"/slower", slower(of[random][k], r))
	least, end := fewer(of[random][k], r)
	m.Add(at+"/fewer-least", least)
	m.Add(at+"/fewer-first", end)
}

// columnOf is the name of a column in names of measurements.
func columnOf(extended bool) string {
	if extended {
		return "ours"
	}
	return "rules"
}

// topShare returns the share of the n most frequent tuples of a profile.
func topShare(p *metric.Profile, n int) float64 {
	var counts []float64
	for _, t := range (metric.Selection{}).Of(p) {
		counts = append(counts, float64(p.Tuple(t)))
	}
	slices.Sort(counts)
	sum := 0.0
	for _, x := range counts[max(0, len(counts)-n):] {
		sum += x
	}
	return sum / float64(p.Total())
}

// purities adds how much of its stratum a selected tuple has, on average of the events of such tuples: what makes a
// stratified sample better than one of the whole stream, of which it has so much as the name stream says.
func purities(m *figure.Measured, name string, ideal *metric.Profile) error {
	selected := metric.Value.Of(ideal)
	for _, h := range hashes {
		spec, err := engines.Parse(stratified+h, nil)
		if err != nil {
			return err
		}
		e := spec.New(0).(hwsim.Stratified)
		length := map[int]float64{}
		for _, t := range (metric.Selection{}).Of(ideal) {
			at, _ := e.Stratum(t)
			length[at] += float64(ideal.Tuple(t))
		}
		m.Add(name+"/purity/table"+strings.ReplaceAll(h, "@", "-"), 100*purity(ideal, selected, func(t tuple.Tuple) float64 {
			at, _ := e.Stratum(t)
			return length[at]
		}))
	}
	m.Add(name+"/purity/stream", 100*purity(ideal, selected, func(tuple.Tuple) float64 { return float64(ideal.Total()) }))
	return nil
}

// purity returns the mean share that tuples have in what has a length, weighted with their events.
func purity(ideal *metric.Profile, tuples []tuple.Tuple, length func(tuple.Tuple) float64) float64 {
	var sum, all float64
	for _, t := range tuples {
		n := float64(ideal.Tuple(t))
		sum, all = sum+n*n/length(t), all+n
	}
	return sum / all
}

// handling is how many cycles a service thread takes for a message, the most that the paper says.
const handling = 30

// timed is how many events are looked at one by one.
const timed = 2_000_000

// times adds the time between messages to service threads (section 2.2): the share of the messages that come before the
// thread is done with those before, the most messages that wait, and the time that 99 of 100 messages leave.
func times(env *figure.Env, m *figure.Measured, name string, source replay.Source) error {
	for _, extended := range []bool{false, true} {
		for _, x := range []string{random, stratified, tagged, stratified + "+A16"} {
			spec, err := engines.Parse(in(x, extended), nil)
			if err != nil {
				return err
			}
			if extended && in(x, true) == x {
				continue
			}
			q := &queue{}
			e, out := spec.WithSeed(env.Seed).New(0), hwsim.NewOut(1, q.take)
			events := 0
			err = figure.FirstTuples(source, min(timed, env.Loads), func(_ uint32, tuples []tuple.Tuple) {
				for i := range tuples {
					events++
					q.now = float64(events) * cost.Default.PerEvent
					e.Push(tuples[i:i+1], out)
					out.Drain()
				}
			})
			if err != nil {
				return err
			}
			slices.Sort(q.gaps)
			at := name + "/" + in(x, extended)
			m.Add(at+"/waits", 100*float64(q.waited)/float64(len(q.gaps)))
			m.Add(at+"/queue", float64(q.longest))
			m.Add(at+"/gap", q.gaps[len(q.gaps)/100])
		}
	}
	return nil
}

// A queue has messages that a service thread handles one after the other. The time of one message is counted from the
// one before, that of the first from the beginning.
type queue struct {
	now     float64   // cycles
	last    float64   // when the last message came
	done    []float64 // when the thread will be done with messages that wait or are handled
	gaps    []float64
	waited  int // messages that could not be handled at once
	longest int
}

func (q *queue) take(msgs []hwsim.Message) {
	for range msgs {
		for len(q.done) > 0 && q.done[0] <= q.now {
			q.done = q.done[1:]
		}
		begin := q.now
		if n := len(q.done); n > 0 {
			q.waited++
			begin = q.done[n-1]
		}
		q.longest = max(q.longest, len(q.done))
		q.done = append(q.done, begin+handling)
		q.gaps = append(q.gaps, q.now-q.last)
		q.last = q.now
	}
}

// measureCalls replays edges and calls of a program through one compressor, and each kind through one of its own.
func measureCalls(env *figure.Env, m *figure.Measured, p figure.Program) error {
	source, err := env.Source(p.Name, figure.OfBranches)
	if err != nil {
		return err
	}
	specs := []string{stratified, stratified + added, ofRate(64), ofRate(64) + added}
	together, err := replayed(env, source, env.Branches, specs)
	if err != nil {
		return err
	}
	kinds := map[string]tuple.Tag{"edges": tuple.Edge, "calls": tuple.Call}
	for spec, list := range together {
		for _, r := range list {
			at := p.Name + "/branches/" + spec
			m.Add(at+"/error", 100*r.Error.Mean)
			for kind, tag := range kinds {
				m.Add(at+"/"+kind, 100*metric.Value.Error(only(r.Ideal, tag), only(r.Profile, tag)).Mean)
			}
		}
	}
	for kind, tag := range kinds {
		alone, err := replayed(env, onlyTag(source, tag), uint64(only(together[specs[0]][0].Ideal, tag).Total()), specs[:2])
		if err != nil {
			return err
		}
		for spec, list := range alone {
			for _, r := range list {
				m.Add(p.Name+"/branches/"+spec+"/"+kind+"-alone", 100*r.Error.Mean)
			}
		}
	}
	return nil
}

// only returns the part of a profile that has a tag.
func only(p *metric.Profile, tag tuple.Tag) *metric.Profile {
	part := metric.New()
	for _, t := range (metric.Selection{}).Of(p) {
		if t.Tag() == tag {
			part.Add(t, p.Tuple(t))
		}
	}
	return part
}

// onlyTag returns the events of a source that have a tag.
func onlyTag(source replay.Source, tag tuple.Tag) replay.Source {
	return func(do func(trace.Block) error) error {
		return source(func(b trace.Block) error {
			b.Tuples = slices.DeleteFunc(slices.Clone(b.Tuples), func(t tuple.Tuple) bool { return t.Tag() != tag })
			return do(b)
		})
	}
}

// copiesOfCode are how often the code of the program in the role of gcc is there, to make larger working sets of it.
var copiesOfCode = []uint64{1, 3, 5, 10, 30}

// workingSets compares compressors by the size of the working set.
func workingSets(env *figure.Env, m *figure.Measured) error {
	source, err := env.Source(figure.InRole("gcc").Name, ofLoads)
	if err != nil {
		return err
	}
	specs := []string{random, stratified, tagged, stratified + added, tagged + added}
	for _, k := range copiesOfCode {
		of, err := replayed(env, figure.Copies(source, k), env.Loads/parts, specs)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("copies/%d", k)
		m.Add(name+"/places", float64(of[random][0].Error.Places))
		if err := purities(m, name, of[random][0].Ideal); err != nil {
			return err
		}
		for _, spec := range specs {
			for i, r := range of[spec] {
				m.Add(name+"/"+spec+"/error", 100*r.Error.Mean)
				m.Add(name+"/"+spec+"/messages", float64(r.Messages))
				of.converge(m, name, spec, i)
			}
		}
	}
	return nil
}
