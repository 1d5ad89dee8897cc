package bench

// This file counts instructions.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// ErrNoValgrind says that instructions cannot be counted on this machine. It is
// wrapped in the reason.
var ErrNoValgrind = errors.New("instructions cannot be counted")

// Percents of the workload that run under callgrind. The difference between the
// two is what the work costs, without start and exit.
const smallScale, largeScale = 1, 5

// instructions returns, for every build, how many instructions it takes to do
// largeScale less smallScale percent of the workload: the least of n runs. The
// numbers vary a little, with the order of maps and of goroutines. No ticks: of
// CPU time under valgrind, they would come far too often.
func (p *program) instructions(n int) (map[string]int64, error) {
	counts := make(map[string]int64)
	for _, build := range builds {
		for i := range n {
			p.logf("%s: counting instructions, %s, run %d of %d", p.name, build, i+1, n)
			small, err := p.callgrind(build, smallScale)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", build, err)
			}
			large, err := p.callgrind(build, largeScale)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", build, err)
			}
			if i == 0 || large-small < counts[build] {
				counts[build] = large - small
			}
		}
	}
	return counts, nil
}

var collected = regexp.MustCompile(`(?m)^==\d+== Collected : (\d+)`)

// callgrind returns the instructions that a build executes at a scale.
func (p *program) callgrind(build string, scale int) (int64, error) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		return 0, fmt.Errorf("%w: valgrind is not in PATH", ErrNoValgrind)
	}
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(out)
	var stderr bytes.Buffer
	cmd := exec.Command(valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", p.exe(build), strconv.Itoa(scale))
	cmd.Dir = out
	cmd.Stderr = &stderr
	// callgrind 3.19 does not survive the signals of preemption; one processor
	// because it runs one thread at a time anyway.
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "PEPDIR="+out, "GOCOVERDIR="+out)
	if build != exactBuild {
		cmd.Env = append(cmd.Env, noTicks)
	}
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%w: valgrind cannot run %s: %w: %s", ErrNoValgrind, build, err, lastLine(stderr.String()))
	}
	m := collected.FindStringSubmatch(stderr.String())
	if m == nil {
		return 0, fmt.Errorf("%w: callgrind does not say how many: %s", ErrNoValgrind, lastLine(stderr.String()))
	}
	return strconv.ParseInt(m[1], 10, 64)
}

// lastLine returns the last line of valgrind's messages that says something.
func lastLine(text string) string {
	last := "no message"
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(prefix.ReplaceAllString(line, "")); line != "" {
			last = line
		}
	}
	return last
}

var prefix = regexp.MustCompile(`^==\d+==`)
