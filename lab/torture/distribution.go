package torture

// This file runs the test programs of the Go distribution, and tests of this
// module.

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/pepgo/pep/internal/check"
	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/gotest"
)

// sampleOfCI matches the programs of the short run: goroutines, defer and recover, closures,
// type switches, and programs that once crashed. Package gotest tests more of them with paths alone.
const sampleOfCI = `^(closure[1-4]|deferfin|recover[1-4]?|range[34]|typeswitch|gcgort|` +
	`chan/select[3-5]|ken/chan|typeparam/(chans|orderedmap)|fixedbugs/issue(13684|17381|22881))\.go$`

// gotestPerCase is how many programs make a case.
const gotestPerCase = 200

// often are the settings of runs: ticks about as frequent as the default ticks of a fast
// machine, and ticks as frequent as possible.
var often = []string{"tick=4ms", gotest.Stress}

func gotestCases(e *Env) (cases []Case, err error) {
	pattern, modes := "", e.modes("polls", "exact", "taps", driver.Windows)
	if e.Short {
		pattern, modes = sampleOfCI, e.modes("taps")
	}
	programs, left, err := gotest.Find(regexp.MustCompile(pattern))
	if err != nil {
		return nil, err
	}
	for _, mode := range modes {
		for first := 0; first < len(programs); first += gotestPerCase {
			some := programs[first:min(first+gotestPerCase, len(programs))]
			name := fmt.Sprintf("%s, %d programs from %s", mode, len(some), some[0])
			cases = append(cases, Case{name, func(e *Env, r *Result) { e.gotest(r, mode, some) }})
		}
	}
	if len(cases) > 0 && !e.Short {
		cases = append(cases, Case{"left out", func(e *Env, r *Result) {
			for _, l := range left {
				r.skip("%s", l)
			}
		}})
	}
	return cases, nil
}

// gotest compares programs in a mode.
func (e *Env) gotest(r *Result, mode string, programs []string) {
	var out strings.Builder
	c := &gotest.Comparison{
		Dir:      e.Work,
		Pepbuild: e.Pepbuild,
		Modes:    []string{mode},
		Settings: often,
		Timeout:  10 * time.Minute, // a machine may be busy with other work
		Out:      &out,
	}
	if mode == driver.Windows { // often has settings of polls
		c.Settings = nil
	}
	if err := c.Run(programs); err != nil {
		r.fail("%v", err)
		return
	}
	if mode == driver.Windows {
		r.Note = fmt.Sprintf("%d windows", c.Windows)
	}
	r.pass(c.Alike[mode])
	for line := range strings.Lines(out.String()) {
		r.fail("%s", strings.TrimSpace(line))
	}
	for _, l := range c.LeftOut {
		r.skip("%s", l)
	}
}

// harder are tests of this module that try other inputs or another timing in each run: the
// flag -run, the package, and how often to run the test.
var harder = []struct {
	pkg, run string
	count    int
}{
	{"./runtime/core", ".", 20},
	{"./runtime/taps", ".", 20},
	{"./instrument/pathnum", ".", 20},
	{"./format/wire", ".", 20},
}

func testsCases(e *Env) (cases []Case, err error) {
	if e.Short {
		return nil, nil // go test runs them once by itself
	}
	root, err := driver.Root()
	if err != nil {
		return nil, err
	}
	for _, h := range harder {
		name := fmt.Sprintf("%s -run %s -count=%d", h.pkg, h.run, h.count)
		cases = append(cases, Case{name, func(e *Env, r *Result) {
			cmd := exec.Command("go", "test", "-json", "-ldflags=-checklinkname=0", "-timeout=1h",
				fmt.Sprintf("-count=%d", h.count), "-run", h.run, h.pkg)
			cmd.Dir, cmd.Stderr = root, os.Stderr
			out, err := cmd.Output()
			var text strings.Builder
			count, parseErr := check.Tests(&text, strings.NewReader(string(out)))
			r.pass(count.Passed)
			if count.Failed > 0 || parseErr != nil {
				r.fail("%v, %v, %d failed:\n%s", err, parseErr, count.Failed, tail(text.String()))
			}
		}})
	}
	return cases, nil
}
