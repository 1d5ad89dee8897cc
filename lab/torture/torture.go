package torture

// This file runs the cases of the parts.

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/driver"
)

// Options say which parts to run, and how long. Zero values stand for defaults.
type Options struct {
	Parts []string       // names; nil is all
	Modes []string       // of driver.Command; nil is all that a part has
	Match *regexp.Regexp // cases whose names match; nil is all
	Short bool           // the cut for CI
	Fresh bool           // forget stored results
	N     int            // kills, and random programs
	For   time.Duration  // of soak, for each mode
	Seed  uint64         // of the first random program; 0 is one that is new
	Dir   string         // for the state and temporary files
	Out   io.Writer      // progress
}

// A Part is a way of making programs fail.
type Part struct {
	Name  string
	What  string // one line
	cases func(*Env) ([]Case, error)
}

// A Case is the unit of resumption: when a run is interrupted, a case is done as a whole or
// not at all. Its name has everything that its result depends on, such as the mode, the
// number of programs, or the time.
type Case struct {
	Name string
	Run  func(*Env, *Result)
}

// Parts are all parts, in the order in which they run: the quick ones first.
var Parts = []Part{
	{"ends", "all ways in which programs end", endsCases},
	{"paths", "random programs against their own log of paths", pathsCases},
	{"kills", "SIGKILL at random times", killsCases},
	{"tracers", "SIGKILL of tracers, and of programs that are traced, at random times", tracersCases},
	{"gotest", "GOROOT/test, plain and instrumented", gotestCases},
	{"modules", "test suites of well-known modules", modulesCases},
	{"std", "test suites of std", stdCases},
	{"tests", "tests of this module that get harder the longer they run", testsCases},
	{"soak", "collector, scheduler and timers busy for long", soakCases},
}

// An Env has the tools and directories that cases use.
type Env struct {
	*Options
	Pepbuild string // the command
	Work     string // an empty directory for the case
}

// Run runs the cases that are not done yet.
func Run(o *Options) (*Report, error) {
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	own := *o // the seed is set
	pepbuild, tool, err := buildTool("pepbuild", dir)
	if err != nil {
		return nil, err
	}
	_, peptrace, err := buildTool("peptrace", dir)
	if err != nil {
		return nil, err
	}
	e := &Env{Options: &own, Pepbuild: pepbuild}
	s, err := openState(filepath.Join(dir, "state.json"), tool+peptrace, o.Fresh, o.Seed, o.Out)
	if err != nil {
		return nil, err
	}
	e.Seed = s.Seed
	parts, err := chosen(o.Parts)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		cases, err := p.cases(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		for _, c := range cases {
			if s.done(p.Name, c.Name) || o.Match != nil && !o.Match.MatchString(c.Name) {
				continue
			}
			r, err := e.run(dir, p.Name, c)
			if err != nil {
				return nil, err
			}
			if err := s.add(r); err != nil {
				return nil, err
			}
		}
	}
	return &Report{s.Results}, nil
}

// run runs one case in a directory of its own.
func (e *Env) run(dir, part string, c Case) (*Result, error) {
	work, err := os.MkdirTemp(dir, part+"-")
	if err != nil {
		return nil, err
	}
	defer removeAll(work)
	r := &Result{Part: part, Case: c.Name}
	sub := *e
	sub.Work = work
	start := time.Now()
	fmt.Fprintf(e.Out, "%s %s %s\n", start.Format(time.TimeOnly), part, c.Name)
	c.Run(&sub, r)
	r.Seconds = time.Since(start).Seconds()
	fmt.Fprintf(e.Out, "         %d passed, %d failed, %d skipped in %.0fs %s\n", r.Passed, r.Failed, r.Skipped, r.Seconds,
		r.Note)
	for _, f := range r.Failures {
		fmt.Fprintf(e.Out, "         FAIL %s\n", f)
	}
	return r, nil
}

// removeAll removes a directory, even if directories in it are read-only, as those of
// modules from the cache are.
func removeAll(dir string) {
	filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(name, 0o777)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// chosen returns the parts with these names.
func chosen(names []string) ([]Part, error) {
	if names == nil {
		return Parts, nil
	}
	var parts []Part
	for _, name := range names {
		i := slices.IndexFunc(Parts, func(p Part) bool { return p.Name == name })
		if i < 0 {
			var all []string
			for _, p := range Parts {
				all = append(all, p.Name)
			}
			return nil, fmt.Errorf("no part %q; there are %s", name, strings.Join(all, ", "))
		}
		parts = append(parts, Parts[i])
	}
	return parts, nil
}

// buildTool builds a command of this module in a directory and returns its hash: the name of what is tried.
func buildTool(command, dir string) (exe, hash string, err error) {
	if exe, err = driver.Build(command, dir); err != nil {
		return "", "", err
	}
	data, err := os.ReadFile(exe)
	return exe, fmt.Sprintf("%x", sha256.Sum256(data))[:16], err
}

// modes returns those of the given modes that the user has selected.
func (e *Env) modes(all ...string) []string {
	if e.Modes == nil {
		return all
	}
	return slices.DeleteFunc(all, func(m string) bool { return !slices.Contains(e.Modes, m) })
}

// build builds the package in dir to exe. In the mode plain the go command builds it.
// Packages are the packages to instrument; the default is the main package.
func (e *Env) build(mode, dir, exe, packages string) error {
	name, flags, err := driver.Command(e.Pepbuild, mode, packages)
	if err != nil {
		return err
	}
	args := slices.Concat([]string{"build"}, flags, []string{"-buildvcs=false", "-o", exe, "."})
	_, err = driver.Tool(dir, []string{"GOWORK=off"}, name, args...)
	return err
}

// program writes a module with one file in a directory of its own.
func (e *Env) program(name, text string) (dir string, err error) {
	dir = filepath.Join(e.Work, name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/"+name+"\n\ngo 1.26\n"),
		0o666); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o666)
}
