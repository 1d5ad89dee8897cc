package valgrind

// This file counts the instructions that a program executes.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Executed is what a program executes.
type Executed struct {
	Instructions int64
	Misses       int64 // of the first cache of instructions; 0 if caches are not simulated
}

// Count runs a program in the directory dir, with additions to the
// environment, and returns how many instructions it executes.
//
// The counter is cachegrind, without its caches unless they are asked for. Callgrind counts the same, but up
// to 3.19 at least it mixes up the signals of threads: it stops with a failed
// assertion (vgCallgrind_post_signal) when valgrind switches to another thread
// while one handles a signal. Cachegrind keeps no account of calls.
func Count(dir string, env []string, caches bool, program string, args ...string) (e Executed, err error) {
	simulate := "--cache-sim=no"
	if caches {
		simulate = "--cache-sim=yes"
	}
	// A profiled program has a companion, a copy of it, which must not say what it has executed.
	flags := []string{"--tool=cachegrind", simulate, "--child-silent-after-fork=yes", "--cachegrind-out-file=/dev/null"}
	_, messages, err := run(dir, env, flags, program, args)
	if err != nil {
		return e, err
	}
	if e.Instructions, err = counter(messages, "I refs"); err == nil && caches {
		e.Misses, err = counter(messages, "I1 misses")
	}
	return e, err
}

// counter returns a number from the messages of cachegrind.
func counter(text, name string) (int64, error) {
	line := regexp.MustCompile(`(?m)^==\d+== ` + strings.ReplaceAll(name, " ", " +") + `: +([\d,]+)`)
	m := line.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%w: valgrind does not say how many %s: %s", ErrCannotCount, name, reason(text))
	}
	return strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
}
