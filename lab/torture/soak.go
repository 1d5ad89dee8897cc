package torture

// This file keeps programs busy for long, and watches their memory and files.

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/driver"
)

//go:embed testdata/soak.go
var soakSource string

// By how much a program may grow from the second quarter of its run to the last. Its memory
// varies, because the collector does not run at the same moments. Its number of open files
// varies by 30 at most: it is higher while the network and the child process are at work.
const (
	moreMemory = 1.25    // times, and
	moreBytes  = 8 << 20 // bytes beside
	moreFiles  = 32      // open files
)

func soakCases(e *Env) (cases []Case, err error) {
	length, packages := e.For, "all"
	if length == 0 {
		length = time.Hour
	}
	modes := e.modes("polls", "exact", "taps", driver.Windows)
	if e.Short {
		// The Go runtime calls these packages in unusual situations.
		modes, length, packages = e.modes("polls", "taps"), 5*time.Second, "example.com/soak,sync,time,bytes,os/exec"
	}
	for _, mode := range modes {
		name := fmt.Sprintf("%s, %v", mode, length)
		cases = append(cases, Case{name, func(e *Env, r *Result) { e.soak(r, mode, packages, length) }})
	}
	return cases, nil
}

// filled is how long the linked runtime touches pages of its tables for the first time.
const filled = time.Minute

// soak runs the program once, for a time.
func (e *Env) soak(r *Result, mode, packages string, length time.Duration) {
	dir, err := e.program("soak", soakSource)
	exe := filepath.Join(e.Work, "soak.exe")
	if err == nil {
		err = e.build(mode, dir, exe, packages)
	}
	if err != nil {
		r.fail("%v", err)
		return
	}
	run, err := os.MkdirTemp(e.Work, "run-")
	if err != nil {
		r.fail("%v", err)
		return
	}
	w := &watch{every: max(length/200, 50*time.Millisecond)}
	p := &process{opts: "tick=4ms", raw: true, Process: driver.Process{
		Exe: exe, Args: []string{length.String()}, Dir: run, Limit: 2*length + 5*time.Minute, Started: w.watch,
	}}
	if mode == driver.Windows {
		p.Ticks = exe
	}
	o := p.run()
	if o.State != "exit status 0" || o.Stdout != "done\n" || o.Stderr != "" {
		r.fail("ended with %s after %v, stdout %q, stderr %q", o.State, o.Wall.Round(time.Millisecond), o.Stdout, o.Stderr)
		return
	}
	r.pass(1)
	grown := map[string]error{"open files": w.files()}
	if length < filled {
		r.skip("memory: the tables of taps and windows fill in the first %v", filled)
	} else {
		grown["memory"] = w.memory()
	}
	for what, grew := range grown {
		if grew != nil {
			r.fail("%s: %v", what, grew)
		} else {
			r.pass(1)
		}
	}
	taken, err := samplesAddUp(run)
	if err != nil {
		r.fail("%v", err)
	} else {
		r.pass(1)
	}
	r.Note = fmt.Sprintf("memory %d to %d MB, up to %d files; %s", slices.Min(w.bytes)>>20, slices.Max(w.bytes)>>20,
		slices.Max(w.fds), taken)
}

// A watch looks at a process again and again.
type watch struct {
	every time.Duration
	bytes []int // resident memory
	fds   []int // open files
}

// watch looks until the process ends and has closed its output.
func (w *watch) watch(p *os.Process, stdout io.Reader) {
	ended := make(chan bool)
	go func() {
		io.Copy(io.Discard, stdout) // which run keeps
		close(ended)
	}()
	defer func() { <-ended }()
	proc := "/proc/" + strconv.Itoa(p.Pid)
	for {
		statm, err := os.ReadFile(proc + "/statm")
		fields := strings.Fields(string(statm))
		// A process that has ended is a zombie until its parent asks for it.
		if err != nil || len(fields) < 2 || fields[1] == "0" {
			return
		}
		pages, err := strconv.Atoi(fields[1])
		fds, errFds := os.ReadDir(proc + "/fd")
		if err == nil && errFds == nil {
			w.bytes = append(w.bytes, pages*os.Getpagesize())
			w.fds = append(w.fds, len(fds))
		}
		select {
		case <-ended:
			return
		case <-time.After(w.every):
		}
	}
}

// quarter returns the second or last quarter of a series.
func quarter(s []int, i int) []int { return s[len(s)*i/4 : len(s)*(i+1)/4] }

func median(s []int) int {
	s = slices.Sorted(slices.Values(s))
	return s[len(s)/2]
}

const fewest = 16 // looks at a process, at least, to judge it

// memory returns an error if the process has grown.
func (w *watch) memory() error {
	if len(w.bytes) < fewest {
		return fmt.Errorf("looked at %d times only", len(w.bytes))
	}
	before, after := median(quarter(w.bytes, 1)), median(quarter(w.bytes, 3))
	if float64(after) > moreMemory*float64(before)+moreBytes {
		return fmt.Errorf("grew from %d to %d bytes", before, after)
	}
	return nil
}

// files returns an error if the number of open files grows.
func (w *watch) files() error {
	if len(w.fds) < fewest {
		return fmt.Errorf("looked at %d times only", len(w.fds))
	}
	before, after := slices.Min(quarter(w.fds, 1)), slices.Min(quarter(w.fds, 3))
	if after > before+moreFiles {
		return fmt.Errorf("grew from %d to %d", before, after)
	}
	return nil
}

// samplesOfTick is how many samples a tick asks for: the default of samples=.
const samplesOfTick = 64

// samplesAddUp checks that every sample that ticks asked for was taken, or is
// counted as lost, and says how many there are. The burst of the last tick may not be over.
func samplesAddUp(dir string) (text string, err error) {
	name, err := driver.Profile(dir, schema.Paths)
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, list(dir))
	}
	f, err := profile.Open(name)
	if err != nil {
		return "", err
	}
	paths, err := f.Paths()
	if err != nil {
		return "", err
	}
	if f.Exact() {
		return "exact counts", nil
	}
	text = fmt.Sprintf("%d ticks, %d samples, %d windows", f.Fact(facts.Ticks), f.Fact(facts.Samples),
		f.Fact(facts.Windows))
	var have uint64
	for _, p := range paths {
		have += uint64(p.Recorded())
	}
	return text, addsUp(f, have)
}

func addsUp(f *profile.File, have uint64) error {
	taken, asked := f.Fact(facts.Samples), samplesOfTick*f.Fact(facts.Ticks)
	known := taken + f.Fact(facts.Dropped) + samplesOfTick*f.Fact(facts.Overruns)
	if f.Fact(facts.Windows) > 0 {
		if all := have + f.Fact(facts.Dropped); all > taken+endsInFlight || all+endsInFlight < taken {
			return fmt.Errorf("%d ends of paths in the profile or dropped, %d in windows: %s", all, taken, f.Facts[0].Encode())
		}
		return nil
	}
	switch {
	case asked == 0:
		return fmt.Errorf("no tick: %s", f.Facts[0].Encode())
	case have != taken:
		return fmt.Errorf("%d samples in the profile, want %d: %s", have, taken, f.Facts[0].Encode())
	case known > asked || known+samplesOfTick < asked:
		return fmt.Errorf("%d samples asked for, %d taken or counted as lost: %s", asked, known, f.Facts[0].Encode())
	}
	return nil
}
