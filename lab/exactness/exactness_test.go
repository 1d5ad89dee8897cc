package exactness_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/gobuild"
	"github.com/pepgo/pep/lab/exactness"
)

// The go command calls this binary instead of its tools.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "toolexec" {
		code, err := gobuild.Tool(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func check(t *testing.T, p *exactness.Program) *exactness.Report {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles std")
	}
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	p.Dir = dir
	p.Work = t.TempDir()
	p.Stderr = t.Output()
	r, err := p.Check()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r.Failures(&out)
	r.Details(&out)
	exactness.Summary(&out, []*exactness.Report{r})
	t.Logf("%s", &out)
	if !r.OK() {
		t.Error("exact is not exact")
	}
	if r.Count(exactness.Equal) < 1000 {
		t.Error("the test compared too few blocks")
	}
	return r
}

// PEP-13: exact mode, which the specification calls perfect path mode, counts exactly.
// PEP-14: inflow = outflow.
func TestPEP13TestPrograms(t *testing.T) {
	for _, name := range []string{"sortbench", "flate"} {
		t.Run(name, func(t *testing.T) {
			check(t, &exactness.Program{Dir: "../../testprogs/" + name, Args: []string{"1"}})
		})
	}
}

// The test runs all kinds of truncation, and every way in which a path does not end.
func TestPEP13Hazards(t *testing.T) {
	for _, truncate := range []string{"header", "backedge", "join"} {
		t.Run(truncate, func(t *testing.T) {
			r := check(t, &exactness.Program{Dir: "testdata/hazards", Truncate: truncate})
			want := map[string]string{
				"main.main":       "1",  // left by os.Exit
				"main.leave":      "2",  // of 4, left by Goexit
				"main.park":       "1",  // still running
				"main.main.func1": "2",  // callers of leave
				"main.thrower":    "10", // by the division in divide, whose own path ends before it is left
			}
			for _, b := range r.Blocks {
				if b.Kind == exactness.Skipped && strings.HasPrefix(b.Func, "main.") {
					t.Errorf("%s was skipped: %s", b.Func, b.Reason)
				}
			}
			got := map[string]string{}
			for _, s := range r.Unended {
				if name, n, _ := strings.Cut(s, " "); strings.HasPrefix(name, "main.") {
					got[name] = n
				}
			}
			for name, n := range want {
				if got[name] != n {
					t.Errorf("%s: %q paths that did not end, want %s", name, got[name], n)
				}
			}
			for name, n := range got {
				if want[name] == "" {
					t.Errorf("%s: %s paths that did not end, want none", name, n)
				}
			}
		})
	}
}
