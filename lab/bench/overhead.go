package bench

// This file measures the cost of instrumentation in time, bytes and
// instructions.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
)

// OverheadOptions say what Overhead measures. Rounds must be at least 1, so the zero value
// cannot be used.
type OverheadOptions struct {
	Rounds       int       // runs of each variant
	Layouts      int       // orders in which the linker places functions, the rounds by turns; 0 and 1 are the linker's own
	Short        bool      // only the settings, and a CPU profile of package runtime/pprof
	Settings     []Setting // of samples; nil is PEP(64,17)
	BuildTime    bool      // measure builds
	Instructions int       // runs under valgrind of each build; 0 is none
}

// A Variant is a way to build and run a program.
type Variant struct {
	Name  string
	Build string   // which executable, "" if the program has none: "plain", "polls", "windows", "guided", "exact", "edges", "exact-added", "edges-added", "count", "set", "atomic", "profiled"; "taps", "burst"
	Env   []string // what it runs with
}

// writesPaths reports whether v writes a profile of paths at its end.
func (v Variant) writesPaths() bool {
	return slices.Contains([]string{pollsBuild, windowsBuild, guidedBuild, exactBuild, edgesBuild}, v.Build)
}

const (
	plainBuild   = "plain"
	pollsBuild   = "polls"
	guidedBuild  = "guided" // with the edges of a sampled run as -pepguide
	windowsBuild = "windows"
	exactBuild   = "exact"
	edgesBuild   = "edges"    // exact, with counters of edges
	countBuild   = "count"    // go build -cover, named by -covermode
	setBuild     = "set"      // the same
	atomicBuild  = "atomic"   // the same
	selfBuild    = "profiled" // plain, with a CPU profile of package runtime/pprof

	// By plain additions.
	addedPathsBuild = "exact-added"
	addedEdgesBuild = "edges-added"
)

// exactFlags are the flags of builds with exact counts.
var exactFlags = map[string][]string{
	exactBuild:      {"-pepmode=exact"},
	edgesBuild:      {"-pepmode=exact", "-peptruncate=join"},
	addedPathsBuild: {"-pepmode=exact", "-pepwithout=atomics"},
	addedEdgesBuild: {"-pepmode=exact", "-peptruncate=join", "-pepwithout=atomics"},
}

// buildsOf returns the executables of variants, the plain one first.
func buildsOf(list []Variant) (builds []string) {
	for _, v := range list {
		if !slices.Contains(builds, v.Build) {
			builds = append(builds, v.Build)
		}
	}
	return builds
}

// lowBudget is a setting that keeps sampling within one percent of the CPU time.
const lowBudget = "PEPOPTS=budget=1%"

// variants returns the variants to measure, the plain program first.
func variants(opts OverheadOptions) []Variant {
	list := []Variant{{"plain", plainBuild, nil}}
	if !opts.Short {
		list = append(list, Variant{"no ticks", pollsBuild, []string{noTicks}})
	}
	for _, s := range opts.Settings {
		list = append(list, Variant{s.String(), s.build(), []string{s.env()}})
	}
	last := Variant{"runtime/pprof CPU profile", selfBuild, nil}
	if opts.Short {
		return append(list, last)
	}
	return append(list,
		Variant{PEP.String() + ", budget 1%", pollsBuild, []string{lowBudget}},
		Variant{PEP.String() + ", budget 1%, guide", guidedBuild, []string{lowBudget}},
		Variant{"exact paths", exactBuild, []string{"PEPOPTS="}},
		Variant{"cover, count", countBuild, nil},
		Variant{"cover, set", setBuild, nil},
		Variant{"cover, atomic", atomicBuild, nil},
		last,
	)
}

// A Cost has the measurements of one program.
type Cost struct {
	Program      string
	Variants     []Variant        // the plain program first
	Runs         [][]Run          // by variant and round
	Written      [][]Written      // by variant and round
	Packages     int              // that are instrumented
	Sites        int              // of taps; only counted by Taps
	Size         map[string]int64 // bytes of the executable, by build
	Instructions map[string]int64 // by build; nil if not measured
	Skipped      error            // why instructions are not, although they should be
	BuildTime    map[string]Run   // "go", "pepbuild"; nil if not measured
}

