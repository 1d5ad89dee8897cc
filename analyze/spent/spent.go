// Package spent says where a program spent its time, and for whom, by a profile that names the main module: one of windows,
// which see all packages.
//
// Ticks of the clock say in which functions the time was, but not who called these. Paths have callers. So the ticks of a
// function are divided among the stacks of its paths, by the basic blocks that these executed: a path with two branches
// has three. A function that no path was seen of has the stacks of the one that it is inlined into; or those that it is on as a
// caller; or, unless it is of the main module, those of functions of its package, or of functions of the Go runtime that do the
// same kind of work.
//
// A worked example. Of 100 ticks, 30 were in main.parse and 70 in runtime.mallocgc. Paths of mallocgc executed 400 blocks, 300
// of them below main.parse < main.main, and 100 below main.main:
//
//	t := spent.Of(f, paths)
//	t.Func("main.parse")  // Time{Own: 0.3, Cum: 0.825}: 30 ticks, and 300/400 of 70
//	t.Func("main.main")   // Time{Own: 0, Cum: 1}
//	t.Places[1]           // allocation 0.7, for main.parse 0.525 and main.main 0.175
//
// Time that no stack is known of, such as that in system calls and in assembly, is in no function's Cum but its own.
package spent

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
)

// A Time is shares of all ticks.
type Time struct {
	Own float64 // in the code of the function or package itself
	Cum float64 // and in what it called
}

// A Share is a part of all ticks with its name.
type Share struct {
	Name  string  `json:"name"`
	Share float64 `json:"share" unit:"ratio"`
}

// A Place is where time was: packages of an owner, a kind of work of the Go runtime, or what is in no Go code.
type Place struct {
	Name  string  `json:"name"`
	Share float64 `json:"share" unit:"ratio"`
	Cum   float64 `json:"cum_share" unit:"ratio"` // with what packages of an owner called; 0 of other places
	In    []Share `json:"in"`                     // the functions of the main module or the packages where it was, or what it is
	For   []Share `json:"for"`                    // functions of the main module that called it; of several on a stack the innermost
}

// Names of places.
const (
	InMainModule = "main module"

	deps     = "dependencies"
	std      = "std"
	unseen   = "unseen"
	notNamed = "functions that the profile does not name"
)

// owned has the places of packages that are not of the Go runtime.
var owned = map[Owner]string{MainModule: InMainModule, Dependencies: deps, Std: std}

// outsideGo has the names of places that are in no Go code, which the program gives them.
var outsideGo = []string{"system calls", "C code and vDSO"}

// notInPaths are names that a program gives code which is in no path.
var notInPaths = []string{"method wrappers", "pep's own code"}

// Times is the time of a program.
type Times struct {
	Ticks  int64   // whose place is known
	Places []Place // where all of the time was, in the order of listings; the main module is always there

	// Funcs are the functions that have time or called what has, by name. Those that have no paths and did not call have a name alone.
	Funcs []profile.Func

	funcs, pkgs map[string]*Time
	paths       map[profile.PathID]float64
}

// Func returns the time of a function.
func (t *Times) Func(name string) Time { return value(t.funcs, name) }

// Package returns the time of a package.
func (t *Times) Package(pkg string) Time { return value(t.pkgs, pkg) }

// Path returns the time on a path with what was called on it. The profile does not say on which path of the caller a call was.
// Time in it counts for the paths that go over its line, by their counts.
func (t *Times) Path(id profile.PathID) float64 { return t.paths[id] }

func value(m map[string]*Time, name string) Time {
	if t := m[name]; t != nil {
		return *t
	}
	return Time{}
}

// Of returns the time of a profile with the given paths, nil if the profile does not name the main module, or does not say
// where ticks were.
func Of(f *profile.File, paths []profile.Path) *Times {
	ticks := int64(f.Fact(facts.TicksPlaced))
	if !f.Whole() || ticks == 0 {
		return nil
	}
	b := &builder{Times: &Times{Ticks: ticks, funcs: make(map[string]*Time), pkgs: make(map[string]*Time), paths: make(map[profile.PathID]float64)},
		f: f, known: make(map[string]profile.Func), blocks: make(map[string]float64), leaves: make(map[string][]leaf), places: make(map[string]*tally)}
	b.read(paths)
	b.ticks()
	b.divide(paths)
	b.finish()
	return b.Times
}

// A builder computes the times of a profile.
type builder struct {
	*Times
	f      *profile.File
	known  map[string]profile.Func
	stacks []stack
	blocks map[string]float64 // executed on stacks with a key
	leaves map[string][]leaf  // by the key of the stacks that they have
	places map[string]*tally
}

// A stack has the functions that a path was on the stack of, innermost first.
type stack struct {
	path  *profile.Path
	funcs []string
	keys  []key
}

