package gotest

// This file builds and runs the programs and compares.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/internal/pepbuildtest"
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
	Windows       int            // taken in the mode Windows, by programs that left profiles
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
	build := []string{"build", "-o", filepath.Join(c.Dir, "plain") + "/", "./..."}
	logs := map[string]string{"plain": c.build(module, "go", build...)}
	defer os.RemoveAll(filepath.Join(c.Dir, "plain"))
	for _, mode := range c.Modes {
		defer os.RemoveAll(filepath.Join(c.Dir, mode))
		args, err := Flags(mode)
		if err != nil {
			return err
		}
		if c.Std && mode != Wrong && mode != Windows { // there std has counts anyway
			args = append(args, "-peppkg=all")
		}
		args = append(args, "-o", filepath.Join(c.Dir, mode)+"/", "./...")
		logs[mode] = c.build(module, c.Pepbuild, append([]string{"build"}, args...)...)
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

// Windows is the mode in which ticks interpret the program. Its programs get more ticks than the kernel would send.
const Windows = "windows"

// Wrong is the mode in which nothing is instrumented, and the compiler gets random counts of branches.
const Wrong = "wrong"

// Flags returns the flags of pepbuild for a mode.
func Flags(mode string) ([]string, error) {
	switch mode {
	case "polls", "exact", "cover":
		return []string{"-pepmode=" + mode}, nil
	case "backedge":
		return []string{"-pepmode=polls", "-peptruncate=backedge"}, nil
	case "taps":
		return []string{"-pepmode=polls", "-peptaps=all"}, nil
	case "bursts":
		return []string{"-pepmode=polls", "-peptaps=all", "-peptapmode=burst"}, nil
	case Windows:
		return []string{"-pepmode=windows"}, nil
	case Wrong:
		return []string{"-pepopt=random:1"}, nil
	}
	return nil, fmt.Errorf("mode %q: there are polls, exact, cover, backedge, taps, bursts, %s and %s", mode, Windows, Wrong)
}

// settings returns the PEPOPTS with which programs run in a mode. If taps report in
// bursts, functions are cloned: between bursts only the original body runs, with
// taps=full only the clone, and with bursts at short intervals both by turns.
func (c *Comparison) settings(mode string) []string {
	all := c.Settings
	if all == nil {
		all = []string{Stress}
		if mode == Windows {
			all = []string{"tick=100us"}
		}
	}
	if mode == "bursts" {
		all = append(slices.Clone(all), all[len(all)-1]+",taps=full")
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

// build builds a module and returns the output of the command.
func (c *Comparison) build(module, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off")
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// program runs a program plain and in all modes.
func (c *Comparison) program(p, module string, logs map[string]string) {
	name := packageName(p)
	dir := filepath.Join(module, name)
	want := c.exec("plain", name, dir, "")
	if want.state != "exit status 0" && want.state != "exit status 2" {
		c.leaveOut(p, "plain: "+want.state+" "+message(logs["plain"], name))
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
		if again := c.exec("plain", name, dir, ""); again != want && again.state == got.state {
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
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, exe)
	cmd.Args[0] = filepath.Base(exe)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "PEPDIR="+profiles, "PEPOPTS="+opts, "GOTRACEBACK=single")
	cmd.WaitDelay = time.Second
	if mode == Windows {
		err = c.runWithTicks(cmd, exe)
		c.countWindows(profiles)
	} else {
		err = cmd.Run()
	}
	o := outcome{"exit status 0", Settle(stdout.String()), Settle(stderr.String())}
	switch {
	case ctx.Err() != nil:
		o.state = "timeout"
	case cmd.ProcessState != nil:
		o.state = cmd.ProcessState.String()
		if o.state == "signal: aborted" {
			break
		}
	case err != nil:
		o.state = "not built"
	}
	return o
}

// runWithTicks runs a program whose ticks interpret it, and sends it ticks.
func (c *Comparison) runWithTicks(cmd *exec.Cmd, exe string) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	if stop, err := pepbuildtest.SendTicks(exe, cmd.Process.Pid); err == nil { // otherwise the program has no windows
		defer stop()
	}
	return cmd.Wait()
}

// countWindows adds the windows of a run.
func (c *Comparison) countWindows(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.paths.pb.gz"))
	for _, name := range names {
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
