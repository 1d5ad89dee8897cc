package torture

// This file compares the paths of random programs with their own logs.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/actions"
	tables "github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/branches"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/randprog"
	"github.com/pepgo/pep/machine/executable"
)

// Programs are built in batches, because a build of many programs takes little longer than a
// build of one.
const programsPerCase = 10

// seedOfCI is the seed of the program that short runs check, so that what they find does not depend on chance.
const seedOfCI = 1

// pathBuilds are the builds of each program in addition to the two exact ones: modes
// of package gotest, with the settings of their runs.
var pathBuilds = map[string][]string{
	"polls": {"tick=100us,samples=64,stride=7", "tick=100us,samples=1000000000,stride=1"},
	"taps":  {"tick=100us,samples=64,stride=7"},

	driver.Windows: slices.Repeat([]string{"tick=100us"}, 10), // of some milliseconds, with a few windows each
}

func pathsCases(e *Env) (cases []Case, err error) {
	modes := e.modes("polls", "taps", driver.Windows)
	if e.Short {
		name := fmt.Sprintf("program of seed %d", seedOfCI)
		return []Case{{name, func(e *Env, r *Result) { e.paths(r, []uint64{seedOfCI}, modes) }}}, nil
	}
	n := e.N
	if n == 0 {
		n = 200
	}
	for first := 0; first < n; first += programsPerCase {
		var seeds []uint64
		for i := first; i < min(n, first+programsPerCase); i++ {
			seeds = append(seeds, e.Seed+uint64(i))
		}
		name := fmt.Sprintf("%d programs from seed %d", len(seeds), seeds[0])
		cases = append(cases, Case{name, func(e *Env, r *Result) { e.paths(r, seeds, modes) }})
	}
	return cases, nil
}

// A subject is a random program being compared.
type subject struct {
	*randprog.Program
	e    *Env
	r    *Result
	name string
	want string // what it prints

	compared, cut, sampled, windows int

	sources map[place][]*actions.Source // of instances of a generic function there are several
}

// A place is where a function begins.
type place struct {
	file string // without directory
	line int
}

// paths compares the programs of seeds.
func (e *Env) paths(r *Result, seeds []uint64, modes []string) {
	var all []*subject
	for i, seed := range seeds {
		// Paths of large functions are cut, paths of small ones rarely are.
		p := randprog.New(seed, randprog.Config{Funcs: 16 + 8*(i%2), Size: []int{14, 24, 40}[seed%3]})
		s := &subject{Program: p, e: e, r: r, name: fmt.Sprintf("p%d", i)}
		for dir, files := range map[string]map[string]string{"plain": p.Plain, "traced": p.Traced} {
			if err := e.writeProgram(dir, s.name, files); err != nil {
				r.fail("seed %d: %v", seed, err)
				return
			}
		}
		all = append(all, s)
	}
	builds := [][]string{
		{"plain"}, {"traced"},
		{"header", "-pepmode=exact"}, {"backedge", "-pepmode=exact", "-peptruncate=backedge"},
		{"join", "-pepmode=exact", "-peptruncate=join"},
	}
	for _, mode := range modes {
		_, flags, err := driver.Command("", mode, "")
		if err != nil {
			r.fail("%v", err)
			return
		}
		builds = append(builds, append([]string{mode}, flags...))
	}
	for _, b := range builds {
		if err := e.buildPrograms(b[0], b[1:]); err != nil {
			r.fail("seeds %d: %v", seeds, err)
			return
		}
	}
	compared, cut, sampled, windows := 0, 0, 0, 0
	for _, s := range all {
		if err := s.compare(modes); err != nil {
			r.fail("seed %d: %v", s.Seed, err)
		}
		compared, cut, sampled, windows = compared+s.compared, cut+s.cut, sampled+s.sampled, windows+s.windows
	}
	r.Note = fmt.Sprintf("%d counts of paths, %d functions with paths that are cut, %d samples, %d windows", compared, cut,
		sampled, windows)
}