// A key says for whose ticks a stack is good: "of main.f", of which the path is; "on main.f", of which it has a frame; "package fmt";
// or "kind maps". These are called by what is on the stack from a frame on.
type key struct {
	text string
	from int
}

// A leaf is ticks in a function.
type leaf struct {
	name   string
	around string // that it is inlined into, if the stacks are of that one; else ""
	ticks  float64
}

// A tally is a Place in the making.
type tally struct {
	share, cum float64
	in, whom   map[string]float64
}

func (b *builder) place(name string) *tally {
	t := b.places[name]
	if t == nil {
		t = &tally{in: make(map[string]float64), whom: make(map[string]float64)}
		b.places[name] = t
	}
	return t
}

// read reads the stacks of paths.
func (b *builder) read(paths []profile.Path) {
	for i := range paths {
		p := &paths[i]
		s := stack{path: p}
		for _, c := range append([]profile.Frame{{Func: p.ID.Func}}, p.Callers...) {
			s.funcs = append(s.funcs, c.Func.Name)
			b.known[c.Func.Name] = c.Func
		}
		s.keys = []key{{"of " + s.funcs[0], 1}}
		add := func(text string, from int) {
			if !slices.ContainsFunc(s.keys, func(k key) bool { return k.text == text }) { // a recursion counts once
				s.keys = append(s.keys, key{text, from})
			}
		}
		for i, name := range s.funcs {
			add("on "+name, i+1)
			add("package "+profile.PackageOf(name), i+1)
		}
		if outer := slices.IndexFunc(s.funcs, func(name string) bool { return !ofRuntime(profile.PackageOf(name)) }); outer > 0 {
			add("kind "+b.placeOf(s.funcs...), outer)
		}
		for _, k := range s.keys {
			b.blocks[k.text] += blocks(p)
		}
		b.stacks = append(b.stacks, s)
	}
}

func blocks(p *profile.Path) float64 { return float64(p.Flow) + float64(p.Count) }

// placeOf returns where the time of a function with some callers is.
func (b *builder) placeOf(funcs ...string) string {
	if place, ok := owned[OwnerOf(b.f, profile.PackageOf(funcs[0]))]; ok {
		return place
	}
	for _, name := range funcs {
		if !ofRuntime(profile.PackageOf(name)) {
			break
		}
		if kind := kindOf(name); kind != "" {
			return kind
		}
	}
	return otherRuntime
}

// ticks reads where ticks were.
func (b *builder) ticks() {
	left := map[facts.Key]float64{}
	for _, list := range b.f.Facts {
		left[facts.TicksInsideIn] += float64(list.Number(facts.TicksInside))
		left[facts.TicksOutsideIn] += float64(list.Number(facts.TicksOutside))
		for _, x := range list {
			if x.Key != facts.TicksInsideIn && x.Key != facts.TicksOutsideIn {
				continue
			}
			n := float64(x.N)
			left[x.Key] -= n
			switch {
			case slices.Contains(outsideGo, x.Name):
				b.place(x.Name).share += n
			case slices.Contains(notInPaths, x.Name):
				b.unseen(x.Name, n)
			default:
				b.add(x.Name, n)
			}
		}
	}
	if n := left[facts.TicksInsideIn] + left[facts.TicksOutsideIn]; n > 0 {
		b.unseen(notNamed, n)
	}
}

// add adds n ticks in a function: "p.f in p.g" if it is inlined and has one path; "p.f (assembly)"; or "p.f (inlined)" of one whose
// paths the code does not tell.
func (b *builder) add(text string, n float64) {
	text, assembly := strings.CutSuffix(text, " (assembly)")
	if assembly && !strings.Contains(text, ".") { // of the Go runtime, without a package: cmpbody
		b.place(cmp.Or(kindOf(text), otherRuntime)).share += n
		return
	}
	name, around, _ := strings.Cut(strings.TrimSuffix(text, " (inlined)"), " in ")
	pkg, place := profile.PackageOf(name), b.placeOf(name)
	timeIn(b.funcs, name).Own += n
	timeIn(b.pkgs, pkg).Own += n
	switch place {
	case InMainModule:
		b.place(place).in[name] += n
	case deps, std:
		b.place(place).in[pkg] += n
	}
	if key, within := b.stacksFor(name, around, place); key != "" && !assembly {
		b.leaves[key] = append(b.leaves[key], leaf{name, within, n})
		return
	}
	timeIn(b.funcs, name).Cum += n
	timeIn(b.pkgs, pkg).Cum += n
	b.place(place).share += n
	if place == InMainModule || place == deps || place == std {
		b.place(place).cum += n
	}
}

// stacksFor returns the key of the stacks that a function in a place has, "" if there are none, and the function that it is inlined
// into if these are the stacks of that one.
func (b *builder) stacksFor(name, around, place string) (key, within string) {
	like := "kind " + place // of the Go runtime
	if place == deps || place == std {
		like = "package " + profile.PackageOf(name)
	}
	for _, x := range [...][2]string{{"of " + name}, {"of " + around, around}, {"on " + name}, {"on " + around, around}, {like}} {
		if b.blocks[x[0]] > 0 {
			return x[0], x[1]
		}
	}
	return "", ""
}

