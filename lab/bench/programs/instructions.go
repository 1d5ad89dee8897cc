package programs

// This file counts instructions.

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pepgo/pep/lab/valgrind"
)

// SmallScale and LargeScale are the percents of the workload that run under valgrind. The difference between the two
// counts is the cost of the work, without start and exit.
const SmallScale, LargeScale = 1, 5

// Instructions returns, for every build, how many more instructions LargeScale percent of
// the workload take than SmallScale percent. It takes the least of n runs. The numbers vary
// a little with the order of maps and of goroutines. The runs have no ticks, because ticks
// of CPU time would come far too often under valgrind. If caches is set, the second result has how many more
// of these instructions were not in the first cache of instructions; that takes twice as long. env is added to the
// environment.
func (p *Program) Instructions(builds []string, n int, caches bool, env ...string) (counts, misses map[string]int64,
	err error) {
	counts, misses = make(map[string]int64), make(map[string]int64)
	for _, build := range builds {
		if build == Profiled {
			continue // its profiler needs signals
		}
		for i := range n {
			p.Logf("%s: counting instructions, %s, run %d of %d", p.Name, build, i+1, n)
			small, err := p.execute(build, SmallScale, caches, env)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", build, err)
			}
			large, err := p.execute(build, LargeScale, caches, env)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", build, err)
			}
			n, err := additional(small.Instructions, large.Instructions)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", build, err)
			}
			if i == 0 || n < counts[build] {
				counts[build], misses[build] = n, large.Misses-small.Misses
			}
		}
	}
	return counts, misses, nil
}

// additional returns how many more instructions large are than small. It is an error if they are so few more
// that both are the work of one round.
func additional(small, large int64) (int64, error) {
	if large-small < small/10 {
		return 0, fmt.Errorf("%w: %d%% of the workload take %d instructions, and %d%% take %d; give the program more and smaller rounds", valgrind.ErrCannotCount, SmallScale, small, LargeScale, large)
	}
	return large - small, nil
}

// execute returns what a build executes at a scale.
func (p *Program) execute(build string, scale int, caches bool, more []string) (valgrind.Executed, error) {
	out, err := os.MkdirTemp(p.Work, "out")
	if err != nil {
		return valgrind.Executed{}, err
	}
	defer os.RemoveAll(out)
	env := []string{"GOMAXPROCS=1", "PEPDIR=" + out, "GOCOVERDIR=" + out,
		"PEPBENCH_PROFILE=" + filepath.Join(out, "cpu.pprof")}
	if build != Exact {
		env = append(env, NoTicks)
	}
	return valgrind.Count(out, append(env, more...), caches, p.Exe(build), strconv.Itoa(scale))
}
