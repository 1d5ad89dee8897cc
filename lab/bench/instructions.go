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
	c.Instructions, err = p.instructions(buildsOf(c.Variants), n)
	if errors.Is(err, ErrNoValgrind) {
		p.logf("%s: %v", p.name, err)
		c.Skipped, err = err, nil
	}
	return err
}

// instructions returns, for every build, how many more instructions largeScale percent of
// the workload take than smallScale percent. It takes the least of n runs. The numbers vary
// a little with the order of maps and of goroutines. The runs have no ticks, because ticks
// of CPU time would come far too often under valgrind.
func (p *program) instructions(builds []string, n int) (map[string]int64, error) {
	counts := make(map[string]int64)
	for _, build := range builds {
		if build == selfBuild {
			continue // its profiler needs signals
		}
		for i := range n {
			p.logf("%s: counting instructions, %s, run %d of %d", p.name, build, i+1, n)
			small, err := p.execute(build, smallScale)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", build, err)
			}
			large, err := p.execute(build, largeScale)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", build, err)
			}
			n, err := additional(small, large)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", build, err)
			}
			if i == 0 || n < counts[build] {
				counts[build] = n
			}
		}
	}
	return counts, nil
}

// additional returns how many more instructions large are than small. It is an error if they are so few more
// that both are the work of one round.
func additional(small, large int64) (int64, error) {
	if large-small < small/10 {
		return 0, fmt.Errorf("%w: %d%% of the workload take %d instructions, and %d%% take %d; give the program more and smaller rounds", ErrNoValgrind, smallScale, small, largeScale, large)
	}
	return large - small, nil
}

// execute returns the instructions that a build executes at a scale.
func (p *program) execute(build string, scale int) (int64, error) {
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(out)
	// Fewer signals and threads make the counts of two runs more alike.
	env := []string{"GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "PEPDIR=" + out, "GOCOVERDIR=" + out, "PEPBENCH_PROFILE=" + filepath.Join(out, "cpu.pprof")}
	if build != exactBuild {
		env = append(env, noTicks)
	}
	return countInstructions(out, env, p.exe(build), strconv.Itoa(scale))
}

// countInstructions runs a program in the directory dir, with additions to the
// environment, and returns how many instructions it executes.
//
// The counter is cachegrind without its caches. Callgrind counts the same, but up
// to 3.19 at least it mixes up the signals of threads: it stops with a failed
// assertion (vgCallgrind_post_signal) when valgrind switches to another thread
// while one handles a signal. Cachegrind keeps no account of calls.
func countInstructions(dir string, env []string, program string, args ...string) (int64, error) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		return 0, fmt.Errorf("%w: valgrind is not in PATH", ErrNoValgrind)
	}
	cmd := exec.Command(valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program)
	cmd.Args = append(cmd.Args, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%w: valgrind cannot run %s: %w: %s", ErrNoValgrind, filepath.Base(program), err, reason(stderr.String()))
	}
	m := executed.FindStringSubmatch(stderr.String())
	if m == nil {
		return 0, fmt.Errorf("%w: valgrind does not say how many: %s", ErrNoValgrind, reason(stderr.String()))
	}
	return strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
}

var executed = regexp.MustCompile(`(?m)^==\d+== I +refs: +([\d,]+)`)

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
