package bench

// This file builds the test programs in their variants.

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/executable"
)

// A Config says which programs are measured, and with which command.
type Config struct {
	Root     string    // the module of pep; test programs are in Root/testprogs
	Pepbuild string    // the command
	Programs []string  // names of test programs, or directories of others with a / in them; nil is all
	More     bool      // all includes those in Root/testprogs/bench
	Packages string    // what is instrumented, as for -peppkg
	Scale    int       // percent of the programs' workload
	Lanes    int       // programs whose costs are measured at the same time, each on a processor of its own; 0 is one, on all processors
	Log      io.Writer // progress; nil is none
}

func (c *Config) logf(format string, args ...any) {
	if c.Log != nil {
		fmt.Fprintf(c.Log, format+"\n", args...)
	}
}

// programs returns the directories of the programs to measure: those of test programs relative to
// Root/testprogs, others absolute. Test programs may be named without "bench/".
func (c *Config) programs() (list []string, err error) {
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
			return nil, fmt.Errorf("no test program %s; there are %s; directories of other programs have a %c in their names", name, strings.Join(all, ", "), filepath.Separator)
		}
		list = append(list, dir)
	}
	return list, nil
}

// A program is a test program being measured.
type program struct {
	*Config
	name string
	dir  string // its module
	work string // for executables and profiles
}

// Root returns the directory of the module of pep, which lab/go.mod names. The working
// directory must be in lab.
func Root() (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/pepgo/pep")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s, in lab: %w", cmd, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// each calls f for every program, with an empty work directory.
func (c *Config) each(f func(*program) error) error {
	dirs, err := c.programs()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := c.in(dir, f); err != nil {
			return err
		}
	}
	return nil
}

// allIn returns all programs, each with a directory in work.
func (c *Config) allIn(work string) (list []*program, err error) {
	dirs, err := c.programs()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		p := &program{c, filepath.Base(dir), dir, filepath.Join(work, filepath.Base(dir))}
		if !filepath.IsAbs(dir) {
			p.dir = filepath.Join(c.Root, "testprogs", dir)
		}
		if err := os.Mkdir(p.work, 0o777); err != nil {
			return nil, fmt.Errorf("two programs of one name: %w", err)
		}
		list = append(list, p)
	}
	return list, nil
}

// in calls f for the program in a directory that programs returns, with an empty work directory.
func (c *Config) in(dir string, f func(*program) error) error {
	name := filepath.Base(dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Root, "testprogs", dir)
	}
	err := c.inWork(name, func(work string) error {
		return f(&program{c, name, dir, work})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// inWork calls f with an empty directory, and removes that.
func (c *Config) inWork(name string, f func(work string) error) error {
	work, err := os.MkdirTemp("", "pepbench-"+name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	return f(work)
}

// exe is the name of the executable of a build.
func (p *program) exe(build string) string { return filepath.Join(p.work, p.name+"."+build) }

// scale is the argument that the program gets.
func (p *program) scale() string { return strconv.Itoa(p.Scale) }

// pepbuild builds p instrumented: with polls, unless flags have another mode.
func (p *program) pepbuild(build string, flags ...string) error {
	args := append([]string{"build", "-pepmode=polls", "-peppkg=" + p.Packages, "-o", p.exe(build)}, flags...)
	_, err := tool(p.dir, nil, p.Pepbuild, append(args, ".")...)
	return err
}

// buildWindows builds p with windows, which are of all packages.
func (p *program) buildWindows(build string, flags ...string) error {
	args := append([]string{"build", "-pepmode=windows", "-o", p.exe(build)}, flags...)
	_, err := tool(p.dir, nil, p.Pepbuild, append(args, ".")...)
	return err
}

// plain builds p with the go command and further flags.
func (p *program) plain(build string, flags ...string) error {
	args := append([]string{"build", "-o", p.exe(build)}, flags...)
	_, err := tool(p.dir, nil, "go", append(args, ".")...)
	return err
}

// instrumented returns the import paths of the packages that are instrumented in an
// executable. These are the packages with a site table.
func instrumented(exe string) ([]string, error) {
	f, err := executable.Open(exe)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, pkg := range f.Packages {
		paths = append(paths, pkg.Path)
	}
	return paths, nil
}

// size returns the bytes of an executable.
func size(exe string) (int64, error) {
	info, err := os.Stat(exe)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
