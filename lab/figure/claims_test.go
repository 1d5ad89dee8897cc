package figure

import (
	"math"
	"strings"
	"testing"
)

// beside is a page of six claims: one holds, one differs with our rules, one differs, one cannot be shown, one has no
// second column, and one no first column.
func beside() *Beside {
	of := func(name string) func(m *Measured, extended bool) Tally {
		return func(m *Measured, extended bool) Tally {
			if extended {
				return m.Of(name, "ours")
			}
			return m.Of(name, "rules")
		}
	}
	return &Beside{Name: "x", Title: "X", Columns: Rules, Extended: "Ours are more", Runs: "runs",
		Tables: func(*Measured) []Table { return nil }, Claims: []Claim{
			{Key: "a", Says: "a is small", Prints: "2", Unit: Times, Want: AtMost(Times(2)), Of: of("a")},
			{Key: "b", Says: "b is small", Unit: Times, Want: AtMost(Times(2)), Of: of("b"),
				Why: func(m *Measured) string { return "B is " + Times(m.First("b/ours")).Text + "." }},
			{Key: "c", Says: "c is small", Unit: Times, Want: AtMost(Times(2)), Of: of("c"), Same: true},
			{Key: "d", Says: "d is small", Prints: "1", Cannot: "nobody knows d"},
			{Key: "e", Says: "e is small", Unit: Times, Want: AtMost(Times(2)), Of: of("e"), Only: true},
			{Key: "f", Says: "f is small", Unit: Times, Want: AtMost(Times(2)), Of: of("f"), CannotRules: "f is ours",
				Why: func(m *Measured) string { return "F is " + Times(m.First("f/ours")).Text + "." }},
		}, Surprises: []func(m *Measured) string{func(m *Measured) string {
			return "The size of a is " + Times(m.First("a/rules")).Text + "."
		}}}
}

func planted() *Measured {
	m := &Measured{Header: []string{"figures paper x", "commit abc"}}
	m.Add("a/rules", 1, 1, 1, 2)
	m.Add("a/ours", 1)
	m.Add("b/rules", 1)
	m.Add("b/ours", 3)
	m.Add("c/rules", 3, 4)
	m.Add("e/rules", 5)
	m.Add("f/ours", 2)
	return m
}

// The page has the counts, what surprised, and a row for each claim that can be shown: medians, bold where they differ.
func TestPageOfClaims(t *testing.T) {
	page, err := beside().Page(planted())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(page), " ") // lines break
	for _, want := range []string{
		"# X Of 6 claims 2 agree with the paper's rules, 2 differ, and 2 cannot be shown here. With our rules 2 agree and 2 differ. ",
		" The run is `figures paper x`, commit abc. ",
		" ## What surprised * The size of a is 1.00x. ## Claims ",
		"| a is small | 1.00x | 1.00x | | b is small | 1.00x | **3.00x** | | c is small | **3.50x** | | | e is small | **5.00x** | | " +
			"| f is small | - | 2.00x | These cannot be shown here: d is small.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	m := planted()
	m.Set("a/rules", 1, 1, 3) // 2 of 3 are too few, but the median agrees
	m.Set("e/rules", math.NaN())
	if page, err := beside().Page(m); err != nil ||
		!strings.Contains(page, "| a is small | **1.00x; 2 of 3** | 1.00x |\n") ||
		!strings.Contains(page, "| e is small | **none** |  |\n") {
		t.Errorf("%v:\n%s", err, page)
	}
	delete(m.numbers, "a/rules")
	if _, err := beside().Page(m); err == nil || !strings.HasPrefix(err.Error(), "a: nothing was measured") {
		t.Errorf("without the numbers of a claim: %v", err)
	}
}

// The details have ranges, verdicts and reasons of all claims.
func TestDetailsOfClaims(t *testing.T) {
	page, err := beside().Details(planted())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n    figures paper x\n",
		"| a is small |  | 2 |  | at most 2.00x | 1.00x (1.00x to 2.00x); 4 of 4 | agrees | 1.00x | agrees |\n",
		"| c is small |  |  |  | at most 2.00x | 3.50x (3.00x to 4.00x); 0 of 2 | differs | the same | differs |\n",
		"| d is small |  | 1 |  | - | - | cannot be shown | the same | cannot be shown |\n",
		"| e is small |  |  |  | at most 2.00x | 5.00x | differs | - | - |\n",
		"| f is small |  |  |  | at most 2.00x | - | cannot be shown | 2.00x | agrees |\n",
		"* **f is small** (with the paper's rules: cannot be shown; with our rules: agrees). With the paper's rules it cannot be " +
			"shown here: f is ours. F is 2.00x.\n",
		"* **b is small** (with the paper's rules: agrees; with our rules: differs). B is 3.00x.\n",
		"* **c is small** (differs). No experiment of ours says why.\n",
		"* **d is small** (cannot be shown). It cannot be shown here: nobody knows d.\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the details have no %q:\n%s", want, page)
		}
	}
}

// What was measured is the same after it was written and read.
func TestMeasuredIsText(t *testing.T) {
	m := planted()
	m.Add("odd", math.NaN(), math.Inf(1), 1.0/3)
	got, err := ParseMeasured(m.String())
	if err != nil || got.String() != m.String() || got.First("a/ours") != 1 || !math.IsNaN(got.First("odd")) ||
		!math.IsInf(got.Of("odd")[1], 1) || got.Of("odd")[2] != 0.333333 {
		t.Errorf("%v:\n%s\nwant\n%s", err, got, m)
	}
	for _, text := range []string{"a 1\na 2\n", "a x\n", " 1\n"} {
		if _, err := ParseMeasured(text); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
}