func (e *Env) writeProgram(module, name string, files map[string]string) error {
	dir := filepath.Join(e.Work, module, name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			return err
		}
	}
	mod := filepath.Join(e.Work, module, "go.mod")
	return os.WriteFile(mod, []byte("module example.com/random\n\ngo 1.26\n"), 0o666)
}

// buildPrograms builds all programs into a directory, by pepbuild if there are
// flags.
func (e *Env) buildPrograms(to string, flags []string) error {
	name, module := e.Pepbuild, "plain"
	if len(flags) == 0 {
		name, module = "go", to
	}
	args := append(append([]string{"build"}, flags...), "-o", filepath.Join(e.Work, "bin", to)+"/", "./...")
	_, err := driver.Tool(filepath.Join(e.Work, module), []string{"GOWORK=off"}, name, args...)
	return err
}

// exec runs the program of a build, and checks what it prints. It returns the
// profile of paths, if the build makes one.
func (s *subject) exec(build, opts string, env ...string) (*profile.File, error) {
	dir, err := os.MkdirTemp(s.e.Work, "run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(s.e.Work, "bin", build, s.name)
	p := &process{opts: opts, Process: driver.Process{Exe: exe, Dir: dir, Env: env, Limit: time.Minute}}
	if build == driver.Windows {
		p.Ticks = exe
	}
	got := p.run()
	if text := got.State + ", " + got.Stdout + got.Stderr; s.want == "" {
		s.want = text
	} else if text != s.want {
		return nil, fmt.Errorf("%s, PEPOPTS=%s: got %s, want %s", build, opts, text, s.want)
	}
	if build == "plain" || build == "traced" {
		return nil, nil
	}
	if build == driver.Windows && driver.Profiles(dir, schema.Paths) == nil { // there was no tick
		return nil, nil
	}
	name, err := driver.Profile(dir, schema.Paths)
	if err != nil {
		return nil, fmt.Errorf("%s, PEPOPTS=%s: %w", build, opts, err)
	}
	return profile.Open(name)
}

// compare runs all builds of a program. If one differs, compare counts a failure and goes on
// with the next.
func (s *subject) compare(modes []string) error {
	log := filepath.Join(s.e.Work, s.name+".log")
	if _, err := s.exec("plain", ""); err != nil {
		return err
	}
	if !strings.HasPrefix(s.want, "exit status 0") {
		return fmt.Errorf("plain: %s", s.want)
	}
	if _, err := s.exec("traced", "", "RANDPROG_LOG="+log); err != nil {
		return err
	}
	var exact *randprog.Comparison // with the truncation that the sampled builds have
	for _, t := range []randprog.Truncation{randprog.Join, randprog.Backedge, randprog.Header} {
		c, err := s.exact(log, t)
		if err != nil {
			s.r.fail("seed %d: %s: %v", s.Seed, t, err)
			continue
		}
		s.compared, s.cut = s.compared+c.Paths, s.cut+c.Cut
		if t == randprog.Header {
			exact = c
		}
		if len(c.Differ) == 0 && c.Paths > 0 {
			s.r.pass(1)
			continue
		}
		s.r.fail("seed %d: %s: %d paths are equal, %d differ: %s", s.Seed, t, c.Paths, len(c.Differ),
			strings.Join(c.Differ, "\n"))
	}
	for _, mode := range modes {
		for _, opts := range pathBuilds[mode] {
			var paths []profile.Path
			f, err := s.exec(mode, opts)
			if err == nil && f != nil {
				paths, err = f.Paths()
				s.windows += int(f.Fact(facts.Windows))
			}
			if err != nil {
				s.r.fail("seed %d: %v", s.Seed, err)
				continue
			}
			for _, p := range paths {
				s.sampled += int(p.Recorded())
			}
			if exact == nil {
				continue
			}
			if mode == driver.Windows {
				if paths, err = s.clear(paths); err != nil {
					s.r.fail("seed %d: %v", s.Seed, err)
					continue
				}
			}
			if strange := exact.Within(s.Program, paths); len(strange) > 0 {
				s.r.fail("seed %d: %s, PEPOPTS=%s: %s", s.Seed, mode, opts, strings.Join(strange, "\n"))
				continue
			}
			s.r.pass(1)
		}
	}
	return nil
}

// clear returns the paths of a profile by windows without those that may stand for another path, because the code of
// the program does not tell them apart.
func (s *subject) clear(paths []profile.Path) (clear []profile.Path, err error) {
	if s.sources == nil {
		if err := s.readTable(); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(paths, func(p profile.Path) bool {
		at := place{filepath.Base(p.ID.Func.File), int(p.ID.Func.StartLine)}
		return slices.ContainsFunc(s.sources[at], func(f *actions.Source) bool { return f.Tells(p.ID.Number) != "" })
	}), nil
}

// readTable has pepbuild say what the code of the program tells.
func (s *subject) readTable() error {
	exe, file := filepath.Join(s.e.Work, s.name+".exe"), filepath.Join(s.e.Work, s.name+".table")
	if _, err := driver.Tool(filepath.Join(s.e.Work, "plain"), []string{"GOWORK=off"}, s.e.Pepbuild, "build",
		"-peptable="+file, "-o", exe, "./"+s.name); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	pkgs, err := tables.Read(data)
	if err != nil {
		return err
	}
	t, err := branches.Actions(exe, pkgs, false)
	if err != nil {
		return err
	}
	s.sources = map[place][]*actions.Source{}
	for _, f := range t.Sources {
		if f.Numbered() {
			x := &f.Package.Sites.Funcs[f.Site]
			at := place{filepath.Base(f.Package.Sites.Files[x.File]), x.Line}
			s.sources[at] = append(s.sources[at], f)
		}
	}
	return nil
}

// exact compares an exact profile with the log.
func (s *subject) exact(log string, t randprog.Truncation) (*randprog.Comparison, error) {
	in, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	want, err := s.Paths(in, t)
	if err != nil {
		return nil, err
	}
	f, err := s.exec(string(t), "")
	if err != nil {
		return nil, err
	}
	paths, err := f.Paths()
	if err != nil {
		return nil, err
	}
	unended, err := f.Unended()
	if err != nil {
		return nil, err
	}
	var cut []int
	if t != randprog.Header {
		exe, err := executable.Open(filepath.Join(s.e.Work, "bin", string(t), s.name))
		if err != nil {
			return nil, err
		}
		for _, pkg := range exe.Packages {
			for _, f := range pkg.Funcs {
				if filepath.Base(pkg.Files[f.File]) == randprog.Main && cutUnsaid(&f.Graph, t) {
					cut = append(cut, f.Line)
				}
			}
		}
	}
	c := s.Compare(want, paths, cut)
	c.Unended(s.Program, want, unended)
	return c, nil
}

// cutUnsaid reports whether paths may be cut although no label of a profile says so: at loops, or at joins to which
// paths lead that have ended and behind which none has.
func cutUnsaid(g *pdag.Graph, t randprog.Truncation) bool {
	if t == randprog.Join {
		return slices.ContainsFunc(g.Starts, func(s pdag.Start) bool { return s.Cut })
	}
	return cutAtLoop(g)
}

// cutAtLoop reports whether paths end on an edge that leads to the head of a loop and closes none. With
// -peptruncate=backedge that is so only if there would be too many paths otherwise. No label says it,
// because other paths begin at the head, too.
func cutAtLoop(g *pdag.Graph) bool {
	const active, done = 1, 2
	state := make([]int, len(g.Nodes))
	// heads of loops, and what is reached otherwise, by edges on which paths end
	closed, entered := map[int]bool{}, map[int]bool{}
	var visit func(v int)
	visit = func(v int) {
		state[v] = active
		for _, e := range g.Nodes[v].Out {
			switch {
			case e.Dead || e.To == pdag.Exit:
				continue
			case state[e.To] == active:
				closed[e.To] = true
				continue
			case state[e.To] == 0:
				visit(e.To)
			}
			if e.Ends {
				entered[e.To] = true
			}
		}
		state[v] = done
	}
	visit(g.Starts[0].Node)
	for v := range entered {
		if closed[v] {
			return true
		}
	}
	return false
}
