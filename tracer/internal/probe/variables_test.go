//go:build linux && amd64

package probe_test

// This file compares values at lines with those of a program that does known work.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// The compiler moves assignments of one line behind the first instruction of a later line,
// or ahead of that of an earlier one. The variable then has the value from before or after
// the assignment.
var moved = map[string]string{"TOTAL p.x": "POINT p.x", "DEAD n": "DEAD n before", "COUNT n": "COUNT n after"}

// markedLines returns the lines of the program with comments in capitals.
func markedLines(t *testing.T) map[int]string {
	t.Helper()
	source, err := os.ReadFile("testdata/lines/main.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]string{}
	for i, text := range strings.Split(string(source), "\n") {
		if _, comment, ok := strings.Cut(text, "\t// "); !ok {
			if _, comment, ok := strings.Cut(text, " // "); ok && strings.ToUpper(comment) == comment {
				lines[i+1] = comment
			}
		} else if strings.ToUpper(comment) == comment {
			lines[i+1] = comment
		}
	}
	if len(lines) != 14 {
		t.Fatalf("the program has %d marked lines, want 14: %v", len(lines), lines)
	}
	return lines
}

// buildLines builds testdata/lines, with a variable in the environment.
func buildLines(t *testing.T, env string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lines")
	cmd := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), "./testdata/lines")...)
	cmd.Env = append(os.Environ(), env)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// Values of variables at lines are those that the program has there, with their counts, in
// location lists of DWARF 4 and 5, for optimised programs and others, whatever the
// probe stands at. A variable without a value is named with the reason; but of odd and
// small, which the compiler has removed, DWARF does not have the names.
func TestVariables(t *testing.T) {
	targettest.NeedRights(t)
	const rounds = 300
	want, marks := work(rounds), markedLines(t)
	for _, build := range []struct {
		name, env string
		flags     []string
		words     int // that are recorded at least
	}{
		{name: "plain", words: 41},
		{name: "pie", flags: []string{"-buildmode=pie"}, words: 41},
		{name: "dwarf4", env: "GOEXPERIMENT=nodwarf5", words: 41},
		{name: "unoptimised", flags: []string{"-gcflags=-N -l"}, words: len(want) - 3},
	} {
		t.Run(build.name, func(t *testing.T) {
			if build.env != "" && testing.Short() {
				t.Skip("it builds the standard library with " + build.env)
			}
			x := targettest.Start(t, buildLines(t, build.env, build.flags...), fmt.Sprint(rounds))
			wish := probe.Wish{}
			for line := range marks {
				wish.Lines = append(wish.Lines, probe.Position{File: "lines/main.go", Line: line, All: true})
			}
			plan := chosen(t, x, wish)
			c := countsOf(t, x, plan, probe.Limits{Values: 2000})

			got, interpreted, later := seen{}, 0, 0
			hits, wantHits := map[string]uint64{}, map[string]uint64{}
			for i, site := range plan.Sites {
				mark := marks[site.Line]
				if site.Again {
					later++
				} else {
					hits[mark] += c.Sites[i].Hits
				}
				if site.Fused != nil && site.Fused.Steps > 0 {
					interpreted++
				}
				for j, w := range site.Words {
					key := mark + " " + w.Name
					n := c.Sites[i].Words[j]
					if n.Faults+n.Full+n.Other > 0 {
						t.Errorf("%s: %d could not be read, %d had no space", key, n.Faults, n.Full+n.Other)
					}
					if w.As == probe.Text {
						continue // its length is the next word
					}
					for _, v := range n.Values {
						if got[key] == nil {
							got[key] = histogram{}
						}
						got[key][v.Value] += v.Count
					}
				}
			}
			for key, values := range got {
				if !reflect.DeepEqual(values, want[key]) && !reflect.DeepEqual(values, want[moved[key]]) {
					t.Errorf("%s: got %v, want %v", key, values, want[key])
				}
			}
			for key, values := range want {
				mark, name, _ := strings.Cut(key, " ")
				if name == "n before" || name == "n after" || name == "" {
					continue
				}
				wantHits[mark] = 0
				for _, n := range values {
					wantHits[mark] += n
				}
				base := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "len("), "cap("), ")")
				base, _, _ = strings.Cut(base, ".")
				if got[key] == nil && base != "odd" && base != "small" && !reasoned(plan, marks, mark, base) {
					t.Errorf("%s is neither recorded nor skipped with a reason", key)
				}
			}
			if !reflect.DeepEqual(hits, wantHits) {
				t.Errorf("hits: got %v, want %v", hits, wantHits)
			}
			t.Logf("%d of %d words, %d sites interpret, %d are for later values", len(got), len(want), interpreted, later)
			if optimised := build.name != "unoptimised"; interpreted == 0 || optimised != (later > 0) {
				t.Errorf("%d sites interpret, %d are for later values", interpreted, later)
			}
			if len(got["SAVED more"]) == 0 {
				t.Error("more has no value at its line")
			}
			if len(got) < build.words {
				t.Errorf("%d words are recorded, want %d; not: %v", len(got), build.words, plan.Skipped)
			}
		})
	}
}

