// Command pepbench measures on the test programs what profiling costs and how well sampled
// profiles agree with exact ones, beside the figures of the PEP paper. It also measures
// what taps cost, and how fast engines are, and compares checkouts of the project.
//
//	go run -C lab ./cmd/pepbench overhead [-rounds 10] [flags] [program ...]
//	go run -C lab ./cmd/pepbench functions [-n 10] [flags] [program ...]
//	go run -C lab ./cmd/pepbench accuracy [-runs 5] [flags] [program ...]
//	go run -C lab ./cmd/pepbench bounds [-runs 200] [-kinds paths] [flags] [program ...]
//	go run -C lab ./cmd/pepbench values [-runs 3] [flags] [program ...]
//	go run -C lab ./cmd/pepbench taps [-rounds 5] [flags] [program ...]
//	go run -C lab ./cmd/pepbench pgo [-rounds 10] [flags] [program ...]
//	go run -C lab ./cmd/pepbench guide [flags] [program ...]
//	go run -C lab ./cmd/pepbench paths [-runs 5] [-rounds 10] [-programs 'lua flips'] [flags] FIGURE ...
//	go run -C lab ./cmd/pepbench engines [-rounds 20] [-o FILE] [program ...]
//	go run -C lab ./cmd/pepbench cop [-rounds 20] [-n 100000000] [-trace FILE] [-o FILE] ENGINE ...
//	go run -C lab ./cmd/pepbench compare -against DIR[,DIR] [-rounds 10] [flags] [program ...]
//
// A program is the name of a directory in testprogs, or the directory of any module whose main package is in its root,
// such as ../testprogs/others/shell, and which works like those in testprogs (testprogs/README.md). Without names,
// pepbench measures all test programs. The tables go to standard output. With -o FILE they also go to a file, with the
// machine and the command line. Measure on a quiet machine. To try whether everything works, use -scale 2 -rounds 1.
//
// This measures the configurations of the paper's figure 6:
//
//	go run -C lab ./cmd/pepbench overhead -settings '64,17 1,1 16,17 256,17 1024,17'
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/lab/bench/accuracy"
	"github.com/pepgo/pep/lab/bench/bounds"
	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/guides"
	"github.com/pepgo/pep/lab/bench/optimised"
	"github.com/pepgo/pep/lab/bench/overhead"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/bench/speed"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/machine"
	"github.com/pepgo/pep/lab/wrap"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pepbench:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errors.New("usage: pepbench overhead|functions|accuracy|bounds|values|taps|pgo|guide|paths|engines|cop|compare [flags] [program ...]")
	}
	m := &measurement{args: args, stdout: stdout, stderr: stderr}
	switch args[0] {
	case "overhead":
		return m.overhead(args[1:])
	case "functions":
		return m.functions(args[1:])
	case "accuracy":
		return m.accuracy(args[1:])
	case "bounds":
		return m.bounds(args[1:])
	case "values":
		return m.values(args[1:])
	case "taps":
		return m.taps(args[1:])
	case "pgo":
		return m.pgo(args[1:])
	case "guide":
		return m.guide(args[1:])
	case "paths":
		return m.paths(args[1:])
	case "engines":
		return m.engines(args[1:])
	case "cop":
		return m.cop(args[1:])
	case "compare":
		return m.compare(args[1:])
	}
	return fmt.Errorf("no command %q: there are overhead, functions, accuracy, bounds, values, taps, pgo, guide, paths, engines, cop and compare", args[0])
}

// A measurement is the state of a command that runs.
type measurement struct {
	args           []string // of the command line
	stdout, stderr io.Writer
	cfg            programs.Config
	pepbuild       string
	out, lines     string // files for tables and for Go benchmark lines
	settings       string
}

// lanesFlag adds the flag of the commands that measure the times of programs.
func (m *measurement) lanesFlag(f *flag.FlagSet) {
	f.IntVar(&m.cfg.Lanes, "lanes", 0, "`programs` to measure at the same time, each on a processor of its own (default: one, on all processors)")
}

// flags returns the flags that all commands have.
func (m *measurement) flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(m.stderr)
	f.IntVar(&m.cfg.Scale, "scale", 100, "`percent` of the programs' workload")
	f.StringVar(&m.cfg.Packages, "pkg", "all", "`packages` to instrument, as for -peppkg")
	f.StringVar(&m.pepbuild, "pepbuild", "", "the pepbuild `command` (default: built from ./cmd/pepbuild)")
	f.StringVar(&m.out, "o", "", "write the tables to a `file`, too")
	return f
}

