// Package valgrind counts what programs execute, by valgrind.
//
//	e, err := valgrind.Count(dir, []string{"GOMAXPROCS=1"}, false, exe, "1")
//	fmt.Println(e.Instructions)
//
// A count varies a little from run to run, with the order of maps and of goroutines.
package valgrind

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrCannotCount says that instructions cannot be counted on this machine. Errors wrap it
// together with the reason.
var ErrCannotCount = errors.New("instructions cannot be counted")

// fewSignals makes the counts of two runs under valgrind more alike. Go's runtime executes RDTSCP when a lock is
// contended, and valgrind 3.19 does not know it.
const fewSignals = "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off"

// run runs a program under valgrind in a directory, with additions to the environment. It returns the number of the
// process, and what valgrind says.
func run(dir string, env, flags []string, program string, args []string) (pid int, messages string, err error) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		return 0, "", fmt.Errorf("%w: valgrind is not in PATH", ErrCannotCount)
	}
	cmd := exec.Command(valgrind, append(append(flags, program), args...)...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), fewSignals), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return 0, "", fmt.Errorf("%w: valgrind cannot run %s: %w: %s", ErrCannotCount, filepath.Base(program), err,
			reason(stderr.String()))
	}
	return cmd.Process.Pid, stderr.String(), nil
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
