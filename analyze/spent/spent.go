// Package spent says where a program spent its time, and for whom, by a profile that names the main module: one of
// windows, which see all packages.
//
// Ticks of the clock say in which functions the time was, with their callers as far as these are known.
//
// A worked example. Of 100 ticks, 30 were in main.parse and 70 in runtime.mallocgc, of which main.parse called for 53
// and main.main itself for 17:
//
//	t := spent.Of(f, paths)
//	t.Func("main.parse")  // Time{Own: 0.3, Cum: 0.83}
//	t.Func("main.main")   // Time{Own: 0, Cum: 1}
//	t.Places[1]           // allocation 0.7, for main.parse 0.53 and main.main 0.17
//
// Time whose callers are not known, such as that in C code, is in no function's Cum.
package spent

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
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
	// `main module`, `dependencies`, `std`; a kind of work of the Go runtime; `system calls`, `C code and
	// vDSO`; `unseen`
	Name  string  `json:"name"`
	Share float64 `json:"share" unit:"ratio"`
	// with what the main module, dependencies or std called; 0 of others
	Cum float64 `json:"cum_share" unit:"ratio"`
	// functions of the main module, packages of dependencies and std, or what is unseen
	In []Share `json:"in"`
	// functions of the main module that called it; of several on a stack the innermost
	For []Share `json:"for"`
}

// Names of places.
const (
	InMainModule = "main module"

	deps   = "dependencies"
	std    = "std"
	unseen = "unseen"
)

// ours is how the names of functions of the linked runtime begin, which are in no path.
const ours = "0pep/"

// owned has the places of packages that are not of the Go runtime.
var owned = map[Owner]string{MainModule: InMainModule, Dependencies: deps, Std: std}

// Times is the time of a program.
type Times struct {
	Time   int64   // all of it, in ns
	Places []Place // where all of the time was, in the order of listings; the main module is always there

	// Funcs are the functions that have time or called what has, by name.
	Funcs []profile.Func

	funcs, pkgs map[string]*Time
	paths       map[profile.PathID]float64
}

// Func returns the time of a function.
func (t *Times) Func(name string) Time { return value(t.funcs, name) }

// Package returns the time of a package.
func (t *Times) Package(pkg string) Time { return value(t.pkgs, pkg) }

// Path returns the time on a path with what was called on it. The profile does not say on which path of a function a
// tick or a call was. Time counts for the paths that go over its line, by their counts, or if there are none, for all
// of the function.
func (t *Times) Path(id profile.PathID) float64 { return t.paths[id] }

func value(m map[string]*Time, name string) Time {
	if t := m[name]; t != nil {
		return *t
	}
	return Time{}
}

// Of returns the time of a profile with the given paths, nil if the profile does not name the main module, or has no
// ticks.
func Of(f *profile.File, paths []profile.Path) *Times {
	ticks, err := f.Ticks()
	if err != nil || !f.Whole() || len(ticks) == 0 {
		return nil
	}
	b := &builder{Times: &Times{funcs: make(map[string]*Time), pkgs: make(map[string]*Time),
		paths: make(map[profile.PathID]float64)},
		f: f, known: make(map[string]profile.Func), places: make(map[string]*tally)}
	over := newLines(paths)
	for i := range ticks {
		t := &ticks[i]
		b.Time += t.Time
		b.spend(t)
		for id, part := range over.paths(t.Frames) {
			b.Times.paths[id] += part * float64(t.Time)
		}
	}
	b.finish()
	return b.Times
}

