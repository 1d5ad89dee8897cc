package bench

// This file counts instructions.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ErrNoValgrind says that instructions cannot be counted on this machine. Errors wrap it
// together with the reason.
var ErrNoValgrind = errors.New("instructions cannot be counted")

// Percents of the workload that run under valgrind. The difference between the two counts
// is the cost of the work, without start and exit.
const smallScale, largeScale = 1, 5

// measureInstructions counts the instructions of all builds of c, as the least of n runs. It counts
// none if n is 0, and if there is no valgrind.
func (p *program) measureInstructions(c *Cost, n int) (err error) {
	if n == 0 {
		return nil
	}
	c.Instructions, _, err = p.instructions(buildsOf(c.Variants), n, false)
	if errors.Is(err, ErrNoValgrind) {
		p.logf("%s: %v", p.name, err)
		c.Skipped, err = err, nil
	}
	return err
}

// instructions returns, for every build, how many more instructions largeScale percent of
// the workload take than smallScale percent. It takes the least of n runs. The numbers vary
// a little with the order of maps and of goroutines. The runs have no ticks, because ticks
// of CPU time would come far too often under valgrind. If caches is set, the second result has how many more
// of these instructions were not in the first cache of instructions; that takes twice as long. env is added to the
// environment.
func (p *program) instructions(builds []string, n int, caches bool, env ...string) (counts, misses map[string]int64, err error) {
	counts, misses = make(map[string]int64), make(map[string]int64)
	for _, build := range builds {
		if build == selfBuild {
			continue // its profiler needs signals
		}
		for i := range n {
			p.logf("%s: counting instructions, %s, run %d of %d", p.name, build, i+1, n)
			small, err := p.execute(build, smallScale, caches, env)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", build, err)
			}
			large, err := p.execute(build, largeScale, caches, env)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", build, err)
			}
			n, err := additional(small.instructions, large.instructions)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", build, err)
			}
			if i == 0 || n < counts[build] {
				counts[build], misses[build] = n, large.misses-small.misses
			}
		}
	}
	return counts, misses, nil
}

// additional returns how many more instructions large are than small. It is an error if they are so few more
// that both are the work of one round.
func additional(small, large int64) (int64, error) {
	if large-small < small/10 {
		return 0, fmt.Errorf("%w: %d%% of the workload take %d instructions, and %d%% take %d; give the program more and smaller rounds", ErrNoValgrind, smallScale, small, largeScale, large)
	}
	return large - small, nil
}

// execute returns what a build executes at a scale.
func (p *program) execute(build string, scale int, caches bool, more []string) (executed, error) {
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return executed{}, err
	}
	defer os.RemoveAll(out)
	// Fewer signals and threads make the counts of two runs more alike.
	env := []string{"GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "PEPDIR=" + out, "GOCOVERDIR=" + out, "PEPBENCH_PROFILE=" + filepath.Join(out, "cpu.pprof")}
	if build != exactBuild {
		env = append(env, noTicks)
	}
	return countInstructions(out, append(env, more...), caches, p.exe(build), strconv.Itoa(scale))
}

// executed is what a program executes.
type executed struct {
	instructions int64
	misses       int64 // of the first cache of instructions; 0 if caches are not simulated
}

// countInstructions runs a program in the directory dir, with additions to the
// environment, and returns how many instructions it executes.
//
// The counter is cachegrind, without its caches unless they are asked for. Callgrind counts the same, but up
// to 3.19 at least it mixes up the signals of threads: it stops with a failed
// assertion (vgCallgrind_post_signal) when valgrind switches to another thread
// while one handles a signal. Cachegrind keeps no account of calls.
func countInstructions(dir string, env []string, caches bool, program string, args ...string) (e executed, err error) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		return e, fmt.Errorf("%w: valgrind is not in PATH", ErrNoValgrind)
	}
	simulate := "--cache-sim=no"
	if caches {
		simulate = "--cache-sim=yes"
	}
	// A profiled program has a companion, a copy of it, which must not say what it has executed.
	cmd := exec.Command(valgrind, "--tool=cachegrind", simulate, "--child-silent-after-fork=yes", "--cachegrind-out-file=/dev/null", program)
	cmd.Args = append(cmd.Args, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return e, fmt.Errorf("%w: valgrind cannot run %s: %w: %s", ErrNoValgrind, filepath.Base(program), err, reason(stderr.String()))
	}
	if e.instructions, err = counter(stderr.String(), "I refs"); err == nil && caches {
		e.misses, err = counter(stderr.String(), "I1 misses")
	}
	return e, err
}

// counter returns a number from the messages of cachegrind.
func counter(text, name string) (int64, error) {
	line := regexp.MustCompile(`(?m)^==\d+== ` + strings.ReplaceAll(name, " ", " +") + `: +([\d,]+)`)
	m := line.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%w: valgrind does not say how many %s: %s", ErrNoValgrind, name, reason(text))
	}
	return strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
}

// reason returns the line of valgrind's messages that says why it stopped. It is the line
// of a failed assertion, which advice follows, or the last line that is not empty.
func reason(text string) string {
	last := "no message"
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(prefix.ReplaceAllString(line, "")); line != "" {
			last = line
		}
		if strings.Contains(line, "Assertion") {
			break
		}
	}
	return last
}

var prefix = regexp.MustCompile(`^==\d+==`)
