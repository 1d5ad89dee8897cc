// Package cost measures what variants of a program take: CPU time, time of the exit, instructions, bytes and builds.
//
//	costs, err := cost.Measure(cfg, func(p *programs.Program) (cost.Cost, error) {
//		c := cost.Cost{Program: p.Name, Variants: variants}
//		_, err := cost.Build(p, &c, 1)
//		if err == nil {
//			err = cost.Rounds(p, &c, 10, 1)
//		}
//		return c, err
//	})
//	fmt.Print(costs[0].LeastRatio(1, cost.CPU)) // of the second variant, to the first
//
// The variants run by turns, so what else the machine does affects all of them.
package cost

// This file runs variants of a program by turns.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/stats"
	"github.com/pepgo/pep/lab/valgrind"
)

// A Variant is a way to build and run a program.
type Variant struct {
	Name string
	// which executable, "" if the program has none: "plain", "polls", "windows", "guided", "exact", "edges",
	// "exact-added", "edges-added", "count", "set", "atomic", "profiled"; "taps"
	Build string
	Env   []string // what it runs with
}

// WritesPaths reports whether v writes a profile of paths at its end.
func (v Variant) WritesPaths() bool {
	return slices.Contains([]string{programs.Polls, programs.Windows, programs.Guided, programs.Exact, programs.Edges},
		v.Build)
}

// Builds returns the executables of variants, the plain one first.
func Builds(list []Variant) (builds []string) {
	for _, v := range list {
		if !slices.Contains(builds, v.Build) {
			builds = append(builds, v.Build)
		}
	}
	return builds
}

// A Cost has the measurements of one program.
type Cost struct {
	Program      string
	Variants     []Variant             // the plain program first
	Runs         [][]driver.Run        // by variant and round
	Written      [][]Written           // by variant and round
	Packages     int                   // that are instrumented
	Sites        int                   // of taps; only counted by Taps
	Size         map[string]int64      // bytes of the executable, by build
	Instructions map[string]int64      // by build; nil if not measured
	Skipped      error                 // why instructions are not, although they should be
	BuildTime    map[string]driver.Run // "go", "pepbuild"; nil if not measured
}

// Written is what a run's profile tells. It is zero if the run writes none.
type Written struct {
	Exit  time.Duration // from the end of the profile until its files are written
	Share float64       // of the run's CPU time that the profile says sampling took, 0 to 1
}

// Measure returns what measure finds out about each program, in the order of the programs. With
// Lanes, several programs are measured at the same time, and each lane has a processor of its own,
// for its builds and its runs.
func Measure(c *programs.Config, measure func(*programs.Program) (Cost, error)) ([]Cost, error) {
	dirs, err := c.Dirs()
	if err != nil {
		return nil, err
	}
	costs := make([]Cost, len(dirs))
	err = c.InLanes(len(dirs), func(i int) error {
		return c.In(dirs[i], func(p *programs.Program) (err error) {
			costs[i], err = measure(p)
			return err
		})
	})
	return costs, err
}

// Build builds all executables and returns the import paths of the packages that
// are instrumented in them.
func Build(p *programs.Program, c *Cost, layouts int) (pkgs []string, err error) {
	p.Logf("%s: building", p.Name)
	if err := p.BuildInstrumented(programs.Polls); err != nil {
		return nil, err
	}
	if pkgs, err = p.ImportPaths(); err != nil {
		return nil, err
	}
	c.Packages = len(pkgs)
	c.Size = make(map[string]int64)
	for _, build := range Builds(c.Variants) {
		err := programs.InLayouts(build, layouts, func(name string, flags ...string) error {
			return p.Build(build, name, pkgs, flags)
		})
		if err != nil {
			return nil, err
		}
		if c.Size[build], err = programs.Size(p.Exe(build)); err != nil {
			return nil, err
		}
	}
	return pkgs, nil
}