// A builder computes the times of a profile.
type builder struct {
	*Times
	f      *profile.File
	known  map[string]profile.Func
	places map[string]*tally
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

// placeOf returns where the time of a function with some callers is.
func (b *builder) placeOf(stack []profile.Frame) string {
	in := stack[0].Func
	switch place, ok := owned[OwnerOf(b.f, packageOf(in))]; {
	case in.Name != "" && in.File == "": // a name for what is in no Go code
		return in.Name
	case in.Name == "" || strings.HasPrefix(in.Name, ours):
		return unseen
	case ok:
		return place
	}
	for _, x := range stack {
		if !ofRuntime(packageOf(x.Func)) {
			break
		}
		if kind := kindOf(x.Func.Name); kind != "" {
			return kind
		}
	}
	return otherRuntime
}

// packageOf returns the package of a function. Some functions of the Go runtime in assembly have names without one.
func packageOf(fn profile.Func) string {
	if strings.HasSuffix(fn.File, ".s") && !strings.Contains(fn.Name, ".") {
		return "runtime"
	}
	return profile.PackageOf(fn.Name)
}

func timeIn(m map[string]*Time, name string) *Time {
	t := m[name]
	if t == nil {
		t = &Time{}
		m[name] = t
	}
	return t
}

// spend adds a tick.
func (b *builder) spend(t *profile.Tick) {
	n := float64(t.Time)
	place := b.placeOf(t.Frames)
	at := b.place(place)
	at.share += n
	in := t.Frames[0].Func
	name, pkg := in.Name, packageOf(in)
	switch {
	case in.File == "" && in.Name != "":
		return
	case place == unseen:
		at.in[cmp.Or(strings.TrimPrefix(name, ours), "code without names")] += n
		return
	case place == InMainModule:
		at.in[name] += n
	case place == deps || place == std:
		at.in[pkg] += n
	}
	timeIn(b.funcs, name).Own += n
	timeIn(b.pkgs, pkg).Own += n
	whom, had := "", make(map[string]bool) // a recursion counts once
	for _, x := range t.Frames {
		name, pkg := x.Func.Name, packageOf(x.Func)
		owner, ok := owned[OwnerOf(b.f, pkg)]
		if owner == InMainModule {
			whom = cmp.Or(whom, name)
		}
		if !had[name] {
			timeIn(b.funcs, name).Cum += n
			b.known[name] = x.Func
		}
		if !had["package "+pkg] {
			timeIn(b.pkgs, pkg).Cum += n
		}
		if ok && !had["place "+owner] {
			b.place(owner).cum += n
		}
		had[name], had["package "+pkg], had["place "+owner] = true, true, true
	}
	if whom != "" && place != InMainModule {
		at.whom[whom] += n
	}
}

// lines has the paths that go over lines, and those of functions, with their counts.
type lines map[line]map[profile.PathID]float64

// A line is a line of a function, or without a file and a line all of it.
type line struct {
	function, file string
	line           int64
}

func newLines(paths []profile.Path) lines {
	l := make(lines)
	add := func(at line, p *profile.Path) {
		if l[at] == nil {
			l[at] = make(map[profile.PathID]float64)
		}
		l[at][p.ID] = float64(p.Count)
	}
	for _, p := range profile.SumPaths(paths) {
		add(line{function: p.ID.Func.Name}, &p)
		for _, s := range p.Spans() {
			for n := s.First; n <= s.Last; n++ {
				add(line{p.ID.Func.Name, s.File, n}, &p)
			}
		}
	}
	return l
}

// paths returns the paths on a stack, each with the probability that it is there. A line may be on several paths: each
// of these has the part of the line's count that is the path's. A path may be on the stack several times, in a
// recursion: then its greatest probability counts.
func (l lines) paths(stack []profile.Frame) map[profile.PathID]float64 {
	on := make(map[profile.PathID]float64)
	for _, x := range stack {
		all, sum := l[line{x.Func.Name, x.Func.File, x.Line}], 0.
		if all == nil {
			all = l[line{function: x.Func.Name}]
		}
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
	all := float64(b.Time)
	for _, m := range []map[string]*Time{b.funcs, b.pkgs} {
		for _, t := range m {
			t.Own, t.Cum = t.Own/all, t.Cum/all
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.funcs)) {
		if name != schema.LeftOut {
			b.Funcs = append(b.Funcs, b.known[name])
		}
	}
	for id := range b.Times.paths {
		b.Times.paths[id] /= all
	}
	shares := func(m map[string]float64) (list []Share) {
		for name, n := range m {
			list = append(list, Share{name, n / all})
		}
		slices.SortFunc(list, func(x, y Share) int {
			return cmp.Or(cmp.Compare(y.Share, x.Share),
				cmp.Compare(x.Name, y.Name))
		})
		return list
	}
	var work []string
	for _, k := range kinds {
		work = append(work, k.name)
	}
	slices.SortStableFunc(work, func(x, y string) int { return cmp.Compare(b.place(y).share, b.place(x).share) })
	order := slices.Concat([]string{InMainModule, deps, std}, work, []string{otherRuntime})
	for _, name := range slices.Sorted(maps.Keys(b.places)) {
		if name != unseen && !slices.Contains(order, name) { // in no Go code
			order = append(order, name)
		}
	}
	order = append(order, unseen)
	for _, name := range order {
		if t := b.place(name); t.share > 0 || name == InMainModule {
			b.Places = append(b.Places, Place{name, t.share / all, t.cum / all, shares(t.in), shares(t.whom)})
		}
	}
}
