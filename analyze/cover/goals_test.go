package cover

import (
	"testing"

	"github.com/pepgo/pep/analyze/source"
)

// of is a coverage with these totals, but those of MC/DC.
func of(t Totals) *Coverage {
	f := &Function{Calls: int64(t.Functions.Covered)}
	b := &Branch{}
	for i := range t.Statements.All {
		f.Statements = append(f.Statements, Statement{Count: int64(max(t.Statements.Covered-i, 0))})
	}
	for i := range t.Branches.All {
		b.Outcomes = append(b.Outcomes, Outcome{Count: int64(max(t.Branches.Covered-i, 0))})
	}
	f.Branches = []*Branch{b}
	return &Coverage{Packages: []*Package{{Functions: []*Function{f}}}}
}

func TestGoals(t *testing.T) {
	totals := Totals{Functions: Part{1, 1}, Statements: Part{3, 4}, Branches: Part{3, 6}}
	for text, want := range map[string]string{
		"branch:50":                       "",
		"branch:50.1":                     "branch coverage is 50.0% (3 of 6), want 50.1%",
		"function:100,statement:76":       "statement coverage is 75.0% (3 of 4), want 76%",
		"mcdc:100":                        "", // there are no decisions
		"statement:80,branch:80,mcdc:100": "statement coverage is 75.0% (3 of 4), want 80%; branch coverage is 50.0% (3 of 6), want 80%",
	} {
		list, err := ParseGoals(text)
		if got := of(totals).Missed(list, (*Decision).Masking); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "80", "branch", "branch:", "branch:101", "branch:-1", "branch:x", "line:80",
		"branch:80,", "branch:NaN"} {
		if list, err := ParseGoals(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, list)
		}
	}
}

// Where the program has decisions and the profiles do not, a goal for MC/DC is missed: nothing is known.
func TestGoalsOfUnknownDecisions(t *testing.T) {
	for name, want := range map[string]string{
		write(t, src): "mcdc coverage is 0.0% (0 of 3), want 1%",
		"/gone/p.go":  "mcdc coverage is not known: there are decisions in files whose source is not found, such as /gone/p.go; -source_path says where to look",
	} {
		paths, tables := run(t, name, 0, 1)
		c, err := New(paths, tables, source.NewTree(""), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Missed([]Goal{{"mcdc", 1}}, (*Decision).Masking); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if got := c.Missed([]Goal{{"branch", 1}}, (*Decision).Masking); got != "" {
			t.Errorf("%s: got %q of branches", name, got)
		}
	}
	c := &Coverage{Uncounted: []Uncounted{{Place{"/p.go", 3, 0}, "p.f", "//go:nosplit"}}}
	if got := c.Missed([]Goal{{"mcdc", 100}}, (*Decision).Masking); got != "" {
		t.Errorf("without decisions: got %q", got)
	}
	c.Uncounted = append(c.Uncounted, Uncounted{Place{"/p.go", 4, 5}, "a && b", whyUnknown})
	if got, want := c.Missed([]Goal{{"mcdc", 0}}, (*Decision).Masking),
		"mcdc coverage is not known: the source has decisions (1), and the profiles count none of them"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