// Rounds runs all variants by turns.
func Rounds(p *programs.Program, c *Cost, rounds, layouts int) error {
	c.Runs = make([][]driver.Run, len(c.Variants))
	c.Written = make([][]Written, len(c.Variants))
	plain, _, err := RunVariant(p, c.Variants[0], 0) // also warms up the file system's cache
	if err != nil {
		return err
	}
	if plain.Code != 0 {
		return fmt.Errorf("the plain program exits with code %d", plain.Code)
	}
	for round := range rounds {
		p.Logf("%s: round %d of %d", p.Name, round+1, rounds)
		for i := range c.Variants {
			i = (i + round) % len(c.Variants)
			if c.Variants[i].Build == "" {
				continue
			}
			r, written, err := RunVariant(p, c.Variants[i], round%layouts)
			if err == nil {
				err = r.Same(plain)
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

// RunVariant runs a copy of v's executable once. Where the kernel has put the pages of a file decides about the sets of
// the caches that they share, and stays as long as the file is in memory: of six copies of one executable, the least
// CPU times of five runs were 1.35 to 1.55 s. So each run has pages of its own.
func RunVariant(p *programs.Program, v Variant, layout int) (r driver.Run, w Written, err error) {
	out, err := os.MkdirTemp(p.Work, "out")
	if err != nil {
		return r, w, err
	}
	defer os.RemoveAll(out)
	removal, err := watchRemoval(out)
	if err != nil {
		return r, w, err
	}
	env := append([]string{"PEPDIR=" + out, "GOCOVERDIR=" + out, "PEPBENCH_PROFILE=" + filepath.Join(out, "cpu.pprof")},
		v.Env...)
	exe := filepath.Join(out, programs.InLayout(v.Build, layout))
	if err := copyExecutable(exe, p.Exe(programs.InLayout(v.Build, layout))); err != nil {
		return r, w, err
	}
	r, err = driver.Start(out, env, exe, p.Workload())
	if err != nil || !v.WritesPaths() {
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
	name, err := driver.Profile(dir, schema.Paths)
	if err != nil {
		return w, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return w, err
	}
	p, err := pprof.ParseData(data)
	if err != nil {
		return w, fmt.Errorf("%s: %w", name, err)
	}
	w.Exit = at.Sub(time.Unix(0, p.TimeNanos+p.DurationNanos))
	f, err := profile.Parse(name, bytes.NewReader(data))
	if err != nil {
		return w, err
	}
	if all := f.Fact(facts.CPUTime); all > 0 {
		w.Share = float64(f.Fact(facts.SampledTime)) / float64(all)
	}
	return w, nil
}

// CountInstructions counts the instructions of all builds of c, as the least of n runs. It counts
// none if n is 0, and if there is no valgrind.
func CountInstructions(p *programs.Program, c *Cost, n int) (err error) {
	if n == 0 {
		return nil
	}
	c.Instructions, _, err = p.Instructions(Builds(c.Variants), n, false)
	if errors.Is(err, valgrind.ErrCannotCount) {
		p.Logf("%s: %v", p.Name, err)
		c.Skipped, err = err, nil
	}
	return err
}

// CPU and Wall are measures of a run, in seconds.
func CPU(r driver.Run) float64 { return r.CPU.Seconds() }

func Wall(r driver.Run) float64 { return r.Wall.Seconds() }

// Least returns the least of a measure over the runs of variant v.
func (c *Cost) Least(v int, measure func(driver.Run) float64) float64 {
	var xs []float64
	for _, r := range c.Runs[v] {
		xs = append(xs, measure(r))
	}
	return stats.Summarize(xs).Min
}

// LeastRatio returns the least of variant v divided by that of the plain program.
func (c *Cost) LeastRatio(v int, measure func(driver.Run) float64) float64 {
	return c.Least(v, measure) / c.Least(0, measure)
}

// ByRound returns the ratios of variant v to the plain program, by round.
func (c *Cost) ByRound(v int, measure func(driver.Run) float64) []float64 {
	var xs []float64
	for i, r := range c.Runs[v] {
		xs = append(xs, measure(r)/measure(c.Runs[0][i]))
	}
	return xs
}
