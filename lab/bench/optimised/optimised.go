// Package optimised measures what programs gain if the compiler gets profiles.
//
//	all, err := optimised.Measure(cfg, optimised.Options{Cut: 0.95, Profiled: 100, Rounds: 10, Layouts: 3})
//	fmt.Print(optimised.Tables(all))
//
// prints the CPU time of each program with a CPU profile, with branches, and with both, relative to the plain one.
package optimised

// This file measures what programs gain if the compiler gets profiles.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/valgrind"
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

// Options say what PGO measures.
type Options struct {
	Cut          float64 // share of the weight that the calls to be inlined have
	Profiled     int     // workload of the runs that the profiles are of, in percent of the whole
	Rounds       int     // runs of each variant
	Layouts      int     // orders of functions, one of them in each round
	Instructions int     // of how many programs instructions are counted, the first ones
	BuildTimes   int     // of how many of them builds are timed
	After        string  // the name of a file without which no runs are measured; "" is none
}

// An Result is what PGO finds out about a program.
type Result struct {
	cost.Cost
	Layouts int
	Rebuild time.Duration         // CPU time of the build with the branches of the sampled run
	Misses  map[string]int64      // of the cache of instructions, by build; nil if not measured
	Builds  map[string]driver.Run // timed with an empty cache: "go", "pepbuild"; nil if not measured
	Err     error                 // what has gone wrong; without Runs the program is not measured
}

// variants returns the variants that PGO measures.
func variants() []cost.Variant {
	return []cost.Variant{
		{Name: "plain", Build: programs.Plain, Env: nil},
		{Name: "CPU profile", Build: cpuBuild, Env: nil},
		{Name: "branches", Build: branchesBuild, Env: nil},
		{Name: "branches, sampled", Build: sampledBuild, Env: nil},
		{Name: "branches, other input", Build: otherBuild, Env: nil},
		{Name: "CPU profile, branches", Build: bothBuild, Env: nil},
		{Name: "pep pgo", Build: pepBuild, Env: nil},
		{Name: "profiled run", Build: programs.Windows, Env: []string{programs.Defaults}},
	}
}

// Measure measures what programs gain if the compiler gets profiles: the CPU profile of a run of the plain
// program; outcomes of branches, exact, sampled, and of another input; both; and what pep pgo makes of a
// sampled run. First it builds all programs, which other work on the machine does not disturb. Then the
// variants run by turns as Overhead has them. An error of one program is in its result, and does not stop
// the others. Without names of programs, there is a further one, flat, that has 400 functions which call a
// method of an interface each: a CPU profile has samples of few of them.
func Measure(cfg *programs.Config, opts Options) ([]Result, error) {
	var all []Result
	err := cfg.InWork("pgo", func(work string) (err error) {
		all, err = measure(cfg, opts, work)
		return err
	})
	return all, err
}

