// Package pgo turns counts of paths and calls into call edges for go build -pgo.
//
// The compiler reads of a profile who called whom on which line, and how much weight each
// such edge has. It sorts the edges by weight, and takes those that have 99% of it for hot: it
// inlines larger functions there. It calls the heaviest method of an interface directly, whatever its weight.
//
//	calls, skipped, err := pgo.Calls(f, targets)   // f is a profile of paths, targets one of call targets, or nil
//	src := source.NewTree("")
//	calls, deferred := pgo.Undeferred(calls, src)
//	hot, cold := pgo.Hot(calls, pgo.Share)
//	stale := pgo.Stale(hot, src)
//	err = f.SaveStacks("default.pgo", pgo.Types, pgo.Stacks(hot, cold))
//
// A worked example. In a profile of paths, main.main called main.sign on line 30: 7 times along a path of 3 lines, and
// twice along one of 10 lines. The edge from line 30 to main.sign then has 9 calls that executed 7*3 + 2*10 = 41 lines.
// These are 5 lines for each call, so the compiler may inline it. If main.sign were called once, and had a loop with 80
// rounds of a line each, it would be left out: inlining it would save one call in 80 lines. The two paths have 10
// different lines, so each line of a copy of main.sign would be executed 4.1 times. The edges with the highest such
// numbers are inlined first.
package pgo

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
)

// Types are the sample types of the profiles. The compiler reads the column samples/count.
var Types = []string{"calls", "samples"}

// A Call is an edge of the call graph.
type Call struct {
	Caller profile.Frame // its line is that of the call
	Callee profile.Frame // its line is the first of the function
	Count  int64         // calls that were recorded; of sampled paths in 1/1000 samples
	Weight int64         // lines that the callee executed, for the same unit
	Lines  int64         // of the callee that were executed in any call: about how large a copy of it is; 0 if not known
}

// fewLines is how many lines a function is taken to have if fewer are known.
const fewLines = 2

// Share is the share of the weight whose calls the compiler shall inline. More makes the code larger than caches in
// programs with many functions (docs/decisions/0038-measured-branches.md).
const Share = 0.95

// maxCost is the most lines that a call executes on average in the function that it calls, if
// the compiler shall inline the function. Inlining a longer one saves a call in many lines, and costs
// registers in the loops of the caller. With 20, regex executes 0.987 of the plain instructions, with 50 0.951; without
// a bound lua executes 0.910, with 50 0.893.
const maxCost = 50

// A Skipped counts, in units of Call.Weight, what becomes no edge of the call graph.
type Skipped struct {
	Top     int64 // functions without a caller or that the runtime calls, such as main.main and those of go statements
	Caller  int64 // callers without the line of their func keyword, such as assembly
	Generic int64 // names of generic functions without their shapes
	Long    int64 // calls that execute more than 50 lines on average, which nobody wants to inline
}

// A NoCalls error says that a profile has no calls for the compiler, and why.
type NoCalls struct{ Why string }

func (e *NoCalls) Error() string { return e.Why }

