// Package programs builds test programs, each in several ways, and runs them.
//
//	cfg := &programs.Config{Root: root, Pepbuild: pepbuild, Packages: "all", Scale: 100, Log: os.Stderr}
//	err := cfg.Each(func(p *programs.Program) error {
//		if err := p.BuildInstrumented(programs.Polls); err != nil {
//			return err
//		}
//		paths, edges, err := p.EdgesFile(programs.Polls, programs.PEP.Env())
//		…
//	})
//
// A build has a name, such as programs.Polls, and p.Exe(build) is its executable. A Setting says how a run samples
// paths.
package programs

// This file finds test programs.

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Config says which programs are measured, and with which command.
type Config struct {
	Root     string   // the module of pep; test programs are in Root/testprogs
	Pepbuild string   // the command
	Programs []string // names of test programs, or directories of others with a / in them; nil is all
	More     bool     // all includes those in Root/testprogs/bench
	Packages string   // what is instrumented, as for -peppkg
	Scale    int      // percent of the programs' workload
	// programs whose costs are measured at the same time, each on a processor of its own; 0 is one, on all processors
	Lanes int
	Log   io.Writer // progress; nil is none
}

// Logf writes a line of progress.
func (c *Config) Logf(format string, args ...any) {
	if c.Log != nil {
		fmt.Fprintf(c.Log, format+"\n", args...)
	}
}

// Dirs returns the directories of the programs to measure: those of test programs relative to
// Root/testprogs, others absolute. Test programs may be named without "bench/".
func (c *Config) Dirs() (list []string, err error) {
	dirs := make(map[string]string)
	var all []string
	for _, where := range []string{"", "bench"} {
		mods, err := filepath.Glob(filepath.Join(c.Root, "testprogs", where, "*", "go.mod"))
		if err != nil {
			return nil, err
		}
		for _, mod := range mods {
			name := filepath.Base(filepath.Dir(mod))
			dirs[name] = filepath.Join(where, name)
			all = append(all, name)
			if where == "" || c.More {
				list = append(list, dirs[name])
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no programs in %s", filepath.Join(c.Root, "testprogs"))
	}
	if c.Programs == nil {
		return list, nil
	}
	list = nil
	for _, name := range c.Programs {
		dir := dirs[name]
		if strings.ContainsRune(name, filepath.Separator) {
			if dir, err = filepath.Abs(name); err != nil {
				return nil, err
			}
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
				return nil, fmt.Errorf("a program must be a module whose main package is in the directory of go.mod: %w", err)
			}
		}
		if dir == "" {
			return nil, fmt.Errorf("no test program %s; there are %s; directories of other programs have a %c in their names",
				name, strings.Join(all, ", "), filepath.Separator)
		}
		list = append(list, dir)
	}
	return list, nil
}

// A Program is a test program being measured.
type Program struct {
	*Config
	Name string
	Dir  string // its module
	Work string // for executables and profiles
}

// Program returns the program in a directory that Dirs returns.
func (c *Config) Program(dir, work string) *Program {
	name := filepath.Base(dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Root, "testprogs", dir)
	}
	return &Program{c, name, dir, work}
}

// Scaled returns the program with another workload, in percent of the whole.
func (p *Program) Scaled(percent int) *Program {
	cfg := *p.Config
	cfg.Scale = percent
	return &Program{&cfg, p.Name, p.Dir, p.Work}
}

// Each calls f for every program, with an empty work directory.
func (c *Config) Each(f func(*Program) error) error {
	dirs, err := c.Dirs()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := c.In(dir, f); err != nil {
			return err
		}
	}
	return nil
}

// AllIn returns all programs, each with a directory in work.
func (c *Config) AllIn(work string) (list []*Program, err error) {
	dirs, err := c.Dirs()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		p := c.Program(dir, filepath.Join(work, filepath.Base(dir)))
		if err := os.Mkdir(p.Work, 0o777); err != nil {
			return nil, fmt.Errorf("two programs of one name: %w", err)
		}
		list = append(list, p)
	}
	return list, nil
}

// In calls f for the program in a directory that Dirs returns, with an empty work directory.
func (c *Config) In(dir string, f func(*Program) error) error {
	name := filepath.Base(dir)
	err := c.InWork(name, func(work string) error { return f(c.Program(dir, work)) })
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// InWork calls f with an empty directory, and removes that.
func (c *Config) InWork(name string, f func(work string) error) error {
	work, err := os.MkdirTemp("", "pepbench-"+name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	return f(work)
}

// Exe is the name of the executable of a build.
func (p *Program) Exe(build string) string { return filepath.Join(p.Work, p.Name+"."+build) }

// Workload is the argument that the program gets.
func (p *Program) Workload() string { return strconv.Itoa(p.Scale) }
