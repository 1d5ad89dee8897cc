package gotest

// This file builds and runs the programs and compares.

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/driver"
)

const (
	batch    = 60 // programs built at a time: disk space is used by one batch only
	parallel = 2  // programs run at a time
)

// Stress is a value of PEPOPTS with frequent ticks, so that even short runs are sampled often.
const Stress = "tick=500us,samples=64,stride=7"

// A Comparison runs programs plain and instrumented.
type Comparison struct {
	Dir      string // for temporary files
	Pepbuild string // the command
	Modes    []string
	Std      bool          // instrument std too
	Settings []string      // PEPOPTS of the runs, one after the other; Stress if nil
	Timeout  time.Duration // for one run of a program
	Verbose  bool          // show whole outputs
	Out      io.Writer     // gets a line for every difference

	Alike, Differ map[string]int // how many programs, by mode
	Windows       int            // taken in the mode driver.Windows, by programs that left profiles
	LeftOut       []string       // programs that were not compared, with the reason

	mu sync.Mutex // guards Alike, Differ, LeftOut and Out
}

// Run compares the programs, whose names Find has returned.
func (c *Comparison) Run(programs []string) error {
	c.Alike, c.Differ = map[string]int{}, map[string]int{}
	for len(programs) > 0 {
		n := min(batch, len(programs))
		if err := c.batch(programs[:n]); err != nil {
			return err
		}
		programs = programs[n:]
	}
	return nil
}

// batch compares programs in a module of their own, a package for each.
func (c *Comparison) batch(programs []string) error {
	module := filepath.Join(c.Dir, "module")
	defer os.RemoveAll(module)
	if err := copyPrograms(programs, module); err != nil {
		return err
	}
	// Some programs do not build. A later step finds that they are missing.
	logs := map[string]string{}
	for _, mode := range append([]string{driver.Plain}, c.Modes...) {
		exes := filepath.Join(c.Dir, mode)
		defer os.RemoveAll(exes)
		packages := ""
		if c.Std {
			packages = "all"
		}
		name, flags, err := driver.Command(c.Pepbuild, mode, packages)
		if err != nil {
			return err
		}
		// Some programs do not build. A later step finds that they are missing.
		r, _ := driver.Tool(module, []string{"GOFLAGS=-buildvcs=false", "GOWORK=off"}, name,
			slices.Concat([]string{"build"}, flags, []string{"-o", exes + "/", "./..."})...)
		logs[mode] = r.Stdout + r.Stderr
	}
	work := make(chan string)
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			for p := range work {
				c.program(p, module, logs)
			}
		})
	}
	for _, p := range programs {
		work <- p
	}
	close(work)
	wg.Wait()
	return nil
}

// settings returns the PEPOPTS with which programs run in a mode.
func (c *Comparison) settings(mode string) []string {
	all := c.Settings
	if all == nil {
		all = []string{Stress}
		if mode == driver.Windows {
			all = []string{"tick=100us"}
		}
	}
	return all
}

// copyPrograms makes a module with one package for each program.
func copyPrograms(programs []string, module string) error {
	root, err := testRoot()
	if err != nil {
		return err
	}
	for _, p := range programs {
		text, err := os.ReadFile(filepath.Join(root, p))
		if err != nil {
			return err
		}
		dir := filepath.Join(module, packageName(p))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(p)), text, 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.com/gotest\n\ngo 1.26\n"), 0o666)
}

// packageName returns the name of a program's directory and executable.
func packageName(program string) string {
	return strings.NewReplacer("/", "_", ".go", "").Replace(program)
}

// program runs a program plain and in all modes.
func (c *Comparison) program(p, module string, logs map[string]string) {
	name := packageName(p)
	dir := filepath.Join(module, name)
	want := c.exec(driver.Plain, name, dir, "")
	if want.state != "exit status 0" && want.state != "exit status 2" {
		c.leaveOut(p, "plain: "+want.state+" "+message(logs[driver.Plain], name))
		return
	}
	for _, mode := range c.Modes {
		if reason := excluded[mode+" "+p]; reason != "" {
			c.leaveOut(mode+" "+p, reason)
			continue
		}
		got := want
		for _, opts := range c.settings(mode) {
			if got == want {
				got = c.exec(mode, name, dir, opts)
			}
		}
		if got == want {
			c.count(c.Alike, mode)
			continue
		}
		if again := c.exec(driver.Plain, name, dir, ""); again != want && again.state == got.state {
			c.count(c.Alike, mode) // what it prints depends on chance
			continue
		}
		c.count(c.Differ, mode)
		c.mu.Lock()
		fmt.Fprintf(c.Out, "%s: %s: got %s, want %s %s\n", mode, p, c.short(got), c.short(want), message(logs[mode], name))
		c.mu.Unlock()
	}
}

func (c *Comparison) count(m map[string]int, mode string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m[mode]++
}

func (c *Comparison) leaveOut(p, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.LeftOut = append(c.LeftOut, p+": "+reason)
}

// message returns the messages of the go command about a package.
func message(log, name string) string {
	_, rest, ok := strings.Cut(log, "# example.com/gotest/"+name+"\n")
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n#")
	return strings.TrimSpace(text)
}

// An outcome is what a run of a program showed to its user.
type outcome struct {
	state          string // how it ended
	stdout, stderr string
}

func (c *Comparison) short(o outcome) string {
	if c.Verbose {
		return fmt.Sprintf("%+v", o)
	}
	s := fmt.Sprintf("%s, stdout %q, stderr %q", o.state, o.stdout, o.stderr)
	if len(s) > 600 {
		s = s[:600] + "…"
	}
	return s
}

// exec runs the executable of a program in dir, with PEPOPTS as given.
func (c *Comparison) exec(mode, name, dir, opts string) outcome {
	exe := filepath.Join(c.Dir, mode, name)
	profiles, err := os.MkdirTemp(c.Dir, "profiles-")
	if err != nil {
		return outcome{state: err.Error()}
	}
	defer os.RemoveAll(profiles)
	p := &driver.Process{Exe: exe, Name: name, Dir: dir, Limit: c.Timeout,
		Env: []string{"PEPDIR=" + profiles, "PEPOPTS=" + opts, "GOTRACEBACK=single"}}
	if mode == driver.Windows {
		p.Ticks = exe
	}
	r, err := p.Run()
	if err != nil && r.State == "" {
		r.State = "not built"
	}
	if mode == driver.Windows {
		c.countWindows(profiles)
	}
	return outcome{r.State, Settle(r.Stdout), Settle(r.Stderr)}
}

// countWindows adds the windows of a run.
func (c *Comparison) countWindows(dir string) {
	for _, name := range driver.Profiles(dir, schema.Paths) {
		if f, err := profile.Open(name); err == nil {
			c.mu.Lock()
			c.Windows += int(f.Fact(facts.Windows))
			c.mu.Unlock()
		}
	}
}

var (
	traceback = regexp.MustCompile(`(?ms)^goroutine \d+ .*`)
	address   = regexp.MustCompile(`0x[0-9a-f]+`)
)

// Settle removes from a program's output the text that differs between two builds:
// addresses, and the tracebacks of panics.
func Settle(s string) string {
	return address.ReplaceAllString(traceback.ReplaceAllString(s, "goroutine …"), "0x…")
}
