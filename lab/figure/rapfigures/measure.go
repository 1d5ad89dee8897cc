package rapfigures

// This file measures what the page of range adaptive profiling is made of.

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/rap"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
)

// The two columns of the page. The paper has no least threshold at the start; ours has one.
var columns = []struct {
	name  string
	start uint64
}{{"rules", 1}, {"ours", 0}}

func columnOf(extended bool) string {
	if extended {
		return columns[1].name
	}
	return columns[0].name
}

// parts is into how many parts a recording is divided: each is a run.
const parts = 2

// layouts are the endings of the files that say where the linker has placed code: as it does, and with functions in two
// random orders.
var layouts = []string{"", "-1", "-2"}

// measure runs all experiments of the page.
func measureAll(env *figure.Env, m *figure.Measured) error {
	for _, p := range figure.Programs { // before the first minutes have passed
		for _, taps := range []string{ofValues, ofCode, "pairs"} {
			if _, err := env.Source(p.Name, taps); err != nil {
				return err
			}
		}
	}
	var wait sync.WaitGroup
	places := make(chan bool, runtime.GOMAXPROCS(0))
	errs := make([]error, 3*len(figure.Programs))
	for i, p := range figure.Programs {
		for k, do := range []func(*figure.Env, *figure.Measured, figure.Program) error{measureValues, measureCode,
			measurePairs} {
			wait.Go(func() {
				places <- true
				defer func() { <-places }()
				if err := do(env, m, p); err != nil {
					errs[3*i+k] = fmt.Errorf("%s: %w", p.Name, err)
				}
			})
		}
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	theory(m)
	if err := measureMixed(env, m); err != nil {
		return err
	}
	return measureNarrow(env, m)
}

// measureValues builds trees from the values that a program loads.
func measureValues(env *figure.Env, m *figure.Measured, p figure.Program) error {
	source, err := env.Source(p.Name, ofValues)
	if err != nil {
		return err
	}
	first := true
	return env.EachPart(parts, source, func(env *figure.Env, source replay.Source) error {
		points, err := pointsOf(env, source, ofValues)
		if err != nil {
			return err
		}
		name := p.Name + "/" + ofValues
		measureFrequent(m, name, points)
		err = measureTrees(m, name, points, first)
		first = false
		return err
	})
}

// measureCode builds trees from the blocks that a program executes: of both parts as the linker lays out code, and of
// the first part with other layouts.
func measureCode(env *figure.Env, m *figure.Measured, p figure.Program) error {
	source, err := env.Source(p.Name, ofCode)
	if err != nil {
		return err
	}
	name := p.Name + "/" + ofCode
	for i, layout := range layouts {
		placed := source
		if env.Layout != nil {
			file := env.Layout(p.Name, ofCode) + layout
			if _, err := os.Stat(file); i > 0 && errors.Is(err, os.ErrNotExist) {
				continue
			}
			if placed, err = place(source, file); err != nil {
				return err
			}
		} else if i > 0 {
			break
		}
		part := 0
		err := env.EachPart(parts, placed, func(env *figure.Env, source replay.Source) error {
			part++
			if i > 0 && part > 1 {
				return nil
			}
			points, err := pointsOf(env, source, ofCode)
			if err != nil {
				return err
			}
			detailed := i == 0 && part == 1
			if detailed {
				if err := measureBuffers(m, name, points[:len(points)/hardwarePart]); err != nil {
					return err
				}
			}
			return measureTrees(m, name, points, detailed)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// The sizes of trees whose accuracy is measured, and the errors from which the least is taken whose tree fits.
var (
	nodeCaps = []int{125, 250, 500, 1000, 2000, 4096}
	epsSteps = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5}
)

// otherReadings are trees in what the paper leaves open, with an eps of 10 %.
var otherReadings = []struct {
	name string
	o    rap.Options
}{
	{"log4", rap.Options{Eps: coarse, Start: 1, Height: rap.LogB}},
	{"32bits", rap.Options{Eps: coarse, Start: 1, Universe: 1 << 32}},
	{"32bits-log4", rap.Options{Eps: coarse, Start: 1, Universe: 1 << 32, Height: rap.LogB}},
	{"leaf", rap.Options{Eps: coarse, Start: 1, Policy: rap.Leaf}},
	{"start-2^20", rap.Options{Eps: coarse, Start: 1 << 20}},
}

// measureTrees builds trees from points. detailed is for experiments that one run of a program is enough for.
func measureTrees(m *figure.Measured, name string, points []uint64, detailed bool) error {
	seen := map[string]*grown{}
	tree := func(o rap.Options) (*grown, error) {
		key := fmt.Sprint(o)
		if seen[key] == nil {
			g, err := grow(o, points, nil)
			if err != nil {
				return nil, err
			}
			seen[key] = g
		}
		return seen[key], nil
	}
	for _, c := range columns {
		for _, eps := range []float64{coarse, fine} {
			o := rap.Options{Eps: eps, Start: c.start}
			drops, merges := 0, 0
			var last rap.Stats
			g, err := grow(o, points, func(s rap.Stats) {
				if s.Merges > last.Merges {
					merges++
					drops += min(int(s.Merged-last.Merged), 1)
				}
				last = s
			})
			if err != nil {
				return err
			}
			seen[fmt.Sprint(o)] = g
			at := fmt.Sprintf("%s/%s/%v", name, c.name, 100*eps)
			addTree(m, at, g)
			m.Add(at+"/drops", 100*float64(drops)/float64(merges))
			m.Add(at+"/worst-case", float64(beforeMerge(o))/g.average)
		}
		for _, n := range nodeCaps {
			fits := math.NaN() // the accuracy with the least eps whose tree fits
			for _, eps := range epsSteps {
				g, err := tree(rap.Options{Eps: eps, Start: c.start})
				if err != nil {
					return err
				}
				if g.most() <= float64(n) {
					fits = g.accuracy()
					break
				}
			}
			if c.name == "rules" { // the paper has no denied splits
				m.Add(fmt.Sprintf("%s/rules/nodes/%d", name, n), fits)
				continue
			}
			m.Add(fmt.Sprintf("%s/ours/fits/%d", name, n), fits)
			eps := coarse
			if n == 4096 {
				eps = fine
			}
			g, err := tree(rap.Options{Eps: eps, Nodes: n})
			if err != nil {
				return err
			}
			m.Add(fmt.Sprintf("%s/ours/nodes/%d", name, n), g.accuracy())
		}
	}
	for _, x := range otherReadings {
		if x.o.Universe != 0 && slices.Max(points) >= x.o.Universe { // values have 64 bits
			continue
		}
		g, err := tree(x.o)
		if err != nil {
			return err
		}
		at := name + "/reading/" + x.name
		m.Add(at+"/most", g.most())
		m.Add(at+"/later", g.later)
		m.Add(at+"/hot", float64(len(g.hot)))
	}
	if !detailed {
		return nil
	}
	for _, k := range []int{2, 4, 8, 16} {
		g, err := tree(rap.Options{Eps: fine, Start: 1, B: k})
		if err != nil {
			return err
		}
		m.Add(fmt.Sprintf("%s/b/%d", name, k), g.most())
	}
	for _, k := range []uint64{2, 3, 4, 8} {
		g, err := tree(rap.Options{Eps: fine, Start: 1, Schedule: rap.Schedule{Q: k}})
		if err != nil {
			return err
		}
		m.Add(fmt.Sprintf("%s/q/%d", name, k), g.most())
	}
	exact := exactHot(points)
	for _, x := range []struct {
		name string
		o    rap.Options
	}{{"rules", rap.Options{Eps: fine, Start: 1}}, {"ours", rap.Options{Eps: fine}},
		{"leaf", rap.Options{Eps: fine, Start: 1, Policy: rap.Leaf}}} {
		g, err := tree(x.o)
		if err != nil {
			return err
		}
		found := 0
		for _, h := range g.hot {
			if slices.Contains(exact, [2]uint64{h.Lo, h.Hi}) {
				found++
			}
		}
		m.Add(name+"/exact/"+x.name, 100*float64(found)/float64(len(exact)))
	}
	return measureHardware(m, name, points)
}

// addTree adds the numbers of a tree.
func addTree(m *figure.Measured, name string, g *grown) {
	most, average := g.errors()
	_, ofStream := g.worst()
	var all figure.Tally
	over := 0.0 // by how much a count is above the truth at most
	for i, h := range g.hot {
		all = append(all, h.error())
		if d := float64(h.Inclusive) - float64(h.exact); i == 0 || d > over {
			over = d
		}
	}
	slices.Sort(all)
	second := 0.0
	if len(all) > 1 {
		second = all[len(all)-2]
	}
	for _, x := range []struct {
		name string
		x    float64
	}{
		{"most", g.most()}, {"later", g.later}, {"average", g.average}, {"hot", float64(len(g.hot))}, {"error", most},
		{"second", second}, {"mean-error", average}, {"of-stream", ofStream},
		{"over", over}, {"splits", float64(g.stats.Busiest)},
	} {
		m.Add(name+"/"+x.name, x.x)
	}
}

// exactHot returns the hot ranges of points among all ranges that a tree can have, without the events of hot ranges
// inside, as the paper defines them.
func exactHot(points []uint64) (list [][2]uint64) {
	sorted := slices.Sorted(slices.Values(points))
	least := hot * float64(len(points))
	var visit func(of []uint64, lo uint64, free int) (rest int)
	visit = func(of []uint64, lo uint64, free int) (rest int) {
		if float64(len(of)) < least {
			return len(of)
		}
		rest = len(of)
		if free > 0 {
			rest = 0
			step := min(free, 2)
			for k := range uint64(1) << step {
				from := lo + k<<(free-step)
				i, _ := slices.BinarySearch(of, from)
				j := len(of)
				if k+1 < 1<<step {
					j, _ = slices.BinarySearch(of, from+1<<(free-step))
				}
				rest += visit(of[i:j], from, free-step)
			}
		}
		if float64(rest) >= least {
			list = append(list, [2]uint64{lo, lo + 1<<free - 1})
			return 0
		}
		return rest
	}
	visit(sorted, 0, 64)
	return list
}

// ofBuffer is the engine with the paper's stage-0 buffer of so many entries, room for all splits, and an event in each
// cycle of the program. The paper scans entries by their length and does not count the moves that keep them in order.
const ofBuffer = "raphw(%s,over=words,near=1,far=1,entries=65536,buffer=%d,scan=length,move=0)"

// The engines whose cycles are counted.
var pipelines = []struct{ name, spec string }{
	{"rules", fmt.Sprintf(ofBuffer, "%s", 1024)},
	{"ours", "raphw(%s,over=words,near=1,far=1,entries=65536,buffer=1024)"},
	{"no-buffer", "raphw(%s,over=words,near=1,far=1,entries=65536,scan=length,move=0)"},
	{"4096", "raphw(%s,over=words,near=1,far=1,buffer=1024,scan=length,move=0)"},
}

// hardwarePart is the part of the points that the hardware gets: its model is slow.
const hardwarePart = 4

// metersOf returns what an engine of the hardware counts for points, by the names of the meters.
func metersOf(engine string, points []uint64) (map[string]hwsim.Meter, error) {
	spec, err := engines.Parse(engine, nil)
	if err != nil {
		return nil, err
	}
	e, out := spec.New(0), hwsim.NewOut(512, func([]hwsim.Message) {})
	buf := make([]tuple.Tuple, 0, 4096)
	for part := range slices.Chunk(points, cap(buf)) {
		buf = buf[:0]
		for _, w := range part {
			buf = append(buf, tuple.New(tuple.Load, 1, w))
		}
		e.Push(buf, out)
	}
	meters := map[string]hwsim.Meter{}
	for _, meter := range engines.Stages(e)[0].(hwsim.Metered).Meters() {
		meters[meter.Name] = meter
	}
	return meters, nil
}

// measureHardware counts the cycles of the pipeline for points.
func measureHardware(m *figure.Measured, name string, points []uint64) error {
	for _, eps := range []string{"1%", "10%"} {
		for _, x := range pipelines {
			at := fmt.Sprintf("%s/pipeline/%s/%s", name, x.name, eps)
			meters, err := metersOf(fmt.Sprintf(x.spec, eps), points[:len(points)/hardwarePart])
			if err != nil {
				return err
			}
			if denied := meters["splits denied"].Count; x.name != "4096" && denied > 0 {
				return fmt.Errorf("%s: %d splits were denied: want more entries", at, denied)
			}
			for _, add := range []struct{ name, meter string }{
				{"cycles", "engine to a count"}, {"cycles-event", "engine to an event"}, {"combined", "events to a count"},
			} {
				m.Add(at+"/"+add.name, meters[add.meter].Value())
			}
			m.Add(at+"/stalls", 100*meters["engine stalled by splits"].Value(), 100*meters["engine stalled by merges"].Value())
		}
	}
	return nil
}

// measurePairs has figures 9 and 10: trees behind caches, and of the addresses of zero loads.
func measurePairs(env *figure.Env, m *figure.Measured, p figure.Program) error {
	source, err := env.Source(p.Name, "pairs")
	if err != nil {
		return err
	}
	return env.EachPart(parts, source, func(env *figure.Env, source replay.Source) error {
		for _, c := range columns {
			tree := treeOfColumn(c.name)
			sent, err := messagesOf(env, source, "where(pass=first):"+tree, dl1+":where(pass=first):"+tree,
				dl1+":"+dl2+":where(pass=first):"+tree, "where(first=0,pass=second):"+tree)
			if err != nil {
				return err
			}
			name := p.Name + "/pairs/" + c.name
			for i, kind := range []string{"loads", "dl1", "dl2"} {
				m.Add(name+"/"+kind, narrowCoverage(sent[i]))
			}
			if c == columns[0] {
				if err := measureMisses(env, m, name, source); err != nil {
					return err
				}
			}
			z := &zeros{total: eventsOf(sent[3]), nodes: metric.Hot(sent[3], hot)}
			if _, z.loads, z.zero, err = countInRanges(env, source, z.nodes); err != nil {
				return err
			}
			inclusive, often := z.hottest()
			m.Add(name+"/zero-nodes", float64(len(z.nodes)))
			m.Add(name+"/zero-hottest", inclusive)
			m.Add(name+"/zero-often", often)
		}
		return nil
	})
}

func treeOfColumn(column string) string {
	if column == "rules" {
		return "rap(1%,over=words,start=1)"
	}
	return tree
}

// measureNarrow has the code with narrow operands of the program in the role of gcc.
func measureNarrow(env *figure.Env, m *figure.Measured) error {
	p := figure.InRole("gcc")
	source, err := env.Source(p.Name, "ops")
	if err != nil {
		return err
	}
	return env.EachPart(parts, source, func(env *figure.Env, source replay.Source) error {
		x, err := narrowOf(env, figure.Origin{Program: p, Recording: figure.Recordings[0]}, source)
		if err != nil {
			return err
		}
		for i, part := range x.parts {
			m.Add("narrow/"+narrowLevels[i].name, part.least)
		}
		return nil
	})
}

// theory has the bounds of the paper that our text prints, computed by its formulas.
func theory(m *figure.Measured) {
	o := rap.Options{Eps: fine}
	m.Add("theory/after-merge", float64(rap.WorstNodes(o)))
	m.Add("theory/before-merge", float64(beforeMerge(o)))
	m.Add("theory/before-merge-10", float64(beforeMerge(rap.Options{Eps: coarse})))
	m.Add("theory/after-merge-0.1", float64(rap.WorstNodes(rap.Options{Eps: 0.001})))
	m.Add("theory/before-merge-0.1", float64(beforeMerge(rap.Options{Eps: 0.001})))
	for _, k := range []int{2, 4, 8, 16} {
		m.Add(fmt.Sprintf("theory/b/%d", k), float64(rap.WorstNodes(rap.Options{Eps: fine, B: k})))
	}
	for _, k := range []uint64{2, 3, 4, 8} {
		m.Add(fmt.Sprintf("theory/q/%d", k), float64(beforeMerge(rap.Options{Eps: fine, Schedule: rap.Schedule{Q: k}})))
	}
	m.Add("theory/batches-32", float64(rap.Merges(rap.Schedule{}, 1<<32)))
	m.Add("theory/batches-64", float64(rap.Merges(rap.Schedule{}, 1<<64-1)))
}