// Written is what a run's profile tells. It is zero if the run writes none.
type Written struct {
	Exit  time.Duration // from the end of the profile until its files are written
	Share float64       // of the run's CPU time that the profile says sampling took, 0 to 1
}

// Overhead measures what instrumentation costs the test programs.
//
// With several layouts each round has another one, the same for all variants. The place of code
// in memory changes how fast it is by some percent, and no measurement of one executable
// tells that from the cost of what was inserted.
//
// The variants run by turns: every round runs each of them once, and begins with
// another one each time. So changes on the machine in the meantime affect all variants.
// All runs must print the same and exit with the same code.
func Overhead(cfg *Config, opts OverheadOptions) ([]Cost, error) {
	if opts.Settings == nil {
		opts.Settings = []Setting{PEP}
	}
	var timer *buildTimer
	if opts.BuildTime {
		if cfg.Lanes > 0 {
			return nil, errors.New("builds use all processors: measure their time without lanes")
		}
		var err error
		if timer, err = newBuildTimer(cfg); err != nil {
			return nil, err
		}
		defer timer.close()
	}
	return cfg.costs(func(p *program) (Cost, error) {
		c := Cost{Program: p.name, Variants: variants(opts)}
		pkgs, err := p.buildAll(&c, max(opts.Layouts, 1))
		if err == nil {
			err = p.rounds(&c, opts.Rounds, max(opts.Layouts, 1))
		}
		if err == nil {
			err = p.measureInstructions(&c, opts.Instructions)
		}
		if err == nil && timer != nil {
			c.BuildTime, err = timer.measure(p, pkgs)
		}
		return c, err
	})
}

// buildAll builds all executables and returns the import paths of the packages that
// are instrumented in them.
func (p *program) buildAll(c *Cost, layouts int) (pkgs []string, err error) {
	p.logf("%s: building", p.name)
	if err := p.pepbuild(pollsBuild); err != nil {
		return nil, err
	}
	if pkgs, err = p.importPaths(); err != nil {
		return nil, err
	}
	c.Packages = len(pkgs)
	c.Size = make(map[string]int64)
	for _, build := range buildsOf(c.Variants) {
		err := inLayouts(build, layouts, func(name string, flags ...string) error { return p.build(build, name, pkgs, flags) })
		if err != nil {
			return nil, err
		}
		if c.Size[build], err = size(p.exe(build)); err != nil {
			return nil, err
		}
	}
	return pkgs, nil
}

// inLayout is the name of a build whose functions are in another order than the linker's, unless
// layout is 0.
func inLayout(build string, layout int) string {
	if layout == 0 {
		return build
	}
	return fmt.Sprintf("%s.%d", build, layout)
}

// inLayouts calls make for each layout of a build, with its name and the flags of the go command.
func inLayouts(build string, layouts int, make func(name string, flags ...string) error) error {
	for layout := range layouts {
		var flags []string
		if layout > 0 {
			flags = []string{fmt.Sprintf("-ldflags=-randlayout=%d", layout)}
		}
		if err := make(inLayout(build, layout), flags...); err != nil {
			return err
		}
	}
	return nil
}

// build builds one of the executables. pollsBuild has been built before.
func (p *program) build(build, name string, pkgs, flags []string) error {
	switch build {
	case plainBuild:
		return p.plain(name, flags...)
	case countBuild, setBuild, atomicBuild:
		return p.plain(name, append(flags, "-cover", "-covermode="+build, "-coverpkg="+strings.Join(pkgs, ","))...)
	case selfBuild:
		return p.buildProfiled(name, flags...)
	case windowsBuild:
		return p.buildWindows(name, flags...)
	case guidedBuild:
		guide := p.exe("guide") // one for all layouts
		if _, err := os.Stat(guide); err != nil {
			_, edges, err := p.edgesFile(pollsBuild, PEP.env())
			if err == nil {
				err = os.Rename(edges, guide)
			}
			if err != nil {
				return err
			}
		}
		flags = append(flags, "-pepguide="+guide)
	}
	return p.pepbuild(name, append(flags, exactFlags[build]...)...)
}

