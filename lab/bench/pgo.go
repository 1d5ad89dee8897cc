package bench

// This file measures what programs gain if the compiler gets profiles.

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
)

const (
	cpuBuild      = "cpu"      // with a CPU profile of package runtime/pprof
	branchesBuild = "branches" // with outcomes of branches, counted exactly
	sampledBuild  = "sampled"  // with sampled ones
	otherBuild    = "other"    // with exact ones of the program's second input
	bothBuild     = "both"     // with exact ones and the CPU profile
	pepBuild      = "pep"      // with both files that pep pgo writes into a directory
)

// flatProgram is a program whose functions are all equally hot.
const flatProgram = "flat"

// secondInput is the environment of programs that are to work on their second input. Those that have none
// work on the first.
const secondInput = "PEPBENCH_INPUT=2"

// defaults is the environment of programs that sample as they do if the user says nothing.
const defaults = "PEPOPTS="

// PGOOptions say what PGO measures.
type PGOOptions struct {
	Cut          float64 // share of the weight that the calls to be inlined have
	Profiled     int     // workload of the runs that the profiles are of, in percent of the whole
	Rounds       int     // runs of each variant
	Layouts      int     // orders of functions, one of them in each round
	Instructions int     // of how many programs instructions are counted, the first ones
	BuildTimes   int     // of how many of them builds are timed
	After        string  // the name of a file without which no runs are measured; "" is none
}

// An Optimised is what PGO finds out about a program.
type Optimised struct {
	Cost
	Layouts int
	Rebuild time.Duration    // CPU time of the build with the branches of the sampled run
	Misses  map[string]int64 // of the cache of instructions, by build; nil if not measured
	Builds  map[string]Run   // timed with an empty cache: "go", "pepbuild"; nil if not measured
	Err     error            // what has gone wrong; without Runs the program is not measured
}

// pgoVariants returns the variants that PGO measures.
func pgoVariants() []Variant {
	return []Variant{
		{"plain", plainBuild, nil},
		{"CPU profile", cpuBuild, nil},
		{"branches", branchesBuild, nil},
		{"branches, sampled", sampledBuild, nil},
		{"branches, other input", otherBuild, nil},
		{"CPU profile, branches", bothBuild, nil},
		{"pep pgo", pepBuild, nil},
		{"profiled run", pollsBuild, []string{defaults}},
	}
}

// PGO measures what programs gain if the compiler gets profiles: the CPU profile of a run of the plain
// program; outcomes of branches, exact, sampled, and of another input; both; and what pep pgo makes of a
// sampled run. First it builds all programs, which other work on the machine does not disturb. Then the
// variants run by turns as Overhead has them. An error of one program is in its result, and does not stop
// the others. Without names of programs, there is a further one, flat, that has 400 functions which call a
// method of an interface each: a CPU profile has samples of few of them.
func PGO(cfg *Config, opts PGOOptions) ([]Optimised, error) {
	var all []Optimised
	err := cfg.inWork("pgo", func(work string) (err error) {
		all, err = cfg.pgo(opts, work)
		return err
	})
	return all, err
}

