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
	"runtime"
	"strconv"
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

// targetsOf reads the output of go test -list: the names of a package's targets, one a line,
// and then a line that begins with ok and names the package.
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

// Fuzz runs each target for about the time each, which does not include compiling, as many at a time as there
// are processors, since half of a short run is compiling and starting. It begins
// with the inputs that earlier runs kept (go help testflag, "fuzz cache"), and reports
//
//	ok    fuzz runtime/wire FuzzReadPackage  2.1s  123456 executions
//
// An input that fails is in testdata/fuzz of the package, as the output says. Fuzz does
// not minimise such an input. Go test would also minimise inputs that are merely new,
// which takes so much time that only a fortieth of the executions is left.
func Fuzz(w io.Writer, targets []Target, each time.Duration) (count Count) {
	type result struct {
		executed int
		out      string
		err      error
		took     time.Duration
	}
	results := make([]chan result, len(targets))
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, t := range targets {
		results[i] = make(chan result, 1)
		go func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			start := time.Now()
			executed, out, err := t.run(each)
			results[i] <- result{executed, out, err, time.Since(start)}
		}()
	}
	for i, t := range targets {
		r := <-results[i]
		if r.err != nil {
			count.Failed++
			fmt.Fprintf(w, "FAIL  fuzz %s %s\n", t.Package, t.Name)
			for line := range strings.Lines(r.out) {
				fmt.Fprintf(w, "      %s\n", strings.TrimRight(line, "\n"))
			}
			fmt.Fprintf(w, "      %v\n", r.err)
			continue
		}
		count.Passed++
		fmt.Fprintf(w, "ok    fuzz %s %s  %.1fs  %d executions\n", t.Package, t.Name, r.took.Seconds(), r.executed)
	}
	return count
}

// firstRound is the number of executions of the first round. Targets that compare a whole
// tree with exact counts make 100 a second, so a round of 1000 takes them 10 s. Fast
// targets make 10,000 a second, and need a second round.
const firstRound = 1000

// run runs a target in rounds until most of the time is over. It returns how often
// it has executed the target, and the output of the round that failed.
//
// A round ends after a number of executions, not after a time: when a time limit
// passes, go test sometimes fails with "context deadline exceeded" although no
// input failed (golang/go#75804, mended in Go 1.27).
func (t Target) run(each time.Duration) (executed int, out string, err error) {
	var spent time.Duration
	for n := firstRound; spent < each*3/4; n = nextRound(executed, spent, each) {
		out, took, err := t.round(n, each)
		if err != nil {
			return executed, out, err
		}
		executed += executions(out)
		spent += took
	}
	return executed, "", nil
}

// nextRound returns how many executions fit into the rest of the time each, at the
// speed so far.
func nextRound(executed int, spent, each time.Duration) int {
	return max(firstRound, int(float64(executed)*float64(each-spent)/float64(spent)))
}

// round executes a target n times. It returns the output and how long that took
// without compiling and reading the cached inputs. It is interrupted if it takes
// much longer than the time each.
func (t Target) round(n int, each time.Duration) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), each+patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-run=^$", "-fuzz=^"+t.Name+"$", fmt.Sprintf("-fuzztime=%dx", n), "-fuzzminimizetime=1x", t.Package)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out := fuzzOutput{began: time.Now()}
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil && executions(out.String()) == 0 {
		err = fmt.Errorf("%s executed nothing", cmd)
	}
	return out.String(), time.Since(out.began), err
}

// A fuzzOutput keeps the output of go test, and the time when go test began to make new
// inputs.
type fuzzOutput struct {
	bytes.Buffer
	began time.Time
}

func (o *fuzzOutput) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("now fuzzing with")) {
		o.began = time.Now()
	}
	return o.Buffer.Write(p)
}

var execs = regexp.MustCompile(`execs: (\d+)`)

// executions returns the last count that go test has printed, or 0 if it has printed none.
func executions(out string) int {
	all := execs.FindAllStringSubmatch(out, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1][1]) // digits
	return n
}
