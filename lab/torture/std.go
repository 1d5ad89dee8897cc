package torture

// This file runs the tests of std.

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/driver"
)

// stdOfCI are the packages of the short run.
var stdOfCI = []string{"sort"}

func stdCases(e *Env) (cases []Case, err error) {
	packages := stdOfCI
	if !e.Short {
		if packages, err = stdPackages(); err != nil {
			return nil, err
		}
	}
	for _, p := range packages {
		cases = append(cases, Case{p, func(e *Env, r *Result) { e.std(r, p) }})
	}
	return cases, nil
}

// stdPackages returns the packages of std that have tests, without the packages that
// pepbuild skips: package runtime, and the packages that it imports.
func stdPackages() ([]string, error) {
	format := `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}`
	all, err := goList("-f", format, "std")
	if err != nil {
		return nil, err
	}
	alone, err := goList("-deps", "runtime")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(p string) bool {
		return slices.Contains(alone, p) || strings.HasPrefix(p, "runtime/") || strings.HasPrefix(p, "vendor/")
	}), nil
}

func goList(args ...string) ([]string, error) {
	r, err := driver.Tool("", nil, "go", append([]string{"list"}, args...)...)
	return strings.Fields(r.Stdout), err
}

// std compares the tests of a package.
func (e *Env) std(r *Result, pkg string) {
	root, err := driver.Tool("", nil, "go", "env", "GOROOT")
	if err != nil {
		r.fail("%v", err)
		return
	}
	s := &suite{
		dir:      filepath.Join(strings.TrimSpace(root.Stdout), "src"),
		packages: []string{pkg},
		profiled: pkg,
	}
	s.compare(e, r)
}
