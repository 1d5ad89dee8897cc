// Package checkouts compares what several checkouts of the project make of the same programs.
//
//	before, err := checkouts.New("before", "/src/before", dir)
//	now, err := checkouts.New("now", "/src/now", dir)
//	rows, err := checkouts.Compare(cfg, []checkouts.Checkout{before, now}, checkouts.Options{Rounds: 10, Modes: []string{"polls"}})
//	fmt.Print(checkouts.Tables([]string{"before", "now"}, rows))
//
// prints ratios of CPU times and, if they were counted, of instructions.
package checkouts

// This file compares what several checkouts of the project make of the same programs.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/valgrind"
)

// A Checkout is a directory with the source of the project, and its commands.
type Checkout struct {
	Name             string // in tables
	Root             string
	Pepbuild, Pepsim string // the commands, built
}

// New builds the commands of a checkout into the directory dir. They do not
// have the commit in them, so that what an earlier pepbuild of the same source has built
// is taken from the go command's cache.
func New(name, root, dir string) (Checkout, error) {
	c := Checkout{Name: name, Root: root, Pepbuild: filepath.Join(dir, name+".pepbuild"),
		Pepsim: filepath.Join(dir, name+".pepsim")}
	for exe, pkg := range map[string]string{c.Pepbuild: "./cmd/pepbuild", c.Pepsim: "./cmd/pepsim"} {
		if _, err := driver.Tool(root, nil, "go", "build", "-buildvcs=false", "-o", exe, pkg); err != nil {
			return c, fmt.Errorf("checkout %s: %w", name, err)
		}
	}
	return c, nil
}

// Options say what Compare measures. Rounds must be 1 at least, so the zero
// value is of no use.
type Options struct {
	Rounds       int
	Modes        []string // names of modes
	Instructions bool     // count them under valgrind, too
	Benchmarks   []string // packages whose benchmarks are compared, such as ./hwsim/strat
}

// A mode is a way to build and run programs.
type mode struct {
	name  string
	flags []string // of pepbuild
	opts  string   // PEPOPTS
	part  int      // the workload is divided by this: slow modes do less
}

const replayMode = "replay"

// modes are those that are compared. replay reads a trace that the program has recorded
// with taps on loads, and pushes it into an engine.
var modes = []mode{
	{programs.Polls, []string{"-pepmode=polls"}, "", 1},
	{"exact", []string{"-pepmode=exact"}, "", 2},
	{"taps", []string{"-pepmode=taps", "-peptaps=loads"}, "engine=exact", 4},
	{"engine", []string{"-pepmode=taps", "-peptaps=loads"}, "engine=" + replayEngine, 4},
	{replayMode, []string{"-pepmode=taps", "-peptaps=loads"}, "", 4},
}

const (
	replayEngine = "H[P256]2048+A16"
	replayTuples = "1000000"
)

func (m mode) scale(p *programs.Program) int { return max(p.Scale/m.part, 1) }

// silent returns PEPOPTS for a run without ticks. Exact counts have no ticks.
func (m mode) silent() string {
	if m.name == programs.Exact {
		return m.opts
	}
	return strings.TrimSuffix(strings.TrimPrefix(programs.NoTicks, "PEPOPTS=")+","+m.opts, ",")
}

// ModeNames returns the names of all modes.
func ModeNames() (names []string) {
	for _, m := range modes {
		names = append(names, m.name)
	}
	return names
}

// A Compared is one row: a program in a mode, or a benchmark.
type Compared struct {
	What, Program string
	Seconds       [][]float64 // by checkout and round
	Instructions  []int64     // by checkout; nil if they were not counted
}

// Compare measures what the checkouts make of the test programs of cfg.Root. Their
// sources are the same for all checkouts. In every round each checkout runs once, and
// another one begins; so changes on the machine in the meantime affect all of them. All
// runs of a program must print the same.
func Compare(cfg *programs.Config, checkouts []Checkout, opts Options) (rows []Compared, err error) {
	var chosen []mode
	for _, name := range opts.Modes {
		if !slices.Contains(ModeNames(), name) {
			return nil, fmt.Errorf("no mode %q; there are %s", name, strings.Join(ModeNames(), ", "))
		}
	}
	for _, m := range modes {
		if slices.Contains(opts.Modes, m.name) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) > 0 {
		err = cfg.Each(func(p *programs.Program) error {
			for _, m := range chosen {
				row, err := compare(p, m, checkouts, opts)
				if err != nil {
					return fmt.Errorf("%s: %w", m.name, err)
				}
				p.Logf("%s", strings.Join(row.cells(), " | "))
				rows = append(rows, row)
			}
			return nil
		})
	}
	if err == nil && len(opts.Benchmarks) > 0 {
		var more []Compared
		more, err = compareBenchmarks(cfg, checkouts, opts)
		rows = append(rows, more...)
	}
	slices.SortStableFunc(rows, func(a, b Compared) int { return order(a.What) - order(b.What) })
	return rows, err
}

