package bench

// This file measures what programs gain if the compiler gets profiles.

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/analyze/source"
)

const (
	cpuBuild   = "cpu"   // with a CPU profile of package runtime/pprof
	callsBuild = "calls" // with the profile that pep pgo makes

	branchesBuild = "branches" // with outcomes of branches, by pepbuild
	bothBuild     = "both"     // with them and the CPU profile
)

// flatProgram is a program whose functions are all equally hot.
const flatProgram = "flat"

// PGOOptions say what PGO measures.
type PGOOptions struct {
	Cut          float64 // share of the weight that the calls to be inlined have
	Profiled     int     // workload of the runs that the profiles are of, in percent of the whole
	Exact        bool    // outcomes of branches are counted exactly, and not sampled
	Rounds       int     // runs of each variant
	Layouts      int     // orders of functions, one of them in each round
	Instructions int     // runs under valgrind of each build; 0 is none
}

// PGO measures what programs gain if the compiler gets a profile of a run, by turns as
// Overhead does: the CPU profile of a run of the plain program, what pep pgo makes of the
// sampled paths of a run with the same workload, the outcomes of branches of such a run, and both these and the CPU profile. A further program, flat, has
// 400 functions that call a method of an interface each: a CPU profile has samples of few of them. It is
// measured last, by itself and on all processors, also if there are lanes.
func PGO(cfg *Config, opts PGOOptions) ([]Cost, error) {
	measure := func(p *program) (Cost, error) {
		c := Cost{Program: p.name, Variants: []Variant{{"no profile", plainBuild, nil}, {"CPU profile", cpuBuild, nil}, {"pep pgo", callsBuild, nil},
			{"branches", branchesBuild, nil}, {"branches, CPU profile", bothBuild, nil}}}
		err := p.optimise(opts)
		if err == nil {
			err = p.rounds(&c, opts.Rounds, opts.Layouts)
		}
		if err == nil {
			err = p.measureInstructions(&c, opts.Instructions)
		}
		return c, err
	}
	costs, err := cfg.costs(measure)
	if err != nil {
		return costs, err
	}
	err = cfg.inWork(flatProgram, func(work string) error {
		dir := filepath.Join(work, "module")
		if err := writeFlat(dir); err != nil {
			return err
		}
		c, err := measure(&program{cfg, flatProgram, dir, work})
		costs = append(costs, c)
		return err
	})
	return costs, err
}

// optimise builds p without a profile and with each of the two profiles.
func (p *program) optimise(opts PGOOptions) error {
	p.logf("%s: building and profiling", p.name)
	if err := p.pepbuild(sampleBuild); err != nil {
		return err
	}
	cfg := *p.Config
	cfg.Scale = max(1, p.Scale*opts.Profiled/100)
	profiled := &program{&cfg, p.name, p.dir, p.work}
	outcomes := sampleBuild
	if opts.Exact {
		outcomes = exactBuild
		if err := p.pepbuild(exactBuild, "-pepmode=exact"); err != nil {
			return err
		}
	}
	_, edges, err := profiled.edgesFile(outcomes, PEP.env())
	if err != nil {
		return err
	}
	calls, cpu := filepath.Join(p.work, "calls.pgo"), filepath.Join(p.work, "cpu.pgo")
	if err := errors.Join(profiled.profileCPU(cpu), profiled.profileCalls(calls, opts.Cut)); err != nil {
		return err
	}
	for _, b := range []struct{ build, profile, edges string }{{plainBuild, "off", ""}, {cpuBuild, cpu, ""}, {callsBuild, calls, ""},
		{branchesBuild, "off", edges}, {bothBuild, cpu, edges}} {
		p.logf("%s: building, %s", p.name, b.build)
		err := inLayouts(b.build, opts.Layouts, func(name string, flags ...string) error {
			flags = append(flags, "-pgo="+b.profile)
			if b.edges == "" {
				return p.plain(name, flags...)
			}
			_, err := tool(p.dir, nil, p.Pepbuild, append(append([]string{"build", "-pepopt=" + b.edges, "-o", p.exe(name)}, flags...), ".")...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// profileCalls writes the profile that pep pgo makes of a sampled run.
func (p *program) profileCalls(name string, cut float64) error {
	counts, err := p.profile(sampleBuild, PEP.env())
	if err != nil {
		return err
	}
	calls, _, err := pgo.Calls(counts.file)
	if err != nil {
		return err
	}
	calls, _ = pgo.Undeferred(calls, source.NewTree(""))
	hot, cold := pgo.Hot(calls, cut)
	p.logf("%s: %d of %d calls", p.name, len(hot), len(calls))
	return counts.file.SaveStacks(name, pgo.Types, pgo.Stacks(hot, cold))
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

// PGOTables returns the results as Markdown tables.
func PGOTables(costs []Cost) string {
	if len(costs) == 0 {
		return ""
	}
	return section("CPU time", "User and system time: the least of all runs, divided by the least of the program built without a profile. Below 1 the program is faster.", leastRatios(costs, cpu)) +
		section("Spread of CPU time", "Median (quartiles) over the rounds of the ratio to the program without a profile in the same round.", roundRatios(costs, cpu)) +
		instructionSection(costs)
}
