// Package check runs the project's checks and counts them.
//
// It reads the output of go test -json, shows the output of tests that failed and the
// reasons of tests that were skipped,
//
//	ok    github.com/pepgo/pep/format/wire  0.41s  23 passed
//	SKIP  github.com/pepgo/pep/instrument TestCorpus
//	      corpus_test.go:31: slow
//	FAIL  github.com/pepgo/pep/analyze/profile TestOpen
//	      profile_test.go:18: got 1, want 2
//
// and adds up the results. Each test or subtest that passed or failed counts one. If a
// package failed although none of its tests did (it does not compile, or it died), this
// counts as one failure. Tests that are skipped do not count. The report ends with the tests that
// took longest, if they took long:
//
//	slow  112.4s  github.com/pepgo/pep/cmd/pepbuild TestScripts
package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A Count adds up the outcomes of checks.
type Count struct {
	Passed, Failed, Skipped int
}

// Add adds d to c.
func (c *Count) Add(d Count) {
	c.Passed += d.Passed
	c.Failed += d.Failed
	c.Skipped += d.Skipped
}

// String is the last line of a report: "12 passed, 0 failed".
func (c Count) String() string { return fmt.Sprintf("%d passed, %d failed", c.Passed, c.Failed) }

// An event is a line of go test -json; see go doc cmd/test2json.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build output
	Test        string
	Elapsed     float64
	Output      string
	FailedBuild string
}

// Tests prints a report on the events in r, and returns the count. It is an error if r has
// other data, or no events.
func Tests(w io.Writer, r io.Reader) (Count, error) {
	t := &tests{w: w, output: map[string][]string{}, packages: map[string]*Count{}}
	dec := json.NewDecoder(r)
	for {
		var e event
		err := dec.Decode(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			return t.total, fmt.Errorf("reading the events of go test: %w", err)
		}
		t.event(e)
	}
	if len(t.packages) == 0 {
		return t.total, errors.New("go test reported on no package")
	}
	t.slowest()
	return t.total, nil
}

// A test of slow seconds or more is in the list of slow ones, of which mostSlow are shown.
const (
	slow     = 10
	mostSlow = 20
)

type tests struct {
	w        io.Writer
	output   map[string][]string // of what is running, by package and test
	packages map[string]*Count
	slow     []event // tests that took long, without subtests
	total    Count
}

// slowest prints the tests that took longest.
func (t *tests) slowest() {
	slices.SortStableFunc(t.slow, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, e := range t.slow[:min(len(t.slow), mostSlow)] {
		fmt.Fprintf(t.w, "slow  %.1fs  %s %s\n", e.Elapsed, e.Package, e.Test)
	}
}

func (t *tests) event(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		t.output[key] = append(t.output[key], e.Output)
		return
	case "build-output":
		t.output[e.ImportPath] = append(t.output[e.ImportPath], e.Output)
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	count := t.packages[e.Package]
	if count == nil {
		count = new(Count)
		t.packages[e.Package] = count
	}
	if e.Test == "" {
		t.endPackage(e, count)
		return
	}
	var one Count
	switch e.Action {
	case "pass":
		one.Passed = 1
	case "fail":
		one.Failed = 1
		t.show("FAIL", key, t.output[key])
	case "skip":
		one.Skipped = 1
		t.show("SKIP", key, t.output[key])
	}
	if e.Elapsed >= slow && !strings.Contains(e.Test, "/") {
		t.slow = append(t.slow, e)
	}
	count.Add(one)
	t.total.Add(one)
	delete(t.output, key)
}

func (t *tests) endPackage(e event, count *Count) {
	key := e.Package + " "
	switch {
	case e.Action == "fail" && count.Failed == 0:
		t.total.Failed++
		t.show("FAIL", e.Package, append(t.output[e.FailedBuild], t.output[key]...))
		delete(t.output, e.FailedBuild)
		// Of tests that did not end, because the program was killed or ran out of time, one says why.
		for _, test := range slices.Sorted(maps.Keys(t.output)) {
			if strings.HasPrefix(test, key) && test != key {
				t.show("FAIL", test, t.output[test])
				delete(t.output, test)
			}
		}
	case e.Action == "pass" && *count != Count{}:
		fmt.Fprintf(t.w, "ok    %s  %.2fs  %d passed\n", e.Package, e.Elapsed, count.Passed)
	}
	delete(t.output, key)
}

// show writes a line and, indented, the output of the test, without the lines that go test
// adds to it.
func (t *tests) show(verdict, what string, output []string) {
	fmt.Fprintf(t.w, "%s  %s\n", verdict, what)
	for line := range strings.Lines(strings.Join(output, "")) {
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "=== ") || strings.HasPrefix(text, "--- ") || text == "FAIL" {
			continue
		}
		fmt.Fprintf(t.w, "      %s\n", strings.TrimRight(strings.TrimPrefix(line, "    "), "\n"))
	}
}
