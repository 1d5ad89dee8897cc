package copfigures

// This file has the programs of the experiments.

import (
	"errors"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

// roles are the benchmarks of the paper that test programs stand for.
var roles = map[string]string{
	"typecheck": "gcc", "regex": "perl", "flate": "gzip", "markdown": "parser", "sortbench": "vortex",
	"raytrace": "eon", "filters": "gap, vpr", "bitboard": "crafty",
}

// nameOf is the name of a program with its role.
func nameOf(p figure.Program) string {
	if role := roles[p.Name]; role != "" {
		return p.Name + " (" + role + ")"
	}
	return p.Name
}

// errNoPairs is the error for too few events.
var errNoPairs = errors.New("no load has a value whose share can be estimated")

// eachProgram calls do for all programs that have a trace, and says in the setup which have none,
// and which have no pairs.
func eachProgram(env *figure.Env, res *figure.Result, do func(x *stream) error) error {
	var missing, none []string
	var last error
	ran := 0
	for _, p := range programs {
		x, err := streamOf(env, p)
		if errors.Is(err, figure.ErrNoTrace) {
			missing = append(missing, p.Name)
			if !errors.Is(last, errNoPairs) { // which says more: there are traces
				last = err
			}
			continue
		}
		if errors.Is(err, errNoPairs) {
			none, last = append(none, p.Name), err
			continue
		}
		if err == nil {
			err = do(x)
		}
		if err != nil {
			return err
		}
		ran++
	}
	if ran == 0 {
		return last
	}
	if missing != nil {
		res.Describe("no traces of loads of: %s", strings.Join(missing, ", "))
	}
	if none != nil {
		res.Describe("no pairs in %s loads of: %s", figure.Abbreviate(env.Loads), strings.Join(none, ", "))
	}
	return nil
}

// Two test programs that only these experiments use. Both show a weakness that the paper reports of a benchmark.
var (
	filters  = figure.Program{Name: "filters", Why: "values in phases, as in gap and vpr"}
	bitboard = figure.Program{Name: "bitboard", Why: "flags and sets in words of 64 bits, as in crafty"}
)

// programs are all programs whose loads are profiled.
var programs = append(slices.Clone(figure.Programs), filters, bitboard)
