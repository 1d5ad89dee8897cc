package torture

// This file runs the tests of std.

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, &stderr)
	}
	return strings.Fields(string(out)), nil
}

// std compares the tests of a package.
func (e *Env) std(r *Result, pkg string) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		r.fail("go env GOROOT: %v", err)
		return
	}
	s := &suite{
		dir:      filepath.Join(strings.TrimSpace(string(root)), "src"),
		packages: []string{pkg},
		profiled: pkg,
	}
	s.compare(e, r)
}
