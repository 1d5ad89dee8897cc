package torture

// This file runs test suites under go test and under pepbuild test, and compares
// test by test.

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/driver"
)

// A suite is the tests of some packages.
type suite struct {
	dir      string            // in which the go command is called
	goflags  string            // GOFLAGS
	packages []string          // patterns of those that are tested
	profiled string            // -peppkg
	except   map[string]string // reasons by mode (or all), package and test: see excepted
}

// Modes of suites, with their PEPOPTS.
var suiteModes = []struct{ name, opts string }{
	{"polls", "tick=4ms"},
	{"taps", "tick=4ms"},
	{driver.Windows, "tick=1ms"},
}

// results say how tests ended, by package and name: pass, fail or skip. The entry of
// a package as a whole has no name.
type results struct {
	ended  map[string]string
	output map[string]string
}

// errNotInstrumented is the error of a suite whose profiled package is one of those that
// pepbuild never instruments, such as those that package runtime imports.
var errNotInstrumented = errors.New("pepbuild instruments no package of this suite")

// run runs the suite.
func (s *suite) run(e *Env, mode, opts string) (*results, error) {
	dir, err := os.MkdirTemp(e.Work, "profiles-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name, flags, err := driver.Command(e.Pepbuild, mode, s.profiled)
	if err != nil {
		return nil, err
	}
	args := slices.Concat([]string{"test"}, flags, []string{"-json", "-short", "-count=1", "-vet=off", "-timeout=10m"},
		s.packages)
	ran, err := driver.Tool(s.dir, []string{"GOWORK=off", "GOFLAGS=" + s.goflags, "PEPDIR=" + dir, "PEPOPTS=" + opts},
		name, args...)
	r, parseErr := parseResults(strings.NewReader(ran.Stdout))
	if strings.Contains(ran.Stderr, "matches no package of the program that can be profiled") {
		return nil, errNotInstrumented
	}
	if parseErr != nil || len(r.ended) == 0 {
		return nil, errors.Join(errors.New("no results"), err, parseErr)
	}
	return r, nil
}

var address = regexp.MustCompile(`0x[0-9a-f]{5,}`)

// parseResults reads the output of go test -json.
func parseResults(r io.Reader) (*results, error) {
	res := &results{map[string]string{}, map[string]string{}}
	for dec := json.NewDecoder(r); ; {
		var e struct{ Action, Package, ImportPath, Test, Output string }
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			return res, nil
		} else if err != nil {
			return res, err
		}
		// Some subtests have the address of a function in their names.
		key := strings.TrimSpace(e.Package + " " + address.ReplaceAllString(e.Test, "0x…"))
		switch e.Action {
		case "output":
			res.output[key] += e.Output
		case "build-output":
			res.output[strings.Fields(e.ImportPath + " ")[0]] += e.Output
		case "pass", "fail", "skip":
			res.ended[key] = e.Action
		}
	}
}

// compare runs the suite plain and in all modes.
func (s *suite) compare(e *Env, r *Result) {
	plain, err := s.run(e, driver.Plain, "")
	if err != nil {
		r.skip("does not run plain: %v", err)
		return
	}
	for _, k := range plain.failing() {
		r.skip("%s fails plain as well:\n%s", k, tail(plain.said(k)))
	}
	for _, m := range suiteModes {
		if e.Modes != nil && !slices.Contains(e.Modes, m.name) {
			continue
		}
		got, err := s.run(e, m.name, m.opts)
		if errors.Is(err, errNotInstrumented) {
			r.skip("%s: %v", m.name, err)
			continue
		}
		if err != nil {
			r.fail("%s: %v", m.name, err)
			continue
		}
		differ := s.differ(plain, got, m.name, r)
		if len(differ) > 0 {
			// Some tests fail now and then by themselves.
			again, err := s.run(e, driver.Plain, "")
			if err == nil {
				differ = slices.DeleteFunc(differ, func(k string) bool { return again.ended[k] == got.ended[k] })
			}
		}
		for k := range plain.ended {
			if got.ended[k] == plain.ended[k] && plain.ended[k] != "fail" {
				r.pass(1)
			}
		}
		for _, k := range differ {
			r.fail("%s: %s: got %s, want %s\n%s", m.name, k, result(got.ended[k]), plain.ended[k], tail(got.said(k)))
		}
	}
}

// failing returns the tests and packages that fail, without those around them: a
// package is there only if it fails by itself, for example since it does not build.
func (r *results) failing() (keys []string) {
	for _, k := range slices.Sorted(maps.Keys(r.ended)) {
		inside := func(sub string) bool {
			return r.ended[sub] == "fail" && (strings.HasPrefix(sub, k+"/") && strings.Contains(k, " ") ||
				strings.HasPrefix(sub, k+" "))
		}
		if r.ended[k] == "fail" && !slices.ContainsFunc(slices.Collect(maps.Keys(r.ended)), inside) {
			keys = append(keys, k)
		}
	}
	return keys
}

// said returns the output of a test. If a package has died, its output ends with the tests
// that were running at that moment.
func (r *results) said(key string) string {
	text := r.output[key]
	if strings.Contains(key, " ") {
		return text
	}
	for _, k := range slices.Sorted(maps.Keys(r.output)) {
		if strings.HasPrefix(k, key+" ") && r.ended[k] == "" {
			text += r.output[k]
		}
	}
	return text
}

func result(s string) string {
	if s == "" {
		return "no result"
	}
	return s
}

// tail returns the last part of the output of a test.
func tail(s string) string {
	const most = 1200
	s = strings.TrimSpace(s)
	if len(s) > most {
		s = "…" + s[len(s)-most:]
	}
	return s
}

// differ returns the tests that did not end as in the plain run, except those with an
// exception. If a package has died, it leaves out the tests that had not begun. If a
// subtest has failed, it leaves out the tests around it.
func (s *suite) differ(plain, got *results, mode string, r *Result) (keys []string) {
	for _, k := range slices.Sorted(maps.Keys(plain.ended)) {
		if got.ended[k] == plain.ended[k] {
			continue
		}
		pkg, test, _ := strings.Cut(k, " ")
		if got.ended[k] == "" && test != "" && got.ended[pkg] != plain.ended[pkg] {
			continue
		}
		if reason := s.excepted(mode, pkg, test); reason != "" {
			r.skip("%s: %s: %s", mode, k, reason)
			continue
		}
		keys = append(keys, k)
	}
	// A test or package that contains a failure fails, too.
	return slices.DeleteFunc(keys, func(k string) bool {
		return slices.ContainsFunc(slices.Sorted(maps.Keys(plain.ended)), func(sub string) bool {
			inside := sub != k && (strings.HasPrefix(sub, k+"/") || !strings.Contains(k, " ") && strings.HasPrefix(sub, k+" "))
			return inside && got.ended[sub] != "" && got.ended[sub] != plain.ended[sub]
		})
	})
}

// excepted returns the reason why a test may end otherwise than in the plain run, or "". The
// keys of reasons are "mode package test" or "all package test". The reason of a test holds
// for its subtests, too.
func (s *suite) excepted(mode, pkg, test string) string {
	top, _, _ := strings.Cut(test, "/")
	for _, m := range []string{mode, "all"} {
		for _, t := range []string{test, top} {
			if reason := s.except[m+" "+pkg+" "+t]; reason != "" {
				return reason
			}
		}
	}
	return ""
}