func (m *measurement) settingsFlag(f *flag.FlagSet, settings string) {
	f.StringVar(&m.settings, "settings", settings,
		"`samples,stride` of the sampled runs, windows, or windows,budget=0.6%; several separated by spaces; \",regular\" behind one strides before each sample")
}

func (m *measurement) taps(args []string) error {
	flags := m.flags("taps")
	m.lanesFlag(flags)
	var s overhead.TapSetting
	flags.StringVar(&s.Kinds, "taps", "loads", "`kinds` of taps, as for -peptaps")
	flags.StringVar(&s.Engine, "engine", "H[P256]2048+A16", "`engine` that all tuples go into")
	rounds := flags.Int("rounds", 5, "`runs` of each variant")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 {
		return fmt.Errorf("-rounds %d: want 1 or more", *rounds)
	}
	done, err := m.prepare(flags.Args())
	if err != nil {
		return err
	}
	defer done()
	costs, err := overhead.MeasureTaps(&m.cfg, s, *rounds)
	if err != nil {
		return err
	}
	return m.write("Overhead of taps", fmt.Sprintf("Rounds: %d. Taps: -peptaps=%s.", *rounds, s.Kinds)+m.workload(),
		overhead.TapTables(costs))
}

func (m *measurement) pgo(args []string) error {
	flags := m.flags("pgo")
	m.lanesFlag(flags)
	var opts optimised.Options
	cut := flags.Float64("cut", 100*pgo.Share,
		"`percentage` of the weight that the calls to be inlined have, as for pep pgo")
	flags.IntVar(&opts.Profiled, "profiled", 100, "`percent` of the workload that the profiled runs have")
	flags.IntVar(&opts.Rounds, "rounds", 10, "`runs` of each variant")
	flags.IntVar(&opts.Layouts, "layouts", 3,
		"`orders` in which the linker places functions, by turns; 1 is the linker's own")
	flags.IntVar(&opts.Instructions, "instructions", 0,
		"count instructions of so many `programs` under valgrind, the first ones")
	flags.IntVar(&opts.BuildTimes, "buildtime", 0, "time builds of so many `programs`, the first ones")
	flags.StringVar(&opts.After, "after", "", "measure runs when there is a `file`; builds do not wait for it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if opts.Rounds < opts.Layouts || opts.Layouts < 1 || opts.Profiled < 1 || opts.Instructions < 0 ||
		opts.BuildTimes < 0 || !(*cut > 0 && *cut <= 100) {
		return fmt.Errorf("-rounds %d -layouts %d -profiled %d -instructions %d -buildtime %d -cut %g: want 1 layout or more, a round for each, no numbers below 0, and a percentage above it",
			opts.Rounds, opts.Layouts, opts.Profiled, opts.Instructions, opts.BuildTimes, *cut)
	}
	opts.Cut = *cut / 100
	done, err := m.prepare(flags.Args())
	if err != nil {
		return err
	}
	defer done()
	all, err := optimised.Measure(&m.cfg, opts)
	if err != nil {
		return err
	}
	return m.write("Profiles for the compiler",
		fmt.Sprintf("Rounds: %d, in %d layouts. Profiles of runs with %d%% of the workload. Calls with %g%% of the weight.",
			opts.Rounds, opts.Layouts, opts.Profiled, *cut)+m.workload(), optimised.Tables(all))
}

func (m *measurement) guide(args []string) error {
	flags := m.flags("guide")
	if err := flags.Parse(args); err != nil {
		return err
	}
	m.cfg.More = true
	done, err := m.prepare(flags.Args())
	if err != nil {
		return err
	}
	defer done()
	all, err := guides.Measure(&m.cfg)
	if err != nil {
		return err
	}
	return m.write("Profiles as guides", "One exact, one sampled and one CPU profile of each program."+m.workload(),
		guides.Tables(all))
}

// engines has flags of its own, because it builds and runs no programs.
func (m *measurement) engines(args []string) error {
	flags := flag.NewFlagSet("engines", flag.ContinueOnError)
	flags.SetOutput(m.stderr)
	flags.StringVar(&m.out, "o", "", "write the tables to a `file`, too")
	rounds := flags.Int("rounds", 20, "`runs` of each engine")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 {
		return fmt.Errorf("-rounds %d: want 1 or more", *rounds)
	}
	if err := m.locate(flags.Args()); err != nil {
		return err
	}
	all, err := speed.Engines(&m.cfg, *rounds)
	if err != nil {
		return err
	}
	return m.write("Speed of engines", fmt.Sprintf(
		"Rounds: %d. Loads of the test programs, as make figures records them.\n\n", *rounds), speed.EngineTables(all))
}

// cop has flags of its own, too. Its arguments are engines.
func (m *measurement) cop(args []string) error {
	flags := flag.NewFlagSet("cop", flag.ContinueOnError)
	flags.SetOutput(m.stderr)
	flags.StringVar(&m.out, "o", "", "write the table to a `file`, too")
	rounds := flags.Int("rounds", 20, "`runs` of each engine")
	n := flags.Uint64("n", 100_000_000, "`tuples` of the replay")
	name := flags.String("trace", "../build/traces/typecheck.loads.trace", "the `trace`, as make figures records it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 || *n < 1 || flags.NArg() < 1 {
		return errors.New("want at least one engine, and positive numbers for -rounds and -n")
	}
	all, err := speed.Cop(*name, flags.Args(), *rounds, *n)
	if err != nil {
		return err
	}
	machines, err := speed.CopMachine(".")
	if err != nil {
		return err
	}
	return m.write("Speed of the co-processor", fmt.Sprintf("Rounds: %d. Trace: %s.\n\n", *rounds, filepath.Base(*name)),
		speed.CopTables(all, machines))
}

func (m *measurement) overhead(args []string) error {
	flags := m.flags("overhead")
	m.lanesFlag(flags)
	m.settingsFlag(flags, "64,17")
	var opts overhead.Options
	flags.IntVar(&opts.Rounds, "rounds", 10, "`runs` of each variant")
	flags.IntVar(&opts.Layouts, "layouts", 3,
		"`orders` in which the linker places functions, by turns; 1 is the linker's own")
	flags.BoolVar(&opts.Short, "short", false, "measure only the settings and a CPU profile of package runtime/pprof")
	flags.StringVar(&m.lines, "benchfmt", "",
		"write Go benchmark lines to a `file` (default: standard output, behind the tables)")
	flags.BoolVar(&opts.BuildTime, "buildtime", true, "measure how long builds take")
	flags.IntVar(&opts.Instructions, "instructions", 0,
		"`runs` of each build under valgrind, to count instructions; they vary, so 3 or more (default: none)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if opts.Rounds < 1 || opts.Layouts < 1 {
		return fmt.Errorf("-rounds %d -layouts %d: want 1 or more", opts.Rounds, opts.Layouts)
	}
	m.cfg.More = true
	done, err := m.prepare(flags.Args())
	if err != nil {
		return err
	}
	defer done()
	if opts.Settings, err = programs.ParseSettings(m.settings); err != nil {
		return err
	}
	costs, err := overhead.Measure(&m.cfg, opts)
	if err != nil {
		return err
	}
	if err := m.write("Overhead of profiling",
		fmt.Sprintf("Rounds: %d, in %d layouts.", opts.Rounds, opts.Layouts)+m.workload(),
		overhead.Tables(costs)); err != nil {
		return err
	}
	text, err := cost.Lines(costs, opts.Layouts, m.cfg.Scale)
	if err == nil && m.lines != "" {
		return os.WriteFile(m.lines, []byte(text), 0o644)
	}
	if err == nil {
		_, err = fmt.Fprint(m.stdout, text)
	}
	return err
}

func (m *measurement) accuracy(args []string) error {
	flags := m.flags("accuracy")
	m.settingsFlag(flags, "64,17 1,1 256,17 1024,17 16,17")
	var opts accuracy.Options
	flags.IntVar(&opts.Runs, "runs", 5, "sampled `runs` for each setting")
	flags.StringVar(&m.lines, "benchfmt", "",
		"write Go benchmark lines to a `file`, one for each run, with weights and without")
	truncate := flags.String("truncate", "header",
		"header, or backedge to compare truncation at back `edges` with that at headers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case opts.Runs < 1:
		return fmt.Errorf("-runs %d: want 1 or more", opts.Runs)
	case *truncate != "header" && *truncate != "backedge":
		return fmt.Errorf("-truncate %s: want header or backedge", *truncate)
	}
	var err error
	if opts.Settings, err = programs.ParseSettings(m.settings); err != nil {
		return err
	}
	m.cfg.More = true
	done, err := m.prepare(flags.Args())
	if err != nil {
		return err
	}
	defer done()
	fits, err := accuracy.Measure(&m.cfg, opts)
	if err != nil {
		return err
	}
	tables := accuracy.Tables(fits)
	var backedge []accuracy.Fit
	if *truncate == "backedge" {
		opts.Truncate, opts.Settings = "backedge", opts.Settings[:1]
		if backedge, err = accuracy.Measure(&m.cfg, opts); err != nil {
			return err
		}
		tables += accuracy.TruncationTables(fits, backedge)
	}
	if m.lines != "" {
		text, err := accuracy.Lines(fits, backedge, m.cfg.Scale)
		if err == nil {
			err = os.WriteFile(m.lines, []byte(text), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return m.write("Accuracy of sampled profiles",
		fmt.Sprintf("Runs: %d sampled ones of each setting, 1 exact. Load of the machine at the end: %s.", opts.Runs,
			machine.Load())+m.workload(), tables)
}

func (m *measurement) bounds(args []string) error {
	flags := m.flags("bounds")
	m.settingsFlag(flags, "64,17")
	runs := flags.Int("runs", 200, "sampled `runs`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *runs < 1 {
		return fmt.Errorf("-runs %d: want 1 or more", *runs)
	}
	settings, err := programs.ParseSettings(m.settings)
	if err != nil {
		return err
	}
	if len(settings) != 1 {
		return errors.New("want one setting")
	}
	done, err := m.prepare(flags.Args())
	if err != nil {
		return err
	}
	defer done()
	all, err := bounds.Measure(&m.cfg, settings[0], *runs)
	if err != nil {
		return err
	}
	return m.write("Bounds of sampled profiles",
		fmt.Sprintf("Runs: %d sampled ones of %s, 2 exact ones. Load of the machine at the end: %s.", *runs,
			settings[0], machine.Load())+m.workload(), bounds.Tables(all))
}

// locate sets the fields of m.cfg that say which programs are measured, and where they are.
func (m *measurement) locate(programs []string) (err error) {
	m.cfg.Log = m.stderr
	if len(programs) > 0 {
		m.cfg.Programs = programs
	}
	m.cfg.Root, err = driver.Root()
	return err
}

// prepare completes m.cfg and builds pepbuild, unless a flag names one. done removes the
// pepbuild that was built. It is an error if the results cannot be written.
func (m *measurement) prepare(programs []string) (done func(), err error) {
	for _, name := range []string{m.out, m.lines} {
		if name == "" {
			continue
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	if err := m.locate(programs); err != nil {
		return nil, err
	}
	if m.pepbuild != "" {
		m.cfg.Pepbuild, err = filepath.Abs(m.pepbuild)
		return func() {}, err
	}
	dir, err := os.MkdirTemp("", "pepbench-")
	if err != nil {
		return nil, err
	}
	if m.cfg.Pepbuild, err = driver.Build("pepbuild", dir); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return func() { os.RemoveAll(dir) }, nil
}

// workload describes the work of the programs.
func (m *measurement) workload() string {
	var lanes string
	if m.cfg.Lanes > 0 {
		lanes = fmt.Sprintf(" Programs measured at the same time, each on a processor of its own: %d.", m.cfg.Lanes)
	}
	return fmt.Sprintf("%s Workload: %d%%. Instrumented packages: -peppkg=%s.\n\n", lanes, m.cfg.Scale, m.cfg.Packages)
}

// write writes the tables to standard output and to the file of -o.
func (m *measurement) write(title, how, tables string) error {
	if _, err := fmt.Fprint(m.stdout, tables); err != nil || m.out == "" {
		return err
	}
	text := wrap.Page(machine.Header(title, "pepbench", m.args, time.Now()) + how + tables)
	return os.WriteFile(m.out, []byte(strings.TrimRight(text, "\n")+"\n"), 0o644)
}
