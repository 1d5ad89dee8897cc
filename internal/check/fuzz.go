package check

// This file finds fuzz targets and runs them.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// A Target is a fuzz test.
type Target struct {
	Package, Name string
}

// Targets returns the fuzz tests of packages.
func Targets(packages ...string) ([]Target, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", append([]string{"test", "-list=^Fuzz"}, packages...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", cmd, err, out, stderr.Bytes())
	}
	return targetsOf(string(out)), nil
}

// targetsOf reads what go test -list prints: the names of a package, one a line,
// and then a line that begins with ok and has the package.
func targetsOf(list string) (targets []Target) {
	var names []string
	for line := range strings.Lines(list) {
		switch f := strings.Fields(line); {
		case len(f) == 1:
			names = append(names, f[0])
		case len(f) > 1:
			for _, name := range names {
				targets = append(targets, Target{f[1], name})
			}
			names = nil
		}
	}
	return targets
}

// patience is how long compiling and starting a target may take.
const patience = 5 * time.Minute

// Fuzz runs each target for a while, beginning with the inputs that earlier runs
// found worth keeping (go help testflag, "fuzz cache"), and reports
//
//	ok    fuzz runtime/wire FuzzReadPackage  2.1s  123456 executions
//
// An input that fails is in testdata/fuzz of the package, as the output says.
// Such an input is not made smaller: minimising takes so much of the time that
// only a fortieth of the executions is left, and it is done, too, for inputs that
// are merely new.
func Fuzz(w io.Writer, targets []Target, each time.Duration) (count Count) {
	for _, t := range targets {
		start := time.Now()
		out, err := t.run(each)
		if err != nil {
			count.Failed++
			fmt.Fprintf(w, "FAIL  fuzz %s %s\n", t.Package, t.Name)
			for line := range strings.Lines(out) {
				fmt.Fprintf(w, "      %s\n", strings.TrimRight(line, "\n"))
			}
			fmt.Fprintf(w, "      %v\n", err)
			continue
		}
		count.Passed++
		fmt.Fprintf(w, "ok    fuzz %s %s  %.1fs  %s executions\n", t.Package, t.Name, time.Since(start).Seconds(), executions(out))
	}
	return count
}

func (t Target) run(each time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), each+patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-run=^$", "-fuzz=^"+t.Name+"$", "-fuzztime="+each.String(), "-fuzzminimizetime=1x", t.Package)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if err == nil && executions(string(out)) == "0" {
		err = fmt.Errorf("%s executed nothing", cmd)
	}
	return string(out), err
}

var execs = regexp.MustCompile(`execs: (\d+)`)

// executions returns the last count that go test has printed, "0" if none.
func executions(out string) string {
	all := execs.FindAllStringSubmatch(out, -1)
	if len(all) == 0 {
		return "0"
	}
	return all[len(all)-1][1]
}