func (c *Config) pgo(opts PGOOptions, work string) ([]Optimised, error) {
	programs, err := c.allIn(work)
	if err != nil {
		return nil, err
	}
	if c.Programs == nil {
		p := &program{c, flatProgram, filepath.Join(work, "module"), filepath.Join(work, flatProgram)}
		if err := errors.Join(writeFlat(p.dir), os.Mkdir(p.work, 0o777)); err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	all := make([]Optimised, len(programs))
	// step does one part of the work on the first n programs, but for those of which an earlier part has failed.
	step := func(n int, do func(p *program, o *Optimised) error) error {
		return c.inLanes(n, func(i int) error {
			o := &all[i]
			if o.Err == nil {
				if o.Err = do(programs[i], o); o.Err != nil {
					c.logf("%s: no more of it: %v", programs[i].name, o.Err)
				}
			}
			return nil
		})
	}
	err = step(len(programs), func(p *program, o *Optimised) error {
		*o = Optimised{Cost: Cost{Program: p.name, Variants: pgoVariants()}, Layouts: opts.Layouts}
		return p.optimise(o, opts)
	})
	if err == nil {
		err = step(min(opts.Instructions, len(programs)), (*program).countCosts)
	}
	if err != nil {
		return nil, err
	}
	if opts.After != "" {
		c.logf("built all; waiting for %s", opts.After)
		if err := waitFor(opts.After); err != nil {
			return nil, err
		}
	}
	c.logf("built all; measuring")
	err = step(len(programs), func(p *program, o *Optimised) error {
		if err := p.rounds(&o.Cost, opts.Rounds, opts.Layouts); err != nil {
			o.Runs = nil
			return err
		}
		c.logf("%s: measured: %s", p.name, strings.Join(pgoCells(o), " "))
		return nil
	})
	if err != nil {
		return nil, err
	}
	whole := *c
	whole.Lanes = 0 // builds use all processors
	c = &whole
	err = step(min(opts.BuildTimes, len(programs)), func(p *program, o *Optimised) (err error) {
		o.Builds, err = p.coldBuilds([]timedBuild{
			{"go", []string{"go", "build"}}, {"pepbuild", []string{p.Pepbuild, "build", "-pepopt=" + p.edgesName()}},
		})
		return err
	})
	return all, err
}

// waitFor returns when there is a file.
func waitFor(name string) error {
	for {
		_, err := os.Stat(name)
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		time.Sleep(time.Second)
	}
}

// edgesName is the profile of edges that pepBuild takes.
func (p *program) edgesName() string { return filepath.Join(p.work, "default.edges.pb.gz") }

// optimise builds p without a profile and with each of the profiles. Those that it needs only once it removes.
func (p *program) optimise(o *Optimised, opts PGOOptions) error {
	p.logf("%s: building and profiling", p.name)
	defer os.Remove(p.exe(exactBuild))
	defer os.Remove(p.exe(selfBuild))
	if err := errors.Join(
		p.inPGOLayouts(plainBuild, opts.Layouts, "off", ""),
		p.inPGOLayouts(pollsBuild, opts.Layouts, "off", ""),
		p.pepbuild(exactBuild, "-pepmode=exact"),
	); err != nil {
		return err
	}
	cfg := *p.Config
	cfg.Scale = max(1, p.Scale*opts.Profiled/100)
	profiled := &program{&cfg, p.name, p.dir, p.work}
	_, exact, err := profiled.edgesFile(exactBuild, defaults)
	if err != nil {
		return err
	}
	calls, cpu := filepath.Join(p.work, "default.pgo"), filepath.Join(p.work, "cpu.pgo")
	if err := errors.Join(profiled.profileCPU(cpu), profiled.profileSampled(calls, opts.Cut)); err != nil {
		return err
	}
	builds := []struct{ build, profile, edges string }{
		{cpuBuild, cpu, ""},
		{branchesBuild, "off", exact},
		{sampledBuild, "off", p.edgesName()},
		{bothBuild, cpu, exact},
		{pepBuild, calls, p.edgesName()},
	}
	second, err := profiled.hasSecondInput()
	if err != nil {
		return err
	}
	if second {
		_, other, err := profiled.edgesFile(exactBuild, defaults, secondInput)
		if err != nil {
			return err
		}
		builds = append(builds, struct{ build, profile, edges string }{otherBuild, "off", other})
	} else {
		i := slices.IndexFunc(o.Variants, func(v Variant) bool { return v.Build == otherBuild })
		o.Variants[i].Build = ""
	}
	for _, b := range builds {
		p.logf("%s: building, %s", p.name, b.build)
		if err := p.inPGOLayouts(b.build, opts.Layouts, b.profile, b.edges, func(r Run) {
			if b.build == sampledBuild && o.Rebuild == 0 {
				o.Rebuild = r.CPU
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// hasSecondInput reports whether p prints something else if it is asked for its second input.
func (p *program) hasSecondInput() (bool, error) {
	first, err := start(p.work, nil, p.exe(plainBuild), p.scale())
	if err != nil {
		return false, err
	}
	second, err := start(p.work, []string{secondInput}, p.exe(plainBuild), p.scale())
	if err == nil && second.Code != 0 {
		err = fmt.Errorf("with %s the program exits with code %d", secondInput, second.Code)
	}
	return first.Stdout != second.Stdout, err
}

// inPGOLayouts makes a build in all layouts. The executables have no symbols: linking then takes half the
// time.
func (p *program) inPGOLayouts(build string, layouts int, profile, edges string, built ...func(Run)) error {
	return inLayouts(build, layouts, func(name string, flags ...string) error {
		exe, args := "go", []string{"build", "-pgo=" + profile, "-o", p.exe(name), "-ldflags=-s"}
		switch {
		case build == pollsBuild:
			exe, args = p.Pepbuild, append(args, "-pepmode=polls", "-peppkg="+p.Packages)
		case edges != "":
			exe, args = p.Pepbuild, append(args, "-pepopt="+edges)
		}
		for _, f := range flags {
			args[4] += " " + strings.TrimPrefix(f, "-ldflags=")
		}
		r, err := tool(p.dir, nil, exe, append(args, ".")...)
		if err != nil {
			return err
		}
		for _, f := range built {
			f(r)
		}
		return nil
	})
}

// profileSampled makes of a sampled run the two profiles that pep pgo makes of it.
func (p *program) profileSampled(name string, cut float64) error {
	_, err := p.written(pollsBuild, "*.paths.pb.gz", []string{defaults}, func(paths string) error {
		f, err := profile.Open(paths)
		if err != nil {
			return err
		}
		t, err := report.PGO(f, nil, source.NewTree(""), report.PGOOptions{Cut: cut})
		if err != nil {
			return err
		}
		p.logf("%s: %d of %d calls", p.name, t.Kept, t.Calls)
		edges := strings.Replace(paths, ".paths.", ".edges.", 1)
		return errors.Join(f.SaveStacks(name, pgo.Types, t.Stacks()), os.Rename(edges, p.edgesName()))
	})
	return err
}

// countCosts counts instructions, and how often they are not in the cache.
func (p *program) countCosts(o *Optimised) (err error) {
	o.Instructions, o.Misses, err = p.instructions([]string{plainBuild, cpuBuild, branchesBuild, bothBuild}, 1, true)
	if errors.Is(err, ErrNoValgrind) {
		p.logf("%s: %v", p.name, err)
		o.Skipped, err = err, nil
	}
	return err
}

var mainFunc = regexp.MustCompile(`(?m)^func main\(\) \{`)

// buildProfiled builds p with a main function that profiles its own.
func (p *program) buildProfiled(build string, flags ...string) error {
	files, err := filepath.Glob(filepath.Join(p.dir, "*.go"))
	if err != nil {
		return err
	}
	replaced := make(map[string]string)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if text := mainFunc.ReplaceAllString(string(data), "func profiled() {"); text != string(data) {
			copied := filepath.Join(p.work, "main.go")
			replaced[f] = copied
			// The line directive keeps the name of the file.
			if err := os.WriteFile(copied, []byte("//line "+f+":1\n"+text), 0o644); err != nil {
				return err
			}
		}
	}
	if len(replaced) != 1 {
		return fmt.Errorf("%d files of %s have a main function, want 1", len(replaced), p.dir)
	}
	added := filepath.Join(p.work, "profile.go")
	replaced[filepath.Join(p.dir, "pepbench_profile.go")] = added
	if err := os.WriteFile(added, []byte(profiledMain), 0o644); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return err
	}
	file := filepath.Join(p.work, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return err
	}
	return p.plain(build, append(flags, "-pgo=off", "-overlay="+file)...)
}

// profileCPU writes the CPU profile of a run.
func (p *program) profileCPU(name string) error {
	if err := p.buildProfiled(selfBuild); err != nil {
		return err
	}
	r, err := start(p.work, []string{"PEPBENCH_PROFILE=" + name}, p.exe(selfBuild), p.scale())
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("%s exits with code %d", p.exe(selfBuild), r.Code)
	}
	return err
}

const profiledMain = `package main

import (
	"os"
	"runtime/pprof"
)

func main() {
	f, err := os.Create(os.Getenv("PEPBENCH_PROFILE"))
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		panic(err)
	}
	profiled()
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		panic(err)
	}
}
`

// writeFlat writes the module of the flat program. A call of one of its functions has 30 rounds.
// With fewer, such as 3, the code of 400 functions passes through the cache of instructions faster than
// the processor executes it, and what is measured is the size of the code.
func writeFlat(dir string) error {
	const functions = 400
	var b strings.Builder
	b.WriteString(`package main

import (
	"fmt"
	"os"
	"strconv"
)

type operation interface{ apply(x int) int }

type add struct{ n int }

func (a *add) apply(x int) int {
	if x&1 == 0 {
		return x + a.n
	}
	return x ^ a.n
}

type multiply struct{ n int }

func (m *multiply) apply(x int) int { return x * m.n }

var operations = []operation{&add{3}, &multiply{5}}

func main() {
	percent, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	sum := 0
	for i := range 1_000 * percent {
		for _, f := range functions {
			sum = f(operations[0], sum+i)
		}
	}
	fmt.Println("flat", sum)
}

`)
	b.WriteString("var functions = []func(operation, int) int{")
	for i := range functions {
		fmt.Fprintf(&b, "f%d, ", i)
	}
	b.WriteString("}\n")
	for i := range functions {
		fmt.Fprintf(&b, `
//go:noinline
func f%d(o operation, x int) int {
	for range 30 {
		x = o.apply(x + %d)
	}
	return x
}
`, i, i)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/flat\n\ngo 1.26\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(b.String()), 0o644))
}
