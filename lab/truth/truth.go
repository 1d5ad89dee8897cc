// Package truth compares what windows and perf say of programs with what these know of themselves: which loop had how
// much CPU time, and how many rounds.
//
// The programs are in testdata. They execute loops by turns and read the clock between turns. One run is of the program
// that pepbuild makes, with a tick each 4 ms, and one of the plain program under perf record, with samples of a clock.
package truth

import (
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

// A Case is a program with the loops that it executes.
type Case struct {
	Title   string
	Program string // directory in testdata
	Parts   []Part
	Counts  bool // the parts are loops of one function, whose rounds are counted
}

// A Part is a loop, and the code that only it executes.
type Part struct {
	Loop string
	Code []string // beginnings of names of functions, or kinds of code that is in no path
}

// Kinds of code that is in no path, as profiles name them.
const (
	systemCalls = "system calls"
	outside     = "C code and vDSO"
	assembly    = "assembly"
)

// Cases are all cases.
var Cases = []Case{
	{Title: "Slow and fast loops", Program: "phases", Counts: true, Parts: []Part{loop("chase"), loop("arithmetic")}},
	{Title: "Loops of seven kinds", Program: "phases", Counts: true,
		Parts: []Part{loop("chase"), loop("chaseIndex"), loop("random"),
			loop("search"), loop("stream"), loop("branches"), loop("arithmetic")}},
	{Title: "Long system calls", Program: "calls", Parts: []Part{
		{"read", []string{"main.read", "syscall.", "internal/runtime/syscall.", "runtime.", systemCalls}},
		{"moves", []string{"main.moves", assembly}}, loop("compute")}},
	{Title: "Short system calls", Program: "calls", Parts: []Part{
		{"getppid", []string{"main.getppid", "syscall.", "internal/runtime/syscall.", "runtime.", systemCalls, assembly}},
		loop("compute")}},
	{Title: "The collector", Program: "collector", Parts: []Part{
		{"collector", []string{"runtime.", "internal/", systemCalls, assembly}},
		{"compute", []string{"main.compute", "main.(*node).walk"}}}},
	{Title: "C code", Program: "foreign", Parts: []Part{{"inC", []string{"main.inC", "runtime.", outside, assembly}},
		loop("compute")}},
	{Title: "Short calls of C code", Program: "foreign", Parts: []Part{
		{"short", []string{"main.short", "main._Cfunc_burn", "runtime.", "internal/", outside, assembly}}, loop("compute")}},
}

// loop is a loop that calls nothing.
func loop(name string) Part { return Part{name, []string{"main." + name}} }

// has reports whether the code of a part includes a function, or a kind of code.
func (p *Part) has(name string) bool {
	return slices.ContainsFunc(p.Code, func(begin string) bool {
		return name == begin || strings.HasPrefix(name, begin) && strings.HasSuffix(begin, ".") ||
			strings.HasPrefix(name, begin) && strings.HasSuffix(begin, "/")
	})
}

// A Lab runs cases.
type Lab struct {
	Pepbuild string
	Dir      string // of this package
	Work     string // an empty directory
	Seconds  int    // of CPU time of each run
	Samples  int    // of perf
	Log      io.Writer
}

// A Measured is what is known of a run: CPU time by function or kind of code, in any unit, and what the program says.
type Measured struct {
	Time   map[string]float64
	Truth  map[string]Said
	Counts map[string]float64 // of paths, by function
	N      int                // ticks or samples
}

// Said is what a program says of a loop.
type Said struct{ NS, Rounds float64 }

// A Result has both runs of a case.
type Result struct {
	Case
	Windows, Perf Measured
}

// Run runs a case.
func (l *Lab) Run(c Case) (*Result, error) {
	r := &Result{Case: c}
	plain, windows := filepath.Join(l.Work, "plain"), filepath.Join(l.Work, "windows")
	if err := l.build("go", "build", "-o", plain, "./"+c.Program); err != nil {
		return nil, err
	}
	if err := l.build(l.Pepbuild, "build", "-pepmode=windows", "-o", windows, "./"+c.Program); err != nil {
		return nil, err
	}
	args := []string{strconv.Itoa(l.Seconds)}
	for _, p := range c.Parts {
		args = append(args, p.Loop)
	}
	fmt.Fprintf(l.Log, "%s: windows\n", c.Title)
	var err error
	if r.Windows, err = l.windows(windows, args); err != nil {
		return nil, err
	}
	fmt.Fprintf(l.Log, "%s: perf\n", c.Title)
	if r.Perf, err = l.perf(plain, args); err != nil {
		return nil, err
	}
	return r, nil
}

func (l *Lab) build(command string, args ...string) error {
	_, err := driver.Tool(filepath.Join(l.Dir, "testdata"), nil, command, args...)
	return err
}

// readSaid reads what a program says of its loops.
func readSaid(text string) (map[string]Said, error) {
	said := map[string]Said{}
	for line := range strings.Lines(text) {
		var name string
		var s Said
		if _, err := fmt.Sscan(line, &name, &s.NS, &s.Rounds); err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		said[name] = s
	}
	return said, nil
}

// Tick is the time between windows: the shortest that Linux keeps to if it looks at timers 250 times a second.
const Tick = 4 * time.Millisecond

func (l *Lab) windows(exe string, args []string) (m Measured, err error) {
	dir, err := os.MkdirTemp(l.Work, "profiles")
	if err != nil {
		return m, err
	}
	r, err := driver.Tool("", []string{"PEPDIR=" + dir, "PEPOPTS=tick=" + Tick.String()}, exe, args...)
	if err != nil {
		return m, err
	}
	if m.Truth, err = readSaid(r.Stdout); err != nil {
		return m, err
	}
	name, err := driver.Profile(dir, schema.Paths)
	if err != nil {
		return m, err
	}
	f, err := profile.Open(name)
	if err != nil {
		return m, err
	}
	m.Time, m.Counts = map[string]float64{}, map[string]float64{}
	for _, list := range f.Facts {
		for _, x := range list {
			if x.Key == facts.TicksInsideIn || x.Key == facts.TicksOutsideIn {
				if name := x.Name; strings.HasSuffix(name, " ("+assembly+")") {
					m.Time[assembly] += float64(x.N)
				} else {
					m.Time[name] += float64(x.N)
				}
			}
		}
	}
	m.N = int(f.Fact(facts.TicksPlaced))
	paths, err := f.Paths()
	if err != nil {
		return m, err
	}
	for _, p := range profile.SumPaths(paths) {
		m.Counts[p.ID.Func.Name] += float64(p.Count)
	}
	return m, nil
}