func measure(c *programs.Config, opts Options, work string) ([]Result, error) {
	list, err := c.AllIn(work)
	if err != nil {
		return nil, err
	}
	if c.Programs == nil {
		p := &programs.Program{Config: c, Name: flatProgram, Dir: filepath.Join(work, "module"),
			Work: filepath.Join(work, flatProgram)}
		if err := errors.Join(writeFlat(p.Dir), os.Mkdir(p.Work, 0o777)); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	all := make([]Result, len(list))
	// step does one part of the work on the first n programs, but for those of which an earlier part has failed.
	step := func(n int, do func(p *programs.Program, o *Result) error) error {
		return c.InLanes(n, func(i int) error {
			o := &all[i]
			if o.Err == nil {
				if o.Err = do(list[i], o); o.Err != nil {
					c.Logf("%s: no more of it: %v", list[i].Name, o.Err)
				}
			}
			return nil
		})
	}
	err = step(len(list), func(p *programs.Program, o *Result) error {
		*o = Result{Cost: cost.Cost{Program: p.Name, Variants: variants()}, Layouts: opts.Layouts}
		return optimise(p, o, opts)
	})
	if err == nil {
		err = step(min(opts.Instructions, len(list)), countCosts)
	}
	if err != nil {
		return nil, err
	}
	if opts.After != "" {
		c.Logf("built all; waiting for %s", opts.After)
		if err := waitFor(opts.After); err != nil {
			return nil, err
		}
	}
	c.Logf("built all; measuring")
	err = step(len(list), func(p *programs.Program, o *Result) error {
		if err := cost.Rounds(p, &o.Cost, opts.Rounds, opts.Layouts); err != nil {
			o.Runs = nil
			return err
		}
		c.Logf("%s: measured: %s", p.Name, strings.Join(cells(o), " "))
		return nil
	})
	if err != nil {
		return nil, err
	}
	whole := *c
	whole.Lanes = 0 // builds use all processors
	c = &whole
	err = step(min(opts.BuildTimes, len(list)), func(p *programs.Program, o *Result) (err error) {
		o.Builds, err = cost.ColdBuilds(p, []cost.TimedBuild{
			{Name: "go", Command: []string{"go", "build"}},
			{Name: "pepbuild", Command: []string{p.Pepbuild, "build", "-pepopt=" + edgesName(p)}},
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
func edgesName(p *programs.Program) string { return filepath.Join(p.Work, "default.edges.pb.gz") }

// optimise builds p without a profile and with each of the profiles. Those that it needs only once it removes.
func optimise(p *programs.Program, o *Result, opts Options) error {
	p.Logf("%s: building and profiling", p.Name)
	defer os.Remove(p.Exe(programs.Exact))
	defer os.Remove(p.Exe(programs.Profiled))
	if err := errors.Join(
		p.BuildByProfile(programs.Plain, opts.Layouts, "off", ""),
		p.BuildByProfile(programs.Windows, opts.Layouts, "off", ""),
		p.BuildInstrumented(programs.Exact, "-pepmode=exact"),
	); err != nil {
		return err
	}
	profiled := p.Scaled(max(1, p.Scale*opts.Profiled/100))
	_, exact, err := profiled.EdgesFile(programs.Exact, programs.Defaults)
	if err != nil {
		return err
	}
	calls, cpu := filepath.Join(p.Work, "default.pgo"), filepath.Join(p.Work, "cpu.pgo")
	if err := errors.Join(profiled.ProfileCPU(cpu), profileSampled(profiled, calls, opts.Cut)); err != nil {
		return err
	}
	builds := []struct{ build, profile, edges string }{
		{cpuBuild, cpu, ""},
		{branchesBuild, "off", exact},
		{sampledBuild, "off", edgesName(p)},
		{bothBuild, cpu, exact},
		{pepBuild, calls, edgesName(p)},
	}
	second, err := hasSecondInput(profiled)
	if err != nil {
		return err
	}
	if second {
		_, other, err := profiled.EdgesFile(programs.Exact, programs.Defaults, secondInput)
		if err != nil {
			return err
		}
		builds = append(builds, struct{ build, profile, edges string }{otherBuild, "off", other})
	} else {
		i := slices.IndexFunc(o.Variants, func(v cost.Variant) bool { return v.Build == otherBuild })
		o.Variants[i].Build = ""
	}
	for _, b := range builds {
		p.Logf("%s: building, %s", p.Name, b.build)
		if err := p.BuildByProfile(b.build, opts.Layouts, b.profile, b.edges, func(r driver.Run) {
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
func hasSecondInput(p *programs.Program) (bool, error) {
	first, err := driver.Start(p.Work, nil, p.Exe(programs.Plain), p.Workload())
	if err != nil {
		return false, err
	}
	second, err := driver.Start(p.Work, []string{secondInput}, p.Exe(programs.Plain), p.Workload())
	if err == nil && second.Code != 0 {
		err = fmt.Errorf("with %s the program exits with code %d", secondInput, second.Code)
	}
	return first.Stdout != second.Stdout, err
}

// profileSampled makes of a run with windows the two profiles that pep pgo makes of it.
func profileSampled(p *programs.Program, name string, cut float64) error {
	return p.WithProfile(programs.Windows, []string{programs.Defaults}, func(paths string) error {
		f, err := profile.Open(paths)
		if err != nil {
			return err
		}
		var targets *profile.File
		called := strings.Replace(paths, ".paths.", ".calltargets.", 1)
		if _, err := os.Stat(called); err == nil { // else windows have seen no indirect call
			if targets, err = profile.Open(called); err != nil {
				return err
			}
		}
		t, err := report.PGO(f, targets, source.NewTree(""), report.PGOOptions{Cut: cut})
		if err != nil {
			return err
		}
		p.Logf("%s: %d of %d calls", p.Name, t.Kept, t.Calls)
		edges := strings.Replace(paths, ".paths.", ".edges.", 1)
		return errors.Join(f.SaveStacks(name, pgo.Types, t.Stacks()), os.Rename(edges, edgesName(p)))
	})
}

// countCosts counts instructions, and how often they are not in the cache.
func countCosts(p *programs.Program, o *Result) (err error) {
	o.Instructions, o.Misses, err = p.Instructions([]string{programs.Plain, cpuBuild, branchesBuild, bothBuild}, 1, true)
	if errors.Is(err, valgrind.ErrCannotCount) {
		p.Logf("%s: %v", p.Name, err)
		o.Skipped, err = err, nil
	}
	return err
}

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
