package overhead

// This file measures the cost of instrumentation in time, bytes and
// instructions.

import (
	"errors"

	"github.com/pepgo/pep/lab/bench/cost"
	"github.com/pepgo/pep/lab/bench/programs"
)

// Options say what Overhead measures. Rounds must be at least 1, so the zero value
// cannot be used.
type Options struct {
	Rounds int // runs of each variant
	// orders in which the linker places functions, the rounds by turns; 0 and 1 are the linker's own
	Layouts      int
	Short        bool               // only the settings, and a CPU profile of package runtime/pprof
	Settings     []programs.Setting // of samples; nil is PEP(64,17)
	BuildTime    bool               // measure builds
	Instructions int                // runs under valgrind of each build; 0 is none
}

// lowBudget is a setting that keeps sampling within one percent of the CPU time.
const lowBudget = "PEPOPTS=budget=1%"

// variants returns the variants to measure, the plain program first.
func variants(opts Options) []cost.Variant {
	list := []cost.Variant{{Name: "plain", Build: programs.Plain, Env: nil}}
	if !opts.Short {
		list = append(list, cost.Variant{Name: "no ticks", Build: programs.Polls, Env: []string{programs.NoTicks}})
	}
	for _, s := range opts.Settings {
		list = append(list, cost.Variant{Name: s.String(), Build: s.Build(), Env: []string{s.Env()}})
	}
	last := cost.Variant{Name: "runtime/pprof CPU profile", Build: programs.Profiled, Env: nil}
	if opts.Short {
		return append(list, last)
	}
	return append(list,
		cost.Variant{Name: programs.PEP.String() + ", budget 1%", Build: programs.Polls, Env: []string{lowBudget}},
		cost.Variant{Name: programs.PEP.String() + ", budget 1%, guide", Build: programs.Guided, Env: []string{lowBudget}},
		cost.Variant{Name: "exact paths", Build: programs.Exact, Env: []string{"PEPOPTS="}},
		cost.Variant{Name: "cover, count", Build: programs.Count, Env: nil},
		cost.Variant{Name: "cover, set", Build: programs.Set, Env: nil},
		cost.Variant{Name: "cover, atomic", Build: programs.Atomic, Env: nil},
		last,
	)
}

// Measure measures what instrumentation costs the test programs.
//
// With several layouts each round has another one, the same for all variants. The place of code
// in memory changes how fast it is by some percent, and no measurement of one executable
// tells that from the cost of what was inserted.
//
// The variants run by turns: every round runs each of them once, and begins with
// another one each time. So changes on the machine in the meantime affect all variants.
// All runs must print the same and exit with the same code.
func Measure(cfg *programs.Config, opts Options) ([]cost.Cost, error) {
	if opts.Settings == nil {
		opts.Settings = []programs.Setting{programs.PEP}
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
	return cost.Measure(cfg, func(p *programs.Program) (cost.Cost, error) {
		c := cost.Cost{Program: p.Name, Variants: variants(opts)}
		pkgs, err := cost.Build(p, &c, max(opts.Layouts, 1))
		if err == nil {
			err = cost.Rounds(p, &c, opts.Rounds, max(opts.Layouts, 1))
		}
		if err == nil {
			err = cost.CountInstructions(p, &c, opts.Instructions)
		}
		if err == nil && timer != nil {
			c.BuildTime, err = timer.measure(p, pkgs)
		}
		return c, err
	})
}
