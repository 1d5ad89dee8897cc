package check

// This file finds fuzz targets and runs them.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Target is a fuzz test.
type Target struct {
	Package, Name string
	dir           string // of the package
}

// Targets returns the fuzz tests of packages of the module in dir. It reads their sources, because
// go test -list would link the tests of every package.
func Targets(dir string, packages ...string) (targets []Target, err error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles", "--"},
		packages...)...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.Bytes())
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			return targets, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", cmd, err)
		}
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && isTarget(f.Name.Name) {
					targets = append(targets, Target{p.ImportPath, f.Name.Name, p.Dir})
				}
			}
		}
	}
}

// isTarget reports whether a function of this name is a fuzz test to go test, which requires that it has the parameters
// of one.
func isTarget(name string) bool {
	rest, ok := strings.CutPrefix(name, "Fuzz")
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && !unicode.IsLower(first)
}

// patience is how long starting a target may take.
const patience = 5 * time.Minute

// Fuzz runs each target for about the time each, which does not include compiling, as many at a time as there
// are processors, since much of a short run is compiling and starting. It begins
// with the inputs that earlier runs kept (go help testflag, "fuzz cache"), and reports
//
//	ok    fuzz format/wire FuzzReadPackage  2.1s  123456 executions
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
	work, err := os.MkdirTemp("", "fuzz-")
	cache, cacheErr := exec.Command("go", "env", "GOCACHE").Output()
	if err := errors.Join(err, cacheErr); err != nil {
		fmt.Fprintf(w, "FAIL  fuzz\n      %v\n", err)
		return Count{Failed: 1}
	}
	defer os.RemoveAll(work)
	binaries := map[string]*binary{}
	for i, t := range targets {
		if binaries[t.Package] == nil {
			binaries[t.Package] = &binary{
				target: t,
				name:   filepath.Join(work, fmt.Sprint(i, ".test")),
				inputs: filepath.Join(strings.TrimSpace(string(cache)), "fuzz", t.Package), // as go test has them
			}
		}
	}
	results := make([]chan result, len(targets))
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, t := range targets {
		results[i] = make(chan result, 1)
		go func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			start := time.Now()
			executed, out, err := binaries[t.Package].run(t.Name, each)
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
// tree with exact counts make 50 to 100 a second. Fast targets make 10,000 a second, and need a second round.
const firstRound = 100

// A binary is the test binary of a package, which all its targets share: to link it takes longer than a short run.
type binary struct {
	target Target // one of the package
	name   string
	inputs string // directory of the inputs that earlier runs kept
	once   sync.Once
	out    []byte // of the build, if it failed
	err    error
}

// build compiles and links the binary, if that has not been done.
func (b *binary) build() (string, error) {
	b.once.Do(func() {
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-checklinkname=0", "-fuzz=^"+b.target.Name+"$", "-o",
			b.name, b.target.Package)
		cmd.Dir = b.target.dir // in its module
		if b.out, b.err = cmd.CombinedOutput(); b.err != nil {
			b.err = fmt.Errorf("%s: %w", cmd, b.err)
		}
	})
	return string(b.out), b.err
}

// run runs a target in rounds until most of the time is over. It returns how often
// it has executed the target, and the output of the round that failed.
//
// A round ends after a number of executions, not after a time: when a time limit
// passes, go test sometimes fails with "context deadline exceeded" although no
// input failed (golang/go#75804, mended in Go 1.27).
func (b *binary) run(name string, each time.Duration) (executed int, out string, err error) {
	if out, err := b.build(); err != nil {
		return 0, out, err
	}
	var spent time.Duration
	for n := firstRound; spent < each*3/4; n = nextRound(executed, spent, each) {
		out, took, err := b.round(name, n, each)
		if kept := inputs(out); err == nil && executions(out) == 0 && kept >= n {
			// The inputs that earlier runs kept were more than the round.
			out, took, err = b.round(name, n+kept, each)
		}
		if err == nil && executions(out) == 0 {
			err = fmt.Errorf("%s of %s executed nothing", name, b.target.Package)
		}
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
// without reading the cached inputs. It is interrupted if it takes
// much longer than the time each.
func (b *binary) round(name string, n int, each time.Duration) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), each+patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.name, "-test.run=^$", "-test.fuzz=^"+name+"$", fmt.Sprintf("-test.fuzztime=%dx", n),
		"-test.fuzzminimizetime=1x",
		"-test.fuzzcachedir="+b.inputs)
	cmd.Dir = b.target.dir // where failing inputs go
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out := fuzzOutput{began: time.Now()}
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), time.Since(out.began), err
}

// A fuzzOutput keeps the output of a test binary, and the time when it began to make new
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

var baseline = regexp.MustCompile(`gathering baseline coverage: \d+/(\d+)`)

// inputs returns how many inputs a test binary executes before it makes new ones, or 0 if it has not said so.
func inputs(out string) int { return lastNumber(baseline, out) }

var execs = regexp.MustCompile(`execs: (\d+)`)

// executions returns the last count that a test binary has printed, or 0 if it has printed none.
func executions(out string) int { return lastNumber(execs, out) }

// lastNumber returns the number in the last match of re, or 0 if there is none.
func lastNumber(re *regexp.Regexp, out string) int {
	all := re.FindAllStringSubmatch(out, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1][1]) // digits
	return n
}