// reasoned reports whether the plan says why a variable has no value.
func reasoned(plan *probe.Plan, marks map[int]string, mark, name string) bool {
	for _, s := range plan.Skipped {
		var line int
		what, at, _ := strings.Cut(s.What, " at lines/main.go:")
		fmt.Sscan(at, &line)
		if marks[line] == mark && strings.Contains(what, name) && s.Reason != "" {
			return true
		}
	}
	return false
}

// Variables can be chosen by name. What is wrong with a name is said, and a stripped
// program, which has no names, is refused; without names its lines are counted.
func TestVariablesByName(t *testing.T) {
	plain, stripped := buildLines(t, ""), buildLines(t, "", "-ldflags=-s -w")
	lines := map[string]int{}
	for n, mark := range markedLines(t) {
		lines[mark] = n
	}
	for _, c := range []struct {
		name  string
		at    probe.Position
		words string // that are recorded
		want  string // in the reasons, or in the error
	}{
		{"one of two", probe.Position{Vars: []string{"m"}}, "m", ""},
		{"none", probe.Position{}, "", ""},
		{"another function's", probe.Position{Vars: []string{"m", "rounds"}}, "m",
			"rounds at lines/main.go:%d: no variable of this name is in scope; in scope are: n, m"},
		{"of the function around an inlined call", probe.Position{Line: lines["HALF"], Vars: []string{"a"}}, "",
			"a at lines/main.go:%d: no variable of this name is in scope; in scope are: n, h"},
		{"optimised out", probe.Position{Vars: []string{"n"}}, "", "n at lines/main.go:%d: optimised out here"},
		{"declared on the line", probe.Position{Line: lines["DEAD"] - 2, Vars: []string{"n"}}, "",
			"n at lines/main.go:%d: it is declared at line"},
		{"stripped, by name", probe.Position{Vars: []string{"m"}}, "",
			"variables of lines/main.go:%d: DWARF: the executable is stripped"},
		{"stripped, all", probe.Position{All: true}, "", "variables at lines/main.go:%d: the program is stripped of DWARF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := plain
			if strings.HasPrefix(c.name, "stripped") {
				path = stripped
			}
			im, err := image.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer im.Close()
			c.at.File = "lines/main.go"
			if c.at.Line == 0 {
				c.at.Line = lines["BRANCH"]
			}
			plan, err := probe.Choose(im, probe.Wish{Lines: []probe.Position{c.at}})
			if strings.Contains(c.want, "%d") {
				c.want = fmt.Sprintf(c.want, c.at.Line)
			}
			if err != nil {
				if c.name != "stripped, by name" || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				return
			}
			var words, reasons []string
			for _, s := range plan.Sites {
				for _, w := range s.Words {
					if len(words) == 0 || words[len(words)-1] != w.Name {
						words = append(words, w.Name)
					}
				}
			}
			for _, s := range plan.Skipped {
				reasons = append(reasons, s.What+": "+s.Reason)
			}
			if got := strings.Join(reasons, "; "); len(plan.Sites) == 0 || strings.Join(words, " ") != c.words ||
				!strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%d sites, words %q, skipped %q, want words %q, %q", len(plan.Sites), words, got, c.words, c.want)
			}
		})
	}
}

// A return to which a jump and the end of a call lead has a slow probe for the way after
// the call, and one that is not slow for the other. Together they see every return, with its
// result.
func TestReturnsOnTwoWays(t *testing.T) {
	targettest.NeedRights(t)
	const rounds = 400
	x := targettest.Start(t, buildLines(t, ""), fmt.Sprint(rounds))
	plan := chosen(t, x, probe.Wish{Func: regexp.MustCompile(`^main\.either$`), Results: true})
	c := countsOf(t, x, plan, probe.Limits{})
	hits := map[bool]uint64{} // by whether the site is slow
	for i, site := range plan.Sites {
		if site.Kind == probe.Exit {
			hits[site.Slow] += c.Sites[i].Hits
		}
	}
	if want := map[bool]uint64{true: rounds / 4, false: rounds - rounds/4}; !reflect.DeepEqual(hits, want) {
		t.Errorf("hits of returns by slowness: got %v, want %v", hits, want)
	}
	got := recorded(plan, c, "main.either", probe.Exit, "#1")
	if want := work(rounds)["either"]; !reflect.DeepEqual(histogram(got), want) {
		t.Errorf("results: got %v, want %v", got, want)
	}
}
