package programs

// This file builds executables of a program, each by its name.

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/machine/executable"
)

// Names of builds.
const (
	Plain    = "plain"
	Polls    = "polls"
	Guided   = "guided" // with the edges of a sampled run as -pepguide
	Windows  = "windows"
	Exact    = "exact"
	Edges    = "edges"    // exact, with counters of edges
	Count    = "count"    // go build -cover, named by -covermode
	Set      = "set"      // the same
	Atomic   = "atomic"   // the same
	Profiled = "profiled" // plain, with a CPU profile of package runtime/pprof

	// By plain additions.
	AddedPaths = "exact-added"
	AddedEdges = "edges-added"
)

// exactFlags are the flags of builds with exact counts.
var exactFlags = map[string][]string{
	Exact:      {"-pepmode=exact"},
	Edges:      {"-pepmode=exact", "-peptruncate=join"},
	AddedPaths: {"-pepmode=exact", "-pepwithout=atomics"},
	AddedEdges: {"-pepmode=exact", "-peptruncate=join", "-pepwithout=atomics"},
}

// BuildInstrumented builds p instrumented: with polls, unless flags have another mode.
func (p *Program) BuildInstrumented(build string, flags ...string) error {
	args := append([]string{"build", "-pepmode=polls", "-peppkg=" + p.Packages, "-o", p.Exe(build)}, flags...)
	_, err := driver.Tool(p.Dir, nil, p.Pepbuild, append(args, ".")...)
	return err
}

// BuildWindows builds p with windows, which are of all packages.
func (p *Program) BuildWindows(build string, flags ...string) error {
	args := append([]string{"build", "-pepmode=windows", "-o", p.Exe(build)}, flags...)
	_, err := driver.Tool(p.Dir, nil, p.Pepbuild, append(args, ".")...)
	return err
}

// BuildPlain builds p with the go command and further flags.
func (p *Program) BuildPlain(build string, flags ...string) error {
	args := append([]string{"build", "-o", p.Exe(build)}, flags...)
	_, err := driver.Tool(p.Dir, nil, "go", append(args, ".")...)
	return err
}

// BuildFor builds the executables that settings need, with flags for those that are instrumented.
func (p *Program) BuildFor(settings []Setting, flags ...string) error {
	var errs []error
	for _, build := range []string{Polls, Windows} {
		if !slices.ContainsFunc(settings, func(s Setting) bool { return s.Build() == build }) {
			continue
		}
		if build == Windows {
			errs = append(errs, p.BuildWindows(build))
		} else {
			errs = append(errs, p.BuildInstrumented(build, flags...))
		}
	}
	return errors.Join(errs...)
}

// InLayout is the name of a build whose functions are in another order than the linker's, unless
// layout is 0.
func InLayout(build string, layout int) string {
	if layout == 0 {
		return build
	}
	return fmt.Sprintf("%s.%d", build, layout)
}

// InLayouts calls make for each layout of a build, with its name and the flags of the go command.
func InLayouts(build string, layouts int, make func(name string, flags ...string) error) error {
	for layout := range layouts {
		var flags []string
		if layout > 0 {
			flags = []string{fmt.Sprintf("-ldflags=-randlayout=%d", layout)}
		}
		if err := make(InLayout(build, layout), flags...); err != nil {
			return err
		}
	}
	return nil
}

// Build builds one of the executables. Polls has been built before, and pkgs are the packages that it instruments.
func (p *Program) Build(build, name string, pkgs, flags []string) error {
	switch build {
	case Plain:
		return p.BuildPlain(name, flags...)
	case Count, Set, Atomic:
		return p.BuildPlain(name, append(flags, "-cover", "-covermode="+build, "-coverpkg="+strings.Join(pkgs, ","))...)
	case Profiled:
		return p.buildProfiled(name, flags...)
	case Windows:
		return p.BuildWindows(name, flags...)
	case Guided:
		guide := p.Exe("guide") // one for all layouts
		if _, err := os.Stat(guide); err != nil {
			_, edges, err := p.EdgesFile(Polls, PEP.Env())
			if err == nil {
				err = os.Rename(edges, guide)
			}
			if err != nil {
				return err
			}
		}
		flags = append(flags, "-pepguide="+guide)
	}
	return p.BuildInstrumented(name, append(flags, exactFlags[build]...)...)
}

// ImportPaths returns the packages that are instrumented, as the go command
// names them.
func (p *Program) ImportPaths() ([]string, error) {
	pkgs, err := instrumented(p.Exe(Polls))
	if err != nil {
		return nil, err
	}
	list, err := driver.Tool(p.Dir, nil, "go", "list", ".")
	if err != nil {
		return nil, err
	}
	for i, path := range pkgs {
		if path == "main" { // as the compiler names it
			pkgs[i] = strings.TrimSpace(list.Stdout)
		}
	}
	return pkgs, nil
}

// BuildByProfile makes a build in all layouts. The executables have no symbols: linking then takes half the
// time.
func (p *Program) BuildByProfile(build string, layouts int, profile, edges string, built ...func(driver.Run)) error {
	return InLayouts(build, layouts, func(name string, flags ...string) error {
		exe, args := "go", []string{"build", "-pgo=" + profile, "-o", p.Exe(name), "-ldflags=-s"}
		switch {
		case build == Windows:
			exe, args = p.Pepbuild, append(args, "-pepmode=windows")
		case edges != "":
			exe, args = p.Pepbuild, append(args, "-pepopt="+edges)
		}
		for _, f := range flags {
			args[4] += " " + strings.TrimPrefix(f, "-ldflags=")
		}
		r, err := driver.Tool(p.Dir, nil, exe, append(args, ".")...)
		if err != nil {
			return err
		}
		for _, f := range built {
			f(r)
		}
		return nil
	})
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