// importPaths returns the packages that are instrumented, as the go command
// names them.
func (p *program) importPaths() ([]string, error) {
	pkgs, err := instrumented(p.exe(pollsBuild))
	if err != nil {
		return nil, err
	}
	list, err := tool(p.dir, nil, "go", "list", ".")
	if err != nil {
		return nil, err
	}
	for i, path := range pkgs {
		if path == "main" { // as the compiler names it
			pkgs[i] = strings.TrimSpace(list.Stdout)
		}
	}
	return pkgs, nil
}

// rounds runs all variants by turns.
func (p *program) rounds(c *Cost, rounds, layouts int) error {
	c.Runs = make([][]Run, len(c.Variants))
	c.Written = make([][]Written, len(c.Variants))
	plain, _, err := p.runVariant(c.Variants[0], 0) // also warms up the file system's cache
	if err != nil {
		return err
	}
	if plain.Code != 0 {
		return fmt.Errorf("the plain program exits with code %d", plain.Code)
	}
	for round := range rounds {
		p.logf("%s: round %d of %d", p.name, round+1, rounds)
		for i := range c.Variants {
			i = (i + round) % len(c.Variants)
			if c.Variants[i].Build == "" {
				continue
			}
			r, written, err := p.runVariant(c.Variants[i], round%layouts)
			if err == nil {
				err = r.same(plain)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", c.Variants[i].Name, err)
			}
			c.Runs[i] = append(c.Runs[i], r)
			c.Written[i] = append(c.Written[i], written)
		}
	}
	return nil
}

// runVariant runs a copy of v's executable once. Where the kernel has put the pages of a file decides about the sets of the
// caches that they share, and stays as long as the file is in memory: of six copies of one executable, the least CPU times
// of five runs were 1.35 to 1.55 s. So each run has pages of its own.
func (p *program) runVariant(v Variant, layout int) (r Run, w Written, err error) {
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return r, w, err
	}
	defer os.RemoveAll(out)
	removal, err := watchRemoval(out)
	if err != nil {
		return r, w, err
	}
	env := append([]string{"PEPDIR=" + out, "GOCOVERDIR=" + out, "PEPBENCH_PROFILE=" + filepath.Join(out, "cpu.pprof")}, v.Env...)
	exe := filepath.Join(out, inLayout(v.Build, layout))
	if err := copyExecutable(exe, p.exe(inLayout(v.Build, layout))); err != nil {
		return r, w, err
	}
	r, err = start(out, env, exe, p.scale())
	if err != nil || !v.writesPaths() {
		removal.close()
		return r, w, err
	}
	at, ok := removal.stop()
	if !ok {
		return r, w, fmt.Errorf("%s has written its profiles and removed no .pep file", v.Name)
	}
	w, err = readWritten(out, at)
	return r, w, err
}

func copyExecutable(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	// A process that another lane starts meanwhile would have the file open, which then cannot be executed.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(to, data, 0o755)
}

// readWritten reads the one profile of paths in dir. Its file was written at a moment.
func readWritten(dir string, at time.Time) (w Written, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.paths.pb.gz"))
	if err != nil {
		return w, err
	}
	if len(names) != 1 {
		return w, fmt.Errorf("%d paths profiles of one run, want 1", len(names))
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		return w, err
	}
	p, err := pprof.ParseData(data)
	if err != nil {
		return w, fmt.Errorf("%s: %w", names[0], err)
	}
	w.Exit = at.Sub(time.Unix(0, p.TimeNanos+p.DurationNanos))
	f, err := profile.Parse(names[0], bytes.NewReader(data))
	if err != nil {
		return w, err
	}
	if all := f.Fact(facts.CPUTime); all > 0 {
		w.Share = float64(f.Fact(facts.SampledTime)) / float64(all)
	}
	return w, nil
}
