package cover

import "testing"

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
		if got := totals.Missed(list); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "80", "branch", "branch:", "branch:101", "branch:-1", "branch:x", "line:80", "branch:80,", "branch:NaN"} {
		if list, err := ParseGoals(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, list)
		}
	}
}