// Calls returns the edges in a profile of paths or of call targets, the heaviest first.
//
// A path weighs the number of lines on it times its count, because the compiler
// expects weights in proportion to time. It says which function it is in and what called the
// function. It is a call if it begins at the function's entry.
//
// A function without branches has no paths of its own. It is known from the stacks of the functions
// that it calls: their paths also count for the edge from its caller to it. So if it calls several
// functions, the edge has that many times the calls.
//
// Targets is the profile of call targets of the same run, whose counts must have the same unit; nil if there is
// none. Of an indirect call, only the most frequent target is an edge then.
//
// Exact profiles of paths have no callers, which is an error of type NoCalls. In a profile f of call targets each call
// weighs 1.
func Calls(f, targets *profile.File) ([]Call, Skipped, error) {
	g := graph{index: make(map[edge]int)}
	if f.Kind == schema.CallTargets {
		words, err := f.Words()
		if err != nil {
			return nil, Skipped{}, err
		}
		for _, w := range words {
			if w.Site.Pool == "" && w.Range == nil {
				caller := profile.Frame{Func: w.Site.Func, Line: w.Line, Symbol: w.Site.Func.Name}
				g.add(caller, profile.Frame{Func: w.Target, Symbol: w.Target.Name}, w.Count, w.Count)
			}
		}
		return g.sorted(), g.skipped, nil
	}
	paths, err := f.Paths()
	if err != nil {
		return nil, Skipped{}, err
	}
	if f.Exact() {
		return nil, Skipped{}, &NoCalls{f.Name +
			": exact profiles do not have callers: give a sampled profile, or the .calltargets.pb.gz file of a program built with -peptaps=calls,directcalls"}
	}
	executed := make(map[profile.Func]*lines)
	costs := make([]int64, len(paths))
	for i, p := range paths {
		all := executed[p.ID.Func]
		if all == nil {
			all = new(lines)
			executed[p.ID.Func] = all
		}
		if costs[i], err = all.add(p.Lines); err != nil {
			return nil, Skipped{}, fmt.Errorf("%s: path %s of %s: %w", f.Name, p.ID.Name(), p.ID.Func.Name, err)
		}
	}
	for i, p := range paths {
		cost := costs[i]
		calls, weight := p.Count, p.Count*max(cost, 1)
		if p.From.How != schema.Entry {
			calls = 0
		}
		// The compiler makes wrappers for methods of embedded and pointed-to types.
		callers := slices.DeleteFunc(slices.Clone(p.Callers),
			func(c profile.Frame) bool { return c.Func.File == "<autogenerated>" })
		// The runtime calls by function values: main.main, deferred functions, finalizers.
		if i := slices.IndexFunc(callers, func(c profile.Frame) bool {
			return strings.HasPrefix(c.Symbol,
				"runtime.")
		}); i >= 0 {
			callers = callers[:i]
		}
		if len(callers) == 0 {
			g.skipped.Top += weight
		}
		callee := profile.Frame{Func: p.ID.Func, Symbol: p.Symbol}
		for _, caller := range callers {
			if !g.add(caller, callee, calls, weight) || executed[caller.Func] != nil {
				break
			}
			callee = caller
		}
	}
	if targets != nil {
		words, err := targets.Words()
		if err != nil {
			return nil, Skipped{}, err
		}
		g.direct(words, func(f profile.Func) bool { return executed[f] != nil })
	}
	g.calls = slices.DeleteFunc(g.calls, func(c Call) bool {
		long := c.Weight > maxCost*c.Count
		if long {
			g.skipped.Long += c.Weight
		}
		return long
	})
	for i := range g.calls {
		if all := executed[g.calls[i].Callee.Func]; all != nil {
			g.calls[i].Lines = all.count()
		}
	}
	return g.sorted(), g.skipped, nil
}

// lines is a set of lines, as ranges that may overlap. Its size does not depend on how long these are, which a file may
// say anything about.
type lines [][2]int64

// add adds a list such as "12-14,17", which may be empty, and returns how many lines it has.
func (s *lines) add(list string) (n int64, err error) {
	if list == "" {
		return 0, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		first, last, several := strings.Cut(part, "-")
		if !several {
			last = first
		}
		from, err1 := strconv.ParseInt(first, 10, 32)
		to, err2 := strconv.ParseInt(last, 10, 32)
		if err := cmp.Or(err1, err2); err != nil {
			return 0, fmt.Errorf("lines %q: %w", list, err)
		}
		if to < from {
			return 0, fmt.Errorf("lines %q: %d is behind %d", list, from, to)
		}
		*s = append(*s, [2]int64{from, to})
		n += to - from + 1
	}
	return n, nil
}