// order puts modes before benchmarks, in the order of modes.
func order(what string) int {
	if i := slices.Index(ModeNames(), what); i >= 0 {
		return i
	}
	return len(modes)
}

// compare builds and runs a program in a mode.
func compare(p *programs.Program, m mode, checkouts []Checkout, opts Options) (Compared, error) {
	row := Compared{What: m.name, Program: p.Name, Seconds: make([][]float64, len(checkouts))}
	p.Logf("%s: %s: building", p.Name, m.name)
	commands := make([]compareCommand, len(checkouts))
	for i, c := range checkouts {
		exe := p.Exe(m.name + "." + c.Name)
		args := append([]string{"build", "-peppkg=" + p.Packages, "-o", exe}, m.flags...)
		if _, err := driver.Tool(p.Dir, nil, c.Pepbuild, append(args, ".")...); err != nil {
			return row, fmt.Errorf("checkout %s: %w", c.Name, err)
		}
		commands[i] = compareCommand{exe: exe, opts: m.opts, silent: m.silent()}
		if m.name == replayMode {
			file := exe + ".trace"
			if _, err := driver.Tool(p.Work, nil, c.Pepsim, "trace", "record", "-n", replayTuples, "-o", file, "--", exe,
				strconv.Itoa(m.scale(p))); err != nil {
				return row, fmt.Errorf("checkout %s: %w", c.Name, err)
			}
			commands[i] = compareCommand{exe: c.Pepsim, args: []string{"run", "-engine", replayEngine, "-top", "0", file}}
		}
	}
	var first driver.Run
	for round := range opts.Rounds {
		p.Logf("%s: %s: round %d of %d", p.Name, m.name, round+1, opts.Rounds)
		for i := range checkouts {
			i = (i + round) % len(checkouts)
			r, err := once(p, commands[i], m.scale(p))
			switch {
			case err != nil:
			case r.Code != 0:
				err = fmt.Errorf("exit code %d", r.Code)
			case first.Stdout == "":
				first = r
			case m.name != replayMode && r.Stdout != first.Stdout:
				err = fmt.Errorf("prints %q, an earlier run %q", r.Stdout, first.Stdout)
			}
			if err != nil {
				return row, fmt.Errorf("checkout %s: %w", checkouts[i].Name, err)
			}
			row.Seconds[i] = append(row.Seconds[i], r.CPU.Seconds())
		}
	}
	if opts.Instructions {
		for i, c := range checkouts {
			p.Logf("%s: %s: counting instructions of %s", p.Name, m.name, c.Name)
			n, err := executed(p, commands[i])
			if errors.Is(err, valgrind.ErrCannotCount) {
				p.Logf("%s: %s: %s: %v", p.Name, m.name, c.Name, err)
				row.Instructions = nil
				break
			}
			if err != nil {
				return row, fmt.Errorf("checkout %s: %w", c.Name, err)
			}
			row.Instructions = append(row.Instructions, n)
		}
	}
	return row, nil
}

// A compareCommand is what runs. Without args the argument is the scale.
type compareCommand struct {
	exe    string
	args   []string
	opts   string // PEPOPTS
	silent string // PEPOPTS without ticks
}

func (c compareCommand) argsAt(scale int) []string {
	if c.args != nil {
		return c.args
	}
	return []string{strconv.Itoa(scale)}
}

// once runs a command in a directory of its own.
func once(p *programs.Program, c compareCommand, scale int) (driver.Run, error) {
	out, err := os.MkdirTemp(p.Work, "out")
	if err != nil {
		return driver.Run{}, err
	}
	defer os.RemoveAll(out)
	return driver.Start(out, []string{"PEPOPTS=" + c.opts, "PEPDIR=" + out}, c.exe, c.argsAt(scale)...)
}

// executed returns how many instructions a command executes with smallScale percent of
// the workload, in one thread and without ticks.
func executed(p *programs.Program, c compareCommand) (int64, error) {
	out, err := os.MkdirTemp(p.Work, "out")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(out)
	env := []string{"GOMAXPROCS=1", "PEPOPTS=" + c.silent, "PEPDIR=" + out}
	e, err := valgrind.Count(out, env, false, c.exe, c.argsAt(programs.SmallScale)...)
	return e.Instructions, err
}
