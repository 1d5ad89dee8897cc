package torture

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// The test runs the short form of every part. It skips parts without a short form, with the
// reason.
func TestShort(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs dozens of programs, for two minutes")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("kills and signals are linux/amd64's")
	}
	dir := t.TempDir()
	pepbuild := pepbuildtest.Pepbuild(t)
	o := &Options{Short: true, Seed: uint64(time.Now().UnixNano()), Dir: dir, Out: t.Output()}
	e := &Env{Options: o, Pepbuild: pepbuild}
	for _, p := range Parts {
		t.Run(p.Name, func(t *testing.T) {
			cases, err := p.cases(e)
			if err != nil {
				t.Fatal(err)
			}
			if len(cases) == 0 {
				t.Skip("has no short form: make torture runs it")
			}
			for _, c := range cases {
				t.Run(c.Name, func(t *testing.T) {
					r, err := e.run(dir, p.Name, c)
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range r.Failures {
						t.Error(f)
					}
					if r.Passed+r.Failed == 0 {
						t.Skip(strings.Join(r.Skips, "\n"))
					}
					t.Log(r.Note, strings.Join(r.Skips, "\n"))
				})
			}
		})
	}
}

func TestEveryPartHasCases(t *testing.T) {
	for _, short := range []bool{false, true} {
		e := &Env{Options: &Options{Short: short, Seed: 1}}
		for _, p := range Parts {
			cases, err := p.cases(e)
			if err != nil {
				t.Fatal(err)
			}
			if len(cases) == 0 && !(short && p.Name == "tests") {
				t.Errorf("short=%v: part %s has no cases", short, p.Name)
			}
			names := map[string]bool{}
			for _, c := range cases {
				if names[c.Name] {
					t.Errorf("part %s has two cases %q", p.Name, c.Name)
				}
				names[c.Name] = true
			}
		}
	}
}

func TestPartsAreChosenByName(t *testing.T) {
	parts, err := chosen([]string{"soak", "ends"})
	if err != nil || len(parts) != 2 || parts[0].Name != "soak" {
		t.Errorf("got %d parts, %v, want soak and ends", len(parts), err)
	}
	if _, err := chosen([]string{"sleep"}); err == nil || !strings.Contains(err.Error(), "there are ends, paths,") {
		t.Errorf("got %v, want an error that names the parts", err)
	}
}

func TestAnInterruptedRunGoesOn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state.json")
	var out bytes.Buffer
	open := func(tool string, fresh bool, seed uint64) *state {
		t.Helper()
		s, err := openState(name, tool, fresh, seed, &out)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open("one", false, 5)
	r := &Result{Part: "ends", Case: "polls", Note: "note"}
	r.pass(3)
	r.fail("it %s", "failed")
	r.skip("it was left out")
	if err := s.add(r); err != nil {
		t.Fatal(err)
	}
	again := open("one", false, 0)
	if !again.done("ends", "polls") || again.done("ends", "exact") || again.done("kills", "polls") || again.Seed != 5 {
		t.Errorf("got %+v, want what was stored", again)
	}
	if d := cmp.Diff(s.Results, again.Results); d != "" {
		t.Errorf("results (-stored +read):\n%s", d)
	}
	if s := open("one", true, 0); len(s.Results) != 0 || s.Seed == 5 {
		t.Errorf("fresh: got %+v, want no results of the run before", s)
	}
	if s := open("two", false, 0); len(s.Results) != 0 || !strings.Contains(out.String(), "of another pepbuild") {
		t.Errorf("another pepbuild: got %+v, %q, want no results of the run before, and a message that says so", s, &out)
	}
	if err := os.WriteFile(name, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := openState(name, "one", false, 0, &out); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("got %v, want an error that says what to do", err)
	}
}

// A run that goes on skips the cases that are done, and runs the others.
func TestRunSkipsWhatIsDone(t *testing.T) {
	var ran []string
	saved := Parts
	defer func() { Parts = saved }()
	fails := false
	Parts = []Part{{"fake", "", func(*Env) ([]Case, error) {
		var cases []Case
		for _, name := range []string{"a", "b"} {
			cases = append(cases, Case{name, func(e *Env, r *Result) {
				ran = append(ran, name)
				if name == "b" && fails {
					panic("interrupted")
				}
				r.pass(1)
			}})
		}
		return cases, nil
	}}}
	o := &Options{Dir: t.TempDir(), Out: t.Output()}
	interrupted := func() {
		defer func() { recover() }()
		Run(o)
	}
	fails = true
	interrupted()
	fails = false
	report, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ran, ""); got != "abb" {
		t.Errorf("cases ran in the order %s, want abb", got)
	}
	o.Fresh, o.Match, ran = true, regexp.MustCompile("^b$"), nil
	if _, err := Run(o); err != nil || strings.Join(ran, "") != "b" {
		t.Errorf("%v, cases %q ran, want b", err, ran)
	}
	if c := report.Count(); c.Passed != 2 || c.Failed != 0 {
		t.Errorf("got %v, want 2 passed", c)
	}
}

func TestTable(t *testing.T) {
	a := &Result{Part: "ends", Case: "polls", Seconds: 61.4, Note: "a | b\nc"}
	a.pass(12)
	b := &Result{Part: "kills", Case: "taps"}
	b.fail("first line\nsecond line")
	b.skip("no tool:\nits output")
	c, d, e := &Result{Part: "std", Case: "bytes", Seconds: 2}, &Result{Part: "std", Case: "sort", Seconds: 3},
		&Result{Part: "std", Case: "sync"}
	c.pass(3)
	d.pass(4)
	e.fail("third")
	var out bytes.Buffer
	(&Report{[]*Result{a, b, c, d, e}}).Table(&out)
	want := `| part | case | passed | failed | skipped | time | |
|---|---|---|---|---|---|---|
| ends | polls | 12 | 0 | 0 | 1m1s | a \| b c |
| kills | taps | 0 | 1 | 1 | 0s |  |
| std | 2 suites | 7 | 0 | 0 | 5s | bytes, sort |
| std | sync | 0 | 1 | 0 | 0s |  |

Not run: paths, tracers, gotest, modules, tests, soak.

Failures:

* kills taps: first line

      second line
* std sync: third

Left out:

* kills taps: no tool

19 passed, 2 failed
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("table (-want +got):\n%s", d)
	}
}