// count returns how many lines are in the set.
func (s *lines) count() (n int64) {
	slices.SortFunc(*s, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	*s = slices.Compact(*s)
	next := int64(math.MinInt64) // the first line that is not counted yet
	for _, r := range *s {
		if first := max(r[0], next); first <= r[1] {
			n += r[1] - first + 1
			next = r[1] + 1
		}
	}
	return n
}

// An edge is what the compiler tells calls apart by.
type edge struct {
	caller, callee string
	line           int64 // from the caller's first
}

func edgeOf(caller, callee profile.Frame) edge {
	return edge{caller.Symbol, callee.Symbol, caller.Line - caller.Func.StartLine}
}

type graph struct {
	calls   []Call
	index   map[edge]int
	skipped Skipped
}

// add reports whether the call is one that the compiler can find.
func (g *graph) add(caller, callee profile.Frame, count, weight int64) bool {
	switch {
	case caller.Func.StartLine == 0 || callee.Func.StartLine == 0:
		g.skipped.Caller += weight
		return false
	case strings.Contains(caller.Symbol, "[...]") || strings.Contains(callee.Symbol, "[...]"):
		g.skipped.Generic += weight
		return false
	}
	callee.Line = callee.Func.StartLine
	k := edgeOf(caller, callee)
	i, ok := g.index[k]
	if !ok {
		i = len(g.calls)
		g.index[k] = i
		g.calls = append(g.calls, Call{Caller: caller, Callee: callee})
	}
	g.calls[i].Count += count
	g.calls[i].Weight += weight
	return true
}

// direct makes an edge of the most frequent target of each indirect call, and removes those of its other targets.
// The compiler calls the heaviest one on the line directly, and of those without branches there may be no edge:
// they have no paths. The edge has the calls of the target. It keeps its weight if the target has paths; else it
// weighs a line for each call. Calls of one method on a line are one call here, as they are for the compiler.
func (g *graph) direct(words []profile.Word, hasPaths func(profile.Func) bool) {
	type call struct {
		caller     profile.Frame
		of, method string
	}
	counts := make(map[call]map[profile.Frame]int64)
	for _, w := range words {
		if w.Site.Kind != tuple.Call.String() || w.Site.Pool != "" || w.Range != nil {
			continue
		}
		method := w.Site.Expr[strings.LastIndexByte(w.Site.Expr, '.')+1:]
		c := call{profile.Frame{Func: w.Site.Func, Line: w.Line, Symbol: w.Site.Func.Name}, w.Site.Type, method}
		if counts[c] == nil {
			counts[c] = make(map[profile.Frame]int64)
		}
		counts[c][profile.Frame{Func: w.Target, Symbol: w.Target.Name}] += w.Count
	}
	most, others := make(map[edge]bool), make(map[edge]bool)
	for c, targets := range counts {
		list := slices.SortedFunc(maps.Keys(targets), func(a, b profile.Frame) int {
			return cmp.Or(cmp.Compare(targets[b], targets[a]), a.Func.Compare(b.Func))
		})
		for _, target := range list[1:] {
			others[edgeOf(c.caller, target)] = true
		}
		count := targets[list[0]]
		if !g.add(c.caller, list[0], 0, 0) {
			continue
		}
		k := edgeOf(c.caller, list[0])
		x := &g.calls[g.index[k]]
		if !most[k] { // not that of a call of another interface
			x.Count = 0
			if !hasPaths(x.Callee.Func) {
				x.Weight = 0
			}
		}
		most[k] = true
		x.Count += count
		x.Weight = max(x.Weight, x.Count)
	}
	g.calls = slices.DeleteFunc(g.calls, func(c Call) bool {
		k := edgeOf(c.Caller, c.Callee)
		return others[k] && !most[k]
	})
}

func (g *graph) sorted() []Call {
	slices.SortFunc(g.calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Caller.Symbol, b.Caller.Symbol),
			cmp.Compare(a.Caller.Line, b.Caller.Line), cmp.Compare(a.Callee.Symbol, b.Callee.Symbol))
	})
	return g.calls
}