func (b *builder) unseen(what string, n float64) {
	b.place(unseen).share += n
	b.place(unseen).in[what] += n
}

func timeIn(m map[string]*Time, name string) *Time {
	t := m[name]
	if t == nil {
		t = &Time{}
		m[name] = t
	}
	return t
}

// divide divides the ticks of functions among their stacks.
func (b *builder) divide(paths []profile.Path) {
	over := newLines(paths)
	for _, s := range b.stacks {
		for _, k := range s.keys {
			all := 0.
			for _, l := range b.leaves[k.text] {
				n := l.ticks * blocks(s.path) / b.blocks[k.text]
				funcs := []string{l.name}
				if l.around != "" {
					funcs = append(funcs, l.around)
				}
				b.spend(append(funcs, s.funcs[k.from:]...), n)
				all += n
			}
			if all == 0 {
				continue
			}
			on := over.paths(s.path.Callers[k.from-1:])
			if k.text == "of "+s.funcs[0] {
				on[s.path.ID] = 1
			}
			for id, part := range on {
				b.Times.paths[id] += part * all
			}
		}
	}
}

// spend adds n ticks with a stack.
func (b *builder) spend(funcs []string, n float64) {
	whom, had := "", make(map[string]bool) // a recursion counts once
	for _, name := range funcs {
		pkg := profile.PackageOf(name)
		place, ok := owned[OwnerOf(b.f, pkg)]
		if place == InMainModule {
			whom = cmp.Or(whom, name)
		}
		if !had[name] {
			timeIn(b.funcs, name).Cum += n
		}
		if !had["package "+pkg] {
			timeIn(b.pkgs, pkg).Cum += n
		}
		if ok && !had["place "+place] {
			b.place(place).cum += n
		}
		had[name], had["package "+pkg], had["place "+place] = true, true, true
	}
	place := b.placeOf(funcs...)
	b.place(place).share += n
	if whom != "" && place != InMainModule {
		b.place(place).whom[whom] += n
	}
}

// lines has the paths that go over lines, with their counts.
type lines map[line]map[profile.PathID]float64

type line struct {
	function, file string
	line           int64
}

func newLines(paths []profile.Path) lines {
	l := make(lines)
	for _, p := range profile.SumPaths(paths) {
		for _, s := range p.Spans() {
			for n := s.First; n <= s.Last; n++ {
				at := line{p.ID.Func.Name, s.File, n}
				if l[at] == nil {
					l[at] = make(map[profile.PathID]float64)
				}
				l[at][p.ID] = float64(p.Count)
			}
		}
	}
	return l
}

// paths returns the paths that made the calls on a stack, each with the probability that it made one of them. A line may be on
// several paths: each of these has the part of the line's count that is the path's. A path may be on the stack several times, in a
// recursion: then its greatest probability counts.
func (l lines) paths(callers []profile.Frame) map[profile.PathID]float64 {
	on := make(map[profile.PathID]float64)
	for _, c := range callers {
		all, sum := l[line{c.Func.Name, c.Func.File, c.Line}], 0.
		for _, count := range all {
			sum += count
		}
		for id, count := range all {
			if count > 0 {
				on[id] = max(on[id], count/sum)
			}
		}
	}
	return on
}

// finish makes shares of ticks.
func (b *builder) finish() {
	all := float64(b.Ticks)
	for _, m := range []map[string]*Time{b.funcs, b.pkgs} {
		for _, t := range m {
			t.Own, t.Cum = t.Own/all, t.Cum/all
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.funcs)) {
		fn := b.known[name]
		fn.Name = name
		if name != schema.LeftOut {
			b.Funcs = append(b.Funcs, fn)
		}
	}
	for id := range b.Times.paths {
		b.Times.paths[id] /= all
	}
	shares := func(m map[string]float64) (list []Share) {
		for name, n := range m {
			list = append(list, Share{name, n / all})
		}
		slices.SortFunc(list, func(x, y Share) int { return cmp.Or(cmp.Compare(y.Share, x.Share), cmp.Compare(x.Name, y.Name)) })
		return list
	}
	var work []string
	for _, k := range kinds {
		work = append(work, k.name)
	}
	slices.SortStableFunc(work, func(x, y string) int { return cmp.Compare(b.place(y).share, b.place(x).share) })
	order := slices.Concat([]string{InMainModule, deps, std}, work, []string{otherRuntime}, outsideGo, []string{unseen})
	for _, name := range order {
		if t := b.place(name); t.share > 0 || name == InMainModule {
			b.Places = append(b.Places, Place{name, t.share / all, t.cum / all, shares(t.in), shares(t.whom)})
		}
	}
}