// Hot divides calls into those that the compiler shall inline and the others. The former have at least a share, from 0
// to 1, of the weight, and most weight for each line that a copy of the callee has. So they make the hot code no longer
// than necessary. Both are in the order of calls.
func Hot(calls []Call, share float64) (hot, cold []Call) {
	dense := func(i int) float64 { return float64(calls[i].Weight) / float64(max(calls[i].Lines, fewLines)) }
	order := make([]int, len(calls))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(dense(j), dense(i)) })
	total, sum := Weight(calls), int64(0)
	chosen := make([]bool, len(calls))
	for _, i := range order {
		if float64(sum) >= share*float64(total) {
			break
		}
		sum += calls[i].Weight
		chosen[i] = true
	}
	for i, c := range calls {
		if chosen[i] {
			hot = append(hot, c)
		} else {
			cold = append(cold, c)
		}
	}
	return hot, cold
}

// Weight returns the sum of the weights.
func Weight(calls []Call) (sum int64) {
	for _, c := range calls {
		sum += c.Weight
	}
	return sum
}

// Undeferred returns the calls that may be inlined, and the weight of the others: calls of deferred functions, which
// profiles have on the lines where their callers return, and which the compiler never inlines. Where src does not have
// the file, it is not known.
func Undeferred(calls []Call, src *source.Tree) (rest []Call, deferred int64) {
	for _, c := range calls {
		if isDeferred(c, src) {
			deferred += c.Weight
		} else {
			rest = append(rest, c)
		}
	}
	return rest, deferred
}

// deferWrapper matches the symbols of functions that the compiler makes of defer statements.
var deferWrapper = regexp.MustCompile(`\.deferwrap[0-9]+$`)

func isDeferred(c Call, src *source.Tree) bool {
	if deferWrapper.MatchString(c.Callee.Symbol) {
		return true
	}
	file, line := c.Caller.Func.File, c.Caller.Line
	list := src.Deferred(file, line)
	if len(list) > 0 && !src.Calls(file, line) {
		return true
	}
	return slices.ContainsFunc(list, func(d source.Deferred) bool {
		if d.Line > 0 {
			return c.Callee.Func.File == file && c.Callee.Func.StartLine == d.Line
		}
		name := "." + d.Name
		return d.Name != "" && (strings.HasSuffix(c.Callee.Symbol, name) || strings.Contains(c.Callee.Symbol, name+"["))
	})
}

// Stale returns the calls that the source of their caller does not have: no function begins
// on its first line, or none of its lines with that number calls. The source has changed
// since the program was built, and the compiler will find nothing there, or something else.
// Calls in files that src does not have are not stale.
func Stale(calls []Call, src *source.Tree) (stale []Call) {
	for _, c := range calls {
		caller := c.Caller.Func
		if !src.Has(caller.File) {
			continue
		}
		end, ok := src.FuncEnd(caller.File, caller.StartLine)
		if !ok || c.Caller.Line > end || !src.Calls(caller.File, c.Caller.Line) {
			stale = append(stale, c)
		}
	}
	return stale
}

// The compiler takes the heaviest calls with 99% of the weight for hot. So each hot call needs about the same weight,
// and the cold ones together hardly any. The last 1% of the hot ones may be left out.
const (
	hotWeight  = 1_000_000 // of each hot call at least
	coldWeight = 1000      // of all cold calls together, above 1 for each
)

// Stacks returns calls as samples of two frames, with counts of Types. The compiler inlines the hot ones. On lines of
// the cold ones it only calls methods of interfaces directly. It takes the heaviest method of a line, so weights grow
// with Call.Weight.
func Stacks(hot, cold []Call) (list []profile.Stack) {
	frame := func(f profile.Frame) profile.Frame {
		f.Func.Name = f.Symbol // the compiler compares it with the linker's name
		return f
	}
	add := func(c Call, weight int64) {
		list = append(list, profile.Stack{Frames: []profile.Frame{frame(c.Caller), frame(c.Callee)},
			Counts: []int64{c.Count, weight}})
	}
	ofHot, ofCold := max(Weight(hot), 1), max(Weight(cold), 1)
	for _, c := range hot {
		add(c, hotWeight+int64(hotWeight*float64(c.Weight)/float64(ofHot)))
	}
	for _, c := range cold {
		add(c, 1+int64(coldWeight*float64(c.Weight)/float64(ofCold)))
	}
	return list
}
